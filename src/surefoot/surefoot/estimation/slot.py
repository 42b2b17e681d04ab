# SPDX-License-Identifier: Apache-2.0
"""Everything that was measured at one instant, in one record, and the measurements that go into it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SLOT = np.dtype(
    [
        ("time", np.float64),
        ("has_imu", np.float64),
        ("has_joints", np.float64),
        ("has_feet", np.float64),
        ("has_pose", np.float64),
        ("has_field", np.float64),
        ("angular_velocity", np.float64, (3,)),
        ("specific_force", np.float64, (3,)),
        ("joint_position", np.float64, (12,)),
        ("joint_velocity", np.float64, (12,)),
        ("joint_effort", np.float64, (12,)),
        ("velocity_measured", np.float64),
        ("foot_force", np.float64, (4, 3)),
        ("pose_position", np.float64, (3,)),
        ("pose_rotation", np.float64, (3, 3)),
        ("pose_variance", np.float64, (6,)),
        ("magnetic_field", np.float64, (3,)),
        ("field_variance", np.float64),
        ("ground_offset", np.float64),
        ("ground_normal", np.float64, (3,)),
        ("legs_known", np.float64),
        ("foot_in_base", np.float64, (4, 3)),
        ("foot_jacobian", np.float64, (4, 3, 3)),
        ("joint_axes", np.float64, (4, 3, 3)),
    ]
)
"""Fields; has_... is 1 where the sensor spoke.

- angular_velocity, specific_force, magnetic_field, foot_force: in base axes (rad/s, m/s^2, any unit, N).
- velocity_measured: 0 where joint_velocity was differentiated from the positions.
- pose_position, pose_rotation: of the base in odom (m); pose_variance: of x y z and of the turn about these axes, NaN where not measured.
- field_variance: of the direction of the magnetic field about each axis across it (rad^2).
- ground_offset, ground_normal: the believed ground, whose points p in odom have normal . p = offset (m).
- foot_in_base, foot_jacobian, joint_axes: of each leg, as foot_terms_in_base gives them (m, m/rad): they do not change when the slot is
  replayed. legs_known: 0 until they answer to joint_position.
"""

MEASURED = ("has_imu", "has_joints", "has_feet", "has_pose", "has_field")


@dataclass(frozen=True)
class ImuMeasurement:
    """Attributes:
    time: at which it was sampled, s.
    angular_velocity_imu: in the axes of the IMU link, (3,), rad/s.
    specific_force_imu: +g upwards at rest (REP-145), in the axes of the IMU link, (3,), m/s^2.
    """

    time: float
    angular_velocity_imu: Array
    specific_force_imu: Array


@dataclass(frozen=True)
class JointMeasurement:
    """Attributes:
    time: at which it was sampled, s.
    position, velocity: (12,), rad and rad/s.
    effort: (12,), N m; NaN where it is not measured.
    velocity_measured: whether a sensor says the velocity; else it was differentiated from the positions.
    """

    time: float
    position: Array
    velocity: Array
    effort: Array = field(default_factory=lambda: np.full(12, np.nan))
    velocity_measured: bool = True


@dataclass(frozen=True)
class FootForceMeasurement:
    """Attributes:
    time: at which it was sampled, s.
    force_base: of the ground on each foot, in base axes, (4, 3), N; NaN where it is not measured.
    """

    time: float
    force_base: Array


@dataclass(frozen=True)
class PoseMeasurement:
    """The pose of the base in odom, or a part of it: motion capture, or x and y of a satellite receiver.

    Attributes:
        time: at which it was sampled, s.
        position: (3,), m.
        quaternion: odom_from_base, x y z w, (4,).
        variance: of x y z and of the turn about these axes, (6,), m^2 and rad^2; NaN for what is not measured.
    """

    time: float
    position: Array
    quaternion: Array
    variance: Array


@dataclass(frozen=True)
class MagneticMeasurement:
    """The direction of the magnetic field, which is believed to be the same everywhere. The first ones say where it points in odom.

    Attributes:
        time: at which it was sampled, s.
        field_imu: in the axes of the IMU link, (3,), in any unit.
        standard_deviation: of that direction about each axis across it, rad; that of the heading is larger where the field is steep.
    """

    time: float
    field_imu: Array
    standard_deviation: float


Measurement = ImuMeasurement | JointMeasurement | FootForceMeasurement | PoseMeasurement | MagneticMeasurement
