# SPDX-License-Identifier: Apache-2.0
"""A made-up walk whose truth is known: the base moves as a formula says, stance feet roll on the ground, sensors follow from both."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.leg_dynamics import leg_torque
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.leg_kinematics import foot_in_base, foot_jacobian_in_base, foot_terms_in_base
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState, SensorSample
from surefoot.robot.tree import leg_tree
from surefoot.settings import read_settings

Array = NDArray[np.float64]
GRAVITY = np.array([0.0, 0.0, 9.81])
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class WalkPlan:
    """How the made-up robot walks: still for a second, then up to speed within another one."""

    duration: float = 10.0
    speed: float = 0.3
    turn_rate: float = 0.1
    period: float = 0.6
    duty_factor: float = 0.6
    liftoff: tuple[float, ...] = (0.0, 0.5, 0.5, 0.0)
    step_height: float = 0.08
    sway: float = 0.02
    bob: float = 0.01
    rate: float = 250.0


@dataclass(frozen=True)
class Walk:
    """Truth at n instants, and what perfect sensors say."""

    time: Array
    position: Array
    rotation: Array
    linear_velocity: Array
    angular_velocity: Array
    feet: Array
    contact: NDArray[np.bool_]
    samples: list[SensorSample]


def rotation_about(axis: int, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result = np.eye(3)
    result[i, i], result[i, j], result[j, i], result[j, j] = c, -s, s, c
    return result


def progress(time: float) -> float:
    """Seconds at full speed that have the same way: 0 until 1 s, then a smooth second."""
    u = min(max(time - 1.0, 0.0), 1.0)
    return u**6 - 3.0 * u**5 + 2.5 * u**4 + max(time - 2.0, 0.0)


def base_pose(time: float, plan: WalkPlan, height: float) -> tuple[Array, Array]:
    s = progress(time)
    u = min(s, 1.0)
    waves = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
    phase = 2.0 * math.pi * s / plan.period
    yaw = plan.turn_rate * s
    if abs(plan.turn_rate) > 1e-9:
        radius = plan.speed / plan.turn_rate
        x, y = radius * math.sin(yaw), radius * (1.0 - math.cos(yaw))
    else:
        x, y = plan.speed * s, 0.0
    z = height + waves * plan.bob * math.sin(2.0 * phase)
    roll, pitch = waves * plan.sway * math.sin(phase), waves * plan.sway * math.sin(2.0 * phase + 0.5)
    return np.array([x, y, z]), rotation_about(2, yaw) @ rotation_about(1, pitch) @ rotation_about(0, roll)


def body_rate(before: Array, after: Array, step: float) -> Array:
    """Angular velocity in body axes that turns one rotation into the other."""
    turn = before.T @ after
    sine = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    length = float(np.linalg.norm(sine))
    return sine / step if length < 1e-12 else sine * (math.asin(length) / length / step)


@compiled
def solve_leg(tree: Any, leg: int, foot: Array, guess: Array) -> Array:
    """Joint angles of a leg that put its foot there in base, by Newton's method."""
    joints = guess.copy()
    for _ in range(20):
        error = foot - foot_in_base(tree, leg, joints)
        if np.abs(error).max() < 1e-12:
            break
        joints += np.linalg.solve(foot_jacobian_in_base(tree, leg, joints), error)
    return joints


SHAPES = {
    "position": (3,),
    "rotation": (3, 3),
    "linear_velocity": (3,),
    "angular_velocity": (3,),
    "feet": (4, 3),
    "imu_rate": (3,),
    "imu_force": (3,),
}


