# SPDX-License-Identifier: Apache-2.0
"""Inertia, friction and loss of the gear of a joint that swings freely, from what its motor gave and how it moved.

What moves a joint is efficiency times the torque of a motor that drives it, and 1 / backward efficiency times that of a motor that brakes
it (`gear`). The first scales all that is found alike, so that only what the motor feels while it drives is known; between the two is their
product, and that shows where the motor does both.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter1d
from scipy.optimize import minimize_scalar
from scipy.signal import savgol_filter

from surefoot.errors import ConfigurationError

Array = NDArray[np.float64]

WINDOW = 0.06
"""s over which the acceleration is taken from the speed."""

LOSSES = (0.05, 1.5)
"""Ends of the search for forward times backward efficiency."""

FEWEST = 30
"""Samples in which the motor brakes, and in which it drives, below which nothing is known of that."""

TOLD = 3.0
"""Standard deviations that it has to be away from 1, so that the rest is found behind a gear with a loss."""

UNSURE = 0.1
"""Standard deviation of that product from which on it is not known."""


@dataclass(frozen=True)
class Friction:
    """What a joint that swings freely takes of the torque of its motor while that drives it: behind a gear with a loss the joint's own
    numbers over the efficiency.

    Attributes:
        inertia: kg m^2, that of the rotor behind its gear with it.
        viscous: N m s/rad.
        dry: N m.
        round_trip: efficiency of the gear forward times backward; NaN where the recording does not show it. There, and where it is not told
            from 1, it counts as 1 for the rest.
        error: root of the mean square of the torque that is not explained, N m.
        standard_deviation: of the four, as far as the noise is white.
    """

    inertia: float
    viscous: float
    dry: float
    round_trip: float
    error: float
    standard_deviation: tuple[float, float, float, float]


def identify_friction(time: Array, position: Array, velocity: Array, torque: Array) -> Friction:
    """Fit a joint that swings without touching anything, by least squares with its weight as sin and cos.

    Args:
        time: of the samples, (n,), s, in even steps.
        position, velocity: (n,), rad, rad/s.
        torque: measured, as of the motor's current, (n,), N m.

    Raises:
        ConfigurationError: too few samples, or the joint did not move enough for them to be told apart.
    """
    step = float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    window = max(5, 2 * round(0.5 * WINDOW / step) + 1) if step > 0.0 else 5
    if len(time) < 4 * window:
        raise ConfigurationError(f"{len(time)} samples are too few to know friction by; record at least {4 * window} of a swinging joint")
    smooth, acceleration = (savgol_filter(velocity, window, 3, deriv=order, delta=step) for order in (0, 1))
    at = savgol_filter(position, window, 3)
    # What is taken of the motion is taken of the torque as well, or the two would not belong together.
    wanted = savgol_filter(torque, window, 3)
    design = np.stack((acceleration, smooth, np.sign(smooth), np.sin(at), np.cos(at)), axis=1)
    brakes = wanted * smooth < 0.0
    # Where the motor goes over from driving to braking both are in one window.
    clear = _throughout(brakes, window) | _throughout(~brakes, window)
    moving = np.abs(smooth) > 0.05 * np.abs(smooth).max()
    moving[:window] = moving[-window:] = False
    design, wanted, brakes, clear = design[moving], wanted[moving], brakes[moving], clear[moving]
    scale = np.linalg.norm(design, axis=0)
    if not (scale[:3] > 0.0).all() or np.linalg.cond(design / np.where(scale > 0.0, scale, 1.0)) > 1e4:
        raise ConfigurationError(
            "the joint did not move enough to tell inertia, friction and weight apart; swing it fast and slowly, both ways"
        )

    lossless = _friction(design, wanted, brakes, np.nan, window)
    sure = design[clear], wanted[clear], brakes[clear]
    if min(sure[2].sum(), (~sure[2]).sum()) < FEWEST:
        return lossless

    def missed(round_trip: float) -> float:
        return float(np.sum(_explained(*sure, round_trip)[1] ** 2))

    geared = _friction(*sure, float(minimize_scalar(missed, bounds=LOSSES, method="bounded").x), window)
    deviation = geared.standard_deviation[3]
    if not deviation < UNSURE:
        return lossless
    if abs(geared.round_trip - 1.0) > TOLD * deviation:
        return geared
    # Numbers that a loss which is none need not be told from are surer, and every sample counts.
    return replace(lossless, round_trip=geared.round_trip, standard_deviation=(*lossless.standard_deviation[:3], deviation))


def _throughout(flags: NDArray[np.bool_], window: int) -> NDArray[np.bool_]:
    """Whether something is so in the whole window around each sample."""
    result: NDArray[np.bool_] = minimum_filter1d(flags.astype(np.int8), window) == 1
    return result


def _explained(design: Array, wanted: Array, brakes: NDArray[np.bool_], round_trip: float) -> tuple[Array, Array, Array]:
    """Numbers of the joint, torque that they do not explain, and the design behind the gear."""
    geared: Array = design * np.where(brakes, round_trip, 1.0)[:, None]
    found = np.asarray(np.linalg.lstsq(geared, wanted, rcond=None)[0], dtype=np.float64)
    return found, wanted - geared @ found, geared


def _friction(design: Array, wanted: Array, brakes: NDArray[np.bool_], round_trip: float, window: int) -> Friction:
    """What is found with a given loss of the gear; NaN: none."""
    known = bool(np.isfinite(round_trip))
    found, miss, columns = _explained(design, wanted, brakes, round_trip if known else 1.0)
    if known:
        columns = np.column_stack((columns, np.where(brakes, design @ found, 0.0)))
    variance = float(miss @ miss) / max(1, len(wanted) - columns.shape[1])
    # Neighbours that were smoothed together are not so many samples.
    spread = np.sqrt(np.diag(np.linalg.pinv(columns.T @ columns)) * variance * window)
    inertia, viscous, dry = (float(value) for value in found[:3])
    deviations = (float(spread[0]), float(spread[1]), float(spread[2]), float(spread[5]) if known else np.nan)
    return Friction(inertia, viscous, dry, round_trip, float(np.sqrt(np.mean(miss**2))), deviations)
