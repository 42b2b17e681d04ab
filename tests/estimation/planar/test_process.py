# SPDX-License-Identifier: Apache-2.0
"""The planar models: feet that are held stay, joints follow their motors, energy is kept, and a switch of mode is replayed as it was."""

from dataclasses import dataclass

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.estimation.delayed_filter import DelayedFilter, Linearised
from surefoot.estimation.planar.process import DOUBLE_SUPPORT, INPUTS, PINNED_BACK, PINNED_FRONT, STATES, PlanarLinks, PlanarProcess

NOISE = np.stack([np.eye(STATES) * 1e-6] * 3)
BENT = np.array([0.3, -0.5, 0.35, -0.6])


@pytest.fixture(scope="module")
def process() -> PlanarProcess:
    return PlanarProcess(NOISE)


def standing(process: PlanarProcess, joints: np.ndarray = BENT) -> np.ndarray:
    """On both feet, at rest: as double support leaves it."""
    state = np.concatenate(([0.05, 0.01, 0.0], joints, np.zeros(7)))
    return process.advance(state, joints, DOUBLE_SUPPORT).value


@pytest.mark.parametrize(("mode", "foot"), [(PINNED_BACK, 0), (PINNED_FRONT, 1)])
def test_a_pinned_foot_stays(process: PlanarProcess, mode: int, foot: int) -> None:
    state = standing(process)
    begin = process.feet(state)
    for step in range(30):
        state = process.advance(state, BENT + 0.2 * np.sin(0.3 * step), mode).value
        np.testing.assert_allclose(process.feet(state)[foot], begin[foot], atol=1e-9)
    assert np.linalg.norm(process.feet(state)[1 - foot] - begin[1 - foot]) > 0.01


@pytest.mark.parametrize("slope", [0.0, 0.2])
def test_in_double_support_both_feet_stay_on_the_line(slope: float) -> None:
    process = PlanarProcess(NOISE, ground=(0.03, slope), period=0.001, substeps=1)
    state = standing(process)
    before = process.feet(state)
    for step in range(1, 100):
        joints = BENT + 0.1 * np.array([np.sin(0.04 * step), 0.0, 0.0, np.sin(0.04 * step)])
        last, state = state, process.advance(state, joints, DOUBLE_SUPPORT).value
        for x, y in process.feet(state):
            assert y == pytest.approx(0.03 + slope * x, abs=1e-6)
        # The rates are those of the places.
        assert 0.5 * (state[7:10] + last[7:10]) * 0.001 == pytest.approx(state[:3] - last[:3], abs=3e-5)
    moved = [np.linalg.norm(after - old) for after, old in zip(process.feet(state), before, strict=True)]
    assert moved[0] == pytest.approx(moved[1], rel=1e-6)


def test_joints_follow_their_motors(process: PlanarProcess) -> None:
    """A step of 0.5 rad from rest, against a fine integration of the same law [Levashov 2012, section 3.2]."""
    state, seen = standing(process, np.zeros(4)), []
    for _ in range(10):
        state = process.advance(state, np.full(4, 0.5), PINNED_BACK).value
        seen.append(state[3:5])
    np.testing.assert_allclose(np.array(seen)[[0, 1, 4, 9], 0], [0.01, 0.04, 0.23898, 0.49427], atol=1e-3)
    np.testing.assert_allclose(np.array(seen)[[0, 1, 4, 9], 1], [0.0215, 0.086, 0.42073, 0.50224], atol=2e-3)


@pytest.mark.parametrize("mode", [PINNED_BACK, PINNED_FRONT])
def test_with_its_joints_held_it_is_a_pendulum(process: PlanarProcess, mode: int) -> None:
    state = standing(process)
    state[9] = 0.8
    energies = []
    for _ in range(40):
        energies.append(energy(process, state))
        state = process.advance(state, state[3:7], mode).value
    assert abs(state[2]) > 0.2
    assert np.ptp(energies[1:]) < 1e-4 * 3.04 * 9.81 * 0.1


