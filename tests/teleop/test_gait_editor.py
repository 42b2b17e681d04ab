# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.gait.library import GaitLibrary, read_gaits
from surefoot.gait.parameters import Gait
from surefoot.gait.validator import check_gait
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.teleop.gait_editor import GaitEditor, Outcome
from surefoot.teleop.gait_files import own_gaits, save_gait, user_file
from surefoot.teleop.gait_names import GaitNames
from surefoot.teleop.gait_values import PARAMETERS, find_parameter

KEYS = [parameter.key for parameter in PARAMETERS]


@pytest.fixture(scope="module")
def gaits(config: Path) -> GaitLibrary:
    return read_gaits(config / "gaits" / "hyq.yaml")


@pytest.fixture
def trot(gaits: GaitLibrary) -> Gait:
    values = {"period": 0.5, "step_height": 0.08, "duty_factor": dict.fromkeys(LEG_NAMES, 0.6), "max_forward_speed": 0.5}
    return gaits["trot"].model_copy(update=values)


@pytest.fixture
def editor(trot: Gait, hyq: RobotModel) -> GaitEditor:
    return GaitEditor(trot, lambda gait: check_gait(gait, hyq))


def test_what_can_be_tuned() -> None:
    assert KEYS[:8] == [
        "period", "duty_factor", "step_height", "stance_length", "stance_width", "max_forward_speed", "max_strafe_speed", "max_turn_rate",
    ]  # fmt: skip
    assert KEYS[8:] == [*(f"liftoff.{leg}" for leg in LEG_NAMES), "base_height", "base_roll", "base_pitch", "base_yaw"]
    with pytest.raises(UnknownNameError, match="did you mean 'period'"):
        find_parameter("perod")


@pytest.mark.parametrize(
    ("key", "steps", "value"),
    [
        ("period", 1, 0.51), ("period", -2, 0.48), ("duty_factor", 2, 0.62), ("step_height", 1, 0.082), ("max_forward_speed", -1, 0.49),
        ("liftoff.LF", -30, 0.95), ("base_height", -1, 0.59), ("base_roll", -2, -0.04), ("base_pitch", 1, 0.02), ("base_yaw", -3, -0.15),
    ],
)  # fmt: skip
def test_a_step_is_one_of_the_parameters_own(editor: GaitEditor, trot: Gait, key: str, steps: int, value: float) -> None:
    change = editor.step(key, steps)
    assert change.outcome is Outcome.EDITED
    assert find_parameter(key).value(editor.draft) == pytest.approx(value)
    others = [other for other in KEYS if other != key]
    assert all(find_parameter(other).value(editor.draft) == find_parameter(other).value(trot) for other in others)
    assert editor.undo().outcome is Outcome.UNDONE
    assert editor.draft == trot


def test_duty_factors_move_together_and_keep_their_differences(trot: Gait) -> None:
    editor = GaitEditor(trot.model_copy(update={"duty_factor": {"LF": 0.6, "RF": 0.62, "LH": 0.64, "RH": 0.6}}))
    editor.step("duty_factor", 3)
    assert editor.draft.duty_factor == pytest.approx({"LF": 0.63, "RF": 0.65, "LH": 0.67, "RH": 0.63})


def test_a_hundred_presses_end_at_the_limit_with_one_line(editor: GaitEditor) -> None:  # case 30
    for _ in range(100):
        editor.step("duty_factor", 1)
    assert editor.draft.duty_factor["LF"] > 0.7
    refused = [change for change in editor.log if change.outcome is Outcome.REFUSED]
    assert len(refused) == 1
    assert "duty_factor" in refused[0].reason
    check_gait(editor.draft)


def test_what_the_robot_cannot_do_is_refused_with_the_reason(editor: GaitEditor, trot: Gait) -> None:
    change = editor.set("stance_length", 3.0)
    assert change.outcome is Outcome.REFUSED
    assert "m long at rest" in change.reason
    assert editor.draft == trot
    assert editor.set("period", -1.0).outcome is Outcome.REFUSED
    assert editor.set("period", float("nan")).outcome is Outcome.REFUSED
    assert editor.undo().reason == "nothing was edited"


def test_a_pattern_that_its_name_denies_is_said(editor: GaitEditor) -> None:
    for key, value in (("liftoff.LH", 0.25), ("liftoff.RH", 0.75)):
        change = editor.set(key, value)
        assert change.outcome is Outcome.EDITED
    assert "calls itself a trot" in change.reason


def test_it_is_taken_only_after_a_verdict(editor: GaitEditor, trot: Gait) -> None:
    assert editor.request() is None
    editor.step("period", 2)
    asked = editor.request()
    assert asked is not None
    assert asked.name == "trot #1"
    assert asked.period == pytest.approx(0.52)
    assert editor.running == trot
    assert editor.verdict("pace", True, "") is None
    veto = editor.verdict("trot #1", False, "0 of 16 survive")
    assert veto is not None
    assert str(veto) == "gait trot #1: vetoed (0 of 16 survive)"
    assert editor.running == trot
    editor.step("period", -1)
    again = editor.request()
    assert again is not None
    assert again.name == "trot #2"
    editor.verdict(again.name, True, "16 of 16 survive")
    assert editor.running == again
    assert not editor.changed
    assert [change.outcome for change in editor.log] == [
        Outcome.REFUSED, Outcome.EDITED, Outcome.REQUESTED, Outcome.VETOED, Outcome.EDITED, Outcome.REQUESTED, Outcome.ACCEPTED,
    ]  # fmt: skip


