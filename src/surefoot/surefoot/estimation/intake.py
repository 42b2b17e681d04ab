# SPDX-License-Identifier: Apache-2.0
"""Writes measurements into slots, in base axes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.flat import columns_of
from surefoot.estimation.slot import (
    MEASURED,
    SLOT,
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

PLACE = columns_of(SLOT)
"""Of each field of a slot in its numbers."""

MEASURED_AT = {kind: PLACE[has].start for kind, (_, has) in SENSORS.items()}
"""Index of the number of a slot that says whether a kind of measurement came."""

HAS = {sensor: PLACE[has].start for sensor, has in SENSORS.values()}
"""The same by the name of the sensor."""

MEASURED_PLACES = slice(PLACE[MEASURED[0]].start, PLACE[MEASURED[-1]].stop)
GROUND_PLACES = slice(PLACE["ground_offset"].start, PLACE["ground_normal"].stop)
SLOT_SIZE, SLOT_TIME, HAS_IMU = SLOT.itemsize // 8, PLACE["time"].start, PLACE["has_imu"].start


class Intake:
    """Knows how the IMU is mounted."""

    def __init__(self, base_from_imu: Array) -> None:
        self._base_from_imu = base_from_imu
        self._writers: dict[type, Callable[[Array, Any], None]] = {
            ImuMeasurement: self._imu,
            JointMeasurement: self._joints,
            FootForceMeasurement: self._feet,
            PoseMeasurement: self._pose,
            MagneticMeasurement: self._field,
        }

    def write(self, slot: Array, measurement: Measurement) -> None:
        """Put a measurement into the numbers of a record of SLOT."""
        self._writers[type(measurement)](slot, measurement)
        slot[MEASURED_AT[type(measurement)]] = 1.0

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
        for part in parts:  # noqa: SIM110 - a generator takes half as long again
            if not all(map(math.isfinite, part.tolist())):
                return False
        return True

    def _imu(self, slot: Array, measurement: ImuMeasurement) -> None:
        slot[PLACE["angular_velocity"]] = self._base_from_imu @ measurement.angular_velocity_imu
        slot[PLACE["specific_force"]] = self._base_from_imu @ measurement.specific_force_imu

    @staticmethod
    def _joints(slot: Array, measurement: JointMeasurement) -> None:
        slot[PLACE["joint_position"]], slot[PLACE["joint_velocity"]] = measurement.position, measurement.velocity
        slot[PLACE["joint_effort"]], slot[PLACE["velocity_measured"]] = measurement.effort, measurement.velocity_measured
        slot[PLACE["legs_known"]] = 0.0

    @staticmethod
    def _feet(slot: Array, measurement: FootForceMeasurement) -> None:
        slot[PLACE["foot_force"]] = measurement.force_base.ravel()

    @staticmethod
    def _pose(slot: Array, measurement: PoseMeasurement) -> None:
        slot[PLACE["pose_position"]], slot[PLACE["pose_variance"]] = measurement.position, measurement.variance
        slot[PLACE["pose_rotation"]] = rotation_matrix(measurement.quaternion).ravel()

    def _field(self, slot: Array, measurement: MagneticMeasurement) -> None:
        slot[PLACE["magnetic_field"]] = self._base_from_imu @ measurement.field_imu
        slot[PLACE["field_variance"]] = measurement.standard_deviation**2
