# SPDX-License-Identifier: Apache-2.0
"""A gait change to rehearse, as it comes up on a walking robot."""

from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import read_grounds
from surefoot.traces.snapshot import Snapshot
from surefoot.traces.tracer import Rehearsal
from surefoot.traces.uncertainty import read_uncertainty


def walking_rehearsal(model: RobotModel, horizon: float, seed: int, seconds: float = 3.0) -> Rehearsal:
    """The change from walk to trot, asked for while the robot walks with noise, delay and the estimator.

    Args:
        model: the robot.
        horizon: s of the trot.
        seed: of the sensors and of the cloud.
        seconds: that the robot has walked.
    """
    loop = ClosedLoop(model, seed)
    loop.run(1.0)
    loop.change_gait("walk")
    command = (speeds_of(model)["walk"], 0.0, 0.0)
    loop.run(seconds, command)
    config = shared_directory() / "config"
    grounds = read_grounds(config / "terrain" / "grounds.yaml")
    ground = grounds[grounds.names[0]]
    snapshot = Snapshot(
        state=loop.course.estimate[-1],
        planner=loop.planning.planner.copy(),
        gait_from=loop.gaits["walk"],
        gait_to=loop.gaits["trot"],
        command=loop.planning.planner["command"][0].copy(),
        terrain=ground,
        terrain_here=ground,
    )
    return Rehearsal(snapshot, horizon, seed, read_uncertainty(config / "uncertainty" / "default.yaml"))
