# SPDX-License-Identifier: Apache-2.0
"""What is checked of a robot once its model stands: its bodies with all that is fixed to them, its poses, its strength."""

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import RobotDescriptionError
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.robot.scale_checks import check_scale
from surefoot.robot.urdf_checks import numbers, plausible_moments, principal_moments

Array = NDArray[np.float64]

HEIGHT_TOLERANCE = 0.01
"""Share of the stand height by which the description may differ from forward kinematics without a word."""


def check_model(model: RobotModel) -> tuple[str, ...]:
    """Check bodies, poses, and numbers that go with the size of the robot.

    Returns:
        Warnings about the stand pose: height against forward kinematics, uneven feet, reach, static torque against the limits; and those
        of check_scale.

    Raises:
        RobotDescriptionError: a body, with the links that are fixed to it, has moments that no body can have, or check_scale refuses.
    """
    for body in model.bodies():
        moments = principal_moments(body.inertia)
        if moments[0] <= 0.0 or not plausible_moments(moments):
            raise RobotDescriptionError(
                f"link '{body.name}' with what is fixed to it has principal moments {numbers(moments)} kg m^2; no body has such an inertia"
            )
    description = model.description
    feet = model.feet_in_base(model.stand_joint_position)
    warnings = []
    height = description.foot_radius - feet[:, 2].min()
    if abs(height - description.stand_height) > HEIGHT_TOLERANCE * description.stand_height:
        warnings.append(f"stand_height is {description.stand_height:.4g} m, but the stand pose puts the base {height:.4g} m above ground")
    if np.ptp(feet[:, 2]) > HEIGHT_TOLERANCE * description.stand_height:
        lowest, highest = LEG_NAMES[int(feet[:, 2].argmin())], LEG_NAMES[int(feet[:, 2].argmax())]
        warnings.append(f"in the stand pose foot {highest} is {np.ptp(feet[:, 2]):.4g} m higher than foot {lowest}")
    for leg, reach in zip(LEG_NAMES, np.linalg.norm(feet - model.hip_in_base, axis=1), strict=True):
        if reach > description.max_reach:
            warnings.append(f"leg {leg} stands {reach:.4g} m from its hip, beyond max_reach {description.max_reach:.4g} m")
    torque = static_stand_torque(model)
    for name, needed, limit in zip(model.joint_names, np.abs(torque), model.effort_limit, strict=True):
        if needed > limit:
            warnings.append(f"joint '{name}' needs {needed:.4g} N m to stand, more than its limit of {limit:.4g} N m")
    return (*warnings, *check_scale(model))


def static_stand_torque(model: RobotModel) -> Array:
    """Joint torques of standing still on four feet with vertical forces, (12,), N m.

    The forces are those of least norm that balance weight, roll and pitch.
    """
    state = model.neutral()
    terms = model.rigid_body_terms(
        state.base_position,
        state.base_quaternion,
        state.joint_position,
        state.base_linear_velocity,
        state.base_angular_velocity,
        state.joint_velocity,
    )
    upward = terms.foot_jacobians[:, 2, :]
    force = np.linalg.lstsq(upward[:, 2:5].T, terms.bias[2:5], rcond=None)[0]
    torque: Array = terms.bias[6:] - upward[:, 6:].T @ force
    return torque
