# SPDX-License-Identifier: Apache-2.0
"""Perturbed robots to which something happens on the way: pushes, a delay that jitters, servos that are not ideal."""

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.servos.motors.gear import gear_friction
from surefoot.servos.motors.torque_speed import most_torque
from surefoot.servos.motors.transmission import target_through_play
from surefoot.traces.cloud import Particles
from surefoot.traces.cloud.jitter import BLOCK
from surefoot.traces.plant.plant import LEVEL, Plant

Array = NDArray[np.float64]

PUSH_DURATION = 0.1
"""s"""


class DisturbedPlant(Plant):
    """A plant whose particles are pushed, whose commands come sooner or later from tick to tick, and whose servos have play, gears
    that are not ideal, or less torque at speed.

    Args as of `Plant`.
    """

    def __init__(self, model: RobotModel, mujoco_model: mujoco.MjModel, size: int) -> None:
        super().__init__(model, mujoco_model, size)
        self._step, self._weight = float(mujoco_model.opt.timestep), model.total_mass
        self._pushed_body = mujoco_model.body(model.description.base).id
        self._push = self.batch.bind("xfrc_applied")
        self._tick, self._late = 0, np.zeros((size, 0))
        self._particles: Particles | None = None
        self._pushes = self._jitters = self._plays = self._fades = False
        self._gear_losses, self._dry = (0.0, 0.0), np.array(mujoco_model.dof_frictionloss[6:])
        self._largest, self._fastest = np.array(mujoco_model.actuator_forcerange[:, 1]), model.velocity_limit.copy()
        self._delay, self._passed = np.zeros(size), np.zeros((size, 12))

    def place(
        self, particles: Particles, state: RobotState | Sequence[RobotState], ground_height: float | Array, ground_slope: Array = LEVEL
    ) -> None:
        """See Plant.place."""
        super().place(particles, state, ground_height, ground_slope)
        self._gear_losses = particles.gear.losses
        self._tick, self._particles = 0, particles
        self._push[:] = 0.0
        self._pushes, self._plays = bool(particles.push_velocity.any()), bool(particles.backlash.any())
        self._jitters, self._fades = particles.command_jitter.acts, bool(particles.torque_speed.any())

    def advance(self, targets: Array, moving: NDArray[np.int64], delay: Array, steps: int) -> None:
        """See Plant.advance."""
        particles = self._particles
        if particles is not None:
            if self._pushes:
                self._push_on(particles, steps * self._step)
            if self._jitters and self._tick > 0:
                delay = self._jittered(particles, steps)
            if self._fades:
                limits = self._fields["actuator_forcerange"]
                _fade(particles.torque_speed, particles.effort_limit, self._largest, self._fastest, self.qvel, limits)
            if self._plays:
                _through_play(targets, particles.backlash, self.stiffness, self.damping, self.qpos, self.qvel, self._passed)
                targets = self._passed
            if any(self._gear_losses):
                limits, dry = self._fields["actuator_forcerange"], self._fields["dof_frictionloss"]
                _rub(targets, self.stiffness, self.damping, self.qpos, self.qvel, limits, *self._gear_losses, self._dry, dry)
        super().advance(targets, moving, delay, steps)
        self._tick += 1

    def _push_on(self, particles: Particles, period: float) -> None:
        """A horizontal force on the base for some ticks."""
        ticks = max(1, round(PUSH_DURATION / period))
        scale = self._weight / (ticks * period)
        _push(self._tick, particles.push_time, particles.push_velocity, period, ticks, scale, self._pushed_body, self._push)

    def _jittered(self, particles: Particles, steps: int) -> Array:
        """The delay of this tick's commands, in steps, (size,)."""
        place = self._tick % BLOCK
        if place == 0 or self._tick == 1:
            self._late = particles.command_jitter.block(particles.indices, self._tick // BLOCK)
        _late_by(particles.command_delay, self._late, place, self._step, steps, self._delay)
        return self._delay


@compiled
def _fade(loss: Array, factor: Array, largest: Array, fastest: Array, qvel: Array, limits: Array) -> None:
    """Write the limits of each servo's torque at its present speed, (size, 12, 2): on a straight line from rest to full speed."""
    for i in range(loss.shape[0]):
        for j in range(12):
            most = most_torque(largest[j] * factor[i, j], fastest[j], qvel[i, 6 + j], loss[i, j])
            limits[i, j, 0], limits[i, j, 1] = -most, most


@compiled
def _push(
    tick: int, push_time: Array, push_velocity: Array, period: float, ticks: int, scale: float, body: int, push: Array
) -> None:
    """Write the horizontal force of each particle's push, N, into (size, bodies, 6); it lasts some ticks."""
    for i in range(push_time.shape[0]):
        since = tick - np.rint(push_time[i] / period)
        for axis in range(2):
            push[i, body, axis] = scale * push_velocity[i, axis] if 0.0 <= since < ticks else 0.0


@compiled
def _late_by(command_delay: Array, jitter: Array, place: int, step: float, steps: int, delay: Array) -> None:
    """Write the delay of each particle's command in steps, (size,)."""
    for i in range(command_delay.shape[0]):
        delay[i] = min(float(steps), max(0.0, (command_delay[i] + jitter[i, place]) / step))


@compiled
def _through_play(targets: Array, play: Array, stiffness: Array, damping: Array, qpos: Array, qvel: Array, out: Array) -> None:
    """Write what is left of the targets behind gears with play, (size, 12)."""
    for i in range(targets.shape[0]):
        for k in range(12):
            held = stiffness[i, k] * qpos[i, 7 + k] + damping[i, k] * qvel[i, 6 + k]
            out[i, k] = target_through_play(targets[i, k], held, stiffness[i, k], play[i, k])


@compiled
def _rub(
    targets: Array, stiffness: Array, damping: Array, qpos: Array, qvel: Array, limits: Array, forward: float, backward: float, dry: Array,
    friction: Array,
) -> None:  # fmt: skip
    """Write the dry friction of each joint, (size, 18): its own, dry, (12,), and that of the gear under the torque of these targets."""
    for i in range(targets.shape[0]):
        for k in range(12):
            held = stiffness[i, k] * qpos[i, 7 + k] + damping[i, k] * qvel[i, 6 + k]
            torque = min(max(targets[i, k] - held, limits[i, k, 0]), limits[i, k, 1])
            friction[i, 6 + k] = dry[k] + gear_friction(torque, qvel[i, 6 + k], forward, backward)
