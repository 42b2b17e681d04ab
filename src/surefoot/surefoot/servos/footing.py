# SPDX-License-Identifier: Apache-2.0
"""Feet that the ground holds away from the stand pose: lifted and set one after the other, while the other three carry the robot.

A robot whose legs are splayed where it lies pushes itself up with its feet far out, and has to bring them in under its weight. Ground of
little friction lets them slide; on other ground the torque of the hips does not do it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.servos.attitude import Attitude, up_of
from surefoot.servos.posture import PostureTrajectory
from surefoot.servos.settings import BridgeSettings

Array = NDArray[np.float64]

STANDS_FROM = 0.75
"""Of its stand height, from which a robot is up: lower, its feet are not what keeps it from standing."""
LIFT = 0.1
"""Of the stand height: how high a foot is lifted."""
OPPOSITE_SHARE = 0.2
"""Of the weight, on the foot across from a lifted one: the base leans as far that way."""
LEVEL_WITHIN = 0.05
"""Of the stand height: how far the feet may be from one plane."""
HELD_BY_GROUND = 0.5
"""Of the force upwards on a foot, as far as it leans: feet that slid at less would not be out of place."""
ITERATIONS, CLOSE = 20, 1e-4
"""Of the inverse kinematics, and how near to its place a foot has to come, m."""
LONGEST_STEP = 0.3
"""Of a joint in one iteration, rad."""
STEPPED = (0, 3, 1, 2)
"""Legs in the order in which they are taken."""


class Footing:
    """Plans how the feet of a robot that is up, with its feet out of place, come to where they stand.

    Args:
        model: of the robot.
        settings: of the bridge.
    """

    def __init__(self, model: RobotModel, settings: BridgeSettings) -> None:
        self._model, self._settings = model, settings
        self._servos, self._height = model.description.servos, model.description.stand_height
        stand = model.stand_joint_position
        self._stand, self._places = stand, model.feet_in_base(stand)[:, :2]

    def way(self, time: float, joint_position: Array, attitude: Attitude) -> PostureTrajectory | None:
        """Joint motion from the measured pose to the stand pose, one foot after the other.

        Args:
            time: at which it begins, s.
            joint_position: measured, (12,), rad.
            attitude: of the base.

        Returns:
            None where no foot is out of place, where the robot is not up, or where a leg does not reach or is not strong enough.
        """
        feet = self._model.feet_in_base(joint_position)
        error = np.abs(joint_position - self._stand).reshape(len(LEG_NAMES), -1).max(axis=1)
        out = [leg for leg in STEPPED if error[leg] > 0.5 * self._settings.posture_tolerance]
        plane, *_ = np.linalg.lstsq(np.column_stack((feet[:, :2], np.ones(4))), feet[:, 2], rcond=None)
        off = np.abs(feet[:, :2] @ plane[:2] + plane[2] - feet[:, 2]).max()
        if not out or -plane[2] < STANDS_FROM * self._height or off > LEVEL_WITHIN * self._height:
            return None
        # All that follows is seen from a base that is level with the ground under the feet, as it is in the stand pose.
        level_from_base = _turned(np.append(-plane[:2], 1.0))
        up = level_from_base @ up_of(attitude)
        feet = feet @ level_from_base.T
        feet[:, 2] = feet[:, 2].mean()
        poses = [self._pose(feet, range(4), up)]
        for leg in out:
            opposite, beside = 3 - leg, [one for one in range(4) if one not in (leg, 3 - leg)]
            joints, middle = self._reached(feet), feet[beside].mean(axis=0)
            if joints is None:
                return None
            centre = self._centre(joints)
            over_ground = centre - up * (centre[2] - middle[2]) / up[2]
            shift = middle + OPPOSITE_SHARE * (feet[opposite] - middle) - over_ground
            place = np.append(self._places[leg], feet[leg, 2])
            lifted, placed = feet - shift, feet - shift
            # Half way in, so that it neither drags as it leaves nor as it comes down.
            lifted[leg] += 0.5 * (place - feet[leg]) + (0.0, 0.0, LIFT * self._height)
            placed[leg] = place - shift
            poses += [self._pose(stance, (*beside, opposite), up) for stance in (feet - shift, lifted, placed)]
            feet = placed + shift
        whole = [pose for pose in poses if pose is not None]
        return PostureTrajectory(time, [*whole, self._stand], self._servos.posture_speed) if len(whole) == len(poses) else None

    def _pose(self, feet: Array, carry: Sequence[int], up: Array) -> Array | None:
        """Targets of the joints, (12,), rad, that hold the feet with the weight on some of them.

        Args:
            feet: in the base, (4, 3), m.
            carry: legs that carry.
            up: of the world, in the base, (3,).

        Returns:
            None where a leg does not reach, or is not strong enough.
        """
        joints, legs = self._reached(feet), list(carry)
        if joints is None:
            return None
        jacobians, arms = self._model.foot_jacobians_in_base(joints), feet - self._centre(joints)
        force = np.zeros((4, 3))
        force[legs] = self._forces(jacobians[legs], arms[legs], self._model.total_mass * GRAVITY * up)
        torque = -np.einsum("lij,li->lj", jacobians, force).ravel()
        held = np.linalg.norm(force[legs, :2], axis=1) <= HELD_BY_GROUND * force[legs, 2]
        if (np.abs(torque) > self._model.effort_limit).any() or not held.all():
            return None
        target: Array = joints + torque / self._servos.posture_stiffness
        return target

    def _forces(self, jacobians: Array, arms: Array, weight: Array) -> Array:
        """Forces of the ground, (n, 3), N, that hold the robot with little torque, leaning little.

        Args:
            jacobians: of the feet that carry, (n, 3, 3).
            arms: from the centre of mass to them, (n, 3), m.
            weight: that they hold, (3,), N.
        """
        count = len(arms)
        torques = np.zeros((3 * count, 3 * count))
        balance = np.zeros((6, 3 * count))
        for leg, (jacobian, (x, y, z)) in enumerate(zip(jacobians, arms, strict=True)):
            columns = slice(3 * leg, 3 * leg + 3)
            torques[columns, columns] = jacobian @ jacobian.T + np.diag((1.0, 1.0, 0.0)) * self._height**2
            balance[:3, columns] = np.eye(3)
            balance[3:, columns] = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
        equations = np.block([[torques, balance.T], [balance, np.zeros((6, 6))]])
        right = np.concatenate((np.zeros(3 * count), weight, np.zeros(3)))
        forces: Array = np.linalg.lstsq(equations, right, rcond=None)[0][: 3 * count].reshape(count, 3)
        return forces

    def _reached(self, feet: Array) -> Array | None:
        """Joint positions, (12,), rad, at which the feet are there, (4, 3); None where a leg does not reach.

        A bounded number of steps from the stand pose, near which the feet are: `inverse_kinematics.solve_leg` searches from many starts
        where a goal is out of reach, which has no place in a tick of the bridge.
        """
        joints, model = self._stand, self._model
        for _ in range(ITERATIONS):
            missing = feet - model.feet_in_base(joints)
            if np.abs(missing).max() < CLOSE:
                return joints
            step = np.linalg.solve(model.foot_jacobians_in_base(joints), missing[..., np.newaxis]).ravel()
            joints = np.clip(joints + np.clip(step, -LONGEST_STEP, LONGEST_STEP), model.position_lower, model.position_upper)
        return None

    def _centre(self, joints: Array) -> Array:
        """The centre of mass in the base, (3,), m."""
        return self._model.centre_of_mass(np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0)), joints)


def _turned(normal: Array) -> Array:
    """The smallest rotation (3, 3) that takes a direction (3,) upwards."""
    x, y, z = normal / np.linalg.norm(normal)
    return np.array(((1.0 - x * x / (1.0 + z), -x * y / (1.0 + z), -x), (-x * y / (1.0 + z), 1.0 - y * y / (1.0 + z), -y), (x, y, z)))
