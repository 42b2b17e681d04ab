# SPDX-License-Identifier: Apache-2.0
"""A gait change to rehearse, as it comes up on a walking robot."""

from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import read_grounds
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.snapshot import Snapshot
from surefoot.traces.tracer import Rehearsal


def walking_snapshot(
    model: RobotModel, gait_from: str, gait_to: str, command: tuple[float, float, float], seed: int, seconds: float = 3.0
) -> Snapshot:
    """A robot that walks with noise, delay and the estimator on the ground that is believed when nobody says anything.

    Args:
        model: the robot.
        gait_from, gait_to: that it walks in, and that is asked for.
        command: forward and left speed, m/s, and turn rate, rad/s.
        seed: of the sensors.
        seconds: that it has walked.
    """
    loop = ClosedLoop(model, seed)
    loop.run(1.0)
    loop.change_gait(gait_from)
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
