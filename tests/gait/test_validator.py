# SPDX-License-Identifier: Apache-2.0
import math
import re
from typing import Any

import pytest

from surefoot.errors import ConfigurationError
from surefoot.gait.library import GaitLibrary
from surefoot.gait.parameters import Gait
from surefoot.gait.pattern import Pattern
from surefoot.gait.validator import GaitError, check_gait
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel


def changed(gait: Gait, **changes: Any) -> Gait:
    return gait.model_copy(update=changes)


def of_all(value: float) -> dict[str, float]:
    return dict.fromkeys(LEG_NAMES, value)


def test_a_pace_that_calls_itself_a_trot_is_told_so(links_gaits: GaitLibrary) -> None:
    honest = check_gait(links_gaits["low_pace"])
    assert honest.pattern is Pattern.PACE
    assert honest.warnings == ()
    report = check_gait(changed(links_gaits["low_pace"], name="fast_trot"))
    assert report.pattern is Pattern.PACE
    assert report.warnings == ("gait 'fast_trot' calls itself a trot, but the feet of one side move together (pace).",)


def test_a_name_that_claims_nothing_is_not_held_against_it(links_gaits: GaitLibrary) -> None:
    assert check_gait(changed(links_gaits["trot"], name="Tuesday")).warnings == ()


def test_a_walk_with_flight_is_told_so(links_gaits: GaitLibrary) -> None:
    gait = changed(links_gaits["walking_trot"], duty_factor=of_all(0.4))
    report = check_gait(gait)
    assert report.minimum_stance_feet == 0
    assert report.flight_fraction == pytest.approx(0.2)
    assert any("no foot is on the ground for 20 %" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("name", "base", "warning"),
    [
        ("running_trot", "trot", "calls itself running, but there is always a foot on the ground."),
        ("trot", "running_trot", ""),
        ("walking_trot", "running_trot", "calls itself walking, but no foot is on the ground for 20 % of the period."),
        ("gallop", "bound", "calls itself a gallop, but the front feet move together, and so do the hind feet (bound)."),
        ("amble", "trot", "calls itself an amble, but diagonal feet move together (trot)."),
        ("crawl", "amble", "calls itself a crawl, but at times only 2 feet are on the ground."),
        ("crawl", "walk", ""),
        ("slow walk", "gallop", "calls itself a walk, but no foot is on the ground for 10 % of the period."),
    ],
)
def test_a_name_is_held_against_what_the_feet_do(hyq_gaits: GaitLibrary, name: str, base: str, warning: str) -> None:
    said = check_gait(changed(hyq_gaits[base], name=name)).warnings
    assert any(f"gait '{name}' {warning}" == one for one in said) if warning else said == ()


def test_full_stance_has_a_report_of_the_same_shape(hyq: RobotModel, plain_gaits: GaitLibrary) -> None:
    standing, walking = check_gait(plain_gaits["stand"], hyq), check_gait(plain_gaits["walk"], hyq)
    assert standing.pattern is Pattern.STAND
    assert (standing.minimum_stance_feet, standing.flight_fraction, standing.warnings) == (4, 0.0, ())
    assert {key: type(value) for key, value in vars(standing).items()} == {key: type(value) for key, value in vars(walking).items()}


@pytest.mark.parametrize(
    ("changes", "parameter", "value"),
    [
        ({"duty_factor": of_all(0.99)}, "duty_factor.LF", 0.99),
        ({"step_height": 0.0}, "step_height", 0.0),
        ({"duty_factor": {"LF": 1.0, "RF": 0.6, "LH": 0.6, "RH": 0.6}}, "max_forward_speed", 0.5),
        ({"liftoff": of_all(0.0), "duty_factor": of_all(0.1), "period": 2.0}, "period", 2.0),
    ],
)
def test_what_cannot_be_a_gait_is_refused_by_parameter(
    links_gaits: GaitLibrary, changes: dict[str, Any], parameter: str, value: float
) -> None:
    with pytest.raises(GaitError) as error:
        check_gait(changed(links_gaits["trot"], **changes))
    assert isinstance(error.value, ConfigurationError)
    assert (error.value.gait, error.value.parameter, error.value.value) == ("trot", parameter, value)
    assert str(error.value).startswith(f"gait 'trot': {parameter} = ")


def test_a_refused_value_is_accepted_at_the_limit_that_was_named(links_gaits: GaitLibrary) -> None:
    for changes in ({"duty_factor": of_all(0.99)}, {"liftoff": of_all(0.0), "duty_factor": of_all(0.1), "period": 2.0}):
        gait = changed(links_gaits["trot"], **changes)
        with pytest.raises(GaitError) as error:
            check_gait(gait)
        if error.value.parameter == "period":
            check_gait(changed(gait, period=0.999 * error.value.limit))
        else:
            check_gait(changed(gait, duty_factor=of_all(0.999 * error.value.limit)))


def test_a_slow_gait_is_valid(links_gaits: GaitLibrary) -> None:
    assert check_gait(changed(links_gaits["walk"], period=2.5)).minimum_stance_feet == 3


@pytest.mark.parametrize("robot", ["hyq", "links"])
def test_the_gaits_of_the_story_are_ones_that_their_robot_can_do(robot: str, request: pytest.FixtureRequest) -> None:
    model, gaits = request.getfixturevalue(robot), request.getfixturevalue(f"{robot}_gaits")
    for name in ("stand", "walk", "trot", "pace"):
        report = check_gait(gaits[name], model)
        assert report.reach_share is not None
        assert report.reach_share < 0.9


