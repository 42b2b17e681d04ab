# SPDX-License-Identifier: Apache-2.0
"""The perturbed robots of a trace in MuJoCo's batch: one model, per-particle fields."""

import mujoco
import numpy as np
from mujoco import batch
from numpy.typing import NDArray

from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.traces.cloud import Particles

Array = NDArray[np.float64]


class Plant:
    """A batch of perturbed robots.

    Args:
        model: the believed robot.
        mujoco_model: built from it; its joints must be in the order of the description.
        size: largest number of particles.

    Attributes:
        qpos, qvel: live state, (size, 19) and (size, 18).
        load: normal force on each foot, (size, 4), N.
        stiffness, damping: of the servos, (size, 12).
        advancing: whether time went on in the last step, (size,).
    """

    def __init__(self, model: RobotModel, mujoco_model: mujoco.MjModel, size: int) -> None:
        description = model.description
        joints = [mujoco_model.joint(name).qposadr[0] for name in description.joint_names]
        if joints != list(range(7, 19)):
            raise ValueError(f"joints of the simulation are not in the order of the description: {joints}")
        self._model, self._mujoco = model, mujoco_model
        self._batch = batch.Batch(mujoco_model, nsim=size, nthread=1)
        self.qpos, self.qvel = self._batch.bind("qpos"), self._batch.bind("qvel")
        self._control, self._time = self._batch.bind("ctrl"), self._batch.bind("time")
        self._sensors = self._batch.bind("sensordata")
        self._touch = np.array([mujoco_model.sensor(name).adr[0] for name in description.foot_names])
        self._base = mujoco_model.body(description.base).id
        bodies = {body.joint.name: mujoco_model.body(body.name).id for body in model.bodies() if body.joint is not None}
        self._links = np.array([bodies[name] for name in description.joint_names])
        self._feet = np.array([mujoco_model.geom(name).id for name in description.foot_names])
        self._sites = np.array([mujoco_model.site(name).id for name in description.foot_names])
        self._ground = np.array([i for i in range(mujoco_model.ngeom) if mujoco_model.geom(i).name.startswith("ground_")])
        expand = self._batch.expand
        self._fields = {
            name: expand(name)
            for name in (
                "body_mass", "body_inertia", "body_ipos", "body_pos", "geom_pos", "site_pos", "geom_friction", "dof_damping",
                "actuator_biasprm",
            )
        }  # fmt: skip
        self._nominal = {name: np.array(getattr(mujoco_model, name)) for name in self._fields}
        self.stiffness, self.damping = np.zeros((size, 12)), np.zeros((size, 12))
        self.advancing = np.ones(size, np.bool_)

    @property
    def load(self) -> Array:
        """Normal force of the ground on each foot, (size, 4), N."""
        result: Array = self._sensors[:, self._touch]
        return result

    def place(self, particles: Particles, state: RobotState, ground_height: float) -> None:
        """Make the first n robots those of the particles, at their starts.

        Args:
            particles: n draws.
            state: the estimate that they start from.
            ground_height: of the believed ground in odom, m; the simulation's ground is at 0.
        """
        n = len(particles.indices)
        for name, nominal in self._nominal.items():
            self._fields[name][:] = nominal
        field, base, links = self._fields, self._base, self._links
        field["body_mass"][:n, base] *= particles.base_mass
        field["body_inertia"][:n, base] *= particles.base_mass[:, None]
        field["body_ipos"][:n, base] += particles.base_centre_of_mass
        field["body_mass"][:n, links] *= particles.link_mass
        field["body_inertia"][:n, links] *= particles.link_mass[:, :, None]
        for leg in range(len(LEG_NAMES)):
            thigh, shin = links[3 * leg + 1], links[3 * leg + 2]
            upper, lower = particles.link_length[:, leg, 0:1], particles.link_length[:, leg, 1:2]
            field["body_pos"][:n, shin] *= upper
            field["body_ipos"][:n, thigh] *= upper
            field["body_ipos"][:n, shin] *= lower
            field["geom_pos"][:n, self._feet[leg]] *= lower
            field["site_pos"][:n, self._sites[leg]] *= lower
        for ground in self._ground:
            field["geom_friction"][:n, ground, 0] = particles.friction
        field["dof_damping"][:n, 6:] += particles.joint_damping
        servos = self._model.description.servos
        self.stiffness[:n] = servos.stiffness * particles.servo_stiffness
        self.damping[:n] = servos.damping * particles.servo_damping
        field["actuator_biasprm"][:n, :, 1] = -self.stiffness[:n]
        field["actuator_biasprm"][:n, :, 2] = -self.damping[:n]
        self._batch.reset(stage=mujoco.mjtStage.mjSTAGE_NONE)
        self._batch.set_const()
        self.qpos[:n, :3] = state.base_position + particles.base_position
        self.qpos[:n, 2] -= ground_height
        self.qpos[:n, 3:7] = _turned(state.base_quaternion, particles.base_orientation)
        self.qpos[:n, 7:] = state.joint_position + particles.joint_position
        self.qvel[:n, :3] = state.base_linear_velocity + particles.base_velocity
        self.qvel[:n, 3:6] = _in_base(self.qpos[:n, 3:7], state.base_angular_velocity + particles.base_rate)
        self.qvel[:n, 6:] = state.joint_velocity + particles.joint_velocity
        self._control[:] = 0.0
        # The physics puts a robot whose numbers are none back to its origin, where it looks sound.
        self.advancing[:] = True
        self.advancing[:n] = np.isfinite(self.qpos[:n]).all(axis=1) & np.isfinite(self.qvel[:n]).all(axis=1)
        self._batch.forward()

    def advance(self, targets: Array, moving: NDArray[np.int64], delay: NDArray[np.int64], steps: int) -> None:
        """Advance some particles by one control period.

        Args:
            targets: constant part of each servo's law, (n, 12).
            moving: indices of the particles that go on.
            delay: steps after which the new targets of each particle take effect, (n,).
            steps: physics steps in the period.
        """
        before = self._time[moving].copy()
        pending = 0
        for k in range(steps):
            due = moving[delay[moving] == k]
            if len(due) > 0:
                if pending > 0:
                    self._batch.step(ids=moving, nstep=pending)
                    pending = 0
                self._control[due] = targets[due]
            pending += 1
        self._batch.step(ids=moving, nstep=pending)
        late = moving[delay[moving] >= steps]
        self._control[late] = targets[late]
        self.advancing[moving] = (self._time[moving] > before).reshape(len(moving))


def _turned(quaternion: Array, rotation_vector: Array) -> Array:
    """Quaternions w x y z of an attitude (x y z w) turned about the axes of odom, (n, 4)."""
    x, y, z, w = quaternion
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