def test_two_requests_never_share_a_name(editor: GaitEditor) -> None:
    names = []
    for _ in range(3):
        editor.step("period", 1)
        asked = editor.request()
        assert asked is not None
        names.append(asked.name)
        editor.verdict(asked.name, True, "")
    assert names == ["trot #1", "trot #2", "trot #3"]


def test_a_draft_never_gets_the_name_of_a_kept_gait(trot: Gait) -> None:
    kept = ["trot #1", "trot #2"]
    editor = GaitEditor(trot, names=GaitNames(kept))
    names = []
    for _ in range(2):
        editor.step("period", 1)
        asked = editor.request()
        assert asked is not None
        names.append(asked.name)
        kept.append("trot #4")  # kept meanwhile
    assert names == ["trot #3", "trot #5"]


def test_editors_of_one_robot_never_give_two_gaits_the_same_name(trot: Gait) -> None:
    names = GaitNames()
    one, other, third = GaitEditor(trot, names=names), GaitEditor(trot, names=names), GaitEditor(trot, names=names)
    names.asked("trot #2")  # somebody else did
    other.step("period", -1)
    other.name("trot #3")
    asked = []
    for editor in (one, other, third, one):
        editor.step("period", 1)
        editor.step("step_height", 1)
        gait = editor.request()
        assert gait is not None
        asked.append(gait)
    assert [gait.name for gait in asked] == ["trot #4", "trot #3", "trot #5", "trot #6"]
    assert (one.asked, one.verdict("trot #4", True, ""), one.running) == (asked[3], None, trot)


@pytest.mark.parametrize("keys", [("period", "duty_factor"), ("duty_factor", "period")])
def test_what_is_given_together_is_judged_together(gaits: GaitLibrary, hyq: RobotModel, keys: tuple[str, str]) -> None:
    values = {"period": 1.6, "duty_factor": 0.9}
    editor = GaitEditor(gaits["trot"], lambda gait: check_gait(gait, hyq))
    # By itself one of them cannot be.
    assert editor.set("duty_factor", 0.9).outcome is Outcome.REFUSED
    change = editor.set_all({key: values[key] for key in keys})
    assert change.outcome is Outcome.EDITED, change
    assert (editor.draft.period, set(editor.draft.duty_factor.values())) == (1.6, {0.9})
    assert editor.undo().text == "period, duty_factor"
    assert editor.draft == gaits["trot"]
    assert editor.set_all({key: values[key] for key in keys} | {"stance_length": 3.0}).outcome is Outcome.REFUSED
    assert editor.draft == gaits["trot"]
    assert editor.set_all({"period": float("nan"), "duty_factor": 0.9}).outcome is Outcome.REFUSED
    with pytest.raises(UnknownNameError):
        editor.set_all({"period": 1.6, "perod": 1.6})
    assert editor.draft == gaits["trot"]


def test_a_name_of_ones_own(editor: GaitEditor) -> None:
    editor.step("step_height", 1)
    assert editor.name("  ").outcome is Outcome.REFUSED
    editor.name("high trot")
    asked = editor.request()
    assert asked is not None
    assert asked.name == "high trot"


def test_what_is_kept_is_read_again(editor: GaitEditor, gaits: GaitLibrary, tmp_path: Path) -> None:
    file = user_file(str(tmp_path / "deep" / "gaits"), "hyq")
    assert own_gaits(gaits, file) == {}
    for name in ("mine", "his"):
        editor.step("period", 1)
        editor.name(name)
        save_gait(editor.draft, gaits, file)
    kept = read_gaits(file)
    assert kept.names == ("stand", "mine", "his")
    assert kept["his"] == editor.draft
    assert set(own_gaits(gaits, file)) == {"mine", "his"}
    with pytest.raises(ConfigurationError, match="comes with the robot"):
        save_gait(gaits["trot"], gaits, file)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(ConfigurationError, match="cannot be kept"):
        save_gait(editor.draft, gaits, blocked / "hyq.yaml")
    assert sorted(path.name for path in file.parent.iterdir()) == ["hyq.yaml"]


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.integers(-60, 60), st.booleans()), max_size=25))
def test_whatever_is_edited_the_draft_can_be_a_gait(hyq: RobotModel, gaits: GaitLibrary, edits: list[tuple[str, int, bool]]) -> None:
    editor = GaitEditor(gaits["trot"], lambda gait: check_gait(gait, hyq))
    for key, steps, undone in edits:
        before = editor.draft
        change = editor.step(key, steps)
        check_gait(editor.draft, hyq)
        assert (editor.draft == before) == (change.outcome is Outcome.REFUSED)
        if undone and change.outcome is Outcome.EDITED:
            editor.undo()
            assert editor.draft == before
