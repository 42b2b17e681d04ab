# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from scipy.stats import kstest, truncnorm, uniform

from surefoot.robot.model import RobotModel
from surefoot.traces.cloud.catalogue import TRANSIENT
from surefoot.traces.cloud.noise import CHANNELS, TRANSIENT_CHANNELS, standard_noise, transient_noise
from surefoot.traces.cloud.ranges import Spread
from surefoot.traces.cloud.uncertainty import Uncertainty

DRAWN = ("base_position", "base_orientation", "base_velocity", "base_rate", "effort")


def only(uncertainty: Uncertainty, **spreads: Spread) -> Uncertainty:
    none = uncertainty.scaled(0.0)
    return none.model_copy(update={"transient": none.transient.model_copy(update=spreads)})


def test_every_channel_is_named_once() -> None:
    assert np.concatenate([np.arange(TRANSIENT_CHANNELS)[channels] for channels in CHANNELS.values()]).tolist() == list(range(52))
    assert set(CHANNELS) == {parameter.name for parameter in TRANSIENT} - {"command_delay"}


def test_a_longer_rehearsal_continues_the_noise_of_a_shorter_one(hyq: RobotModel, uncertainty: Uncertainty) -> None:
    short, long = (transient_noise(hyq, uncertainty, 7, np.arange(4), ticks) for ticks in (100, 250))
    assert short.shape == (4, 100, TRANSIENT_CHANNELS)
    assert np.array_equal(long[:, :100], short)


@pytest.mark.parametrize("asked", [[5], [5, 0], [3, 5, 4, 900]], ids=str)
def test_noise_is_that_of_its_particle_whoever_asks(hyq: RobotModel, uncertainty: Uncertainty, asked: list[int]) -> None:
    everybody = transient_noise(hyq, uncertainty, 7, np.arange(8), 50)
    assert np.array_equal(transient_noise(hyq, uncertainty, 7, np.array(asked), 50)[asked.index(5)], everybody[5])
    assert not np.array_equal(transient_noise(hyq, uncertainty, 8, np.arange(8), 50), everybody)


@pytest.mark.parametrize("name", DRAWN)
def test_each_noise_reaches_its_own_channels_only(hyq: RobotModel, uncertainty: Uncertainty, name: str) -> None:
    spread = Spread(sigma=0.1, origin="test")
    noise = transient_noise(hyq, only(uncertainty, **{name: spread}), 7, np.arange(20), 200)
    assert noise[:, :, CHANNELS[name]].std() == pytest.approx(0.1 * truncnorm(-3.0, 3.0).std(), rel=0.02)
    # To the bit what it is when everything else is noisy as well.
    together = uncertainty.model_copy(update={"transient": uncertainty.transient.model_copy(update={name: spread})})
    everything = transient_noise(hyq, together, 7, np.arange(20), 200)
    assert np.array_equal(noise[:, :, CHANNELS[name]], everything[:, :, CHANNELS[name]])
    noise[:, :, CHANNELS[name]] = 0.0
    assert not noise.any()


def test_sensors_are_as_noisy_as_their_description(hyq: RobotModel, links: RobotModel, uncertainty: Uncertainty) -> None:
    loud = uncertainty.scaled(0.0).model_copy(update={"joint_sensors": 2.0, "foot_sensors": 3.0})
    noise, sensors = transient_noise(hyq, loud, 7, np.arange(20), 200), hyq.description.sensors
    shrunk = truncnorm(-3.0, 3.0).std()
    for name, deviation in (
        ("joint_position", 2.0 * sensors.joint_position.standard_deviation),
        ("joint_velocity", 2.0 * sensors.joint_velocity.standard_deviation),
        ("foot_force", 3.0 * sensors.foot_force.standard_deviation),
    ):  # fmt: skip
        assert noise[:, :, CHANNELS[name]].std() == pytest.approx(shrunk * deviation, rel=0.02)
        noise[:, :, CHANNELS[name]] = 0.0
    assert not noise.any()


def test_no_spread_is_no_noise(hyq: RobotModel, uncertainty: Uncertainty) -> None:
    assert not transient_noise(hyq, uncertainty.scaled(0.0), 7, np.arange(5), 10).any()


@pytest.mark.parametrize("limit", [1.0, 3.0])
def test_noise_is_a_truncated_gaussian(limit: float) -> None:
    noise = standard_noise(3, np.arange(10), (9,), 2500, np.full(4, limit)).ravel()
    assert len(noise) == 100_000
    assert np.abs(noise).max() <= limit
    assert kstest(noise, truncnorm(-limit, limit).cdf).pvalue > 0.01


def test_even_noise_is_even_and_each_channel_has_its_own_limit() -> None:
    noise = standard_noise(3, np.arange(10), (9,), 10_000, np.array([np.inf, 0.5, 2.0]))
    assert kstest(noise[:, :, 0].ravel(), uniform(-1.0, 2.0).cdf).pvalue > 0.01
    for channel, limit in ((1, 0.5), (2, 2.0)):
        assert kstest(noise[:, :, channel].ravel(), truncnorm(-limit, limit).cdf).pvalue > 0.01
