# SPDX-License-Identifier: Apache-2.0
"""Particles: perturbed copies of the robot, its ground and its start. One seed, one cloud.

Particle i draws from a stream of its own, so it is the same whatever the number of particles, workers or their order.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.snapshot import Snapshot
from surefoot.traces.uncertainty import Uncertainty

Array = NDArray[np.float64]

TRANSIENT_CHANNELS = 45
"""Base orientation (3), velocity (3), rate (3), joint position (12), joint velocity (12), effort (12)."""

_PERSISTENT = (
    ("base_mass", 1),
    ("link_mass", 12),
    ("base_centre_of_mass", 3),
    ("link_length", 8),
    ("joint_damping", 12),
    ("servo_stiffness", 12),
    ("servo_damping", 12),
    ("effort", 12),
    ("command_delay", 1),
    ("friction", 1),
    ("base_position", 3),
    ("base_orientation", 3),
    ("base_velocity", 3),
    ("base_rate", 3),
    ("joint_position", 12),
    ("joint_velocity", 12),
)


@dataclass(frozen=True)
class Particles:
    """Persistent draws of n particles, scaled: factors around 1, or offsets in SI units.

    Attributes:
        indices: which particles, (n,).
        base_mass: factor, (n,).
        link_mass: factor, (n, 12).
        base_centre_of_mass: offset in the base frame, (n, 3), m.
        link_length: factor of thigh and shin of each leg, (n, 4, 2).
        joint_damping: (n, 12), N m s/rad, never negative.
        servo_stiffness, servo_damping, effort: factors, (n, 12).
        command_delay: (n,), s, never negative.
        friction: (n,).
        base_position, base_orientation, base_velocity, base_rate: error of the estimate in odom, (n, 3), m, rad, m/s, rad/s.
        joint_position, joint_velocity: error of the estimate, (n, 12), rad, rad/s.
    """

    indices: NDArray[np.int64]
    base_mass: Array
    link_mass: Array
    base_centre_of_mass: Array
    link_length: Array
    joint_damping: Array
    servo_stiffness: Array
    servo_damping: Array
    effort: Array
    command_delay: Array
    friction: Array
    base_position: Array
    base_orientation: Array
    base_velocity: Array
    base_rate: Array
    joint_position: Array
    joint_velocity: Array


def _stream(seed: int, particle: int, purpose: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(particle, purpose)))


def truncated_normal(uniform: Array, truncation: float) -> Array:
    """Standard normal draws that never leave +-truncation, by the inverse of the truncated distribution.

    Args:
        uniform: in 0 to 1, any shape.
        truncation: standard deviations.
    """
    low = ndtr(-truncation)
    # At the very ends of the distribution rounding would step over the limit.
    result: Array = np.clip(ndtri(low + uniform * (1.0 - 2.0 * low)), -truncation, truncation)
    return result


def _friction(uniform: Array, belief: TerrainBelief, spread: float) -> Array:
    """Draws of the believed friction, inside its own truncation."""
    deviation = belief.friction_standard_deviation * spread
    if deviation == 0.0:
        return np.full_like(uniform, belief.friction_mean)
    low = ndtr((belief.friction_minimum - belief.friction_mean) / deviation)
    high = ndtr((belief.friction_maximum - belief.friction_mean) / deviation)
    drawn = belief.friction_mean + deviation * ndtri(low + uniform * (high - low))
    result: Array = np.clip(drawn, belief.friction_minimum, belief.friction_maximum)
    return result


def draw_particles(model: RobotModel, uncertainty: Uncertainty, snapshot: Snapshot, seed: int, indices: NDArray[np.int64]) -> Particles:
    """Draw the persistent parameters of some particles.

    Args:
        model: the believed robot.
        uncertainty: standard deviations.
        snapshot: the estimate with its covariance, and the belief about the ground.
        seed: of the cloud.
        indices: which particles, (n,).
    """
    total = sum(size for _, size in _PERSISTENT)
    uniform = np.array([_stream(seed, int(i), 0).random(total) for i in indices]).reshape(len(indices), total)
    normal = truncated_normal(uniform, uncertainty.truncation)
    drawn, raw, first = {}, {}, 0
    for name, size in _PERSISTENT:
        drawn[name], raw[name] = normal[:, first : first + size], uniform[:, first : first + size]
        first += size
    sigma, description, state = uncertainty.persistent, model.description, snapshot.state
    spread = uncertainty.initial_state

    def root(covariance: Array) -> Array:
        # A covariance may be singular; its symmetric root always exists.
        values, vectors = np.linalg.eigh(covariance)
        result: Array = spread * (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        return result

    pose = np.concatenate((drawn["base_position"], drawn["base_orientation"]), axis=1) @ root(state.pose_covariance)
    twist = np.concatenate((drawn["base_velocity"], drawn["base_rate"]), axis=1) @ root(state.twist_covariance)
    return Particles(
        indices=indices,
        base_mass=1.0 + sigma.base_mass * drawn["base_mass"][:, 0],
        link_mass=1.0 + sigma.link_mass * drawn["link_mass"],
        base_centre_of_mass=sigma.base_centre_of_mass * description.stand_height * drawn["base_centre_of_mass"],
        link_length=(1.0 + sigma.link_length * drawn["link_length"]).reshape(-1, 4, 2),
        joint_damping=np.abs(drawn["joint_damping"]) * sigma.joint_damping * description.servos.damping,
        servo_stiffness=1.0 + sigma.servo_stiffness * drawn["servo_stiffness"],
        servo_damping=1.0 + sigma.servo_damping * drawn["servo_damping"],
        effort=1.0 + sigma.effort * drawn["effort"],
        command_delay=np.maximum(0.0, description.control.command_delay + sigma.command_delay * drawn["command_delay"][:, 0]),
        friction=_friction(raw["friction"][:, 0], snapshot.terrain, uncertainty.ground),
        base_position=pose[:, :3],
        base_orientation=pose[:, 3:],
        base_velocity=twist[:, :3],
        base_rate=twist[:, 3:],
        joint_position=spread * np.sqrt(state.joint_position_variance) * drawn["joint_position"],
        joint_velocity=spread * np.sqrt(state.joint_velocity_variance) * drawn["joint_velocity"],
    )


def transient_noise(
    model: RobotModel, uncertainty: Uncertainty, seed: int, indices: NDArray[np.int64], ticks: int
) -> NDArray[np.float64]:
    """Noise of every channel at every tick, (n, ticks, TRANSIENT_CHANNELS), SI units and relative torques.

    A longer rehearsal continues a shorter one, and every candidate meets the same noise.
    """
    noise = np.array([_stream(seed, int(i), 1).standard_normal((ticks, TRANSIENT_CHANNELS)) for i in indices])
    np.clip(noise, -uncertainty.truncation, uncertainty.truncation, out=noise)
    sensors, transient = model.description.sensors, uncertainty.transient
    deviation = np.concatenate(
        (
            np.full(3, transient.base_orientation),
            np.full(3, transient.base_velocity),
            np.full(3, transient.base_rate),
            np.full(12, uncertainty.joint_sensors * sensors.joint_position.standard_deviation),
            np.full(12, uncertainty.joint_sensors * sensors.joint_velocity.standard_deviation),
            np.full(12, transient.effort),
        )
    )
    result: NDArray[np.float64] = noise.reshape(len(indices), ticks, TRANSIENT_CHANNELS) * deviation
    return result


def parameter_count() -> tuple[int, int]:
    """How many scalars are persistent and how many transient."""
    return sum(size for _, size in _PERSISTENT), TRANSIENT_CHANNELS
