# SPDX-License-Identifier: Apache-2.0
"""Play between a motor and the encoder of its joint, from what the motor was told and what it gave.

A servo that holds its own shaft gives stiffness (target - shaft) - damping speed, and what is recorded of the joint is behind the play. So
what is missing of the torque that the law asks for at the joint, over the stiffness, is the way from the joint to the shaft: half of the
play to one side or to the other, and never anything in between for long. The width of the play is how far those two are apart.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from surefoot.errors import ConfigurationError
from surefoot.servos.motors.noise import white_noise

Array = NDArray[np.float64]

WIDEST = 0.1
"""rad; ways beyond half of that are those of a motor at its limit."""

WINDOW, MARGIN = 0.04, 0.1
"""s over which noise is averaged, and around a change of sides in which the joint may be on its way between them."""

FEWEST, FEWEST_CHANGES = 100, 4
"""Samples on each side, and changes from one to the other, below which it is not known."""

NOISE, CLEAR, OUTSIDE = 3.0, 3.0, 3.0
"""Standard deviations of a load or speed that has a sign, of the way to either side that is one, and of a sample that is left out."""

ROUNDS = 15
"""Of leaving out samples, and then of telling the sides."""

UNLIKE = 0.1
"""Share by which the torque that is given may grow otherwise than the one that is asked for, while the joint is on one side."""

WAY_OUT = "record slow sweeps at several speeds in which the joint is loaded both ways, by its weight or by hand"


@dataclass(frozen=True)
class Play:
    """Of a gear.

    Attributes:
        width: whole, rad.
        standard_deviation: of it, as far as the noise is white, rad.
        error: root of the mean square of what the averaged samples miss the two sides by, rad.
        changes: from one side to the other.
        samples: that it was found from.
    """

    width: float
    standard_deviation: float
    error: float
    changes: int
    samples: int


class _Fit(NamedTuple):
    """Two parallel planes through samples: their sides, which are kept, numbers, what is left beside the sides, and what they miss."""

    side: Array
    keep: NDArray[np.bool_]
    found: Array
    beside: Array
    miss: Array
    scale: float


def identify_play(time: Array, target: Array, asked: Array, stiffness: Array, velocity: Array, given: Array) -> Play:
    """Find the play of the gear of one joint; all (n,).

    Args:
        time: of the samples, s, in even steps.
        target: position asked for, rad; with the velocity it takes up what comes a little early or late.
        asked: torque that the law of the command asks for at the measured joint, N m.
        stiffness: of that law, N m/rad.
        velocity: of the joint, rad/s.
        given: torque, measured, N m.

    Raises:
        ConfigurationError: it does not show: the joint was loaded one way only, the noise hides it, or the torque is not that of the law.
    """
    step = float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    width = max(1, 2 * round(0.5 * WINDOW / step) + 1) if step > 0.0 else 1
    if step <= 0.0 or len(time) < 4 * FEWEST or not (stiffness > 0.0).all():
        raise ConfigurationError(f"{len(time)} samples under stiffness are too few to know play by; record at least {4 * FEWEST}")
    columns = np.stack(((asked - given) / stiffness, given, velocity, np.gradient(target, time)), axis=1)
    way, load, speed, rate = uniform_filter1d(columns, width, axis=0).T
    noise = [white_noise(values) / np.sqrt(width) for values in (given, velocity)]
    loaded = np.abs(load) > NOISE * noise[0]
    pressed = int((loaded & (load > 0.0)).sum()), int((loaded & (load < 0.0)).sum())
    if min(pressed) < FEWEST:
        raise ConfigurationError(
            f"the joint was loaded forward in {pressed[0]} samples and backward in {pressed[1]}, and {FEWEST} each are needed: from one "
            f"side of its play nobody sees how wide that is; {WAY_OUT}"
        )
    inside = loaded & (np.abs(way) < 0.5 * WIDEST)
    fits = []
    for values, least in ((load, NOISE * noise[0]), (speed, NOISE * noise[1])):
        # A joint with a load lies where that presses it, one that only rubs where it was dragged to.
        known = inside & (np.abs(values) > least)
        if min((values[known] > 0.0).sum(), (values[known] < 0.0).sum()) >= FEWEST:
            design = np.stack((np.ones(known.sum()), speed[known], rate[known]), axis=1)
            fits.append((_by_known_sides(way[known], design, np.sign(values[known])), known, design))
    if not fits:
        raise ConfigurationError(f"the motor was at its limit, or the joint at rest, in too many samples to know play by: {WAY_OUT}")
    fit, known, design = min(fits, key=lambda each: each[0].scale)
    fit, clear = _by_nearer_sides(way[known], design, fit, np.flatnonzero(known), 2 * round(MARGIN / step) + 1)
    return _checked(fit, clear, design, load[known], noise[0], float(np.mean(stiffness)), width)


def _fitted(way: Array, design: Array, side: Array, keep: NDArray[np.bool_]) -> _Fit:
    found = np.asarray(np.linalg.lstsq(np.column_stack((side, design))[keep], way[keep], rcond=None)[0], dtype=np.float64)
    beside: Array = way - design @ found[1:]
    miss = beside - found[0] * side
    scale = float(1.4826 * np.median(np.abs(miss)))
    return _Fit(side, np.abs(miss) <= OUTSIDE * max(scale, 1e-12), found, beside, miss, scale)


def _by_known_sides(way: Array, design: Array, side: Array) -> _Fit:
    keep = np.ones(len(way), dtype=np.bool_)
    for _ in range(ROUNDS):
        fit = _fitted(way, design, side, keep)
        keep = fit.keep
    return fit


def _by_nearer_sides(way: Array, design: Array, fit: _Fit, places: NDArray[np.int64], margin: int) -> tuple[_Fit, NDArray[np.bool_]]:
    """Sides by which a sample is nearer to, without those near a change; places: of the samples in the recording."""
    clear = np.ones(len(way), dtype=np.bool_)
    for _ in range(ROUNDS):
        side = np.where(fit.beside * fit.found[0] > 0.0, 1.0, -1.0)
        near = np.zeros((2, places[-1] + 1), dtype=np.int8)
        near[0, places], near[1, places] = side > 0.0, side < 0.0
        clear = maximum_filter1d(near, margin, axis=1).min(axis=0)[places] == 0
        if clear.sum() < FEWEST:
            break
        fit = _fitted(way, design, side, fit.keep & clear)
    return fit, clear


def _checked(fit: _Fit, clear: NDArray[np.bool_], design: Array, load: Array, noise: float, stiffness: float, width: int) -> Play:
    keep = fit.keep & clear
    half, error = abs(float(fit.found[0])), float(np.sqrt(np.mean(fit.miss[keep] ** 2))) if keep.any() else np.nan
    forward, backward = int((keep & (fit.side > 0.0)).sum()), int((keep & (fit.side < 0.0)).sum())
    changes = int((np.diff(fit.side[keep]) != 0.0).sum())
    if min(forward, backward) < FEWEST or changes < FEWEST_CHANGES or not half > CLEAR * error:
        hidden = 2.0 * CLEAR * (fit.scale if np.isnan(error) else max(fit.scale, error))
        raise ConfigurationError(f"no play shows, and none under {hidden:.2g} rad would beside the noise; to see less: {WAY_OUT}")
    unlike = _unlike(fit.miss[keep], fit.side[keep], load[keep], noise) * stiffness
    if abs(unlike) > UNLIKE:
        raise ConfigurationError(
            f"on one side of the play the torque that was given changes by {1.0 / (1.0 + unlike):.2f} of what was asked for: compare scale "
            "and stamps of effort with those of the commands"
        )
    columns = np.column_stack((fit.side, design))[keep]
    # Neighbours that were averaged together are not so many samples.
    spread = np.sqrt(np.linalg.pinv(columns.T @ columns)[0, 0] * width) * error
    return Play(2.0 * half, 2.0 * float(spread), error, changes, int(keep.sum()))


def _unlike(miss: Array, side: Array, load: Array, noise: float) -> float:
    """How the way to the shaft goes on growing with the load on one side, rad/(N m); zero where the load hardly changes there."""
    within = load - np.where(side > 0.0, load[side > 0.0].mean(), load[side < 0.0].mean())
    size = float(within @ within)
    return float(miss @ within) / size if size > len(load) * (5.0 * noise) ** 2 else 0.0
