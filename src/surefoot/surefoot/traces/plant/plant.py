# SPDX-License-Identifier: Apache-2.0
"""The perturbed robots of a trace in MuJoCo's batch: one model, and for each robot the fields in which it differs."""

import copy
from collections.abc import Sequence

import mujoco
import numpy as np
from mujoco import batch
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.simulation.mujoco_model import SHARP
from surefoot.traces.cloud import Particles
from surefoot.traces.plant.fields import Fields
from surefoot.traces.plant.ground import Ground, tilt
from surefoot.traces.plant.links import Links
from surefoot.traces.plant.solids import applied

Array = NDArray[np.float64]

LEVEL = np.zeros(2)

SWEEPS = 20
"""Of the contact solver at each step, at most; a trot of two seconds then is within 0.04 mm of what Newton steps make of it."""
TOLERANCE = 1e-6
"""Of its cost, scaled as MuJoCo does, at which it stops sooner."""


def ready_for_traces(simulation: mujoco.MjModel) -> None:
    """Set how a simulation is computed; what it is of stays as it is."""
    # The volumes by which pairs of bodies are sorted out beforehand belong to the believed shapes.
    simulation.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    # One robot on its ground is one island: looking for more changes no number.
    simulation.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND
    # The few contacts of four feet are solved sooner by sweeps than by the simulator's Newton steps.
    simulation.opt.solver, simulation.opt.iterations = mujoco.mjtSolver.mjSOL_PGS, SWEEPS
    simulation.opt.tolerance = TOLERANCE


class _Start:
    """Estimates as arrays, one row each."""

    def __init__(self, states: Sequence[RobotState]) -> None:
        self.position = np.array([state.base_position for state in states])
        self.quaternion = np.array([state.base_quaternion for state in states])
        self.velocity = np.array([state.base_linear_velocity for state in states])
        self.rate = np.array([state.base_angular_velocity for state in states])
        self.joint_position = np.array([state.joint_position for state in states])
        self.joint_velocity = np.array([state.joint_velocity for state in states])


class Plant:
    """A batch of perturbed robots.

    Args:
        model: the believed robot.
        mujoco_model: built from it; its joints must be in the order of the description.
        size: largest number of particles.

    Attributes:
        batch: of simulations, one a robot.
        simulation: of the believed robot, with the settings of the batch.
        qpos, qvel: live state, (size, 19) and (size, 18).
        load: live normal force of the ground on each foot, (size, 4), N.
        stiffness, damping: of the servos from when their next targets take effect, (size, 12).
        advancing: whether time went on in the last step, (size,).
    """

    def __init__(self, model: RobotModel, mujoco_model: mujoco.MjModel, size: int) -> None:
        description = model.description
        joints = [mujoco_model.joint(name).qposadr[0] for name in description.joint_names]
        if joints != list(range(7, 19)):
            raise ValueError(f"joints of the simulation are not in the order of the description: {joints}")
        simulation = copy.copy(mujoco_model)
        ready_for_traces(simulation)
        self._links, self._ground = Links(model, simulation), Ground(model, simulation)
        self._model, self.simulation = model, simulation
        self.batch = batch.Batch(simulation, nsim=size, nthread=1)
        self.qpos, self.qvel = self.batch.bind("qpos"), self.batch.bind("qvel")
        self._control, self._time = self.batch.bind("ctrl"), self.batch.bind("time")
        touch = [int(mujoco_model.sensor(name).adr[0]) for name in description.foot_names]
        if touch != list(range(touch[0], touch[0] + len(touch))):
            raise ValueError(f"foot sensors of the simulation are not in the order of the description: {touch}")
        self.load: Array = self.batch.bind("sensordata")[:, touch[0] : touch[0] + len(touch)]
        self._fields = Fields(self.batch, simulation)
        self._bias = self._fields["actuator_biasprm"]
        self.stiffness, self.damping = np.zeros((size, 12)), np.zeros((size, 12))
        self.advancing = np.ones(size, np.bool_)

    def place(
        self, particles: Particles, state: RobotState | Sequence[RobotState], ground_height: float | Array, ground_slope: Array = LEVEL
    ) -> None:
        """Make the first n robots those of the particles, at their starts.

        Args:
            particles: n draws.
            state: the estimate that they start from; or n of them.
            ground_height: of the believed ground under the base in odom, m; there the simulation's ground is at 0. One, or (n,).
            ground_slope: its rise over length along x and y of odom, (2,) or (n, 2).
        """
        n, fields = len(particles.indices), self._fields
        start = _Start([state] if isinstance(state, RobotState) else state)
        fields.reset()
        self._links.write(fields, particles)
        self._ground.write(fields, particles, start.position[:, :2], np.atleast_2d(ground_slope))
        fields["dof_damping"][:n, 6:] += particles.joint_damping
        if any(particles.gear.losses):
            fields["dof_solref"][:n, 6:, 0] = SHARP * self.simulation.opt.timestep
        if particles.gear.reflected_inertia is not None:
            fields["dof_armature"][:n, 6:] = particles.gear.reflected_inertia
        if (particles.effort_limit != 1.0).any():
            fields["actuator_forcerange"][:n] *= particles.effort_limit[:, :, None]
        servos = self._model.description.servos
        self.stiffness[:n] = servos.stiffness * particles.servo_stiffness
        self.damping[:n] = servos.damping * particles.servo_damping
        self._bias[:n, :, 1], self._bias[:n, :, 2] = -self.stiffness[:n], -self.damping[:n]
        self.batch.reset(stage=mujoco.mjtStage.mjSTAGE_NONE)
        self.batch.set_const()
        self.qpos[:n, :3] = start.position + particles.base_position
        self.qpos[:n, 2] -= ground_height
        self.qpos[:n, 3:7] = _turned(start.quaternion, particles.base_orientation)
        self.qpos[:n, 7:] = start.joint_position + particles.joint_position
        self.qvel[:n, :3] = start.velocity + particles.base_velocity
        self.qvel[:n, 3:6] = _in_base(self.qpos[:n, 3:7], start.rate + particles.base_rate)
        self.qvel[:n, 6:] = start.joint_velocity + particles.joint_velocity
        if particles.ground_height.any() or particles.slope.any():
            self._carry(particles, start.position[:, :2])
        self._control[:] = 0.0
        # The physics puts a robot whose numbers are none back to its origin, where it looks sound.
        self.advancing[:] = True
        self.advancing[:n] = np.isfinite(self.qpos[:n]).all(axis=1) & np.isfinite(self.qvel[:n]).all(axis=1)
        self.batch.forward()

    def _carry(self, particles: Particles, pivot: Array) -> None:
        """Take the robots along with their ground, on which they stand."""
        n, centre, turn = len(particles.indices), np.pad(pivot, ((0, 0), (0, 1))), tilt(particles)
        self.qpos[:n, :3] = applied(turn.as_matrix(), self.qpos[:n, :3] - centre) + centre
        self.qpos[:n, 2] += particles.ground_height
        self.qpos[:n, 3:7] = (turn * Rotation.from_quat(self.qpos[:n, [4, 5, 6, 3]])).as_quat()[:, [3, 0, 1, 2]]
        self.qvel[:n, :3] = applied(turn.as_matrix(), self.qvel[:n, :3])

    def advance(self, targets: Array, moving: NDArray[np.int64], delay: Array, steps: int) -> None:
        """Advance some particles by one control period.

        Args:
            targets: constant part of each servo's law, (n, 12).
            moving: indices of the particles that go on.
            delay: after which the new targets of each particle take effect, in steps, (n,). A step in the middle of which that
                is has the mean of both laws over it, so that a delay counts in full however long the steps are.
            steps: physics steps in the period.
        """
        before = self._time[moving].copy()
        pending = 0
        for k in range(steps):
            if _how_many(moving, delay, k) > 0:
                if pending > 0:
                    self._step_physics(moving, pending)
                    pending = 0
                _hand_over(targets, self.stiffness, self.damping, moving, delay, k, self._control, self._bias)
            pending += 1
        self._step_physics(moving, pending)
        _hand_over(targets, self.stiffness, self.damping, moving, delay, steps, self._control, self._bias)
        self.advancing[moving] = self._time[moving] > before

    def _step_physics(self, moving: NDArray[np.int64], steps: int) -> None:
        """Let time go on for some robots whose servos keep their targets."""
        # A call that names no robots is the cheaper one.
        self.batch.step(ids=None if len(moving) == len(self.advancing) else moving, nstep=steps)


