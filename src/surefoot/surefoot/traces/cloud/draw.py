# SPDX-License-Identifier: Apache-2.0
"""The persistent parameters of particles, drawn. Particle i is the same whatever the number of particles, workers or their order."""

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.servos.motors.drive import Motors
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.cloud.catalogue import PERSISTENT, Law
from surefoot.traces.cloud.jitter import CommandJitter
from surefoot.traces.cloud.particles import CONTACT_MODELS, Particles
from surefoot.traces.cloud.ranges import Spread
from surefoot.traces.cloud.sampling import truncated_normal, uniforms
from surefoot.traces.cloud.uncertainty import Uncertainty
from surefoot.traces.snapshot import Snapshot

Array = NDArray[np.float64]

_SIZE = sum(parameter.count for parameter in PERSISTENT)


def draw_particles(model: RobotModel, uncertainty: Uncertainty, snapshot: Snapshot, seed: int, indices: NDArray[np.int64]) -> Particles:
    """Draw the persistent parameters of some particles.

    Args:
        model: the believed robot.
        uncertainty: how wide the cloud is.
        snapshot: the estimate with its covariance, and the belief about the ground.
        seed: of the cloud.
        indices: which particles, (n,).
    """
    uniform = uniforms(uncertainty.sampling, seed, indices, _SIZE)
    description, truncation = model.description, uncertainty.truncation
    delay = description.control.command_delay
    raw: dict[str, Array] = {}
    drawn: dict[str, Array] = {}
    first = 0
    for parameter in PERSISTENT:
        name, columns = parameter.name, uniform[:, first : first + parameter.count]
        first += parameter.count
        raw[name] = columns
        spread = getattr(uncertainty.persistent, name, None)
        if isinstance(spread, Spread):
            lowest = -delay if name == "command_delay" else 0.0 if parameter.law is Law.MAGNITUDE else -np.inf
            values = _drawn(spread, columns, truncation, lowest)
            drawn[name] = 1.0 + values if parameter.law is Law.FACTOR else values
    tilts = drawn["joint_axis"].reshape(-1, 12, 2)
    drawn["base_centre_of_mass"] *= description.stand_height
    drawn["payload_place"] *= description.stand_height
    drawn["joint_damping"] *= description.servos.damping
    drawn["command_delay"] += delay
    drawn["payload_mass"] *= model.total_mass
    motors = Motors(uncertainty.motors, model.effort_limit, model.velocity_limit)
    drawn["effort_limit"] *= motors.stall_torque / model.effort_limit
    drawn["torque_speed"] = np.minimum(1.0, drawn["torque_speed"] + uncertainty.motors.torque_speed_loss)
    drawn["backlash"] += uncertainty.motors.backlash
    for parameter in PERSISTENT:
        if parameter.count == 1 and parameter.name in drawn:
            drawn[parameter.name] = drawn[parameter.name][:, 0]
    return Particles(
        indices=indices,
        friction=_friction(raw["friction"][:, 0], snapshot.terrain, uncertainty.ground),
        contact_model=_chosen(raw["contact_model"][:, 0], uncertainty),
        command_jitter=CommandJitter(seed, uncertainty.transient.command_delay, truncation),
        gear=uncertainty.motors.gear,
        **(drawn | {"joint_axis": tilts} | _errors(raw, snapshot.state, uncertainty)),
    )


def _drawn(spread: Spread, uniform: Array, truncation: float, lowest: float) -> Array:
    """Offsets from what is believed, none of them under the lowest that there can be."""
    reach = spread.reach(truncation)
    if reach == 0.0:
        return np.zeros_like(uniform)
    low = max(-reach, lowest)
    if spread.distribution == "uniform":
        return low + uniform * (reach - low)
    return spread.width * truncated_normal(uniform, low / spread.width, reach / spread.width)


def _friction(uniform: Array, belief: TerrainBelief, spread: float) -> Array:
    """Draws of the believed friction, inside its own truncation."""
    deviation = belief.friction_standard_deviation * spread
    if deviation == 0.0:
        return np.full_like(uniform, belief.friction_mean)
    ends = ((end - belief.friction_mean) / deviation for end in (belief.friction_minimum, belief.friction_maximum))
    drawn = belief.friction_mean + deviation * truncated_normal(uniform, *ends)
    result: Array = np.clip(drawn, belief.friction_minimum, belief.friction_maximum)
    return result


def _chosen(uniform: Array, uncertainty: Uncertainty) -> NDArray[np.int64]:
    """Numbers of contact models, (n,)."""
    known = np.array([CONTACT_MODELS.index(name) for name in uncertainty.persistent.contact_model.choices])
    result: NDArray[np.int64] = known[np.minimum((uniform * len(known)).astype(np.int64), len(known) - 1)]
    return result


def _errors(raw: dict[str, Array], state: RobotState, uncertainty: Uncertainty) -> dict[str, Array]:
    """Errors of the estimate, from its covariance."""
    scale, truncation = uncertainty.initial_state, uncertainty.truncation
    normal = {
        name: truncated_normal(raw[name], -truncation, truncation)
        for name in ("base_position", "base_orientation", "base_velocity", "base_rate", "joint_position", "joint_velocity")
    }
    # Ground, feet, plan and velocity are known along the robot: how it is turned about the vertical makes no difference to any of them.
    pose_covariance = state.pose_covariance.copy()
    pose_covariance[5, :] = pose_covariance[:, 5] = 0.0
    pose = _correlated(normal["base_position"], normal["base_orientation"], pose_covariance, scale)
    twist = _correlated(normal["base_velocity"], normal["base_rate"], state.twist_covariance, scale)
    return {
        "base_position": pose[:, :3],
        "base_orientation": pose[:, 3:],
        "base_velocity": twist[:, :3],
        "base_rate": twist[:, 3:],
        "joint_position": scale * np.sqrt(state.joint_position_variance) * normal["joint_position"],
        "joint_velocity": scale * np.sqrt(state.joint_velocity_variance) * normal["joint_velocity"],
    }


def _correlated(linear: Array, angular: Array, covariance: Array, scale: float) -> Array:
    """Standard draws (n, 3) and (n, 3), correlated, (n, 6)."""
    # A covariance may be singular; its symmetric root always exists.
    values, vectors = np.linalg.eigh(covariance)
    root = scale * (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    standard = np.concatenate((linear, angular), axis=1)
    result = np.zeros_like(standard)
    # Not a matrix product: its bits may depend on the number of rows.
    for k in range(6):
        result += standard[:, k, None] * root[k]
    return result
