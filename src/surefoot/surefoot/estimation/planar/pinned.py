# SPDX-License-Identifier: Apache-2.0
"""How five links fall about a foot that is pinned while their motors move the joints [Levashov 2012, section 4.3].

Where a link's centre is from the foot is a sum over the links on the way, each of which turns by its own angle; so the equation of the
pitch takes two matrices of the products of these parts, over the differences of the angles.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

LINKS, JOINTS = 5, 4


class PinnedLinks(NamedTuple):
    """Sums over links of the products of the parts v_a of the ways from the pinned foot to their centres.

    Attributes:
        dots, crosses: mass v_a . v_b and mass v_a x v_b, (5, 5), kg m^2.
        inertia: of each link about its own centre, (5,), kg m^2.
        weights: gravity * mass * v_a, (5, 2), N m.
    """

    dots: Array
    crosses: Array
    inertia: Array
    weights: Array


def pinned_links(mass: Array, inertia: Array, ways: Array, gravity: float) -> PinnedLinks:
    """By masses and inertias (5,) and the parts of the way to each centre, (5, 5, 2), m."""
    x, y = ways[:, :, 0], ways[:, :, 1]
    weighted = mass[:, None, None]
    dots = (weighted * (x[:, :, None] * x[:, None, :] + y[:, :, None] * y[:, None, :])).sum(axis=0)
    crosses = (weighted * (x[:, :, None] * y[:, None, :] - y[:, :, None] * x[:, None, :])).sum(axis=0)
    return PinnedLinks(dots, crosses, inertia.copy(), gravity * (mass[:, None, None] * ways).sum(axis=0))


def fall(
    pose: Complex, rates: Complex, control: Array, links: PinnedLinks, motors: Array, turns: Array, step: float, substeps: int
) -> None:
    """Move pitch and joints, and their rates, (5, n) each, in place.

    Args:
        pose, rates: rad and rad/s.
        control: wanted joint positions, (4,), rad; NaN: the joint goes on as it moves.
        links: about the pinned foot.
        motors: stiffness, damping, speed limit and acceleration limit, (4, 4).
        turns: angle of each link by pitch and joints, (5, 5).
        step: of the integration, s.
        substeps: so many.
    """
    for n in range(pose.shape[1]):
        column, rate = pose[:, n].copy(), rates[:, n].copy()
        _fall(column, rate, control, *links, motors, turns, step, substeps)
        pose[:, n], rates[:, n] = column, rate


@compiled
def _fall(
    pose: Any, rates: Any, control: Array, dots: Array, crosses: Array, inertia: Array, weights: Array, motors: Array, turns: Array,
    step: float, substeps: int,
) -> None:  # fmt: skip
    for _ in range(substeps):
        # Half the change of the rate before and half after the way: second order for what moves freely.
        _kick(pose, rates, control, dots, crosses, inertia, weights, motors, turns, 0.5 * step)
        for i in range(LINKS):
            pose[i] += step * rates[i]
        _kick(pose, rates, control, dots, crosses, inertia, weights, motors, turns, 0.5 * step)


@compiled
def _kick(
    pose: Any, rates: Any, control: Array, dots: Array, crosses: Array, inertia: Array, weights: Array, motors: Array, turns: Array,
    half: float,
) -> None:  # fmt: skip
    """Change the rates by half a substep."""
    acceleration, after = np.empty(JOINTS, np.complex128), np.empty(JOINTS, np.complex128)
    for i in range(JOINTS):
        wanted = 0.0j if np.isnan(control[i]) else motors[0, i] * (control[i] - pose[1 + i]) - motors[1, i] * rates[1 + i]
        after[i] = _clip(rates[1 + i] + half * _clip(wanted, motors[3, i]), motors[2, i])
        acceleration[i] = (after[i] - rates[1 + i]) / half
    cosine, sine = np.empty(LINKS, np.complex128), np.empty(LINKS, np.complex128)
    turned, squared = np.empty(LINKS, np.complex128), np.empty(LINKS, np.complex128)
    for a in range(LINKS):
        angle, rate, pushed = 0.0j, 0.0j, 0.0j
        for k in range(LINKS):
            angle += turns[a, k] * pose[k]
            rate += turns[a, k] * rates[k]
        for k in range(JOINTS):
            pushed += turns[a, 1 + k] * acceleration[k]
        if a != 2:
            angle += 0.5 * np.pi  # With all joints at zero the legs are at right angles to the body.
        cosine[a], sine[a], turned[a], squared[a] = np.cos(angle), np.sin(angle), pushed, rate * rate
    total, drive = 0.0j, 0.0j
    for a in range(LINKS):
        total += inertia[a]
        drive += inertia[a] * turned[a] + cosine[a] * weights[a, 0] - sine[a] * weights[a, 1]
        for b in range(LINKS):
            near = cosine[a] * cosine[b] + sine[a] * sine[b]
            ahead = sine[b] * cosine[a] - cosine[b] * sine[a]
            along = near * dots[a, b] - ahead * crosses[a, b]
            total += along
            drive += along * turned[b] - (near * crosses[a, b] + ahead * dots[a, b]) * squared[b]
    rates[0] -= half * drive / total
    for i in range(JOINTS):
        rates[1 + i] = after[i]


@compiled
def _clip(value: Any, limit: float) -> Any:
    """Between -limit and limit by the real part."""
    if value.real > limit:
        return limit + 0.0j
    if value.real < -limit:
        return -limit + 0.0j
    return value
