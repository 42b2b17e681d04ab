# SPDX-License-Identifier: Apache-2.0
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, truncnorm

from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.cloud import TRANSIENT_CHANNELS, Particles, draw_particles, transient_noise, truncated_normal
from surefoot.traces.uncertainty import Uncertainty

DRAWS = 100_000


def arrays(particles: Particles) -> dict[str, np.ndarray]:
    return {item.name: getattr(particles, item.name) for item in fields(Particles)}


def test_one_seed_one_cloud(hyq: RobotModel, uncertainty: Uncertainty, walk) -> None:
    first, second, other = (draw_particles(hyq, uncertainty, walk.snapshot, seed, np.arange(8)) for seed in (7, 7, 8))
    for name, value in arrays(first).items():
        assert np.array_equal(value, getattr(second, name))
        if name != "indices":
            assert not np.array_equal(value, getattr(other, name)), name


@pytest.mark.parametrize("asked", [[5], [5, 0], [3, 5, 4], [0, 1, 2, 3, 4, 5, 900]], ids=str)
def test_a_particle_is_the_same_whoever_asks(hyq: RobotModel, uncertainty: Uncertainty, walk, asked: list[int]) -> None:
    everybody = arrays(draw_particles(hyq, uncertainty, walk.snapshot, 7, np.arange(8)))
    few = arrays(draw_particles(hyq, uncertainty, walk.snapshot, 7, np.array(asked)))
    noise, few_noise = (transient_noise(hyq, uncertainty, 7, np.array(indices), 5) for indices in (range(8), asked))
    for name in everybody:
        assert np.array_equal(everybody[name][5], few[name][asked.index(5)]), name
    assert np.array_equal(noise[5], few_noise[asked.index(5)])


def test_zero_spread_is_the_believed_robot(hyq: RobotModel, uncertainty: Uncertainty, walk) -> None:
    drawn = arrays(draw_particles(hyq, uncertainty.scaled(0.0), walk.snapshot, 7, np.arange(5)))
    believed = {"command_delay": hyq.description.control.command_delay, "friction": walk.snapshot.terrain.friction_mean}
    factors = ("base_mass", "link_mass", "link_length", "servo_stiffness", "servo_damping", "effort")
    for name in set(drawn) - {"indices"}:
        assert (drawn[name] == believed.get(name, 1.0 if name in factors else 0.0)).all(), name
    assert not transient_noise(hyq, uncertainty.scaled(0.0), 7, np.arange(5), 10).any()


@given(st.floats(0.2, 6.0))
def test_the_ends_of_the_truncated_normal_stay_inside(truncation: float) -> None:
    ends = truncated_normal(np.array([0.0, 1e-300, 0.5, 1.0 - 2.0**-53]), truncation)
    assert (np.abs(ends) <= truncation).all()
    assert ends[2] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("truncation", [1.0, 3.0])
def test_the_truncated_normal_is_one(truncation: float) -> None:
    draws = truncated_normal(np.random.default_rng(3).random(DRAWS), truncation)
    assert (np.abs(draws) <= truncation).all()
    assert kstest(draws, truncnorm(-truncation, truncation).cdf).pvalue > 0.01


@pytest.mark.parametrize("ground", ["dry", "wet", "ice"])
def test_friction_keeps_to_its_own_truncation(hyq: RobotModel, uncertainty: Uncertainty, walk, ground: str) -> None:
    belief = walk.grounds[ground]
    drawn = draw_particles(hyq, uncertainty, walk.asked("trot", ground), 7, np.arange(3000)).friction
    assert drawn.min() >= belief.friction_minimum
    assert drawn.max() <= belief.friction_maximum
    ends = (np.array([belief.friction_minimum, belief.friction_maximum]) - belief.friction_mean) / belief.friction_standard_deviation
    law = truncnorm(*ends, loc=belief.friction_mean, scale=belief.friction_standard_deviation)
    assert kstest(drawn, law.cdf).pvalue > 0.01


@pytest.mark.parametrize(("deviation", "minimum", "maximum"), [(0.0, 0.1, 0.9), (5.0, 0.3, 0.3), (1e-9, 0.3, 0.9), (50.0, 0.01, 1.5)])
def test_friction_of_an_odd_belief_is_a_number_inside(
    hyq: RobotModel, uncertainty: Uncertainty, walk, deviation: float, minimum: float, maximum: float
) -> None:
    belief = TerrainBelief(
        name="odd", friction_mean=0.3, friction_standard_deviation=deviation, friction_minimum=minimum, friction_maximum=maximum
    )
    drawn = draw_particles(hyq, uncertainty, walk.on(belief, "trot"), 7, np.arange(50)).friction
    assert ((drawn >= minimum) & (drawn <= maximum)).all()


