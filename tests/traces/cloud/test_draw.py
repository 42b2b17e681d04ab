# SPDX-License-Identifier: Apache-2.0
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, truncnorm, uniform

from surefoot.robot.model import RobotModel
from surefoot.servos.motors.settings import GearSettings, MotorSettings
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.cloud import Particles, draw_particles
from surefoot.traces.cloud.catalogue import PERSISTENT, Law
from surefoot.traces.cloud.noise import CHANNELS, transient_noise
from surefoot.traces.cloud.particles import CONTACT_MODELS
from surefoot.traces.cloud.ranges import Choice, Spread
from surefoot.traces.cloud.uncertainty import Uncertainty

FACTORS = tuple(parameter.name for parameter in PERSISTENT if parameter.law is Law.FACTOR)
MAGNITUDES = tuple(parameter.name for parameter in PERSISTENT if parameter.law is Law.MAGNITUDE)
DRAWS = 100_000


def arrays(particles: Particles) -> dict[str, np.ndarray]:
    return {item.name: getattr(particles, item.name) for item in fields(Particles) if item.name not in ("command_jitter", "gear")}


def with_spreads(uncertainty: Uncertainty, **spreads: Spread | Choice) -> Uncertainty:
    values = uncertainty.model_dump()
    values["persistent"] |= {name: spread.model_dump() for name, spread in spreads.items()}
    return Uncertainty.model_validate(values)


@pytest.fixture(scope="module")
def wide(uncertainty: Uncertainty) -> Uncertainty:
    """Pushes and every contact model as well."""
    push = Spread(sigma=0.1, origin="test")
    return with_spreads(uncertainty, push_velocity=push, contact_model=Choice(choices=CONTACT_MODELS, origin="test"))


@pytest.mark.parametrize("sampling", ["pseudorandom", "sobol"])
def test_one_seed_one_cloud(hyq: RobotModel, wide: Uncertainty, walk, sampling: str) -> None:
    cloud = wide.model_copy(update={"sampling": sampling})
    first, second, other = (draw_particles(hyq, cloud, walk.snapshot, seed, np.arange(8)) for seed in (7, 7, 8))
    for name, value in arrays(first).items():
        assert np.array_equal(value, getattr(second, name))
        if name != "indices":
            assert not np.array_equal(value, getattr(other, name)), name


@pytest.mark.parametrize("sampling", ["pseudorandom", "sobol"])
@pytest.mark.parametrize("asked", [[5], [5, 0], [3, 5, 4], [0, 1, 2, 3, 4, 5, 900]], ids=str)
def test_a_particle_is_the_same_whoever_asks(hyq: RobotModel, wide: Uncertainty, walk, sampling: str, asked: list[int]) -> None:
    cloud, mix = wide.model_copy(update={"sampling": sampling}), np.random.default_rng(1).normal(size=(6, 6))
    state = replace(walk.snapshot.state, pose_covariance=1e-4 * mix @ mix.T, twist_covariance=1e-3 * mix.T @ mix)
    snapshot = replace(walk.snapshot, state=state)
    everybody, few = (arrays(draw_particles(hyq, cloud, snapshot, 7, indices)) for indices in (np.arange(8), np.array(asked)))
    for name in everybody:
        assert np.array_equal(everybody[name][5], few[name][asked.index(5)]), name


def test_zero_spread_is_the_believed_robot(hyq: RobotModel, wide: Uncertainty, walk) -> None:
    drawn = arrays(draw_particles(hyq, wide.scaled(0.0), walk.snapshot, 7, np.arange(5)))
    believed = {"command_delay": hyq.description.control.command_delay, "friction": walk.snapshot.terrain.friction_mean}
    for name in set(drawn) - {"indices"}:
        assert (drawn[name] == believed.get(name, 1.0 if name in FACTORS else 0.0)).all(), name


@pytest.mark.parametrize("name", [item.name for item in PERSISTENT if item.law in (Law.FACTOR, Law.OFFSET, Law.MAGNITUDE)])
def test_each_parameter_is_drawn_alone(hyq: RobotModel, uncertainty: Uncertainty, walk, name: str) -> None:
    """Its spread changes its own draws, and no others."""
    none = uncertainty.scaled(0.0)
    believed = arrays(draw_particles(hyq, none, walk.snapshot, 7, np.arange(4)))
    drawn = arrays(draw_particles(hyq, with_spreads(none, **{name: Spread(sigma=0.01, origin="test")}), walk.snapshot, 7, np.arange(4)))
    assert {key for key in drawn if not np.array_equal(drawn[key], believed[key])} == {name}


