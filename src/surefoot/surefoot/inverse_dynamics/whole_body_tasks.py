# SPDX-License-Identifier: Apache-2.0
"""What a whole-body controller is asked for, as weighted rows over the generalized acceleration.

A task that another package adds is any object with a `rows` method: see `Task`.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.inverse_dynamics.desired import Attitude, wanted_base_acceleration, wanted_foot_accelerations
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import GRAVITY, RigidBodyTerms

Array = NDArray[np.float64]

_IDENTITY = np.eye(18)
_IDENTITY.flags.writeable = False


class Tick(NamedTuple):
    """What a task may look at: the terms of the robot, PLAN and STATE records and the attitudes that they hold."""

    terms: RigidBodyTerms
    plan: np.void
    state: np.void
    attitude: Attitude


class TaskRows(NamedTuple):
    """jacobian u' should be acceleration; the cost is the sum of weight (jacobian u' - acceleration)^2.

    Attributes:
        jacobian: (k, 18).
        acceleration: wanted, without the part at u' = 0, (k,).
        weight: (k,), not negative; of squared m/s^2.
    """

    jacobian: Array
    acceleration: Array
    weight: Array


_NO_ROWS = TaskRows(np.empty((0, 18)), np.empty(0), np.empty(0))


class Task(Protocol):
    """One thing that the robot should do."""

    def rows(self, tick: Tick) -> TaskRows:
        """The rows of one tick; none of them is a valid answer."""
        ...


@dataclass(frozen=True)
class BasePose:
    """The base follows its reference by the gains of the robot; angular parts count with the radius of gyration about the pitch axis.

    Where not all can be had the swing feet give way: a base that tips cannot be set upright by any foothold.
    """

    gains: ControlDescription
    weight: float = 10.0

    def rows(self, tick: Tick) -> TaskRows:
        """Six rows: linear, then angular."""
        mass = tick.terms.mass_matrix
        angular = self.weight * mass[4, 4] / mass[0, 0]
        wanted = wanted_base_acceleration(self.gains, tick.attitude, tick.plan, tick.state)
        return TaskRows(_IDENTITY[:6], wanted, np.array((self.weight, self.weight, self.weight, angular, angular, angular)))


@dataclass(frozen=True)
class SwingFeet:
    """Feet without load follow their paths by the gains of the robot."""

    gains: ControlDescription
    weight: float = 0.1

    def rows(self, tick: Tick) -> TaskRows:
        """Three rows a foot."""
        legs = (tick.plan["load"] <= 0.0).nonzero()[0]
        if not len(legs):
            return _NO_ROWS
        wanted = wanted_foot_accelerations(self.gains, tick.plan, tick.terms) - tick.terms.foot_bias_accelerations
        return TaskRows(tick.terms.foot_jacobians[legs].reshape(-1, 18), wanted[legs].ravel(), np.full(3 * len(legs), self.weight))


@dataclass(frozen=True)
class JointPosture:
    """The joints tend to a posture; a small weight decides only what nothing else decides, such as a stretched knee.

    Attributes:
        joint_position: (12,), rad.
        stiffness: (rad/s^2)/rad.
        damping: (rad/s^2)/(rad/s).
    """

    joint_position: Array
    stiffness: float = 100.0
    damping: float = 20.0
    weight: float = 1e-6

    def rows(self, tick: Tick) -> TaskRows:
        """One row a joint."""
        error = self.joint_position - tick.state["joint_position"].ravel()
        wanted = self.stiffness * error - self.damping * tick.state["joint_velocity"].ravel()
        return TaskRows(_IDENTITY[6:], wanted, np.full(12, self.weight))


@dataclass(frozen=True)
class CentreOfMass:
    """The centre of mass follows the reference of the base, moved by an offset in odom axes.

    Momentum is mass_matrix[:3] u, so position, velocity and acceleration of the centre of mass are in the terms.

    Attributes:
        gains: those of the base position and velocity are used, along odom axes.
        offset: of the centre of mass from the base origin, (3,), m.
    """

    gains: ControlDescription
    offset: Array
    weight: float = 10.0

    def rows(self, tick: Tick) -> TaskRows:
        """Three rows."""
        mass = tick.terms.mass_matrix[0, 0]
        by_acceleration = tick.terms.mass_matrix[:3] / mass
        at_rest = tick.terms.bias[:3] / mass - (0.0, 0.0, GRAVITY)
        position = tick.state["base_position"] + centre_of_mass_offset(tick.terms)
        velocity = by_acceleration @ generalized_velocity(tick.state)
        wanted = np.multiply(self.gains.base_position_gain, tick.plan["base_position"] + self.offset - position)
        wanted = wanted + np.multiply(self.gains.base_velocity_gain, tick.plan["base_velocity"] - velocity)
        wanted = wanted + tick.plan["base_acceleration"]
        return TaskRows(by_acceleration, wanted - at_rest, np.full(3, self.weight))


@dataclass(frozen=True)
class AngularMomentum:
    """Angular momentum about the centre of mass decays.

    Attributes:
        damping: 1/s.
        weight: of the angular momentum rate divided by mass and radius of gyration.
    """

    damping: float = 5.0
    weight: float = 1e-3

    def rows(self, tick: Tick) -> TaskRows:
        """Three rows."""
        mass, terms = tick.terms.mass_matrix[0, 0], tick.terms
        about_centre = np.hstack((-_cross_matrix(centre_of_mass_offset(terms)), np.eye(3)))
        # The moment of all ground forces about the centre of mass, where gravity has none.
        momentum = about_centre @ (terms.mass_matrix[:6] @ generalized_velocity(tick.state))
        scale = 1.0 / np.sqrt(terms.mass_matrix[4, 4] * mass)
        wanted = -self.damping * momentum - about_centre @ terms.bias[:6]
        return TaskRows(scale * (about_centre @ terms.mass_matrix[:6]), scale * wanted, np.full(3, self.weight))


def generalized_velocity(state: np.void) -> Array:
    """u of a STATE record, (18,)."""
    return np.concatenate((state["base_velocity"], state["base_rate"], state["joint_velocity"].ravel()))


def centre_of_mass_offset(terms: RigidBodyTerms) -> Array:
    """From the base origin to the centre of mass in odom axes, (3,), m: it couples rotation to linear momentum."""
    coupling = terms.mass_matrix[:3, 3:6] / terms.mass_matrix[0, 0]
    return np.array((coupling[1, 2], coupling[2, 0], coupling[0, 1]))


def _cross_matrix(vector: Array) -> Array:
    x, y, z = vector
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
