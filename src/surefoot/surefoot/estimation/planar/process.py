# SPDX-License-Identifier: Apache-2.0
"""The three reduced planar models of a five-link robot: pinned back foot, pinned front foot, double support [Levashov 2012, section 4.3].

Process models for `DelayedFilter`, by the mode of each step. The springs of the shins are left out: they are faster than the sensors.
Joints follow their motors exactly, whatever the links do; the body follows the joints, about a foot that is pinned or over two feet that
stay on a line.

State (14,): x, y of the back foot's centre, pitch of the body, back hip, back knee, front hip, front knee (m, rad), and their rates.
With all joints at zero the legs are straight and at right angles to the body. Everything may be complex, with a small imaginary part
in place of a difference: so the Jacobian is exact.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.estimation.delayed_filter import Linearised
from surefoot.estimation.planar.pinned import fall, pinned_links
from surefoot.robot.model import GRAVITY

Array = NDArray[np.float64]

STATES, INPUTS = 14, 4
PINNED_BACK, PINNED_FRONT, DOUBLE_SUPPORT = 0, 1, 2
"""Modes: which foot stands."""

_TURNS = np.array(
    [[1.0, 1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0, 1.0]]
)
"""Angles of back shin, back upper leg, body, front upper leg and front shin by pitch and joints."""

_UPRIGHT = np.array([0.5, 0.5, 0.0, 0.5, 0.5]) * np.pi
_TINY = 1e-30


@dataclass(frozen=True)
class PlanarLinks:
    """Links, both legs of a pair taken together. Frames: along the link from foot to knee, from knee to hip, from back to front hip.

    Attributes:
        length: of shin, upper leg and body, m.
        mass, inertia: of these, kg and kg m^2.
        com: of these, (3, 2), m; the front links mirror the back ones.
    """

    length: tuple[float, float, float] = (0.092, 0.075, 0.202)
    mass: tuple[float, float, float] = (0.13, 0.24, 2.3)
    inertia: tuple[float, float, float] = (7e-5, 6e-6, 2.2e-3)
    com: tuple[tuple[float, float], ...] = ((0.057, 0.003), (0.048, -0.009), (0.087, -0.002))


@dataclass(frozen=True)
class PlanarMotors:
    """A motor behind its gear under its own position loop, hip and knee.

    Attributes:
        stiffness: 1/s^2. damping: 1/s.
        speed_limit: rad/s. acceleration_limit: rad/s^2.
    """

    stiffness: tuple[float, float] = (3800.0, 9700.0)
    damping: tuple[float, float] = (98.0, 148.0)
    speed_limit: tuple[float, float] = (7.9, 12.0)
    acceleration_limit: tuple[float, float] = (200.0, 430.0)


class PlanarProcess:
    """Moves by one control period in one of the modes; see `delayed_filter.Process`.

    The mode decides which foot is held from the beginning of a step on: what moved the other way before is stopped.

    Attributes:
        state_size, input_size: 14 and 4; the input is the wanted position of each joint, held over a step, rad; of one of which
            nobody knows it, NaN, and that joint goes on as it moves.
    """

    state_size, input_size = STATES, INPUTS

    def __init__(
        self, noise: Array, ground: tuple[float, float] = (0.01, 0.0), period: float = 0.01, substeps: int = 10,
        links: PlanarLinks | None = None, motors: PlanarMotors | None = None,
    ) -> None:  # fmt: skip
        """Args:
        noise: covariance that one step adds in each mode, (3, 14, 14).
        ground: of the centres of the feet in double support: height at x = 0, m, and rise over length.
        period: of a step, s.
        substeps: of the integration.
        links, motors: LittleDog's if None [Levashov 2012, table 3.1].

        Raises:
            ConfigurationError: the noise has another shape, or period or substeps are not positive.
        """
        self._noise = np.array(noise, dtype=np.float64)
        if self._noise.shape != (3, STATES, STATES):
            right = (3, STATES, STATES)
            raise ConfigurationError(f"noise has shape {self._noise.shape}; it has to be {right}, one covariance for each mode")
        if not period > 0.0 or substeps < 1:
            raise ConfigurationError(f"period ({period} s) and substeps ({substeps}) have to be positive")
        self._links = _link_vectors(links or PlanarLinks())
        motors = motors or PlanarMotors()
        limits = (motors.stiffness, motors.damping, motors.speed_limit, motors.acceleration_limit)
        self._motors = np.array([np.tile(values, 2) for values in limits])
        mass, inertia, front, ways = self._links
        back = pinned_links(mass, inertia, ways, GRAVITY)
        # In double support only the joints count; the pitch follows from the feet.
        self._pinned = {PINNED_BACK: back, PINNED_FRONT: pinned_links(mass, inertia, ways - front, GRAVITY), DOUBLE_SUPPORT: back}
        self._height, self._slope = ground
        self._step, self._substeps = period / substeps, substeps

    def noise(self, mode: int) -> Array:
        """Covariance that one step adds, (14, 14)."""
        added: Array = self._noise[mode].copy()
        return added

    def advance(self, state: Array, control: Array, mode: int) -> Linearised:
        """State after one step and its Jacobian, from a state (14,) under wanted joint positions (4,), rad."""
        states = np.repeat(np.asarray(state, dtype=np.complex128)[:, None], STATES, axis=1)
        states[np.diag_indices(STATES)] += 1j * _TINY
        moved = self._moved(states, control, mode)
        return Linearised(moved[:, 0].real.copy(), moved.imag / _TINY)

    def moved(self, state: Array, control: Array, mode: int) -> Array:
        """State after one step, (14,), without a Jacobian."""
        after = self._moved(np.asarray(state, dtype=np.complex128)[:, None], control, mode)
        return np.array(after[:, 0].real)

    def heights(self, state: Array) -> tuple[float, float]:
        """Of the centres of the back and the front foot above the line of double support, m, across it."""
        length = np.sqrt(1.0 + self._slope**2)
        back, front = ((y - self._slope * x - self._height) / length for x, y in self.feet(state))
        return float(back), float(front)

    def feet(self, state: Array) -> tuple[Array, Array]:
        """Centres of the back and the front foot, (2,) each, m."""
        reach = self._front(np.asarray(state[2:7], dtype=np.complex128)[:, None])[0][:, 0].real
        back = np.array(state[:2], dtype=np.float64)
        return back, np.add(back, reach)

    def _moved(self, states: NDArray[np.complex128], control: Array, mode: int) -> NDArray[np.complex128]:
        """Many states at once, (14, n), under one input (4,)."""
        place, pose, rates = states[:2], states[2:7].copy(), states[9:].copy()
        reach = self._front(pose)[0]
        fall(pose, rates, np.asarray(control, dtype=np.float64), self._pinned[mode], self._motors, _TURNS, self._step, self._substeps)
        if mode == DOUBLE_SUPPORT:
            return self._over_two_feet(place, reach, pose, rates)
        after, turn = self._front(pose)
        if mode == PINNED_BACK:
            return np.concatenate((place, pose, np.zeros_like(place), rates))
        return np.concatenate((place + reach - after, pose, -np.einsum("ijn,jn->in", turn, rates), rates))

    def _axes(self, pose: NDArray[np.complex128], rates: NDArray[np.complex128]) -> tuple[NDArray[np.complex128], ...]:
        """Directions along and across each link, (5, 2, n), and its rate of turning, (5, n)."""
        angle = _TURNS @ pose + _UPRIGHT[:, None]
        cosine, sine = np.cos(angle), np.sin(angle)
        return np.stack((cosine, sine), axis=1), np.stack((-sine, cosine), axis=1), _TURNS @ rates

    def _front(self, pose: NDArray[np.complex128]) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
        """From the back to the front foot, (2, n), and its derivative by pitch and joints, (2, 5, n)."""
        along, across, _ = self._axes(pose, pose)
        vectors = self._links[2]
        reach = (vectors[:, :1, None] * along).sum(axis=0)
        return reach, np.einsum("ajn,ak->jkn", vectors[:, :1, None] * across, _TURNS)

    def _over_two_feet(
        self, place: NDArray[np.complex128], reach: NDArray[np.complex128], pose: NDArray[np.complex128], rates: NDArray[np.complex128]
    ) -> NDArray[np.complex128]:
        """The body such that both feet are on the line and have moved along it as little as possible."""
        length = np.sqrt(1.0 + self._slope**2)
        tangent, normal = np.array([1.0, self._slope]) / length, np.array([-self._slope, 1.0]) / length
        for _ in range(8):
            after, turn = self._front(pose)
            pose[0] -= (normal @ after) / np.einsum("j,jn->n", normal, turn[:, 0])
        after, turn = self._front(pose)
        by_angles = np.einsum("j,jkn->kn", normal, turn)
        rates[0] = -(by_angles[1:] * rates[1:]).sum(axis=0) / by_angles[0]
        along = tangent @ place - 0.5 * (tangent @ (after - reach))
        speed = -0.5 * np.einsum("j,jkn,kn->n", tangent, turn, rates)
        back = tangent[:, None] * along + normal[:, None] * (self._height / length)
        return np.concatenate((back, pose, tangent[:, None] * speed, rates))


def _link_vectors(links: PlanarLinks) -> tuple[Array, Array, Array, Array]:
    """Masses and inertias of the five links (5,), the way to the front foot (5, 2) and to each centre of mass (5, 5, 2), in parts that turn
    with each link."""
    shin, upper, body = links.length
    order = [0, 1, 2, 1, 0]
    front = np.array([[shin, 0.0], [upper, 0.0], [body, 0.0], [-upper, 0.0], [-shin, 0.0]])
    centres = np.zeros((5, 5, 2))
    for link, kind in enumerate(order):
        # Front links are reached from their feet, which are at the end of the way.
        begin = front[:link] if link < 3 else front[: link + 1]
        centres[link, : len(begin)] = begin
        centres[link, link] += np.array(links.com[kind]) * (1.0, 1.0 if link < 3 else -1.0)
    return np.array(links.mass)[order], np.array(links.inertia)[order], front, centres
