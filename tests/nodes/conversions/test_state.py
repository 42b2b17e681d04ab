# SPDX-License-Identifier: Apache-2.0
"""RobotState there and back."""

import random
from dataclasses import fields, replace

import numpy as np
import pytest
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SensorError
from surefoot.nodes.conversions.state import StateReader, message_of_state
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState

PER_JOINT = ("joint_position", "joint_velocity", "joint_effort", "joint_position_variance", "joint_velocity_variance")


def state() -> RobotState:
    generator = np.random.default_rng(1)
    quaternion = np.array((0.1, -0.2, 0.6, 0.7))
    root = generator.normal(size=(2, 6, 6))
    return RobotState(
        time=12.345,
        base_position=generator.normal(size=3),
        base_quaternion=quaternion / np.linalg.norm(quaternion),
        base_linear_velocity=generator.normal(size=3),
        base_angular_velocity=generator.normal(size=3),
        joint_position=generator.normal(size=12),
        joint_velocity=generator.normal(size=12),
        joint_effort=generator.normal(size=12),
        contact_probability=generator.uniform(size=4),
        foot_force=generator.normal(size=(4, 3)),
        foot_friction=np.array((0.8, np.nan, 0.3, 0.2)),
        pose_covariance=root[0] @ root[0].T,
        twist_covariance=root[1] @ root[1].T,
        joint_position_variance=generator.uniform(size=12),
        joint_velocity_variance=generator.uniform(size=12),
    )


def message_of(value: RobotState, model: RobotModel) -> RobotStateMessage:
    return message_of_state(value, model.description, np.zeros((4, 3)), np.zeros((4, 3)))


def shuffled(message: RobotStateMessage) -> RobotStateMessage:
    places = random.Random(5).sample(range(12), 12)
    message.joint_names = [message.joint_names[place] for place in places]
    for name in PER_JOINT:
        setattr(message, name, [getattr(message, name)[place] for place in places])
    feet = (2, 0, 3, 1)
    message.foot_names = [message.foot_names[place] for place in feet]
    message.foot_contact_probability = [message.foot_contact_probability[place] for place in feet]
    message.foot_friction = [message.foot_friction[place] for place in feet]
    message.foot_force = [message.foot_force[3 * place + axis] for place in feet for axis in range(3)]
    return message


@pytest.mark.parametrize("change", [lambda message: message, shuffled], ids=["as_sent", "shuffled"])
def test_comes_back_by_name(hyq: RobotModel, change: object) -> None:
    sent = state()
    read = StateReader(hyq.description).read(change(message_of(sent, hyq)))  # type: ignore[operator]
    for item in fields(RobotState):
        given, right = getattr(read, item.name), getattr(sent, item.name)
        if isinstance(right, np.ndarray):
            np.testing.assert_allclose(given, right, rtol=1e-12, atol=1e-12, err_msg=item.name)
        else:
            assert given == right


def test_vectors_of_the_base_are_in_the_axes_of_odom(hyq: RobotModel) -> None:
    quarter_left = np.array((0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)))
    north = replace(state(), base_quaternion=quarter_left, base_linear_velocity=np.array((0.0, 1.0, 0.0)))
    assert list(message_of(north, hyq).base_linear_velocity) == [0.0, 1.0, 0.0]


def test_frames_and_names_are_said(hyq: RobotModel) -> None:
    message = message_of(state(), hyq)
    assert (message.header.frame_id, message.child_frame_id) == ("odom", "base_link")
    assert tuple(message.joint_names) == hyq.description.joint_names
    assert tuple(message.foot_names) == hyq.description.foot_names
    np.testing.assert_array_equal(message.foot_friction, [0.8, np.nan, 0.3, 0.2])


def test_effort_that_is_not_measured_is_left_out_and_comes_back_as_nan(hyq: RobotModel) -> None:
    message = message_of(replace(state(), joint_effort=np.full(12, np.nan)), hyq)
    assert len(message.joint_effort) == 0
    assert np.isnan(StateReader(hyq.description).read(message).joint_effort).all()


def test_invalid_stays_invalid_with_its_reason(hyq: RobotModel) -> None:
    reader = StateReader(hyq.description)
    assert reader.read(message_of(replace(state(), invalid_reason="no sensor data"), hyq)).invalid_reason == "no sensor data"
    nameless = message_of(state(), hyq)
    nameless.valid = False
    assert not reader.read(nameless).valid


def test_names_of_another_robot_are_refused(hyq: RobotModel) -> None:
    message = message_of(state(), hyq)
    message.joint_names[3] = "tail_joint"
    with pytest.raises(SensorError, match=r"joint names are .*tail_joint"):
        StateReader(hyq.description).read(message)
    with pytest.raises(SensorError, match="joint names are none"):
        StateReader(hyq.description).read(RobotStateMessage())
    message = message_of(state(), hyq)
    message.foot_names[1] = message.foot_names[0]
    with pytest.raises(SensorError, match="foot names"):
        StateReader(hyq.description).read(message)


@pytest.mark.parametrize("name", ["joint_position", "joint_velocity", "joint_position_variance", "joint_velocity_variance"])
def test_missing_values_are_refused(hyq: RobotModel, name: str) -> None:
    message = message_of(state(), hyq)
    setattr(message, name, [])
    with pytest.raises(SensorError, match=f"{name}: 0 values for 12 names"):
        StateReader(hyq.description).read(message)


@pytest.mark.parametrize(
    "name", ["joint_position", "base_position", "base_quaternion", "base_angular_velocity", "contact_probability", "pose_covariance"]
)
def test_a_number_that_is_not_finite_is_refused_by_name(hyq: RobotModel, name: str) -> None:
    broken = getattr(state(), name).copy()
    broken.reshape(-1)[1] = np.nan
    with pytest.raises(SensorError, match=r"of the state of 12\.345 s is not finite"):
        StateReader(hyq.description).read(message_of(replace(state(), **{name: broken}), hyq))


def test_friction_below_nothing_is_refused(hyq: RobotModel) -> None:
    shown = np.array([np.nan, 0.3, -0.1, np.nan])
    with pytest.raises(SensorError, match=r"foot_friction of the state of 12\.345 s is -0\.1"):
        StateReader(hyq.description).read(message_of(replace(state(), foot_friction=shown), hyq))
