# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import pytest

from surefoot.gait.library import GaitLibrary, read_gaits
from surefoot.gait.parameters import Gait
from surefoot.teleop.gait_editor import GaitEditor
from surefoot.teleop.gait_files import own_gaits, save_gait
from surefoot.teleop.name_choice import NameChoice, changes_of, names_to_keep


@pytest.fixture(scope="module")
def gaits(config: Path) -> GaitLibrary:
    return read_gaits(config / "gaits" / "hyq.yaml")


def tuned(gait: Gait, **steps: int) -> Gait:
    """A gait some steps of some numbers on, as it is called once it runs."""
    editor = GaitEditor(gait, lambda _: Any)  # type: ignore[arg-type, return-value]
    for key, by in steps.items():
        value = getattr(gait, key)
        editor.draft = editor.draft.model_copy(update={key: value * (1.0 + 0.02 * by)})
    asked = editor.request()
    assert asked is not None
    return asked


def test_the_largest_changes_give_the_name(gaits: GaitLibrary) -> None:
    trot = gaits["trot"]
    assert changes_of(trot, trot) == ()
    gait = tuned(trot, period=-2, step_height=9, stance_width=1)
    assert changes_of(gait, trot) == ("high", "quick", "wide")
    assert names_to_keep(gait, gaits, {}) == ("trot_high_quick", "trot_high", "trot_quick", "trot_mine")
    assert names_to_keep(tuned(trot, period=3), gaits, {}) == ("trot_slow", "trot_mine")
    shifted = trot.model_copy(update={"name": "trot #7", "liftoff": {**trot.liftoff, "LF": 0.3, "RH": 0.3}})
    assert names_to_keep(shifted, gaits, {})[0] == "trot_shifted"
    # What the page does not show has no word.
    assert names_to_keep(trot.model_copy(update={"name": "trot #7", "overshoot": 0.1}), gaits, {}) == ("trot_mine",)


def test_a_name_that_is_taken_gets_a_number_and_what_it_was_made_from_may_be_replaced(gaits: GaitLibrary) -> None:
    gait = tuned(gaits["trot"], period=-3)
    kept = {"trot_quick": gait.model_copy(update={"name": "trot_quick"}), "trot_quick_2": gait}
    assert names_to_keep(gait, gaits, kept) == ("trot_quick_3", "trot_mine")
    again = tuned(kept["trot_quick"], period=-1, step_height=2)
    assert names_to_keep(again, gaits, kept) == ("trot_quick_high", "trot_quick_mine", "trot_quick")
    # Quicker still is no other word.
    assert names_to_keep(tuned(kept["trot_quick"], period=-1), gaits, kept) == ("trot_quick_mine", "trot_quick")


def test_what_is_there_already_has_no_name_to_be_kept_under(gaits: GaitLibrary) -> None:
    trot = gaits["trot"]
    assert names_to_keep(trot, gaits, {}) == ()
    assert names_to_keep(trot.model_copy(update={"name": "trot #3"}), gaits, {}) == ()
    mine = trot.model_copy(update={"name": "mine", "period": 0.6})
    assert names_to_keep(mine, gaits, {"mine": mine}) == ()
    assert names_to_keep(mine, gaits, {}) == ("mine",)


def test_every_name_that_is_offered_can_be_kept_and_is_read_again(gaits: GaitLibrary, tmp_path: Path) -> None:
    file = tmp_path / "hyq.yaml"
    for period in (0.45, 0.55, 0.55):
        gait = gaits["trot"].model_copy(update={"name": "trot #1", "period": period})
        choice = NameChoice(gait, names_to_keep(gait, gaits, own_gaits(gaits, file)))
        save_gait(choice.named, gaits, file)
        choice.turn(-1)
        save_gait(choice.named, gaits, file)
    kept = own_gaits(gaits, file)
    assert list(kept) == ["trot_quick", "trot_mine", "trot_slow", "trot_mine_2", "trot_slow_2", "trot_mine_3"]
    assert [gait.period for gait in kept.values()] == [0.45, 0.45, 0.55, 0.55, 0.55, 0.55]
    assert all(gait.name == name for name, gait in kept.items())
