# SPDX-License-Identifier: Apache-2.0
"""Perturbed robots on DART, Gazebo's engine: a second opinion on what MuJoCo says of a gait change."""

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.traces.cloud import Particles
from surefoot.traces.plant.dart_robot import DartRobot, dart_engine
from surefoot.traces.plant.disturbed import DisturbedPlant
from surefoot.traces.plant.plant import LEVEL

Array = NDArray[np.float64]


class DartPlant(DisturbedPlant):
    """A plant whose robots move as DART says, with the masses, shapes, friction, ground and servos of the particles.

    MuJoCo still says where the shapes of a robot are, from the pose that DART gives. Contacts are rigid here: what a particle draws of
    compliance, restitution and contact model has no effect, nor have rotor and losses of a gear.

    Args as of `Plant`.

    Raises:
        ConfigurationError: dartpy is not installed.
    """

    def __init__(self, model: RobotModel, mujoco_model: mujoco.MjModel, size: int) -> None:
        dart_engine()
        super().__init__(model, mujoco_model, size)
        description = model.description
        self._foot_geoms = np.array([mujoco_model.geom(name).id for name in description.foot_names])
        self._hinges = np.array([mujoco_model.joint(name).id for name in description.joint_names])
        self._base_body = mujoco_model.body(description.base).id
        self._robots: list[DartRobot] = []
        self._touched, self.load = self.load, np.zeros((size, len(description.foot_names)))

    def place(
        self, particles: Particles, state: RobotState | Sequence[RobotState], ground_height: float | Array, ground_slope: Array = LEVEL
    ) -> None:
        """See Plant.place."""
        super().place(particles, state, ground_height, ground_slope)
        step = float(self.simulation.opt.timestep)
        self._robots = []
        # What the ground bears before the first step is what MuJoCo says.
        self.load[:] = self._touched
        for i in range(len(particles.indices)):
            robot = DartRobot(self.simulation, self._fields.of(i), self._foot_geoms, self._hinges, step)
            if self.advancing[i]:
                robot.place(self.qpos[i], self.qvel[i])
            self._robots.append(robot)

    def _step_physics(self, moving: NDArray[np.int64], steps: int) -> None:
        limits = self._fields["actuator_forcerange"]
        for i in (i for i in moving.tolist() if self.advancing[i]):
            robot, push = self._robots[i], self._push[i, self._base_body, :3]
            for _ in range(steps):
                position, velocity = robot.joints()
                asked = self._control[i] + self._bias[i, :, 1] * position + self._bias[i, :, 2] * velocity
                robot.advance(np.clip(asked, limits[i, :, 0], limits[i, :, 1]), push)
            qpos, qvel = robot.state()
            if np.isfinite(qpos).all() and np.isfinite(qvel).all():
                self.qpos[i], self.qvel[i] = qpos, qvel
                self._time[i] += steps * float(self.simulation.opt.timestep)
            self.load[i] = robot.foot_load()
        self.batch.forward(ids=moving)