@pytest.mark.parametrize("truncation", [1.0, 3.0])
def test_draws_are_truncated_gaussians(hyq: RobotModel, uncertainty: Uncertainty, walk, truncation: float) -> None:
    """12 joints, some particles: 1e5 draws."""
    cloud = uncertainty.scaled(0.0).model_copy(update={"truncation": truncation})
    cloud = with_spreads(cloud, effort=Spread(sigma=0.1, origin="test"), backlash=Spread(sigma=0.02, origin="test"))
    drawn = draw_particles(hyq, cloud, walk.snapshot, 7, np.arange(DRAWS // 12))
    effort, backlash = (drawn.effort.ravel() - 1.0) / 0.1, drawn.backlash.ravel() / 0.02
    assert np.abs(effort).max() <= truncation + 1e-12
    assert kstest(effort, truncnorm(-truncation, truncation).cdf).pvalue > 0.01
    assert (backlash >= 0.0).all()
    assert kstest(backlash, truncnorm(0.0, truncation).cdf).pvalue > 0.01


def test_even_draws_are_even(hyq: RobotModel, uncertainty: Uncertainty, walk) -> None:
    even = Spread(distribution="uniform", half_width=0.1, origin="test")
    cloud = with_spreads(uncertainty.scaled(0.0), effort=even, backlash=even)
    drawn = draw_particles(hyq, cloud, walk.snapshot, 7, np.arange(DRAWS // 12))
    assert kstest(drawn.effort.ravel(), uniform(0.9, 0.2).cdf).pvalue > 0.01
    assert kstest(drawn.backlash.ravel(), uniform(0.0, 0.1).cdf).pvalue > 0.01


def test_contact_models_are_equally_likely(hyq: RobotModel, uncertainty: Uncertainty, walk) -> None:
    choices = ("elliptic", "pyramidal", "pyramidal_soft")
    cloud = with_spreads(uncertainty, contact_model=Choice(choices=choices, origin="test"))
    drawn = draw_particles(hyq, cloud, walk.snapshot, 7, np.arange(10_000)).contact_model
    counts = np.bincount(drawn, minlength=len(CONTACT_MODELS))
    assert counts[CONTACT_MODELS.index("elliptic_soft")] == 0
    assert chisquare(counts[counts > 0]).pvalue > 0.01


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
    """With every spread as wide as it may be."""
    widest = {
        parameter.name: Spread(sigma=(0.999 if parameter.law is Law.FACTOR else 1.0) * parameter.largest / 3.3, origin="test")
        for parameter in PERSISTENT
        if parameter.law in (Law.FACTOR, Law.OFFSET, Law.MAGNITUDE)
    }
    cloud = with_spreads(uncertainty.model_copy(update={"truncation": 3.3}), **widest)
    drawn = draw_particles(hyq, cloud, walk.snapshot, 7, np.arange(3000))
    for name in FACTORS:
        factors = getattr(drawn, name)
        assert factors.min() > 0.0, name
        assert np.abs(factors - 1.0).max() < 1.0
    for name in (*MAGNITUDES, "command_delay"):
        assert getattr(drawn, name).min() >= 0.0
    assert drawn.friction.min() > 0.0
    delays = drawn.command_delay - hyq.description.control.command_delay
    law = truncnorm(-hyq.description.control.command_delay * 33.0, 3.3)
    # Cut off where a command would come before its sample, not gathered there.
    assert kstest(delays * 33.0, law.cdf).pvalue > 0.01
    effort = cloud.transient.model_copy(update={"effort": Spread(sigma=0.3, origin="test")})
    noise = transient_noise(hyq, cloud.model_copy(update={"transient": effort}), 7, np.arange(3), 2000)
    assert (1.0 + noise[:, :, CHANNELS["effort"]]).min() > 0.0


def test_the_start_is_drawn_from_the_covariance_of_the_estimate(hyq: RobotModel, uncertainty: Uncertainty, walk) -> None:
    random = np.random.default_rng(1)
    mix = 0.01 * random.normal(size=(6, 6))
    snapshot = replace(walk.snapshot, state=replace(walk.snapshot.state, pose_covariance=mix @ mix.T, twist_covariance=np.zeros((6, 6))))
    drawn = draw_particles(hyq, uncertainty.model_copy(update={"truncation": 6.0}), snapshot, 7, np.arange(4000))
    pose, without_heading = np.concatenate((drawn.base_position, drawn.base_orientation), axis=1), mix.copy()
    without_heading[5] = 0.0
    assert np.cov(pose.T) == pytest.approx(without_heading @ without_heading.T, abs=0.08 * np.abs(mix @ mix.T).max())
    assert not drawn.base_orientation[:, 2].any()
    assert np.abs(pose.mean(axis=0)).max() < 4.0 * np.sqrt(np.diag(mix @ mix.T).max() / 4000)
    assert not drawn.base_velocity.any()
    assert drawn.joint_position.std() == pytest.approx(0.0005, rel=0.03)


def test_what_is_drawn_of_motors_comes_on_top_of_those_that_are_believed(hyq: RobotModel, wide: Uncertainty, walk) -> None:
    gear = GearSettings(ratio=4.0, efficiency=0.9)
    motors = MotorSettings(torque_speed_loss=0.4, backlash=0.01, current_limit=10.0, torque_per_ampere=0.5, gear=gear)
    ideal = draw_particles(hyq, wide, walk.snapshot, 7, np.arange(5))
    drawn = draw_particles(hyq, wide.model_copy(update={"motors": motors}), walk.snapshot, 7, np.arange(5))
    assert np.array_equal(drawn.torque_speed, np.minimum(1.0, ideal.torque_speed + 0.4))
    assert np.array_equal(drawn.backlash, ideal.backlash + 0.01)
    assert drawn.effort_limit == pytest.approx(ideal.effort_limit * np.minimum(1.0, 20.0 / hyq.effort_limit))
    assert (ideal.gear, drawn.gear) == (MotorSettings().gear, motors.gear)
    others = set(arrays(ideal)) - {"torque_speed", "backlash", "effort_limit"}
    assert all(np.array_equal(arrays(ideal)[name], arrays(drawn)[name]) for name in others)
    assert wide.model_copy(update={"motors": motors}).scaled(0.0).motors == motors