def test_no_draw_is_physically_impossible(hyq: RobotModel, uncertainty: Uncertainty, walk) -> None:
    widest = dict.fromkeys(("base_mass", "link_mass", "link_length", "servo_stiffness", "servo_damping", "effort"), 0.3)
    persistent = uncertainty.persistent.model_copy(update=widest | {"joint_damping": 5.0, "command_delay": 0.05})
    cloud = Uncertainty(truncation=3.3, persistent=persistent, transient=uncertainty.transient.model_copy(update={"effort": 0.3}))
    drawn = draw_particles(hyq, cloud, walk.snapshot, 7, np.arange(3000))
    for name in widest:
        factors = getattr(drawn, name)
        assert factors.min() > 0.0, name
        assert np.abs(factors - 1.0).max() <= 0.3 * 3.3 + 1e-12
    assert drawn.joint_damping.min() >= 0.0
    assert drawn.command_delay.min() >= 0.0
    assert drawn.friction.min() > 0.0
    assert (1.0 + transient_noise(hyq, cloud, 7, np.arange(3), 2000)[:, :, 33:]).min() > 0.0


def test_the_start_is_drawn_from_the_covariance_of_the_estimate(hyq: RobotModel, uncertainty: Uncertainty, walk) -> None:
    random = np.random.default_rng(1)
    mix = 0.01 * random.normal(size=(6, 6))
    snapshot = replace(walk.snapshot, state=replace(walk.snapshot.state, pose_covariance=mix @ mix.T, twist_covariance=np.zeros((6, 6))))
    drawn = draw_particles(hyq, uncertainty.model_copy(update={"truncation": 6.0}), snapshot, 7, np.arange(4000))
    pose = np.concatenate((drawn.base_position, drawn.base_orientation), axis=1)
    assert np.cov(pose.T) == pytest.approx(mix @ mix.T, abs=0.08 * np.abs(mix @ mix.T).max())
    assert np.abs(pose.mean(axis=0)).max() < 4.0 * np.sqrt(np.diag(mix @ mix.T).max() / 4000)
    assert not drawn.base_velocity.any()
    assert drawn.joint_position.std() == pytest.approx(0.0005, rel=0.03)


def test_a_longer_rehearsal_continues_the_noise_of_a_shorter_one(hyq: RobotModel, uncertainty: Uncertainty) -> None:
    short, long = (transient_noise(hyq, uncertainty, 7, np.arange(4), ticks) for ticks in (100, 250))
    assert short.shape == (4, 100, TRANSIENT_CHANNELS)
    assert np.array_equal(long[:, :100], short)


@pytest.mark.parametrize(
    ("change", "channels"),
    [
        ({"base_orientation": 0.1}, slice(0, 3)), ({"base_velocity": 0.1}, slice(3, 6)), ({"base_rate": 0.1}, slice(6, 9)),
        ({"effort": 0.1}, slice(33, 45)),
    ],
)  # fmt: skip
def test_each_noise_reaches_its_own_channels_only(
    hyq: RobotModel, uncertainty: Uncertainty, change: dict[str, float], channels: slice
) -> None:
    none = uncertainty.scaled(0.0)
    noise = transient_noise(hyq, none.model_copy(update={"transient": none.transient.model_copy(update=change)}), 7, np.arange(20), 200)
    assert noise[:, :, channels].std() == pytest.approx(0.1, rel=0.02)
    noise[:, :, channels] = 0.0
    assert not noise.any()


def test_joint_sensors_are_as_noisy_as_their_description(hyq: RobotModel, uncertainty: Uncertainty) -> None:
    noise = transient_noise(hyq, uncertainty.scaled(0.0).model_copy(update={"joint_sensors": 2.0}), 7, np.arange(20), 200)
    assert noise[:, :, 9:21].std() == pytest.approx(2.0 * hyq.description.sensors.joint_position.standard_deviation, rel=0.02)
    assert noise[:, :, 21:33].std() == pytest.approx(2.0 * hyq.description.sensors.joint_velocity.standard_deviation, rel=0.02)
    assert not noise[:, :, :9].any()
    assert not noise[:, :, 33:].any()