def make_walk(model: RobotModel, plan: WalkPlan) -> Walk:
    """Truth and noise-free samples of a walk."""
    tree, step, small = leg_tree(model), 1.0 / plan.rate, 1e-3
    imu = model.attached_frame(model.description.sensors.imu_link)
    arm, imu_axes = imu.body_from_frame_translation, imu.body_from_frame_rotation
    radius = model.description.foot_radius
    nominal = model.feet_in_base(model.stand_joint_position)
    height = radius - float(nominal[:, 2].min())
    count = round(plan.duration * plan.rate) + 1
    times = np.arange(count) * step
    joints = model.stand_joint_position.copy().reshape(4, 3)
    position, rotation = base_pose(0.0, plan, height)
    feet = nominal + position
    lifted, target = feet.copy(), feet.copy()
    truth = {name: np.zeros((count, *shape)) for name, shape in SHAPES.items()}
    contact = np.ones((count, 4), dtype=np.bool_)
    angles = np.zeros((count, 12))
    shank = np.zeros((4, 3))
    for k, time in enumerate(times):
        before, here, after = (base_pose(time + d, plan, height) for d in (-small, 0.0, small))
        position, rotation = here
        rate = body_rate(before[1], after[1], 2.0 * small)
        places = [p + r @ arm for p, r in (before, here, after)]
        acceleration = (places[0] - 2.0 * places[1] + places[2]) / small**2
        truth["position"][k], truth["rotation"][k] = position, rotation
        truth["linear_velocity"][k] = (after[0] - before[0]) / (2.0 * small)
        truth["angular_velocity"][k] = rotation @ rate
        truth["imu_rate"][k] = imu_axes.T @ rate
        truth["imu_force"][k] = imu_axes.T @ rotation.T @ (acceleration + GRAVITY)
        for leg in range(4):
            cycle = progress(time) / plan.period - plan.liftoff[leg]
            phase = cycle % 1.0
            swing = phase < 1.0 - plan.duty_factor and time > 1.0 + step and cycle >= 0.0
            if swing and contact[k - 1, leg]:
                lifted[leg] = feet[leg]
                ahead, _ = base_pose(time + (1.0 - 0.5 * plan.duty_factor) * plan.period, plan, height)
                yaw = plan.turn_rate * progress(time + (1.0 - 0.5 * plan.duty_factor) * plan.period)
                target[leg] = ahead + rotation_about(2, yaw) @ nominal[leg]
                target[leg, 2] = radius
            contact[k, leg] = not swing
            if swing:
                u = phase / (1.0 - plan.duty_factor)
                blend = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
                feet[leg] = lifted[leg] + blend * (target[leg] - lifted[leg])
                feet[leg, 2] = radius + plan.step_height * (4.0 * u * (1.0 - u)) ** 3
                joints[leg] = solve_leg(tree, leg, rotation.T @ (feet[leg] - position), joints[leg])
                shank[leg] = 0.0
            elif k > 0:
                feet[leg], joints[leg], shank[leg] = roll_foot(
                    tree, leg, feet[leg].copy(), joints[leg].copy(), shank[leg].copy(), position, rotation, rate, radius, step
                )
        angles[k], truth["feet"][k] = joints.ravel(), feet
    velocities = np.gradient(angles, step, axis=0)
    weight = model.total_mass * 9.81
    samples = []
    for k, time in enumerate(times):
        load = contact[k] * weight / max(1, contact[k].sum())
        force = load[:, None] * (truth["rotation"][k].T @ UP)
        imu_says = truth["imu_rate"][k], truth["imu_force"][k]
        samples.append(SensorSample(time, angles[k], velocities[k], np.full(12, np.nan), *imu_says, force))
    return Walk(
        times, truth["position"], truth["rotation"], truth["linear_velocity"], truth["angular_velocity"], truth["feet"], contact, samples
    )


@compiled
def roll_foot(
    tree: Any,
    leg: int,
    start: Array,
    last_joints: Array,
    last_shank: Array,
    position: Array,
    rotation: Array,
    rate: Array,
    radius: float,
    step: float,
) -> tuple[Array, Array, Array]:
    """Let a stance foot roll for one step: its place depends on the rate of its link and the other way round."""
    foot, shank, joints = start, last_shank, last_joints
    axes, jacobian, ignored = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for _ in range(3):
        mean = 0.5 * (last_shank + shank)
        foot = start + step * radius * np.array([mean[1], -mean[0], 0.0])
        joints = solve_leg(tree, leg, rotation.T @ (foot - position), joints)
        foot_terms_in_base(tree, leg, joints, ignored, jacobian, axes)
        shank = rotation @ (rate + axes @ ((joints - last_joints) / step))
    return foot, joints, shank


def add_noise(walk: Walk, model: RobotModel, seed: int) -> list[SensorSample]:
    """The samples with white noise and constant biases as the robot's description has them."""
    generator, sensors, count = np.random.default_rng(seed), model.description.sensors, len(walk.samples)

    def noise(channel: object, size: int) -> Array:
        white, bias = channel.standard_deviation, channel.bias_standard_deviation  # type: ignore[attr-defined]
        return generator.normal(size=(count, size)) * white + generator.normal(size=size) * bias

    rate, force = noise(sensors.gyroscope, 3), noise(sensors.accelerometer, 3)
    angle, speed = noise(sensors.joint_position, 12), noise(sensors.joint_velocity, 12)
    assert sensors.foot_force is not None
    feet = noise(sensors.foot_force, 12).reshape(count, 4, 3)
    return [
        replace(
            sample,
            joint_position=sample.joint_position + angle[k],
            joint_velocity=sample.joint_velocity + speed[k],
            angular_velocity_imu=sample.angular_velocity_imu + rate[k],
            specific_force_imu=sample.specific_force_imu + force[k],
            foot_force=sample.foot_force + feet[k],
        )
        for k, sample in enumerate(walk.samples)
    ]


