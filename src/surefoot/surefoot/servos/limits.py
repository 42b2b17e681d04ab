# SPDX-License-Identifier: Apache-2.0
"""Joint limits by name."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import RobotDescriptionError, UnknownNameError
from surefoot.robot.description import LEG_NAMES, RobotDescription
from surefoot.robot.model import RobotModel
from surefoot.servos.offenders import first_of

Array = NDArray[np.float64]

SHORTEST_SPRING = 0.01
"""rad from its target at which the stiffest spring asks a joint for its whole effort; those of the robots do no sooner than at 0.18."""
HARDEST_BRAKE = 0.1
"""Part of its velocity limit at which the most damping asks a joint for its whole effort; that of the robots does not below 0.27."""


@dataclass(frozen=True)
class JointLimits:
    """Limits of the joints, in the order of the description. All arrays are (12,).

    Attributes:
        names: joint names.
        lower, upper: position, rad.
        velocity: rad/s, positive.
        effort: N m, positive.
    """

    names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    effort: Array

    @staticmethod
    def of(model: RobotModel) -> "JointLimits":
        """Limits of a robot. Raises what `from_arrays` raises."""
        return JointLimits.from_arrays(
            model.description,
            model.joint_names,
            lower=model.position_lower,
            upper=model.position_upper,
            velocity=model.velocity_limit,
            effort=model.effort_limit,
        )

    @staticmethod
    def from_arrays(
        description: RobotDescription,
        joint_names: Sequence[str],
        *,
        lower: ArrayLike,
        upper: ArrayLike,
        velocity: ArrayLike,
        effort: ArrayLike,
    ) -> "JointLimits":
        """Limits of the URDF, put into the order of the description, with the description's own values where it has some.

        Args:
            description: says the order, and effort_limits and velocity_limits by name.
            joint_names: order of the arrays that follow; further joints are allowed.
            lower, upper, velocity, effort: one number per name in joint_names, rad, rad, rad/s, N m.

        Raises:
            RobotDescriptionError: a joint is missing or listed twice, a limit is no limit, or the stand or lie pose lies outside.
            UnknownNameError: the description overrides the limit of a joint that the robot does not have.
        """
        given = list(joint_names)
        for name in description.joint_names:
            if given.count(name) != 1:
                count, known = given.count(name), ", ".join(given)
                raise RobotDescriptionError(f"joint '{name}' has {count} sets of limits, not one; limits are for: {known}")
        for key in (*description.effort_limits, *description.velocity_limits):
            if key not in description.joint_names:
                raise UnknownNameError("joint", key, description.joint_names, "See effort_limits and velocity_limits of the robot.")
        order = [given.index(name) for name in description.joint_names]
        low, high, speed, torque = (np.asarray(values, dtype=float)[order] for values in (lower, upper, velocity, effort))
        for place, name in enumerate(description.joint_names):
            speed[place] = description.velocity_limits.get(name, speed[place])
            torque[place] = description.effort_limits.get(name, torque[place])
            if not low[place] < high[place]:
                raise RobotDescriptionError(f"joint '{name}': position limits {low[place]} to {high[place]} rad leave no room")
            if not (0.0 < speed[place] < np.inf and 0.0 < torque[place] < np.inf):
                raise RobotDescriptionError(
                    f"joint '{name}': velocity limit {speed[place]} rad/s and effort limit {torque[place]} N m "
                    "must be positive and finite; mend the URDF or set velocity_limits and effort_limits of the robot"
                )
        limits = JointLimits(description.joint_names, low, high, speed, torque)
        for pose in ("stand", "lie"):
            problem = limits.position_problem(posture_of(description, pose), 0.0)
            if problem:
                raise RobotDescriptionError(f"the {pose} pose of '{description.name}' is outside the limits: {problem}")
        return limits

    @property
    def most_stiffness(self) -> Array:
        """Beyond which no spring is held by what the joint can put out, (12,), N m/rad."""
        return self.effort / SHORTEST_SPRING

    @property
    def most_damping(self) -> Array:
        """Likewise, (12,), N m s/rad."""
        return self.effort / (HARDEST_BRAKE * self.velocity)

    @property
    def table(self) -> Array:
        """Lower and upper position, velocity, effort, most stiffness and most damping, (6, 12)."""
        return np.array((self.lower, self.upper, self.velocity, self.effort, self.most_stiffness, self.most_damping))

    def damping_inside(self, damping: float, joint_velocity: Array) -> Array:
        """Damping that brakes with no more than the effort limit, and nowhere more than most_damping.

        Args:
            damping: that is asked for, N m s/rad.
            joint_velocity: measured, (12,), rad/s; zero, or NaN, where it is not known, which takes nothing away.

        Returns:
            (12,), N m s/rad, above zero wherever damping is: it brakes, and drives nowhere.
        """
        bounded = np.minimum(damping, self.most_damping)
        share: Array = self.effort / np.fmax(self.effort, bounded * np.abs(joint_velocity))
        return bounded * share

    def position_problem(self, joint_position: Array, margin: float) -> str:
        """The first joint that is further than margin (rad) outside its limits, in words, and how many more are; NaN counts as outside."""
        inside = (joint_position >= self.lower - margin) & (joint_position <= self.upper + margin)
        outside = [int(place) for place in np.flatnonzero(~inside)]
        return first_of(
            [f"{self.names[i]} at {joint_position[i]:.3f} rad, limits {self.lower[i]:.3f} to {self.upper[i]:.3f}" for i in outside]
        )


def posture_of(description: RobotDescription, pose: str) -> Array:
    """Joint positions of the pose "stand" or "lie", (12,), rad, in the order of the description."""
    return np.array([angle for leg in LEG_NAMES for angle in getattr(description.legs[leg], pose)])  # type: ignore[index]


def not_finite(names: Sequence[str], **arrays: Array) -> str:
    """The first joint and quantity that is NaN or infinite, and how many more are; empty when all are finite."""
    problems = []
    for quantity, values in arrays.items():
        if not np.isfinite(values).all():
            problems += [f"{names[i]} {quantity} is {values[i]}" for i in map(int, np.flatnonzero(~np.isfinite(values)))]
    return first_of(problems)
