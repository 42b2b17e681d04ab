# SPDX-License-Identifier: Apache-2.0
"""What the policy gets to know of its particle, channel by channel."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.gait.records import STATE
from surefoot.servos.bounds import DAMPING, EFFORT, POSITION, STIFFNESS, VELOCITY
from surefoot.traces.cloud import TRANSIENT_CHANNELS
from surefoot.traces.observe import observe, servo_laws

ATTITUDE = Rotation.from_euler("xyz", (0.1, -0.2, 0.7))


def seen(noise: np.ndarray | None = None, errors: np.ndarray | None = None, alive: bool = True) -> np.void:
    qpos, qvel = np.zeros((1, 19)), np.zeros((1, 18))
    qpos[0, :3], qpos[0, 3:7], qpos[0, 7:] = (1.0, 2.0, 0.6), ATTITUDE.as_quat()[[3, 0, 1, 2]], np.linspace(-1.0, 1.0, 12)
    qvel[0, :3], qvel[0, 3:6], qvel[0, 6:] = (0.3, 0.1, 0.0), (0.5, -0.2, 0.1), np.linspace(2.0, 3.0, 12)
    states = np.zeros(1, STATE)
    load, height = np.array([[100.0, 40.0, 41.0, 0.0]]), np.array([0.1])
    noise = np.zeros((1, TRANSIENT_CHANNELS)) if noise is None else noise
    errors = np.zeros((1, 36)) if errors is None else errors
    observe(np.array([4.0]), 1.0, qpos, qvel, load, 40.0, height, errors, noise, states, np.array([alive]))
    return states[0]


def test_without_noise_and_error_it_is_the_truth() -> None:
    state = seen()
    assert state["time"] == 5.0
    assert state["base_position"] == pytest.approx([1.0, 2.0, 0.7])
    assert state["base_quaternion"] == pytest.approx(ATTITUDE.as_quat())
    assert state["base_velocity"] == pytest.approx([0.3, 0.1, 0.0])
    assert state["base_rate"] == pytest.approx(ATTITUDE.apply((0.5, -0.2, 0.1)))
    assert state["joint_position"].ravel() == pytest.approx(np.linspace(-1.0, 1.0, 12))
    assert state["joint_velocity"].ravel() == pytest.approx(np.linspace(2.0, 3.0, 12))
    assert state["contact_probability"].tolist() == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("axis", range(3))
def test_attitude_noise_turns_about_the_axes_of_odom(axis: int) -> None:
    noise = np.zeros((1, TRANSIENT_CHANNELS))
    noise[0, axis] = 1e-3
    turned = Rotation.from_quat(seen(noise)["base_quaternion"]) * ATTITUDE.inv()
    assert turned.as_rotvec() == pytest.approx(1e-3 * np.eye(3)[axis], abs=1e-9)


@pytest.mark.parametrize(
    ("channels", "field"), [((3, 6), "base_velocity"), ((6, 9), "base_rate"), ((9, 21), "joint_position"), ((21, 33), "joint_velocity")]
)
def test_noise_is_added_to_its_own_field(channels: tuple[int, int], field: str) -> None:
    noise = np.zeros((1, TRANSIENT_CHANNELS))
    noise[0, slice(*channels)] = 0.01 * np.arange(1, channels[1] - channels[0] + 1)
    noisy, clean = seen(noise), seen()
    assert (noisy[field] - clean[field]).ravel() == pytest.approx(noise[0, slice(*channels)])
    for other in set(STATE.names or ()) - {field}:
        assert np.array_equal(noisy[other], clean[other]), other


def test_the_error_of_the_estimate_is_taken_from_the_truth() -> None:
    errors = np.linspace(0.001, 0.002, 36)[None]
    wrong, clean = seen(errors=errors), seen()
    for field, start in (("base_position", 0), ("base_velocity", 6), ("joint_position", 12), ("joint_velocity", 24)):
        size = clean[field].size
        assert (clean[field] - wrong[field]).ravel() == pytest.approx(errors[0, start : start + size]), field


def test_the_dead_are_not_observed() -> None:
    assert not seen(alive=False)["base_quaternion"].any()


def test_servos_make_of_a_command_what_they_can() -> None:
    random = np.random.default_rng(0)
    commands = random.normal(size=(2, 6, 12))
    stiffness_factor, damping_factor, effort_factor = (1.0 + random.random((2, 12)) for _ in range(3))
    noise = 0.1 * random.normal(size=(2, TRANSIENT_CHANNELS))
    targets, stiffness, damping = (np.full((2, 12), 7.0) for _ in range(3))
    alive = np.array([True, False])
    assert servo_laws(commands, stiffness_factor, damping_factor, effort_factor, noise, targets, stiffness, damping, alive)
    torque = commands[0, EFFORT] * effort_factor[0] * (1.0 + noise[0, 33:45])
    springs = stiffness[0] * commands[0, POSITION] + damping[0] * commands[0, VELOCITY]
    assert stiffness[0] == pytest.approx(commands[0, STIFFNESS] * stiffness_factor[0])
    assert damping[0] == pytest.approx(commands[0, DAMPING] * damping_factor[0])
    assert targets[0] == pytest.approx(torque + springs)
    assert (np.array((targets, stiffness, damping))[:, 1] == 7.0).all()
    # Whose targets nobody takes may be anything.
    commands[1, EFFORT, 0] = np.nan
    assert servo_laws(commands, stiffness_factor, damping_factor, effort_factor, noise, targets, stiffness, damping, alive)
    commands[0, EFFORT, 0] = np.nan
    assert not servo_laws(commands, stiffness_factor, damping_factor, effort_factor, noise, targets, stiffness, damping, alive)
