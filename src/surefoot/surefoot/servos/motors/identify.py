# SPDX-License-Identifier: Apache-2.0
"""The servo law of a joint from what it was told and what it did."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from surefoot.compilation import compiled
from surefoot.errors import ConfigurationError
from surefoot.servos.motors.servo_law import ACCELERATION_SATURATED, VELOCITY_SATURATED, ServoLaw, advance_one, saturation

Array = NDArray[np.float64]

STARTS = ((30.0, 0.7), (60.0, 0.8), (120.0, 0.7), (15.0, 1.0))
"""Natural frequencies, rad/s, and damping ratios that the search begins from; the best end wins."""

LEAST_SAMPLES = 50

LONGEST_GAP = 0.1
"""s"""

LEAST_MOTION = 0.05
"""rad"""


@dataclass(frozen=True)
class MotorFit:
    """What was found.

    Attributes:
        law: the numbers.
        velocity_seen, acceleration_seen: whether the recording reached each bound; where not, only a lower bound of it is known.
        error: root of the mean square of the position error, rad.
        samples: that it was found from.
    """

    law: ServoLaw
    velocity_seen: bool
    acceleration_seen: bool
    error: float
    samples: int


@compiled
def replay(law: Array, time: Array, target: Array, position: float, velocity: float, step: float, answer: Array) -> int:
    """Write the positions of a servo that is given targets, (n,); returns which bounds held on the way, as `saturation` does."""
    q, v = position, velocity
    answer[0] = q
    flags = 0
    for k in range(1, time.shape[0]):
        span = time[k] - time[k - 1]
        substeps = max(1, int(np.ceil(span / step - 1e-9)))
        for _ in range(substeps):
            flags |= saturation(q, v, target[k - 1], law)
            q, v = advance_one(q, v, target[k - 1], law, span / substeps)
        answer[k] = q
    return flags


def identify_motor(time: Array, target: Array, position: Array, step: float = 1e-3) -> MotorFit:
    """Fit the servo law to one joint by least squares on its whole simulated path [Levashov 2012, section 3.3].

    Args:
        time: of the samples, (n,), s, rising; longer gaps than 0.1 s are refused.
        target: position asked for from each sample on, (n,), rad.
        position: measured at each sample, (n,), rad, without play between motor and encoder.
        step: of the simulation, s.

    Raises:
        ConfigurationError: the arrays are no recording of a moving servo, with the number that is wrong and what to do.
    """
    time, target, position = (np.ascontiguousarray(values, dtype=np.float64) for values in (time, target, position))
    _check(time, target, position)
    speed = np.gradient(position, time)
    fastest = float(np.abs(speed).max())
    hardest = float(np.abs(np.gradient(speed, time)).max())
    answer = np.empty_like(position)

    def replayed(parameters: Array) -> int:
        return replay(np.exp(parameters[:4]), time, target, position[0], parameters[4], step, answer)

    def miss(parameters: Array) -> Array:
        replayed(parameters)
        return np.nan_to_num(answer - position, nan=1e3, posinf=1e3, neginf=-1e3)

    best = None
    for frequency, ratio in STARTS:
        # The velocity at the start is not measured either.
        start = np.append(np.log((frequency**2, 2.0 * ratio * frequency, fastest, hardest)), speed[0])
        found = least_squares(miss, start, x_scale=0.1, diff_step=1e-4, max_nfev=200)
        if best is None or found.cost < best.cost:
            best = found
    assert best is not None
    flags = replayed(best.x)
    error = float(np.sqrt(np.mean((answer - position) ** 2)))
    law = ServoLaw(*(float(number) for number in np.exp(best.x[:4])))
    return MotorFit(law, bool(flags & VELOCITY_SATURATED), bool(flags & ACCELERATION_SATURATED), error, len(time))


def _check(time: Array, target: Array, position: Array) -> None:
    if not (time.ndim == 1 and time.shape == target.shape == position.shape):
        shapes = f"{time.shape}, {target.shape} and {position.shape}"
        raise ConfigurationError(f"time, target and position have shapes {shapes}; they must be alike")
    if len(time) < LEAST_SAMPLES:
        raise ConfigurationError(f"{len(time)} samples are too few to know a servo by; record at least {LEAST_SAMPLES}")
    for name, values in (("time", time), ("target", target), ("position", position)):
        count = int((~np.isfinite(values)).sum())
        if count:
            raise ConfigurationError(f"{name} holds {count} numbers that are not finite; leave those samples out")
    gaps = np.diff(time)
    if not (gaps > 0.0).all() or gaps.max() > LONGEST_GAP:
        change = f"{gaps.min():.4g} to {gaps.max():.4g} s"
        raise ConfigurationError(f"time must rise by at most {LONGEST_GAP} s from sample to sample; it changes by {change}")
    moved, asked = np.ptp(position), np.ptp(target)
    if min(moved, asked) < LEAST_MOTION:
        raise ConfigurationError(f"the joint moved {moved:.3f} rad and was asked to move {asked:.3f} rad; steps of 0.1 to 1 rad are needed")
