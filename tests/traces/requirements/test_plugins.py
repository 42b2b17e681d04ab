# SPDX-License-Identifier: Apache-2.0
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import Field

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings
from surefoot.traces.requirements import plugins
from surefoot.traces.requirements.built_in import BUILT_IN
from surefoot.traces.requirements.plugins import OBJECTIVE_GROUP, REQUIREMENT_GROUP, added_plugin, holds, known_names, witness_of
from surefoot.traces.requirements.settings import RequirementSettings


class Fence(Settings):
    """How far forward a robot may come."""

    x: float = Field(default=1.0, gt=0.0)


FENCE = SimpleNamespace(parameters=Fence, make=lambda model, parameters: lambda view: parameters.x - view.qpos[:, 0])
FENCE_YES_OR_NO = SimpleNamespace(parameters=Fence, make=lambda model, parameters: lambda view: view.qpos[:, 0] <= parameters.x)
BROKEN = SimpleNamespace(parameters=Fence, make=lambda model, parameters: lambda view: view.no_such_thing)
NEVER = SimpleNamespace(parameters=Fence, make=lambda model, parameters: lambda traces: np.zeros(len(traces.qpos), np.bool_))
NO_PLUGIN = object()


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    class Here(EntryPoint):
        def load(self) -> object:
            if self.value == "missing":
                raise ImportError("no module of this name")
            return globals()[self.value]

    values = {"fence": "FENCE", "fence_yes_or_no": "FENCE_YES_OR_NO", "broken": "BROKEN", "strange": "NO_PLUGIN", "gone": "missing"}
    values["roll"] = "FENCE"
    found = {REQUIREMENT_GROUP: [Here(name, value, REQUIREMENT_GROUP) for name, value in values.items()],
             OBJECTIVE_GROUP: [Here("never", "NEVER", OBJECTIVE_GROUP)]}  # fmt: skip
    monkeypatch.setattr(plugins, "entry_points", lambda group: found.get(group, []))


def test_witness_and_boolean_meet_at_the_limit() -> None:
    witness = np.array([1.0, 0.0, -0.0, -1e-9, np.nan, -np.inf, np.inf])
    assert holds(witness).tolist() == [True, True, True, False, False, False, True]
    assert (holds(witness_of(holds(witness))) == holds(witness)).all()


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown requirement 'rol'; did you mean 'roll'\?.*surefoot\.requirements"):
        added_plugin(REQUIREMENT_GROUP, "rol", BUILT_IN)
    with pytest.raises(ValueError, match=r"unknown objective 'keep_its_speed'; did you mean 'keeps_its_speed'\?"):
        RequirementSettings(objectives={"keep_its_speed": None})


@pytest.mark.usefixtures("added")
def test_other_packages_add_requirements_and_cannot_replace_ours(stage) -> None:
    assert known_names(REQUIREMENT_GROUP, BUILT_IN)[:12] == tuple(BUILT_IN)
    for name in ("fence", "fence_yes_or_no"):
        stage.qpos[0, 0] = 0.0
        stage.asked(RequirementSettings(requirements={"roll": None, name: {"x": 0.1}}, objectives={}))
        assert stage.tick() == ""
        stage.qpos[0, 0] = 0.11
        assert stage.tick() == name.replace("_", " ")


@pytest.mark.usefixtures("added")
def test_one_that_fails_vouches_for_nobody(stage) -> None:
    stage.asked(RequirementSettings(requirements={"broken": None}, objectives={}))
    assert stage.tick() == "broken"


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"fence": {"x": -1.0}}, r"fence: x: Input should be greater than 0, not -1\.0"),
        ({"fence": {"y": 1.0}}, "fence: y: unknown key"),
        ({"gone": None}, "'gone' is declared as 'missing', which cannot be loaded: ImportError"),
        ({"strange": None}, "is no plug-in: it needs `parameters`"),
        ({"roll": {"largest": 2.0}}, "roll: largest: Input should be less than or equal to 1.5"),
    ],
)
def test_what_cannot_be_used_is_named(asked: dict[str, dict[str, float] | None], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RequirementSettings(requirements=asked)


@pytest.mark.usefixtures("added")
def test_objectives_of_other_packages(hyq: RobotModel) -> None:
    conditions = RequirementSettings(objectives={"never": None, "upright": None}).objective_conditions(hyq)
    assert list(conditions) == ["never", "upright"]
    assert not holds(conditions["never"](SimpleNamespace(qpos=np.zeros((3, 19))))).any()


def test_a_broken_declaration_does_not_stop_those_who_do_not_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module_anywhere:thing", REQUIREMENT_GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [broken])
    assert RequirementSettings().chosen_requirements().keys() == BUILT_IN.keys()
    with pytest.raises(ConfigurationError, match="no_such_module_anywhere:thing"):
        added_plugin(REQUIREMENT_GROUP, "broken", BUILT_IN)
