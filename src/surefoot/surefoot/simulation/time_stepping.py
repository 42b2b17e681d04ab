# SPDX-License-Identifier: Apache-2.0
"""A robot on rigid ground by the time stepping of [Stewart and Trinkle 1996; Anitescu and Potra 1997].

Velocities at the end of a step and the contact impulses during it solve one linear complementarity problem, with the mass matrix and the
contact directions of its begin:

    M (v+ - v) = dt (S^T torque - h) + J^T z,   0 <= z_N,   N v+ >= -phi / dt,   z in the friction pyramids.

It is what the simulator of [Zapolsky and Drumwright 2016, section 7.4] does, and the model of contact that their controllers have. An
impact is the end of a fall within a step, without rebound.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.inscribed_pyramid import EDGES
from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.contact.reduction import Reduction, reduced
from surefoot.errors import ConfigurationError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RigidBodyTerms, RobotModel
from surefoot.simulation.contact_impulses import ContactImpulses
from surefoot.simulation.robot import GroundTruth
from surefoot.terrain.world import World

Array = NDArray[np.float64]

NEWTON, ATTEMPTS = 4, 60
"""To find which servos are at their limit: all at once, and in all."""

_NONE = np.empty(0, np.int64)
_UP = np.tile((0.0, 0.0, 1.0), (4, 1))


@dataclass(frozen=True)
class _Servos:
    """torque = effort + stiffness (position - q) + damping (velocity - qd), (12,) each; all zero while they are off."""

    effort: Array
    stiffness: Array
    damping: Array
    position: Array
    velocity: Array

    def torque(self, joint_position: Array, joint_velocity: Array) -> Array:
        """(12,), N m, without the limits."""
        spring = self.stiffness * (self.position - joint_position)
        torque: Array = self.effort + spring + self.damping * (self.velocity - joint_velocity)
        return torque


class RigidContactRobot:
    """A robot that touches level ground at height 0 with the balls of its feet, and with nothing else.

    The servos are those of `SimulatedRobot`, evaluated at the end of each step; the joints have the armature and the viscous friction of
    the description, but no dry friction and no stops.

    Args:
        model: the robot.
        world: its ground: friction and strips. Coefficients of 100 and more stand for infinite friction.
        time_step: of the physics, s; the control period must be a whole number of steps.
        edges: of the friction pyramids; four, with corners along x and y of the world, are those that the controllers have by default.
        command_delay: from `step` to the moment at which the command reaches the servos, s, rounded to time steps; the source has none.

    Attributes:
        period: of control, s.
        base_position, base_quaternion, joint_position: may be changed between steps; (3,), m; x y z w, (4,); (12,), rad.
        velocity: generalized, base first, axes of the world, (18,); may be changed between steps.
        impulses: the solver of the contacts, with its counters.
        unsettled: steps for which it was not found which servos are at their limit.

    Raises:
        ConfigurationError: a world that is not rigid and level, a time step that does not divide the period, edges that make no pyramid.
    """

    def __init__(self, model: RobotModel, world: World, time_step: float = 1e-3, edges: int = EDGES, command_delay: float = 0.0) -> None:
        if world.sinkage or not world.is_level:
            kind = "compliant ground" if world.sinkage else "relief" if world.relief is not None else "ramps or steps"
            raise ConfigurationError(f"rigid contact is with level, hard ground, but the world has {kind}; use SimulatedRobot for it")
        self.model, self._world, self._time_step = model, world, time_step
        self.period = 1.0 / model.description.control.rate
        if not time_step > 0.0:
            raise ConfigurationError(f"the time step is {time_step} s; give one above 0 that divides the {self.period} s of control")
        self._steps = round(self.period / time_step)
        if not 0.0 <= command_delay <= self.period:
            raise ConfigurationError(f"the command delay is {command_delay} s; give 0 to {self.period} s, the control period")
        if self._steps < 1 or abs(self._steps * time_step - self.period) > 1e-9:
            raise ConfigurationError(f"the control period {self.period} s is not a whole number of time steps of {time_step} s")
        self._delay_steps = round(command_delay / time_step)
        self.command_delay = self._delay_steps * time_step
        self._edges = edges
        self._off = _Servos(*(np.zeros(12) for _ in range(5)))
        self.reset(model.lie_joint_position)

    def reset(self, joint_position: Array, height: float | None = None) -> None:
        """Put the robot at rest on the ground with its base level; see `Physics.reset`."""
        if height is None:
            height = self.model.description.foot_radius - float(self.model.feet_in_base(joint_position)[:, 2].min())
        self.time = 0.0
        # What was warm before belongs to another course.
        self.impulses, self.unsettled = ContactImpulses(self._edges), 0
        self.base_position, self.base_quaternion = np.array([0.0, 0.0, height]), np.array([0.0, 0.0, 0.0, 1.0])
        self.joint_position, self.velocity = np.array(joint_position, dtype=np.float64), np.zeros(18)
        self._servos = self._off
        self._joint_effort, self._bound = np.zeros(12), np.zeros(12)
        self._foot_load, self._foot_forces = np.zeros(4), np.zeros((4, 3))

    def step(self, command: JointCommand | None) -> None:
        """Advance one control period.

        Raises:
            ValueError: a number of the command is not finite.
        """
        total, arrived = np.zeros((4, 3)), self._arriving(command)
        for k in range(self._steps):
            if k == self._delay_steps:
                self._servos = arrived
            velocity, force = self._solve()
            self._advance(velocity)
            self._foot_load = force[::3]
            total += self._in_world(force)
        if self._delay_steps == self._steps:
            self._servos = arrived
        self._foot_forces = total / self._steps

    def foot_forces(self) -> Array:
        """Mean force of the ground on each foot over the last control period, axes of the world, (4, 3), N."""
        return self._foot_forces.copy()

    def truth(self) -> GroundTruth:
        """What really is now; efforts and loads are those of the last time step, and no body but the feet touches anything."""
        return GroundTruth(
            time=self.time,
            base_position=self.base_position.copy(),
            base_quaternion=self.base_quaternion.copy(),
            base_linear_velocity=self.velocity[:3].copy(),
            base_angular_velocity=self.velocity[3:6].copy(),
            joint_position=self.joint_position.copy(),
            joint_velocity=self.velocity[6:].copy(),
            joint_effort=self._joint_effort.copy(),
            foot_load=self._foot_load.copy(),
            body_contact=False,
        )

    def _arriving(self, command: JointCommand | None) -> _Servos:
        if command is None:
            return self._off
        parts = (command.effort, command.stiffness, command.damping, command.position, command.velocity)
        if not all(np.isfinite(part).all() for part in parts):
            raise ValueError("a joint command has a number that is not finite")
        return _Servos(*parts)

    def _solve(self) -> tuple[Array, Array]:
        """Velocity at the end of the step, (18,), and mean contact forces in the axes of the contacts, (12,); notes the efforts."""
        position, quaternion, velocity = self.base_position, self.base_quaternion, self.velocity
        terms = self.model.rigid_body_terms(position, quaternion, self.joint_position, velocity[:3], velocity[3:6], velocity[6:])
        limit, servos = self.model.effort_limit, self._servos
        # Servos at their limit, +1 or -1; those of the step before are a good guess.
        bound = self._bound
        for attempt in range(ATTEMPTS):
            reduction = self._reduction(terms, bound)
            force = self.impulses.forces(reduction)
            after = velocity + self._time_step * reduction.acceleration(force)
            torque = servos.torque(self.joint_position + self._time_step * after[6:], after[6:])
            wanted = np.where(np.abs(torque) > limit, np.sign(torque), 0.0)
            wrong = np.flatnonzero(wanted != bound)
            if not wrong.size:
                break
            # All at once is Newton's method, which may cycle; the first one alone is Murty's, which does not.
            changed = wrong if attempt < NEWTON else wrong[:1]
            bound = bound.copy()
            bound[changed] = np.where(bound[changed] == 0.0, wanted[changed], 0.0)
        else:
            self.unsettled += 1
        self._bound = bound
        self._joint_effort = np.clip(torque, -limit, limit)
        return after, force

    def _reduction(self, terms: RigidBodyTerms, bound: Array) -> Reduction:
        """The contacts of a step with the servos and the viscous friction taken implicitly, which stiff ones need to be stable."""
        step, servos, viscous = self._time_step, self._servos, self.model.description.servos.viscous_friction
        free = bound == 0.0
        stiffness, damping = np.where(free, servos.stiffness, 0.0), np.where(free, servos.damping, 0.0)
        joint_velocity = self.velocity[6:]
        effort = np.where(free, servos.torque(self.joint_position + step * joint_velocity, joint_velocity), bound * self.model.effort_limit)
        mass, bias = terms.mass_matrix.copy(), terms.bias.copy()
        joints = np.arange(6, 18)
        mass[joints, joints] += step * (damping + viscous) + step**2 * stiffness
        bias[6:] -= effort - viscous * joint_velocity
        reduction = reduced(
            MultibodyContactProblem(
                mass_matrix=mass,
                bias=bias,
                velocity=self.velocity,
                # The servos are part of the motion: all coordinates are free.
                actuated=_NONE,
                acceleration=np.empty(0),
                effort_limit=np.empty(0),
                jacobian=terms.foot_jacobians.reshape(12, 18),
                # Directions are those of the begin of the step.
                jacobian_rate=np.zeros(12),
                normals=_UP,
                friction=np.array([self._world.friction_at(x) for x in terms.foot_positions[:, 0]]),
                gaps=terms.foot_positions[:, 2] - self.model.description.foot_radius,
                step=step,
            )
        )
        if reduction is None:
            raise FloatingPointError(f"the state of the simulated robot is not finite any more at {self.time} s")
        return reduction

    def _advance(self, velocity: Array) -> None:
        step = self._time_step
        self.velocity = velocity
        self.base_position = self.base_position + step * velocity[:3]
        self.base_quaternion = _turned(self.base_quaternion, step * velocity[3:6])
        self.joint_position = self.joint_position + step * velocity[6:]
        self.time += step

    @staticmethod
    def _in_world(force: Array) -> Array:
        """(4, 3) of the forces along the normal, x and y, (12,)."""
        return force.reshape(4, 3)[:, (1, 2, 0)]


@compiled
def _turned(quaternion: Array, rotation: Array) -> Array:
    """Quaternion x y z w turned by a rotation vector in the axes of the world, rad."""
    angle = math.sqrt(rotation[0] ** 2 + rotation[1] ** 2 + rotation[2] ** 2)
    # sin(angle / 2) / angle
    scale = 0.5 - angle**2 / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    a, b, c, d = scale * rotation[0], scale * rotation[1], scale * rotation[2], math.cos(0.5 * angle)
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    turned = np.empty(4)
    turned[0], turned[1] = d * x + a * w + b * z - c * y, d * y + b * w + c * x - a * z
    turned[2], turned[3] = d * z + c * w + a * y - b * x, d * w - a * x - b * y - c * z
    length = math.sqrt(turned[0] ** 2 + turned[1] ** 2 + turned[2] ** 2 + turned[3] ** 2)
    for i in range(4):
        turned[i] /= length
    return turned
