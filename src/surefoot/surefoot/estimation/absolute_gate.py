# SPDX-License-Identifier: Apache-2.0
"""The gate for what knows more than the robot does: poses from outside and magnetic fields, with how sure they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.slot import MagneticMeasurement, PoseMeasurement

Array = NDArray[np.float64]
Numbers = Sequence[float] | Array

UNIT_TOLERANCE = 0.05
"""How far the length of a quaternion may be from 1: more is no rounding, but something else in its place."""


SUREST_HEADING = 1e-6
"""rad, below which a standard deviation is a mistake in a unit."""


@dataclass(frozen=True)
class RawPose:
    """A pose of the base from outside, or a part of it.

    Attributes:
        frame: in which it is given.
        position: (3,), m.
        quaternion: x y z w, (4,).
        covariance: of x y z and the turns about these axes, row by row, (36,). Only its diagonal is read; what is not measured has a
            variance that is negative or not a number there.
    """

    frame: str
    position: Numbers
    quaternion: Numbers
    covariance: Numbers


@dataclass(frozen=True)
class RawField:
    """A magnetic field in the axes of a link.

    Attributes:
        frame: the link.
        field: (3,), in any unit.
        covariance: of it, row by row, (9,), in the square of that unit.
    """

    frame: str
    field: Numbers
    covariance: Numbers


class AbsoluteGate:
    """Turns such data into measurements, or refuses it and counts why; never raises.

    Attributes:
        refusals: what was refused; kinds are wrong_frame, wrong_length, not_finite, not_a_rotation, covariance_missing, nothing_measured,
            no_field.
    """

    def __init__(self, odom: str, imu_link: str, refusals: Refusals) -> None:
        """Args:
        odom: frame in which poses are believed.
        imu_link: link in whose axes fields are believed.
        refusals: where the counts go.
        """
        self.refusals = refusals
        self._odom, self._imu_link = odom, imu_link

    def admit_pose(self, time: float, pose: RawPose) -> PoseMeasurement | Refusal:
        """Check a pose that was sampled at a time, s."""
        refuse = self.refusals.add
        if not math.isfinite(time):
            return refuse("not_finite", f"the stamp of the pose is {time}")
        if pose.frame != self._odom:
            words = f"the pose is given in '{pose.frame}', not in '{self._odom}'"
            return refuse("wrong_frame", f"{words}: transform it before it is sent, or set its header.frame_id")
        covariance = np.array(pose.covariance, dtype=np.float64)
        if covariance.shape != (36,):
            return refuse("wrong_length", f"the covariance of the pose has shape {covariance.shape}, not (36,)")
        variance = covariance.reshape(6, 6).diagonal().copy()
        variance[~(variance >= 0.0)] = np.nan
        measured = np.isfinite(variance)
        if np.isinf(variance).any() or not measured.any():
            return refuse("nothing_measured", f"no variance of the pose says that anything was measured: {variance.tolist()}")
        if (variance[measured] == 0.0).any():
            words = f"the variances of the pose are {variance.tolist()}: 0 means that nobody knows how sure it is"
            return refuse("covariance_missing", f"{words}; give what the source is accurate to, -1 for what it does not measure")
        position, quaternion = np.array(pose.position, dtype=np.float64), np.array(pose.quaternion, dtype=np.float64)
        if position.shape != (3,) or quaternion.shape != (4,):
            shapes = f"{position.shape} and {quaternion.shape}"
            return refuse("wrong_length", f"position and orientation of the pose have shapes {shapes}, not (3,) and (4,)")
        if not np.isfinite(position[measured[:3]]).all():
            return refuse("not_finite", f"the position of the pose is {position.tolist()}")
        if measured[3:].any():
            length = float(np.sqrt(quaternion @ quaternion))
            # Written so that a NaN is refused.
            if not abs(length - 1.0) <= UNIT_TOLERANCE:
                words = f"the orientation of the pose is {quaternion.tolist()}, of length {length:.3g}, which is no rotation"
                return refuse("not_a_rotation", f"{words}; a source that knows no orientation sends variances of -1 for it")
            quaternion /= length
        return PoseMeasurement(time, position, quaternion, variance)

    def admit_field(self, time: float, field: RawField) -> MagneticMeasurement | Refusal:
        """Check a magnetic field that was sampled at a time, s."""
        refuse = self.refusals.add
        if not math.isfinite(time):
            return refuse("not_finite", f"the stamp of the magnetic field is {time}")
        if field.frame != self._imu_link:
            words = f"the magnetic field is given in the axes of '{field.frame}', not of the IMU, '{self._imu_link}'"
            return refuse("wrong_frame", f"{words}: turn it before it is sent, or set its header.frame_id")
        value, covariance = np.array(field.field, dtype=np.float64), np.array(field.covariance, dtype=np.float64)
        if value.shape != (3,) or covariance.shape != (9,):
            shapes = f"{value.shape} and {covariance.shape}"
            return refuse("wrong_length", f"magnetic field and its covariance have shapes {shapes}, not (3,) and (9,)")
        if not np.isfinite(value).all():
            return refuse("not_finite", f"the magnetic field is {value.tolist()}")
        strength, variances = math.hypot(*value), covariance.reshape(3, 3).diagonal()
        if not strength > 0.0:
            return refuse("no_field", "the magnetic field is zero: the sensor is off, or what it says was lost on the way")
        if not ((variances > 0.0) & (variances < math.inf)).all():
            words = f"the covariance of the magnetic field is {covariance.tolist()}, which does not say how sure it is"
            return refuse("covariance_missing", f"{words}; give the square of its noise")
        deviation = math.sqrt(variances.max()) / strength
        if not deviation > SUREST_HEADING:
            words = f"a field of {strength:.3g} with variances of {variances.tolist()} would know the heading to {deviation:.1g} rad"
            return refuse("covariance_missing", f"{words}, which no sensor does; give both in the same unit")
        return MagneticMeasurement(time, value, deviation)