@compiled
def _how_many(moving: NDArray[np.int64], delay: Array, step: int) -> int:
    """Of these robots have another law in a step than in the one before."""
    count = 0
    for robot in moving:
        count += step - 1.0 < delay[robot] < step + 1.0
    return count


@compiled
def _hand_over(
    targets: Array, stiffness: Array, damping: Array, moving: NDArray[np.int64], delay: Array, step: int, control: Array, bias: Array
) -> None:  # fmt: skip
    """Give those of these robots whose delay ends before or in a step their new targets and gains, as far as that step goes."""
    for robot in moving:
        new = min(1.0, step + 1.0 - delay[robot])
        if new > 0.0:
            old = 1.0 - new
            for servo in range(control.shape[1]):
                control[robot, servo] = old * control[robot, servo] + new * targets[robot, servo]
                bias[robot, servo, 1] = old * bias[robot, servo, 1] - new * stiffness[robot, servo]
                bias[robot, servo, 2] = old * bias[robot, servo, 2] - new * damping[robot, servo]


def _turned(quaternion: Array, rotation_vector: Array) -> Array:
    """Quaternions w x y z of attitudes (x y z w) turned about the axes of odom, (n, 4); one for all, (1, 4), or one each."""
    x, y, z, w = quaternion.T
    angle = np.linalg.norm(rotation_vector, axis=1)
    half = np.where(angle < 1e-9, 0.5, np.sin(0.5 * angle) / np.maximum(angle, 1e-9))
    a, b, c = (half[:, None] * rotation_vector).T
    d = np.cos(0.5 * angle)
    product = (
        d * w - a * x - b * y - c * z,
        d * x + a * w + b * z - c * y,
        d * y + b * w + c * x - a * z,
        d * z + c * w + a * y - b * x,
    )
    return np.stack(product, axis=1)


def _in_base(quaternion: Array, vector: Array) -> Array:
    """A vector (n, 3) from the axes of odom into those of the base; quaternions w x y z, (n, 4)."""
    w, u = quaternion[:, :1], -quaternion[:, 1:]
    t = 2.0 * np.cross(u, vector)
    result: Array = vector + w * t + np.cross(u, t)
    return result
