# SPDX-License-Identifier: Apache-2.0
from importlib.metadata import EntryPoint

import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.inverse_dynamics import selector
from surefoot.inverse_dynamics.feedback import WithFeedback
from surefoot.inverse_dynamics.selector import DEFAULT, ENTRY_POINT_GROUP, controller_names, make_controller, reason_against_hardware
from surefoot.robot.model import RobotModel


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {"theirs": "builtins:dict.fromkeys", "broken": "no_such_module_anywhere:thing", DEFAULT: "builtins:list"}
    found = [EntryPoint(name, value, ENTRY_POINT_GROUP) for name, value in points.items()]
    monkeypatch.setattr(selector, "entry_points", lambda group: found if group == ENTRY_POINT_GROUP else [])


def test_an_unknown_name_lists_the_known_ones(hyq: RobotModel) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown controller 'two_stage'; did you mean 'two_stage_qp'\?") as caught:
        make_controller("two_stage", hyq)
    assert caught.value.known == sorted(controller_names())


@pytest.mark.usefixtures("added")
def test_other_packages_add_controllers_and_cannot_replace_ours(hyq: RobotModel) -> None:
    assert controller_names()[0] == DEFAULT
    assert controller_names()[-2:] == ("broken", "theirs")
    assert controller_names().count(DEFAULT) == 1
    assert not isinstance(make_controller(DEFAULT, hyq), list)
    assert make_controller("theirs", (), None or hyq.description.control) == {}  # type: ignore[arg-type, comparison-overlap]


@pytest.mark.usefixtures("added")
def test_a_controller_that_cannot_be_loaded_is_named(hyq: RobotModel) -> None:
    with pytest.raises(ConfigurationError, match=r"controller 'broken' is declared as 'no_such_module_anywhere:thing'"):
        make_controller("broken", hyq)


def test_what_would_shake_motors_is_refused_on_hardware(hyq: RobotModel) -> None:
    make_controller("coulomb_lcp", hyq)
    make_controller(DEFAULT, hyq, hardware=True)
    assert reason_against_hardware(DEFAULT) is None
    with pytest.raises(ConfigurationError, match=r"controller 'coulomb_lcp' may not drive motors: its contact forces jump"):
        make_controller("coulomb_lcp", hyq, hardware=True)


def test_what_tips_over_on_firm_ground_does_not_drive_motors(hyq: RobotModel) -> None:
    allowed = {name for name in controller_names() if reason_against_hardware(name) is None}
    assert allowed == {"two_stage_qp", "two_stage_qp_no_slip", "inverse_contact", "whole_body_qp", "joint_pid"}
    with pytest.raises(ConfigurationError, match="'no_slip_lcp' may not drive motors: in simulation it let the robot tip over"):
        make_controller("no_slip_lcp", hyq, hardware=True)


def test_feedback_is_asked_for_by_name(hyq: RobotModel) -> None:
    made = make_controller("joint_pid+operational_space+stabiliser", hyq)
    assert isinstance(made, WithFeedback)
    with pytest.raises(UnknownNameError, match="unknown feedback 'stabilizer'; did you mean 'stabiliser'"):
        make_controller("joint_pid+stabilizer", hyq)
    with pytest.raises(UnknownNameError, match="unknown controller 'joint_pi'"):
        make_controller("joint_pi+stabiliser", hyq)
    with pytest.raises(ConfigurationError, match="names a feedback twice"):
        make_controller("joint_pid+stabiliser+stabiliser", hyq)


def test_feedback_makes_nothing_fit_for_motors(hyq: RobotModel) -> None:
    with pytest.raises(ConfigurationError, match="controller 'coulomb_lcp' may not drive motors"):
        make_controller("coulomb_lcp+stabiliser", hyq, hardware=True)
