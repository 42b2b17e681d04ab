# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from surefoot_msgs.msg import FootPlanState, GaitStatus, RobotMode, Verdict

from surefoot.errors import SensorError
from surefoot.gait.records import PLAN, PLANNER
from surefoot.gait.swing import plan_swing
from surefoot.nodes.conversions.page import PageReader, health_of, mode_of, status_of, verdict_of
from surefoot.nodes.conversions.plan import inactive_plan, message_of_plan
from surefoot.nodes.conversions.rehearsal import message_of_foot
from surefoot.nodes.conversions.state import message_of_state
from surefoot.robot.model import RobotModel


def plan() -> np.ndarray:
    result = np.zeros(1, PLAN)
    result["moving"], result["mode"], result["friction"] = 1, (0, 1, 2, 3), 0.6
    result["foot_position"] = np.arange(12.0).reshape(4, 3)
    return result


def test_the_robot_and_its_plan_come_by_name(hyq: RobotModel) -> None:
    reader, state = PageReader(hyq.description), hyq.neutral()
    feet = hyq.feet_in_base(state.joint_position)
    message = message_of_state(state, hyq.description, feet, np.zeros((4, 3)))
    message.foot_names = list(reversed(message.foot_names))
    robot = reader.robot(message)
    np.testing.assert_allclose(robot.foot_position, feet[::-1])
    assert np.isnan(robot.joint_effort).all()
    shown = reader.plan(message_of_plan(1.0, plan()[0], "walk", 1, hyq.description))
    assert shown is not None
    assert shown.foot_mode.tolist() == [0, 1, 2, 3]
    assert shown.fault
    assert reader.plan(inactive_plan(1.0)) is None


@pytest.mark.parametrize("field", ["base_position", "base_roll_pitch_yaw", "foot_position"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_plan_with_what_is_no_number_is_refused(field: str, value: float, hyq: RobotModel) -> None:
    broken = plan()
    broken[field].reshape(-1)[1] = value
    with pytest.raises(SensorError, match="not finite"):
        PageReader(hyq.description).plan(message_of_plan(1.0, broken[0], "walk", 0, hyq.description))


def test_a_swing_leads_from_where_the_foot_was_lifted_to_its_foothold(hyq: RobotModel) -> None:
    record = np.zeros(1, PLANNER)[0]
    end = np.array((0.3, 0.0, 0.0))
    plan_swing(
        1.0, 1.4, np.zeros(3), np.zeros(3), end, np.zeros(3), 0.1, 0.0, record["knot_time"][2], record["knot_position"][2],
        record["knot_velocity"][2],
    )  # fmt: skip
    reader, name = PageReader(hyq.description), hyq.description.foot_names[2]
    read = reader.swing(message_of_foot(record, 2, name))
    assert read is not None
    leg, swing = read
    assert (leg, swing.start, swing.end) == (2, 1.0, 1.4)
    np.testing.assert_allclose(swing.points[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(swing.points[-1], end)
    assert swing.points[:, 2].max() > 0.08
    assert reader.swing(FootPlanState(name="no_foot")) is None
    record["knot_position"][2, 1, 0] = np.nan
    assert reader.swing(message_of_foot(record, 2, name)) is None


def test_modes_and_states_that_nobody_knows_are_shown_as_they_are() -> None:
    assert mode_of(RobotMode(mode=RobotMode.WALKING, reason="asked")).name == "WALKING"
    assert mode_of(RobotMode(mode=99)).name == "99"
    assert status_of(GaitStatus(request_state=GaitStatus.VETOED)).state == "VETOED"
    assert status_of(GaitStatus(request_state=77)).state == "77"


def test_a_verdict_chooses_only_what_it_scored() -> None:
    assert verdict_of(Verdict(accepted=True, chosen=3)).chosen is None
    assert verdict_of(Verdict(accepted=False, chosen=-1, offer="slower")).offer == "slower"


def test_health() -> None:
    good = DiagnosticStatus(level=DiagnosticStatus.OK, message="ok", values=[KeyValue(key="rate_hz", value="250")])
    assert health_of(good, 2.0).values == {"rate_hz": "250"}
    assert health_of(good, 2.0).complaint == ""
    assert health_of(DiagnosticStatus(level=DiagnosticStatus.WARN, message="late"), 2.0).complaint == "late"