def test_a_stance_out_of_reach_is_refused(links: RobotModel, links_gaits: GaitLibrary) -> None:
    with pytest.raises(GaitError, match=r"base_height = 0.15: LF of links would be 0.1762 m long at rest; its 0.161 m") as error:
        check_gait(links_gaits["long_pace"], links)
    assert error.value.limit == 0.161


def test_a_speed_out_of_reach_is_refused_with_the_one_that_is_not(hyq: RobotModel, plain_gaits: GaitLibrary) -> None:
    fast = changed(plain_gaits["walk"], max_forward_speed=1.5)
    with pytest.raises(GaitError, match=r"max_forward_speed = 1.5: takes LF of hyq to") as error:
        check_gait(fast, hyq)
    limit = error.value.limit
    # By hand: the hip is 0.2070 m from the middle and 0.3735 m forward, the foot at 0.31 and 0.375, 0.5783 m below.
    assert (limit * 0.375 + 0.0015) ** 2 == pytest.approx(0.765**2 - 0.103**2 - 0.57825**2, abs=1e-6)
    report = check_gait(fast, hyq, speed=(0.999 * limit, 0.0, 0.0))
    assert report.reach_share == pytest.approx(1.0, abs=2e-3)
    with pytest.raises(GaitError, match="max_turn_rate"):
        check_gait(fast, hyq, speed=(0.0, 0.0, 3.0))


def test_steps_that_are_too_quick_for_the_joints_are_a_warning(links: RobotModel, links_gaits: GaitLibrary) -> None:
    slow, quick = check_gait(changed(links_gaits["slow_walk"], period=1.2), links), check_gait(links_gaits["walk"], links)
    assert slow.joint_speed_share is not None
    assert quick.joint_speed_share is not None
    assert slow.joint_speed_share < quick.joint_speed_share
    assert quick.joint_speed_share > 1.0
    assert "times the joint speed of links" in quick.warnings[0]


@pytest.mark.parametrize("name", ["walk", "trot", "pace"])
def test_what_a_warning_of_quick_steps_advises_helps(name: str, links: RobotModel, links_gaits: GaitLibrary) -> None:
    gait = links_gaits[name]
    report = check_gait(gait, links)
    advice = re.search(r"a period of ([\d.]+) s and largest speeds as much lower would not", report.warnings[0])
    assert advice is not None
    period = float(advice[1])
    lower = {key: getattr(gait, key) * gait.period / period for key in ("max_forward_speed", "max_strafe_speed", "max_turn_rate")}
    slower = check_gait(changed(gait, period=period, **lower), links)
    assert slower.joint_speed_share is not None
    assert 0.95 < slower.joint_speed_share <= 1.0


def test_a_swing_of_too_few_commands_is_refused(links: RobotModel, links_gaits: GaitLibrary) -> None:
    control = links.description.control.model_copy(update={"rate": 60.0})
    slow_bus = RobotModel(links.description.model_copy(update={"control": control}), links.urdf)
    with pytest.raises(GaitError, match="10 commands at 60 Hz"):
        check_gait(links_gaits["walk"], slow_bus)
    check_gait(changed(links_gaits["walk"], period=0.7), slow_bus)


def test_speeds_that_are_too_much_together_only_are_a_warning(hyq: RobotModel, plain_gaits: GaitLibrary) -> None:
    gait = changed(plain_gaits["walk"], max_forward_speed=1.2, max_strafe_speed=0.4)
    report = check_gait(gait, hyq)
    assert report.reach_share is not None
    assert report.reach_share < 1.0
    assert any("at its largest speeds together, over 0.765 m: it will step early" in warning for warning in report.warnings)
    assert not any("together" in warning for warning in check_gait(gait, hyq, speed=(0.5, 0.0, 0.2)).warnings)


def test_a_stance_of_too_few_commands_is_refused_with_the_least(hyq: RobotModel, plain_gaits: GaitLibrary) -> None:
    gait = changed(plain_gaits["trot"], max_forward_speed=0.1, period=0.2, duty_factor=of_all(0.05))
    with pytest.raises(GaitError, match=r"duty_factor\.LF = 0\.05: leaves 10 ms of .* on the ground") as error:
        check_gait(gait, hyq)
    check_gait(changed(gait, duty_factor=of_all(error.value.limit)), hyq)


def test_a_base_that_looks_aside_needs_feet_that_follow_it(hyq: RobotModel, plain_gaits: GaitLibrary) -> None:
    check_gait(changed(plain_gaits["trot"], base_yaw=0.3), hyq)
    with pytest.raises(GaitError, match=r"base_yaw = 0\.3: must be 0, since LF, RF, LH, RH never leaves the ground .* by hand") as error:
        check_gait(changed(plain_gaits["stand"], base_yaw=0.3), hyq)
    assert (error.value.parameter, error.value.value, error.value.limit) == ("base_yaw", 0.3, 0.0)


def test_reach_is_held_against_where_the_base_goes_and_not_where_it_looks(hyq: RobotModel, plain_gaits: GaitLibrary) -> None:
    """Ahead by a robot that looks aside is aside by one that looks ahead."""
    aside = changed(plain_gaits["trot"], max_forward_speed=0.0, max_strafe_speed=4.0)
    turned = changed(plain_gaits["trot"], max_forward_speed=4.0, max_strafe_speed=0.0, base_yaw=-math.pi / 2)
    limits = []
    for gait, key in ((aside, "max_strafe_speed"), (turned, "max_forward_speed")):
        with pytest.raises(GaitError, match=f"{key} = 4: takes") as error:
            check_gait(gait, hyq)
        limits.append(error.value.limit)
    assert limits[0] == pytest.approx(limits[1])
    assert "or another base_yaw than -1.57 rad" in str(error.value)
    check_gait(changed(turned, max_forward_speed=limits[1]), hyq)