def energy(process: PlanarProcess, state: np.ndarray) -> float:
    """By links placed one after the other: plainer than what the model does."""
    links, small = PlanarLinks(), 1e-6

    def centres(pose: np.ndarray) -> np.ndarray:
        x, y, pitch, hip_b, knee_b, hip_f, knee_f = pose

        def turned(angle: float, vector: tuple[float, float]) -> np.ndarray:
            return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ vector

        shin_b, upper_b = pitch + hip_b + knee_b + np.pi / 2, pitch + hip_b + np.pi / 2
        shin_f, upper_f = pitch + hip_f + knee_f + np.pi / 2, pitch + hip_f + np.pi / 2
        foot = np.array([x, y])
        knee = foot + turned(shin_b, (links.length[0], 0.0))
        hip = knee + turned(upper_b, (links.length[1], 0.0))
        front_hip = hip + turned(pitch, (links.length[2], 0.0))
        front_knee = front_hip - turned(upper_f, (links.length[1], 0.0))
        front_foot = front_knee - turned(shin_f, (links.length[0], 0.0))
        mirrored = [(cx, -cy) for cx, cy in links.com]
        return np.array([
            [*(foot + turned(shin_b, links.com[0])), shin_b], [*(knee + turned(upper_b, links.com[1])), upper_b],
            [*(hip + turned(pitch, links.com[2])), pitch],
            [*(front_knee + turned(upper_f, mirrored[1])), upper_f], [*(front_foot + turned(shin_f, mirrored[0])), shin_f],
        ])  # fmt: skip

    here, speed = centres(state[:7]), (centres(state[:7] + small * state[7:]) - centres(state[:7] - small * state[7:])) / (2.0 * small)
    order = [0, 1, 2, 1, 0]
    mass, inertia = np.array(links.mass)[order], np.array(links.inertia)[order]
    return float(0.5 * mass @ (speed[:, :2] ** 2).sum(axis=1) + 0.5 * inertia @ speed[:, 2] ** 2 + 9.81 * mass @ here[:, 1])


@pytest.mark.parametrize("mode", [PINNED_BACK, PINNED_FRONT, DOUBLE_SUPPORT])
def test_the_jacobian_is_that_of_differences(process: PlanarProcess, mode: int) -> None:
    state, small = standing(process) + 0.01 * np.sin(np.arange(STATES)), 1e-6
    moved = process.advance(state, BENT, mode)
    differences = np.empty((STATES, STATES))
    for k in range(STATES):
        shift = np.eye(STATES)[k] * small
        one, other = process.advance(state + shift, BENT, mode).value, process.advance(state - shift, BENT, mode).value
        differences[:, k] = (one - other) / (2.0 * small)
    np.testing.assert_allclose(moved.jacobian, differences, atol=1e-6)


@dataclass
class Encoders:
    """The joints, and the place of the back foot."""

    places: tuple[int, ...]
    size: int

    def expect(self, state: np.ndarray, _mode: int) -> Linearised:
        return Linearised(state[list(self.places)], np.eye(STATES)[list(self.places)])

    def noise(self) -> np.ndarray:
        return np.eye(self.size) * 1e-6


def test_a_switch_inside_of_the_window_is_replayed(process: PlanarProcess) -> None:
    """Late readings of a robot that steps from the back onto both feet give what prompt ones give."""
    generator = np.random.default_rng(0)
    sensors = {"joints": Encoders((3, 4, 5, 6), 4), "camera": Encoders((0, 1, 2), 3)}
    begin, covariance = standing(process), np.eye(STATES) * 1e-4
    late, prompt = (DelayedFilter(process, sensors, 3, begin, covariance) for _ in range(2))
    state, seen = begin, []
    for step in range(12):
        mode, control = (PINNED_BACK, DOUBLE_SUPPORT, PINNED_FRONT)[step // 4], BENT + 0.05 * np.sin(step)
        state = process.advance(state, control, mode).value
        readings = {name: state[list(one.places)] + 1e-3 * generator.normal(size=one.size) for name, one in sensors.items()}
        seen.append(readings)
        for estimator in (late, prompt):
            estimator.advance(control, mode)
            estimator.measure("joints", step + 1, readings["joints"])
        prompt.measure("camera", step + 1, readings["camera"])
        if step >= 3:
            late.measure("camera", step - 2, seen[step - 3]["camera"])
    for step in range(9, 12):
        late.measure("camera", step + 1, seen[step]["camera"])
    for one, other in zip(late.estimate(), prompt.estimate(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    assert late.estimate()[0][:7] == pytest.approx(state[:7], abs=5e-3)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"\(14, 14\)"):
        PlanarProcess(np.eye(STATES))
    with pytest.raises(ConfigurationError, match="substeps"):
        PlanarProcess(NOISE, substeps=0)
    assert PlanarProcess.input_size == INPUTS
