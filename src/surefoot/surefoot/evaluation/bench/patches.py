# SPDX-License-Identifier: Apache-2.0
"""A robot that stands with many contact points under each foot, as contact problems of consecutive ticks."""

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.robot.model import RobotModel

Array = NDArray[np.float64]

FRICTION = 0.6
SWAY, SWAY_RATE = 1e-2, 2.0
"""rad and rad/s: how far and how fast the joints sway about the stand pose, each with a phase of its own."""
GOLDEN_ANGLE = np.pi * (3.0 - 5.0**0.5)


def patch(points: int, radius: float) -> Array:
    """Points spread evenly on a disc, (points, 2), m; a single one lies in the middle."""
    place = np.arange(points)
    distance = radius * np.sqrt(place / max(points - 1, 1))
    return np.column_stack((distance * np.cos(place * GOLDEN_ANGLE), distance * np.sin(place * GOLDEN_ANGLE)))


class FootPatches:
    """The robot with patches of contact points fixed to its feet, level on the ground in the stand pose and as wide as the feet.

    Contacts are multiplied at each foot in the same way as in the paper [Zapolsky and Drumwright 2016, section 8.4.2].
    """

    def __init__(self, model: RobotModel, seed: int = 0) -> None:
        self._model = model
        self._phase = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, 12)
        # How a point moves is affine in where on its link it lies, so that the centre and three more points tell about all of them.
        centre = np.array(model.description.foot_centre_in_link)
        points = (centre, *(centre + np.eye(3)))
        descriptions = [model.description.model_copy(update={"foot_centre_in_link": tuple(point)}) for point in points]
        self._models = [RobotModel(description, model.urdf) for description in descriptions]
        stand = model.neutral()
        still = (stand.base_position, stand.base_quaternion, stand.joint_position, np.zeros(3), np.zeros(3), np.zeros(12))
        positions = np.array([corner.rigid_body_terms(*still).foot_positions for corner in self._models])
        self._link_from_odom = np.moveaxis(positions[1:] - positions[0], 0, 1)
        """Rows are the axes of the link of each foot in the stand pose, (4, 3, 3)."""

    def problem(self, points: int, tick: int) -> MultibodyContactProblem:
        """The contact problem of a tick with some points under each foot, all closed, as the robot comes to rest.

        The joint accelerations are those of a motion that takes the velocity out of all contacts over the time that the robot's gain
        allows, so that every law has an answer to them.
        """
        model, control = self._model, self._model.description.control
        angle = SWAY_RATE * tick / control.rate + self._phase
        joints: Array = model.stand_joint_position + SWAY * np.sin(angle)
        rates: Array = SWAY * SWAY_RATE * np.cos(angle)
        stand = model.neutral()
        pose = stand.base_position, stand.base_quaternion, joints
        jacobian = model.rigid_body_terms(*pose, np.zeros(3), np.zeros(3), rates).foot_jacobians.reshape(12, 18)
        base: Array = np.asarray(np.linalg.lstsq(jacobian[:, :6], -jacobian[:, 6:] @ rates, rcond=None)[0], dtype=np.float64)
        terms = [corner.rigid_body_terms(*pose, base[:3], base[3:], rates) for corner in self._models]
        around = patch(points, model.description.foot_radius)
        level = np.column_stack((around, np.full(points, -model.description.foot_radius)))
        # (foot, point, 4): shares of the four points that are known.
        places = np.einsum("fki,pi->fpk", self._link_from_odom, level)
        shares = np.concatenate((1.0 - places.sum(axis=2, keepdims=True), places), axis=2)
        jacobian = np.einsum("fpk,kfij->fpij", shares, np.array([corner.foot_jacobians for corner in terms])).reshape(-1, 18)
        bias = np.einsum("fpk,kfi->fpi", shares, np.array([corner.foot_bias_accelerations for corner in terms])).ravel()
        # Points of a foot that turns are pulled to its axis, by less than 1e-5 m/s^2 here, and no motion without slip undoes that.
        bias = jacobian @ np.linalg.lstsq(jacobian, bias, rcond=None)[0]
        velocity = np.concatenate((base, rates))
        step = max(1.0 / control.rate, 1.0 / control.contact_velocity_gain if control.contact_velocity_gain > 0.0 else 0.0)
        braking = np.linalg.lstsq(jacobian, -bias - jacobian @ velocity / step, rcond=None)[0]
        return MultibodyContactProblem(
            mass_matrix=terms[0].mass_matrix,
            bias=terms[0].bias,
            velocity=velocity,
            actuated=np.arange(6, 18),
            acceleration=braking[6:],
            effort_limit=model.effort_limit,
            jacobian=jacobian,
            jacobian_rate=bias,
            normals=np.tile((0.0, 0.0, 1.0), (4 * points, 1)),
            friction=np.full(4 * points, FRICTION),
            gaps=np.zeros(4 * points),
            step=step,
        )
