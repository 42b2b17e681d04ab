# SPDX-License-Identifier: Apache-2.0
"""From a foot's place to the angles of its leg, for any leg of three joints, within the joint limits."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter

from surefoot.robot.description import JOINTS_PER_LEG
from surefoot.robot.model import RobotModel

Array = NDArray[np.float64]

TOLERANCE = 1e-6
"""Distance between foot and goal at which a goal counts as reached, m."""

SAMPLES_PER_JOINT = 9
RESTARTS = 16
MAXIMUM_STEPS = 60
SETTLED = 1e-8
"""Progress of one step below which a start has given what it can, m."""

MAXIMUM_TURN = 0.4
"""Bound on the change of one joint in one step, rad: further away the linear model of a leg means nothing."""


@dataclass(frozen=True)
class LegSolution:
    """Answer of the inverse kinematics.

    Attributes:
        joint_position: of the leg, within its limits and always finite, (3,), rad.
        foot_in_base: where these angles put the foot, (3,), m; the closest point that was found if the goal cannot be reached.
        reachable: whether that is the goal.
        distance: between foot and goal, m; infinite for a goal that is not a number.
    """

    joint_position: Array
    foot_in_base: Array
    reachable: bool
    distance: float


def solve_leg(model: RobotModel, leg: int, goal_in_base: Array, seed: Array | None = None) -> LegSolution:
    """Angles that put a foot on a goal, by damped Newton steps (Levenberg and Marquardt) projected on the joint limits.

    Args:
        model: the robot.
        leg: index in the order of LEG_NAMES.
        goal_in_base: for the centre of the foot, (3,), m.
        seed: angles to start from, (3,), rad, such as the previous answer; the stand pose if there is none.
            Of several answers the one that is downhill from the seed is found; only where that leads nowhere, another.
    """
    mine = slice(JOINTS_PER_LEG * leg, JOINTS_PER_LEG * (leg + 1))
    lower, upper = model.position_lower[mine], model.position_upper[mine]
    stand = model.stand_joint_position[mine]
    first = stand if seed is None or not np.isfinite(seed).all() else np.clip(seed, lower, upper)
    goal = np.asarray(goal_in_base, dtype=np.float64)
    if not np.isfinite(goal).all():
        return LegSolution(first.copy(), model.foot_and_jacobian_in_base(leg, first)[0], False, float("inf"))
    best = _descend(model, leg, goal, first)
    if not best.reachable:
        # A start on the wrong side of a limit can end in a corner: one start in every valley tells a far goal from a bad start.
        for start in _valleys(model, leg, goal):
            other = _descend(model, leg, goal, start)
            if other.distance < best.distance - TOLERANCE:
                best = other
            if best.reachable:
                break
    return best


def leg_velocity(model: RobotModel, leg: int, leg_position: Array, foot_velocity_in_base: Array, damping: float = 1e-3) -> Array:
    """Joint velocities that move a foot as wished, (3,), rad/s; finite for a straight leg as well.

    Args:
        model: the robot.
        leg: index in the order of LEG_NAMES.
        leg_position: of this leg, (3,), rad.
        foot_velocity_in_base: relative to the base, in the axes of the base, (3,), m/s.
        damping: share of max_reach that damps the inverse near a singular pose.
    """
    _, jacobian = model.foot_and_jacobian_in_base(leg, leg_position)
    damped = jacobian.T @ jacobian + (damping * model.description.max_reach) ** 2 * np.eye(JOINTS_PER_LEG)
    return np.asarray(np.linalg.solve(damped, jacobian.T @ foot_velocity_in_base), dtype=np.float64)


def _valleys(model: RobotModel, leg: int, goal: Array) -> Array:
    """Samples of a leg that come closer to a goal than their neighbours of the same abduction, closest first, (n, 3), rad.

    Abduction is left out because near its axis it hardly moves the foot: there both of its ends are tried.
    """
    samples, feet = _samples(model, leg)
    distance = np.linalg.norm(feet - goal, axis=-1)
    lowest = np.argwhere(distance == minimum_filter(distance, size=(1, 3, 3), mode="nearest"))
    order = np.argsort(distance[tuple(lowest.T)])[:RESTARTS]
    starts: Array = samples[tuple(lowest[order].T)]
    return starts


@lru_cache(maxsize=32)
def _samples(model: RobotModel, leg: int) -> tuple[Array, Array]:
    """A grid of angles over the whole range of a leg, (n, n, n, 3), rad, and where they put the foot in the base, (n, n, n, 3), m."""
    mine = slice(JOINTS_PER_LEG * leg, JOINTS_PER_LEG * (leg + 1))
    # A joint without real limits, such as [-10, 10] rad, needs no more than one turn.
    lower, upper = np.maximum(model.position_lower[mine], -np.pi), np.minimum(model.position_upper[mine], np.pi)
    axes = [np.linspace(low, high, SAMPLES_PER_JOINT) for low, high in zip(lower, upper, strict=True)]
    samples = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    feet = np.array([model.foot_and_jacobian_in_base(leg, sample)[0] for sample in samples.reshape(-1, JOINTS_PER_LEG)])
    return samples, feet.reshape(samples.shape)


def _descend(model: RobotModel, leg: int, goal: Array, start: Array) -> LegSolution:
    mine = slice(JOINTS_PER_LEG * leg, JOINTS_PER_LEG * (leg + 1))
    lower, upper = model.position_lower[mine], model.position_upper[mine]
    scale = model.description.max_reach**2
    damping = 1e-4 * scale
    angles = start.copy()
    foot, jacobian = model.foot_and_jacobian_in_base(leg, angles)
    distance = float(np.linalg.norm(goal - foot))
    for _ in range(MAXIMUM_STEPS):
        if distance < TOLERANCE:
            break
        uphill = jacobian.T @ (goal - foot)
        free = ~(((angles <= lower) & (uphill < 0.0)) | ((angles >= upper) & (uphill > 0.0)))
        if not free.any() or np.abs(uphill[free]).max() < 1e-9 * scale:
            break
        columns = jacobian[:, free]
        step = np.linalg.solve(columns.T @ columns + damping * np.eye(int(free.sum())), uphill[free])
        trial = angles.copy()
        trial[free] += step * min(1.0, MAXIMUM_TURN / float(np.abs(step).max()))
        trial = np.clip(trial, lower, upper)
        trial_foot, trial_jacobian = model.foot_and_jacobian_in_base(leg, trial)
        trial_distance = float(np.linalg.norm(goal - trial_foot))
        if trial_distance < distance:
            settled = distance - trial_distance < SETTLED
            angles, foot, jacobian, distance = trial, trial_foot, trial_jacobian, trial_distance
            damping = max(damping * 0.1, 1e-12 * scale)
            if settled:
                break
        else:
            damping *= 10.0
            if damping > 1e6 * scale:
                break
    return LegSolution(angles, foot, distance < TOLERANCE, distance)
