# SPDX-License-Identifier: Apache-2.0
"""Torque-speed diamond of a joint from what its motor was told, what it gave, and how fast the joint was."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.servos.motors.noise import white_noise
from surefoot.servos.motors.torque_speed import Motor

Array = NDArray[np.float64]

BEYOND = 1.15
"""Times the torque that was given has to be the one that was asked for, so that the motor counts as at its limit."""

CLEAR = 5.0
"""Standard deviations of the noise that have to be missing at least."""

LEAST_TORQUE = 0.05
"""Share of the largest torque below which a sample says nothing."""

FEWEST = 30
"""Samples at the limit below which it is not known."""

SPREAD = 0.15
"""Share of the no-load speed that speeds at the limit have to spread over, so that it can be told from the stall torque."""

MOST_ERROR = 0.05
"""Share of the stall torque that the samples at the limit may miss it by: a limit is a line."""

MOST_BEYOND = 0.1
"""Share of the stall torque by which it may be above all that was given, and the motor may give more than the limit permits."""

MOST_OUTSIDE = 0.01
"""Share of the samples in which it may."""

WAY_OUT = (
    "compare the scale and the stamps of effort with those of the commands, and record steps from rest that ask for more torque than it "
    "has, at several speeds"
)

ROUNDS, OUTSIDE = 6, 3.0
"""Of leaving out what lies too far off, and how many standard deviations that is."""


@dataclass(frozen=True)
class Envelope:
    """Limit of a motor, as seen at the joint.

    Attributes:
        motor: stall torque and no-load speed; the latter is NaN where the recording does not show it.
        error: root of the mean square of what the samples miss it by, N m.
        samples: at the limit.
    """

    motor: Motor
    error: float
    samples: int


def identify_envelope(asked: Array, given: Array, speed: Array) -> Envelope:
    """Fit |torque| = stall (1 - |speed| / no-load speed) to the samples in which less was given than asked.

    Args:
        asked: torque that the command asked for at each sample, (n,), N m.
        given: measured, (n,), N m.
        speed: of the joint, (n,), rad/s.

    Raises:
        ConfigurationError: the motor was not at its limit often enough, or what it gave is no such limit, as where the torque is measured
            by another scale or late; with the number and what to record.
    """
    size, fast = np.abs(given), np.abs(speed)
    finite = np.isfinite(asked) & np.isfinite(given) & np.isfinite(speed)
    most = float(size[finite].max(initial=0.0))
    missing = np.where(finite, asked - given, 0.0)
    at_limit = finite & (np.abs(asked) > BEYOND * size) & (asked * given > 0.0) & (size > LEAST_TORQUE * most)
    at_limit &= np.abs(missing) > CLEAR * white_noise(missing)
    x, y = fast[at_limit], size[at_limit]
    for _ in range(ROUNDS):
        if len(x) < FEWEST:
            raise ConfigurationError(
                f"the motor was at its limit in {len(x)} of {finite.sum()} samples, and {FEWEST} are needed: record steps that ask for "
                "more torque than it has, at several speeds"
            )
        design = np.stack((np.ones_like(x), -x), axis=1)
        (stall, slope), *_ = np.linalg.lstsq(design, y, rcond=None)
        miss = y - design @ (stall, slope)
        error = float(np.sqrt(np.mean(miss**2)))
        # By the median, as of many samples that lie far off each hides the others.
        near = np.abs(miss) <= OUTSIDE * max(1.4826 * float(np.median(np.abs(miss))), 1e-12)
        if near.all():
            break
        x, y = x[near], y[near]
    no_load = float(stall / slope) if slope > 0.0 else np.nan
    if not np.ptp(x) > SPREAD * no_load:
        stall, no_load, error = np.mean(y), np.nan, float(np.std(y))
    found = Envelope(Motor(float(stall), no_load), error, len(x))
    _check_limit(found, size[finite], fast[finite], (given * speed > 0.0)[finite])
    return found


def _check_limit(found: Envelope, size: Array, fast: Array, drives: NDArray[np.bool_]) -> None:
    """Refuse what less was given by than asked for, but not because the motor had no more; while it brakes, it may have more."""
    stall, no_load = found.motor.stall_torque, found.motor.no_load_speed
    if found.error > MOST_ERROR * stall:
        problem = f"miss a limit of {stall:.2f} N m by {found.error:.2f} N m, and at most {MOST_ERROR * stall:.2f} N m are a line"
    elif stall > (1.0 + MOST_BEYOND) * size.max():
        problem = f"say that it stalls at {stall:.2f} N m, and the most that it gave are {size.max():.2f} N m"
    else:
        permitted = stall * (1.0 - (fast / no_load if np.isfinite(no_load) else 0.0))
        beyond = drives & (size > permitted + MOST_BEYOND * stall)
        if beyond.mean() <= MOST_OUTSIDE:
            return
        problem = f"say that it stalls at {stall:.2f} N m, and in {beyond.sum()} of {len(size)} samples it gave more than that permits"
    raise ConfigurationError(f"the {found.samples} samples in which it gave less than was asked for {problem}; {WAY_OUT}")