@pytest.fixture(scope="session")
def hyq() -> RobotModel:
    return load_robot("hyq")


@pytest.fixture(scope="session")
def settings() -> EstimatorSettings:
    """As configured, but for the instant of the newest sample, which is the one whose truth is known."""
    configured = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
    return configured.model_copy(update={"window": configured.window.model_copy(update={"lead": 0.0})})


@pytest.fixture
def estimator(hyq: RobotModel, settings: EstimatorSettings) -> StateEstimator:
    return StateEstimator(hyq.description, hyq, settings)


@pytest.fixture(scope="session")
def bound(hyq: RobotModel) -> Walk:
    """6 s in which the front and the hind legs step in turn, straight on."""
    return make_walk(hyq, WalkPlan(duration=6.0, liftoff=(0.0, 0.0, 0.5, 0.5), turn_rate=0.0, sway=0.0, bob=0.0))


@pytest.fixture(scope="session")
def trot(hyq: RobotModel) -> Walk:
    """20 s of trot in a wide bend."""
    return make_walk(hyq, WalkPlan(duration=20.0))


@pytest.fixture(scope="session")
def noisy(hyq: RobotModel) -> Callable[[Walk, int], list[SensorSample]]:
    return lambda walk, seed: add_noise(walk, hyq, seed)


@pytest.fixture(scope="session")
def with_torques(hyq: RobotModel, trot: Walk, noisy: Callable[[Walk, int], list[SensorSample]]) -> list[SensorSample]:
    """7 s of the trot, with the torques of its legs' motion and of the ground that they bear."""
    count = 1750
    tree, servos, result = leg_tree(hyq), hyq.description.servos, []
    speeds = np.array([sample.joint_velocity for sample in trot.samples[: count + 1]])
    acceleration = np.diff(speeds, axis=0) / 0.004
    for k, sample in enumerate(noisy(trot, 5)[:count]):
        right = trot.samples[k]
        effort, torque = np.empty(12), np.empty(3)
        gravity, rate = -9.81 * trot.rotation[k][2], trot.rotation[k].T @ trot.angular_velocity[k]
        for leg in range(4):
            mine = slice(3 * leg, 3 * leg + 3)
            leg_torque(tree, leg, gravity, rate, right.joint_position[mine], speeds[k, mine], acceleration[k, mine], torque)
            friction = servos.viscous_friction * speeds[k, mine] + servos.friction * np.tanh(speeds[k, mine] / 0.1)
            jacobian = foot_jacobian_in_base(tree, leg, right.joint_position[mine])
            effort[mine] = torque + friction - jacobian.T @ right.foot_force[leg]
        result.append(replace(sample, joint_effort=effort))
    return result


@pytest.fixture(scope="session")
def still(hyq: RobotModel) -> Callable[..., list[SensorSample]]:
    """Makes n samples of a robot that stands still, with the given fields in place of the right ones."""

    def make(count: int, start: float = 0.0, **fields: Array) -> list[SensorSample]:
        axes = hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation
        weight = np.tile([0.0, 0.0, hyq.total_mass * 9.81 / 4.0], (4, 1))
        nothing = np.full(12, np.nan)
        right = SensorSample(start, hyq.stand_joint_position, np.zeros(12), nothing, np.zeros(3), axes.T @ GRAVITY, weight)
        return [replace(right, time=start + 0.004 * k, **fields) for k in range(count)]

    return make


@dataclass(frozen=True)
class Errors:
    """Truth minus estimate over the valid part of a walk: x y z, rotation vector in odom, linear and angular velocity, (n, 12)."""

    error: Array
    deviation: Array
    states: list[RobotState]


@pytest.fixture(scope="session")
def errors() -> Callable[[Walk, list[RobotState]], Errors]:
    def compare(walk: Walk, states: list[RobotState]) -> Errors:
        rows, deviations, used = [], [], []
        for k, state in enumerate(states):
            if not state.valid:
                continue
            used.append(state)
            turn = body_rate(rotation_from(state.base_quaternion).T, walk.rotation[k].T, 1.0)
            # Along the base, as the covariance says it.
            along = rotation_from(state.base_quaternion) @ walk.rotation[k].T
            linear = along @ walk.linear_velocity[k] - state.base_linear_velocity
            angular = along @ walk.angular_velocity[k] - state.base_angular_velocity
            rows.append(np.concatenate((walk.position[k] - state.base_position, -turn, linear, angular)))
            deviations.append(np.sqrt(np.concatenate((np.diag(state.pose_covariance), np.diag(state.twist_covariance)))))
        return Errors(np.array(rows), np.array(deviations), used)

    return compare


def rotation_from(quaternion: Array) -> Array:
    x, y, z, w = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross
