# SPDX-License-Identifier: Apache-2.0
"""The delayed filter against what it has to equal: a Kalman filter on the state and its own past, and the textbook without delay."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from surefoot.errors import SensorError
from surefoot.estimation.delayed_filter import DelayedFilter, Linearised

DELAYS = {"near": 0, "late": 3, "later": 5}
STATES, INPUTS, LONGEST = 4, 1, 5


@dataclass
class Line:
    """A linear process; in mode 1 it moves by another matrix."""

    transition: np.ndarray
    steering: np.ndarray
    state_size: int = STATES
    input_size: int = INPUTS

    def advance(self, state: np.ndarray, control: np.ndarray, mode: int) -> Linearised:
        matrix = self.transition if mode == 0 else self.transition.T
        return Linearised(matrix @ state + self.steering @ control, matrix)

    def noise(self, mode: int) -> np.ndarray:
        return np.diag([1e-3, 2e-3, 1e-3, 3e-3]) * (1.0 + mode)


@dataclass
class Seer:
    """In mode 1 it reads with other signs."""

    matrix: np.ndarray
    variance: float
    size: int = 2

    def seen(self, mode: int) -> np.ndarray:
        return self.matrix if mode == 0 else self.matrix[::-1] * [1.0, -1.0, 1.0, -1.0]

    def expect(self, state: np.ndarray, mode: int) -> Linearised:
        return Linearised(self.seen(mode) @ state, self.seen(mode))

    def noise(self) -> np.ndarray:
        return np.eye(2) * self.variance


@dataclass
class World:
    """A run of the linear process: what was read at each step, what of it was lost, and with which modes."""

    process: Line
    sensors: dict[str, Seer]
    controls: np.ndarray
    modes: np.ndarray
    readings: dict[str, np.ndarray]
    kept: dict[str, np.ndarray]


def make_world(seed: int, steps: int = 60, loss: float = 0.3) -> World:
    generator = np.random.default_rng(seed)
    process = Line(0.4 * generator.normal(size=(STATES, STATES)), generator.normal(size=(STATES, INPUTS)))
    sensors = {name: Seer(generator.normal(size=(2, STATES)), 0.02 * (k + 1)) for k, name in enumerate(DELAYS)}
    state, states = generator.normal(size=STATES), []
    controls, modes = generator.normal(size=(steps, INPUTS)), (np.arange(steps) // 7) % 2
    for step in range(steps):
        states.append(state)
        noise = generator.multivariate_normal(np.zeros(STATES), process.noise(modes[step]))
        state = process.advance(state, controls[step], modes[step]).value + noise
    # What is read at a step is read in the mode that led to it.
    before = np.concatenate(([0], modes[:-1]))
    readings = {
        name: np.array([sensor.seen(mode) @ state for mode, state in zip(before, states, strict=True)])
        + generator.normal(size=(steps, 2)) * sensor.variance**0.5
        for name, sensor in sensors.items()
    }
    return World(process, sensors, controls, modes, readings, {name: generator.uniform(size=steps) >= loss for name in sensors})


def augmented(world: World, delays: dict[str, int], steps: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Mean and covariance of each step by a Kalman filter whose state is the last LONGEST + 1 states."""
    depth = LONGEST + 1
    size = depth * STATES
    mean, covariance = np.zeros(size), np.zeros((size, size))
    covariance[:STATES, :STATES] = np.eye(STATES)
    result = []
    for step in range(1, steps):
        matrix = world.process.advance(mean[:STATES], world.controls[step - 1], world.modes[step - 1]).jacobian
        shift = np.zeros((size, size))
        shift[:STATES, :STATES] = matrix
        shift[STATES:, :-STATES] = np.eye(size - STATES)
        mean = shift @ mean
        mean[:STATES] += world.process.steering @ world.controls[step - 1]
        covariance = shift @ covariance @ shift.T
        covariance[:STATES, :STATES] += world.process.noise(world.modes[step - 1])
        for name, delay in delays.items():
            if step - delay >= 1 and world.kept[name][step - delay]:
                seen = np.zeros((2, size))
                seen[:, delay * STATES : (delay + 1) * STATES] = world.sensors[name].seen(world.modes[step - delay - 1])
                gain = covariance @ seen.T @ np.linalg.inv(seen @ covariance @ seen.T + world.sensors[name].noise())
                mean = mean + gain @ (world.readings[name][step - delay] - seen @ mean)
                covariance = (np.eye(size) - gain @ seen) @ covariance
        result.append((mean[:STATES].copy(), covariance[:STATES, :STATES].copy()))
    return result


def delayed(world: World, delays: dict[str, int], steps: int, longest: int, asked: bool = False) -> list[tuple[np.ndarray, np.ndarray]]:
    ours = DelayedFilter(world.process, world.sensors, longest, np.zeros(STATES), np.eye(STATES))
    result = []
    for step in range(1, steps):
        ours.advance(world.controls[step - 1], int(world.modes[step - 1]))
        for name, delay in delays.items():
            if asked:
                ours.estimate()
            if step - delay >= 1 and world.kept[name][step - delay]:
                ours.measure(name, step - delay, world.readings[name][step - delay])
        result.append(ours.estimate())
    return result


def worst(one: list, other: list) -> float:
    return max(float(np.abs(a - b).max()) for pair in zip(one, other, strict=True) for a, b in zip(*pair, strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_it_equals_the_filter_on_the_augmented_state_with_a_third_lost(seed: int) -> None:
    world = make_world(seed)
    assert worst(delayed(world, DELAYS, 60, LONGEST), augmented(world, DELAYS, 60)) < 1e-9


def test_asking_in_between_changes_nothing() -> None:
    world = make_world(5)
    assert worst(delayed(world, DELAYS, 60, LONGEST, asked=True), delayed(world, DELAYS, 60, LONGEST)) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_without_delay_it_is_the_textbook_filter_and_a_longer_window_changes_nothing(seed: int) -> None:
    world, none = make_world(seed, loss=0.0), dict.fromkeys(DELAYS, 0)
    textbook = augmented(world, none, 60)
    assert worst(delayed(world, none, 60, 0), textbook) < 1e-11
    assert worst(delayed(world, none, 60, 0), delayed(world, none, 60, 9)) == 0.0
    assert worst(delayed(world, DELAYS, 60, LONGEST), delayed(world, DELAYS, 60, 12)) == 0.0


def test_loss_never_makes_it_surer() -> None:
    with_loss, without = make_world(1, loss=0.3), make_world(1, loss=0.0)
    for (_, lost), (_, full) in zip(delayed(with_loss, DELAYS, 60, 5), delayed(without, DELAYS, 60, 5), strict=True):
        assert np.linalg.eigvalsh(lost - full).min() > -1e-12


@hypothesis_settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_order_of_arrival_gives_the_same_bits(data: st.DataObject) -> None:
    world = make_world(2, steps=12)
    late = data.draw(st.permutations([(name, step) for name in DELAYS for step in range(7, 12) if world.kept[name][step]]))

    def run(order: list) -> tuple[np.ndarray, np.ndarray]:
        ours = DelayedFilter(world.process, world.sensors, LONGEST, np.zeros(STATES), np.eye(STATES))
        for step in range(1, 12):
            ours.advance(world.controls[step - 1], int(world.modes[step - 1]))
        for name, step in order:
            ours.measure(name, step, world.readings[name][step])
            if data.draw(st.booleans()):
                ours.estimate()
        return ours.estimate()

    one, other = run(list(late)), run(sorted(late))
    assert one[0].tobytes() == other[0].tobytes()
    assert one[1].tobytes() == other[1].tobytes()


def test_one_step_ahead_is_the_prediction() -> None:
    world = make_world(3)
    ours = DelayedFilter(world.process, world.sensors, LONGEST, np.ones(STATES), np.eye(STATES))
    mean, covariance = ours.ahead(np.array([0.5]), 1)
    ours.advance(np.array([0.5]), 1)
    assert np.array_equal(mean, ours.estimate()[0])
    np.testing.assert_allclose(covariance, ours.estimate()[1], atol=1e-12)


def test_what_does_not_belong_to_the_window_is_refused_by_name() -> None:
    world = make_world(4)
    ours = DelayedFilter(world.process, world.sensors, LONGEST, np.zeros(STATES), np.eye(STATES))
    for step in range(20):
        ours.advance(world.controls[step])
    for step in (3, 21):
        with pytest.raises(SensorError, match="'late' is outside of the window"):
            ours.measure("late", step, np.zeros(2))
    with pytest.raises(SensorError, match="nan"):
        ours.measure("late", 18, np.array([0.0, np.nan]))
