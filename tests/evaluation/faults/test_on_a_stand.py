# SPDX-License-Identifier: Apache-2.0
"""The first steps on a real robot: on a stand, its feet in the air. The stand is a stiff spring at the base."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from surefoot.evaluation.faults.loop import FaultLoop
from surefoot.evaluation.faults.taps import Kind
from surefoot.robot.activity import Activity
from surefoot.robot.model import RobotModel
from surefoot.servos.modes import Mode, Request
from surefoot.servos.output import BridgeOutput
from surefoot.servos.unmet import NOT_ON_ITS_FEET

GRAVITY = 9.81
MOST = 40.0
"""s that anything is waited for."""


class Stand:
    """A loop whose robot hangs until it is put down."""

    def __init__(self, model: RobotModel) -> None:
        self.loop = FaultLoop(model, 0)
        robot = self.loop.robot
        self._data, self._body = robot.data, robot.mujoco_model.body(model.description.base).id
        self._weight = GRAVITY * model.total_mass
        robot.reset(model.lie_joint_position, height=2.0 * model.description.stand_height)
        self.place: np.ndarray | None = self._data.qpos[:3].copy()
        self.said: list[BridgeOutput] = []

    def step(self) -> BridgeOutput:
        self._data.xfrc_applied[self._body] = 0.0 if self.place is None else self._spring(self.place)
        output = self.loop.step()
        self.said.append(output)
        return output

    def until(self, over: Callable[[BridgeOutput], bool], least: float = 0.0) -> BridgeOutput:
        begin = self.loop.time
        while True:
            output = self.step()
            if self.loop.time - begin >= least and over(output):
                return output
            assert self.loop.time - begin < MOST, (output.mode, output.reason)

    def ask(self, request: Request, mode: Mode) -> BridgeOutput:
        """Until it is taken: a leg that still swings is not stood up on."""

        def over(output: BridgeOutput) -> bool:
            if output.mode != mode and len(self.said) % 25 == 0:
                self.loop.request = int(request)
            return output.mode == mode

        self.loop.request = int(request)
        return self.until(over)

    def up(self) -> BridgeOutput:
        """Armed, and in the stand pose."""
        self.until(lambda output: True, least=1.0)
        self.ask(Request.ARM, Mode.DAMPING)
        self.ask(Request.STAND, Mode.STANDING_UP)
        return self.until(lambda output: output.mode != Mode.STANDING_UP)

    def _spring(self, place: np.ndarray) -> np.ndarray:
        """Force and torque in the axes of the world: 87 kg swing at 3 Hz and are damped at once."""
        position, velocity = self._data.qpos, self._data.qvel
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, position[3:7])
        tilt = 2.0 * np.sign(position[3]) * position[4:7]
        force = 4e4 * (place - position[:3]) - 4e3 * velocity[:3] + (0.0, 0.0, self._weight)
        return np.concatenate((force, rotation.reshape(3, 3) @ (-4e3 * tilt - 400.0 * velocity[3:6])))


@pytest.fixture
def stand(hyq: RobotModel) -> Stand:
    return Stand(hyq)


def lowered(stand: Stand, height: float) -> None:
    """Put the robot down, slowly, and let it go."""
    assert stand.place is not None
    while stand.place[2] > height:
        stand.place[2] -= 0.3 * stand.loop.robot.period
        stand.step()
    stand.place = None


def test_a_robot_on_a_stand_stands_up_stays_and_sits_down(stand: Stand, hyq: RobotModel) -> None:
    assert stand.up().mode == Mode.READY
    # For longer than the take-over may last, and than a position is known without a foot on the ground.
    ready = stand.until(lambda output: True, least=8.0)
    assert (ready.mode, ready.reason) == (Mode.READY, "pose reached")
    assert stand.loop._activity == Activity.HELD
    assert np.abs(stand.loop.robot.data.qpos[7:] - hyq.stand_joint_position).max() < 0.1, "it holds the stand pose"
    stand.loop.request = int(Request.WALK)
    refused = stand.step()
    assert refused.mode == Mode.READY
    assert NOT_ON_ITS_FEET in refused.refused
    stand.ask(Request.SIT, Mode.SITTING_DOWN)
    stand.until(lambda output: output.mode != Mode.SITTING_DOWN)
    assert stand.until(lambda output: True, least=3.0).mode == Mode.SITTING
    assert {output.mode for output in stand.said}.isdisjoint({Mode.FAULT, Mode.STOPPED})


def test_set_on_its_feet_it_stands_by_itself_and_may_walk_and_lifted_off_again_it_holds_still(stand: Stand, hyq: RobotModel) -> None:
    assert stand.up().mode == Mode.READY
    stand.until(lambda output: True, least=1.0)
    lowered(stand, hyq.description.stand_height)
    assert stand.until(lambda output: True, least=2.0).mode == Mode.READY
    assert stand.loop._estimator.state(stand.loop.time).valid
    assert stand.loop._activity == Activity.STANDING, "under balance control"
    assert stand.ask(Request.WALK, Mode.WALKING).refused == ""
    stand.ask(Request.STAND, Mode.READY)
    # Somebody lifts it.
    stand.place = stand.loop.robot.data.qpos[:3].copy()
    while stand.place[2] < 2.0 * hyq.description.stand_height:
        stand.place[2] += 0.3 * stand.loop.robot.period
        stand.step()
    lifted = stand.until(lambda output: True, least=3.0)
    assert lifted.mode == Mode.READY, lifted.reason
    assert np.abs(stand.loop.robot.data.qpos[7:] - hyq.stand_joint_position).max() < 0.1
    torque = np.array([np.abs(output.command.effort).max() for output in stand.said])
    assert (torque <= hyq.effort_limit.max()).all()


def test_without_an_attitude_a_robot_on_a_stand_is_damped(stand: Stand) -> None:
    assert stand.up().mode == Mode.READY
    stand.until(lambda output: True, least=1.0)
    stand.loop.taps["imu"].fail(Kind.OFF, stand.loop.time)
    ended = stand.until(lambda output: output.mode != Mode.READY)
    assert ended.mode == Mode.FAULT
    assert ended.reason.startswith("estimator invalid")
