# SPDX-License-Identifier: Apache-2.0
"""A gait change to rehearse, as it comes up on a walking robot."""

from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import read_grounds
from surefoot.terrain.world import GroundStrip, World
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.snapshot import Snapshot
from surefoot.traces.tracer import Rehearsal

LONGEST_APPROACH = 10.0
"""Stand heights that a robot may take to come onto a slope, at the commanded speed."""


def walking_snapshot(
    model: RobotModel,
    gait_from: str,
    gait_to: str,
    command: tuple[float, float, float],
    seed: int,
    seconds: float = 3.0,
    slope: float = 0.0,
) -> Snapshot:
    """A robot that walks with noise, delay and the estimator on the ground that is believed when nobody says anything.

    Args:
        model: the robot.
        gait_from, gait_to: that it walks in, and that is asked for.
        command: forward and left speed, m/s, and turn rate, rad/s.
        seed: of the sensors.
        seconds: that it has walked so.
        slope: of the ground, rise over length along x of odom; the robot has come onto it from level ground before.
    """
    loop = ClosedLoop(model, seed, None if slope == 0.0 else _slope(slope, model.description.stand_height))
    loop.run(1.0)
    loop.change_gait(gait_from)
    if slope != 0.0:
        _walk_onto_the_slope(loop, speeds_of(model)["walk"])
    loop.run(seconds, command)
    grounds = read_grounds(shared_directory() / "config" / "terrain" / "grounds.yaml")
    ground = grounds.usual
    return Snapshot(
        state=loop.course.estimate[-1],
        planner=loop.planning.planner.copy(),
        gait_from=loop.gaits[gait_from],
        gait_to=loop.gaits[gait_to],
        command=loop.planning.planner["command"][0].copy(),
        terrain=ground,
        terrain_here=ground,
    )


def _slope(slope: float, stand_height: float) -> World:
    """Level ground, and ahead of the robot a slope that goes on for a hundred times its height."""
    start, length = stand_height, 100.0 * stand_height
    usual = World()
    return World(strips=(GroundStrip(start=start, end=start + length, friction=usual.friction, rise=slope * length),))


def _walk_onto_the_slope(loop: ClosedLoop, speed: float) -> None:
    """Until all of the robot has been on it for some steps, or fell.

    Args:
        loop: of a robot that stands before a slope of `_slope`.
        speed: m/s.
    """
    height = loop.model.description.stand_height
    for _ in range(round(LONGEST_APPROACH * height / speed)):
        loop.run(1.0, (speed, 0.0, 0.0))
        if loop.fallen or loop.course.truth[-1].base_position[0] > 3.0 * height:
            return


def walking_rehearsal(model: RobotModel, horizon: float, seed: int, seconds: float = 3.0, gait: str = "trot") -> Rehearsal:
    """The change from walk to another gait, asked for while the robot walks with noise, delay and the estimator.

    Args:
        model: the robot.
        horizon: s of the new gait.
        seed: of the sensors and of the cloud.
        seconds: that the robot has walked.
        gait: that is asked for.
    """
    snapshot = walking_snapshot(model, "walk", gait, (speeds_of(model)["walk"], 0.0, 0.0), seed, seconds)
    return Rehearsal(snapshot, horizon, seed, read_uncertainty(shared_directory() / "config" / "uncertainty" / "default.yaml"))
