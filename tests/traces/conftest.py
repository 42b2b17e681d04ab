# SPDX-License-Identifier: Apache-2.0
"""A robot that walks, frozen at one instant, and the cloud around it."""

from dataclasses import dataclass, replace

import mujoco
import numpy as np
import pytest

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.gait.library import GaitLibrary
from surefoot.gait.settings import PlannerSettings
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import build_model
from surefoot.simulation.robot import GroundTruth
from surefoot.terrain.belief import Grounds, TerrainBelief, read_grounds
from surefoot.terrain.world import World
from surefoot.traces.cloud import Particles, draw_particles
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY, Uncertainty, read_uncertainty
from surefoot.traces.plant.plant import Plant
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.tracer import Rehearsal, Tracer

COMMAND = (0.3, 0.0, 0.0)
SEED = 7


@dataclass(frozen=True)
class Walk:
    """hyq at 0.3 m/s, seen by an estimator that is right and says how sure it is.

    Attributes:
        snapshot: while it walks on dry ground; the gait in force is also the one that is asked for.
        afterwards: what the simulated robot did in the next second, tick by tick.
        gaits, grounds: of the robot.
    """

    snapshot: Snapshot
    afterwards: list[GroundTruth]
    gaits: GaitLibrary
    grounds: Grounds

    def asked(self, gait: str, ground: str = "dry") -> Snapshot:
        return replace(self.snapshot, gait_to=self.gaits[gait], terrain=self.grounds[ground])

    def on(self, ground: TerrainBelief, gait: str) -> Snapshot:
        return replace(self.snapshot, gait_to=self.gaits[gait], terrain=ground)

    def rehearsal(self, snapshot: Snapshot, uncertainty: Uncertainty, horizon: float = 0.4) -> Rehearsal:
        return Rehearsal(snapshot, horizon, SEED, uncertainty)

    def candidate(self, after: float = 0.1, transition_point: float = 0.25) -> Candidate:
        return Candidate(transition_point, self.snapshot.state.time + after)


@pytest.fixture(scope="session")
def grounds() -> Grounds:
    return read_grounds(shared_directory() / "config" / "terrain" / "grounds.yaml")


@pytest.fixture(scope="session")
def uncertainty() -> Uncertainty:
    return read_uncertainty(shared_directory() / "config" / "uncertainty" / "default.yaml")


@pytest.fixture(scope="session")
def walk(hyq: RobotModel, grounds: Grounds) -> Walk:
    loop = ClosedLoop(hyq, seed=0, friction=grounds["dry"].cautious_friction, perfect_sensors=True)
    loop.run(0.5)
    loop.change_gait("walk")
    loop.run(1.5, COMMAND)
    planner = loop.planning.planner.copy()
    state = replace(
        loop.state(),
        pose_covariance=np.diag([0.004, 0.004, 0.003, 0.004, 0.004, 0.006]) ** 2,
        twist_covariance=np.diag([0.02, 0.02, 0.02, 0.01, 0.01, 0.01]) ** 2,
        joint_position_variance=np.full(12, 0.0005**2),
        joint_velocity_variance=np.full(12, 0.02**2),
    )
    snapshot = Snapshot(state, planner, loop.gaits["walk"], loop.gaits["walk"], np.array(COMMAND), grounds["dry"], grounds["dry"])
    first = len(loop.course.truth)
    loop.run(1.0, COMMAND)
    assert not loop.fallen
    return Walk(snapshot, loop.course.truth[first:], loop.gaits, grounds)


@pytest.fixture(scope="session")
def tracer(hyq: RobotModel) -> Tracer:
    return Tracer(hyq, PlannerSettings(), size=16)


STEP = 2e-3
SIZE = 6


@pytest.fixture(scope="session")
def simulation(hyq: RobotModel) -> mujoco.MjModel:
    return build_model(hyq, World(), STEP)


@pytest.fixture
def plant(hyq: RobotModel, simulation: mujoco.MjModel) -> Plant:
    """Six robots."""
    return Plant(hyq, simulation, SIZE)


@pytest.fixture(scope="session")
def believed(hyq: RobotModel, walk: Walk) -> Particles:
    """Six believed robots."""
    return draw_particles(hyq, NO_UNCERTAINTY, walk.snapshot, 0, np.arange(SIZE))
