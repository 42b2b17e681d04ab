# SPDX-License-Identifier: Apache-2.0
"""The bridge alone gets a simulated robot up and down again, also from where it sank without torque."""

from collections.abc import Sequence

import numpy as np
import pytest

from surefoot.robot.load import load_robot
from surefoot.servos.attitude import attitude_of
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.footing import Footing
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request
from surefoot.servos.settings import BridgeSettings
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import World

LIE_DOWN = (Mode.READY, Request.SIT)
UP = ((Mode.OFF, Request.ARM), (Mode.DAMPING, Request.STAND))
UP_AGAIN = ((Mode.READY, Request.STOP), (Mode.STOPPED, Request.ARM), (Mode.DAMPING, Request.STAND))
RISES = [Mode.DAMPING, Mode.STANDING_UP, Mode.READY]

ON_ONE_SIDE = np.tile((-1.2, 1.2, -2.4, 0.3, 1.2, -2.4), 2) * np.repeat((1.0, -1.0), 6) ** np.tile((0, 1, 1), 4)
"""rad: the right legs of HyQ under it, the left ones spread, as a walk that is cut short may end."""


def goes_through(
    name: str,
    script: Sequence[tuple[Mode, Request]],
    start: np.ndarray | None = None,
    friction: float = 0.7,
    silent_at: float = 2.0,
) -> tuple[list[Mode], list[float], str]:
    """Modes one after the other, the height at which each was entered as a share of that of standing, and the last reason.

    Args:
        name: of the robot.
        script: what is asked for in which mode, one after the other, as soon as the joints rest.
        start: joint positions, (12,), rad; None: lying.
        friction: of the ground.
        silent_at: height from which on the balance controller says nothing, as a share of that of standing.
    """
    model = load_robot(name)
    limits = JointLimits.of(model)
    bridge = ServoBridge(model.description, limits, BridgeSettings(), Footing(model, BridgeSettings()))
    robot = SimulatedRobot(model, World(friction=friction), seed=1)
    if start is not None:
        robot.reset(start)
    modes, heights, entered, left, silent = [Mode.OFF], [0.0], 0, list(script), False
    for tick in range(round(40.0 / robot.period)):
        sample, truth = robot.sense()[0], robot.truth()
        rests = tick > entered + 50 and np.abs(truth.joint_velocity).max() < 0.05
        request = left.pop(0)[1] if left and left[0][0] == modes[-1] and rests else Request.NONE
        now = tick * robot.period
        silent |= truth.base_position[2] > silent_at * model.description.stand_height
        answered = None if silent else now
        output = bridge.tick(now, sample=sample, answered=answered, request=request, attitude=attitude_of(truth.base_quaternion))
        assert output.refused == ""
        command = output.command
        if command.stiffness.any():
            torque = command.stiffness * (command.position - sample.joint_position) + command.damping * (
                command.velocity - sample.joint_velocity
            )
            assert (np.abs(torque) <= limits.effort * (1.0 + 1e-9)).all()
        if output.mode != modes[-1]:
            modes.append(output.mode)
            heights.append(truth.base_position[2] / model.description.stand_height)
            entered = tick
        if output.mode == Mode.FAULT or (not left and output.mode in (Mode.READY, Mode.SITTING)):
            break
        robot.step(command)
    return modes, heights, output.reason


@pytest.mark.parametrize("name", ["hyq", "links"])
def test_up_down_and_up_again_from_where_it_sank(name: str) -> None:
    modes, heights, reason = goes_through(name, (*UP, *UP_AGAIN, LIE_DOWN))
    assert modes == [Mode.OFF, *RISES, Mode.STOPPED, *RISES, Mode.SITTING_DOWN, Mode.SITTING], reason
    assert heights[3] == pytest.approx(heights[7], abs=0.02)
    assert heights[3] == pytest.approx(1.0, rel=0.15)
    assert max(heights[5], heights[-1]) < 0.5 * heights[3]


def test_up_from_a_sprawl_on_one_side() -> None:
    modes, heights, reason = goes_through("hyq", UP, ON_ONE_SIDE)
    assert modes == [Mode.OFF, *RISES], reason
    assert heights[-1] == pytest.approx(1.0, rel=0.15)


@pytest.mark.parametrize("friction", [0.3, 1.0, 1.5])
def test_up_on_ground_that_holds_the_feet(friction: float) -> None:
    # Splayed, with the whole weight on them, they do not slide in: they are lifted.
    modes, heights, reason = goes_through("hyq", UP, friction=friction)
    assert modes == [Mode.OFF, *RISES], reason
    assert heights[-1] == pytest.approx(1.0, rel=0.1)


def test_one_whose_controller_falls_silent_on_the_way_up_lies_down_and_is_not_dropped() -> None:
    modes, heights, reason = goes_through("hyq", UP, silent_at=0.6)
    assert modes == [Mode.OFF, *RISES[:2], Mode.SITTING_DOWN, Mode.SITTING], reason
    assert heights[-2] > 0.6
    assert heights[-1] < 0.5
