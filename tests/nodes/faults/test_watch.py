# SPDX-License-Identifier: Apache-2.0
"""What must not leave the bridge is seen in messages."""

from dataclasses import replace

import numpy as np
import pytest
from rclpy.serialization import serialize_message

from surefoot.nodes.bridge_source import ENDED, source_in
from surefoot.nodes.conversions.command import idle_command, message_of_command
from surefoot.nodes.faults.watch import Watch
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.modes import Mode


@pytest.fixture(scope="module")
def watch(hyq: RobotModel) -> Watch:
    return Watch(hyq)


@pytest.fixture
def damped(hyq: RobotModel) -> JointCommand:
    return JointCommand.damped(1.0, hyq.lie_joint_position, hyq.description.servos.safe_damping)


def sent(command: JointCommand, hyq: RobotModel, source: str) -> bytes:
    return bytes(serialize_message(message_of_command(command, hyq.description, source)))


@pytest.mark.parametrize("source", [*map(source_in, (Mode.FAULT, Mode.STOPPED, Mode.READY)), ENDED])
def test_damping_is_legal_whenever(watch: Watch, damped: JointCommand, hyq: RobotModel, source: str) -> None:
    assert watch.illegal(sent(damped, hyq, source)) == ""


@pytest.mark.parametrize("name", ["effort", "stiffness"])
def test_torque_is_legal_where_the_robot_may_move_and_not_in_a_fault(
    watch: Watch, damped: JointCommand, hyq: RobotModel, name: str
) -> None:
    pushing = replace(damped, position=hyq.stand_joint_position, **{name: np.full(12, 1.0)})
    assert watch.illegal(sent(pushing, hyq, source_in(Mode.READY))) == ""
    assert watch.illegal(sent(pushing, hyq, source_in(Mode.FAULT))) == "torque in FAULT"
    assert watch.illegal(sent(pushing, hyq, source_in(Mode.STOPPED))) == "torque in STOPPED"
    assert watch.illegal(sent(pushing, hyq, ENDED)) == "torque in STOPPED"


def test_a_target_beyond_a_limit_is_legal_only_where_a_joint_may_be_led_off_its_stop(
    watch: Watch, damped: JointCommand, hyq: RobotModel
) -> None:
    def judged(mode: Mode, beyond: float) -> str:
        return watch.illegal(sent(replace(damped, position=hyq.position_lower - beyond, stiffness=np.ones(12)), hyq, source_in(mode)))

    assert judged(Mode.STANDING_UP, 0.19) == judged(Mode.READY, 0.0) == ""
    assert "outside of the limits" in judged(Mode.READY, 0.01)
    assert "outside of the limits" in judged(Mode.STANDING_UP, 0.21)


def test_a_fault_is_damped_as_the_robot_says(watch: Watch, damped: JointCommand, hyq: RobotModel) -> None:
    loose = replace(damped, damping=0.001 * damped.damping)
    assert watch.illegal(sent(loose, hyq, source_in(Mode.READY))) == ""
    assert "it has to be" in watch.illegal(sent(loose, hyq, source_in(Mode.FAULT)))


def test_a_source_that_cannot_be_read_hides_nothing(watch: Watch, damped: JointCommand, hyq: RobotModel) -> None:
    assert "does not say in which mode" in watch.illegal(sent(damped, hyq, "bridge FAULT"))
    assert "does not say in which mode" in watch.illegal(bytes(serialize_message(idle_command(1.0, ""))))


def test_numbers_beyond_their_limits_and_joints_of_others_are_illegal(watch: Watch, damped: JointCommand, hyq: RobotModel) -> None:
    source = source_in(Mode.WALKING)
    assert "effort of a command" in watch.illegal(sent(replace(damped, effort=np.full(12, np.nan)), hyq, source))
    assert "is beyond" in watch.illegal(sent(replace(damped, effort=np.full(12, 1e4)), hyq, source))
    message = message_of_command(damped, hyq.description, source)
    message.joint_names = ["knee"] * 12
    assert "knee" in watch.illegal(bytes(serialize_message(message)))
