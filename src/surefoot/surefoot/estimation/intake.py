# SPDX-License-Identifier: Apache-2.0
"""Writes measurements into slots, in base axes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.slot import (
    FootForceMeasurement,
    ImuMeasurement,
    JointMeasurement,
    MagneticMeasurement,
    Measurement,
    PoseMeasurement,
)
from surefoot.rotation import rotation_matrix

Array = NDArray[np.float64]

SENSORS: dict[type, tuple[str, str]] = {
    ImuMeasurement: ("imu", "has_imu"),
    JointMeasurement: ("joints", "has_joints"),
    FootForceMeasurement: ("foot_forces", "has_feet"),
    PoseMeasurement: ("pose", "has_pose"),
    MagneticMeasurement: ("magnetic_field", "has_field"),
}
"""Name of each kind of measurement, and the field of a slot that says whether it came."""


class Intake:
    """Knows how the IMU is mounted."""

    def __init__(self, base_from_imu: Array) -> None:
        self._base_from_imu = base_from_imu
        self._writers: dict[type, Callable[[Any, Any], None]] = {
            ImuMeasurement: self._imu,
            JointMeasurement: self._joints,
            FootForceMeasurement: self._feet,
            PoseMeasurement: self._pose,
            MagneticMeasurement: self._field,
        }

    def write(self, slot: Any, measurement: Measurement) -> None:
        """Put a measurement into a record of SLOT."""
        self._writers[type(measurement)](slot, measurement)
        slot[SENSORS[type(measurement)][1]] = 1.0

    @staticmethod
    def finite(measurement: Measurement) -> bool:
        """Whether everything that has to be a number is one."""
        match measurement:
            case ImuMeasurement(_, rate, force):
                parts = [rate, force]
            case JointMeasurement(_, position, velocity, _, _):
                parts = [position, velocity]
            case PoseMeasurement(_, position, quaternion, variance):
                wanted = np.isfinite(variance)
                # A quaternion of zeros turns nothing and knows nothing.
                if wanted[3:].any() and not float(quaternion @ quaternion) > 0.25:
                    return False
                parts = [position[wanted[:3]], quaternion if wanted[3:].any() else np.zeros(0), -np.minimum(variance[wanted], 0.0)]
            case MagneticMeasurement(_, field_imu, deviation):
                parts = [field_imu, np.array([deviation])]
            case _:
                return True
        return bool(np.isfinite(np.concatenate(parts)).all())

    def _imu(self, slot: Any, measurement: ImuMeasurement) -> None:
        slot["angular_velocity"] = self._base_from_imu @ measurement.angular_velocity_imu
        slot["specific_force"] = self._base_from_imu @ measurement.specific_force_imu

    @staticmethod
    def _joints(slot: Any, measurement: JointMeasurement) -> None:
        slot["joint_position"], slot["joint_velocity"] = measurement.position, measurement.velocity
        slot["joint_effort"], slot["velocity_measured"] = measurement.effort, measurement.velocity_measured

    @staticmethod
    def _feet(slot: Any, measurement: FootForceMeasurement) -> None:
        slot["foot_force"] = measurement.force_base

    @staticmethod
    def _pose(slot: Any, measurement: PoseMeasurement) -> None:
        slot["pose_position"], slot["pose_variance"] = measurement.position, measurement.variance
        slot["pose_rotation"] = rotation_matrix(measurement.quaternion)

    def _field(self, slot: Any, measurement: MagneticMeasurement) -> None:
        slot["magnetic_field"] = self._base_from_imu @ measurement.field_imu
        slot["field_variance"] = measurement.heading_standard_deviation**2
