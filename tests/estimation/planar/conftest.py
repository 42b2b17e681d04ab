# SPDX-License-Identifier: Apache-2.0
"""A robot that rocks: its legs push, feet leave the ground and come down again, as the planar models have it."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.estimation.planar.body import PlanarBody, planar_body
from surefoot.estimation.planar.contact import PlanarContact
from surefoot.estimation.planar.estimator import process_noise
from surefoot.estimation.planar.process import DOUBLE_SUPPORT, PlanarProcess
from surefoot.estimation.planar.sensors import BaseInPlane
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import ImuMeasurement, JointMeasurement, PoseMeasurement
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.rotation import quaternion_from_roll_pitch_yaw, rotation_matrix
from surefoot.settings import read_settings

Array = NDArray[np.float64]

STEP, STILL = 0.01, 0.5
"""Of the truth, and for how long it stands, s."""


@dataclass(frozen=True)
class Rocking:
    """What was, and what three sensors saw of it, step by step.

    Attributes:
        states: planar, (n, 14). bases: as `BaseInPlane`, (n, 6). modes: (n,). wanted: of twelve joints, (n, 12).
        imu, joints, poses: measurements.
    """

    states: Array
    bases: Array
    modes: list[int]
    wanted: Array
    imu: list[ImuMeasurement]
    joints: list[JointMeasurement]
    poses: list[PoseMeasurement]


@pytest.fixture(scope="session")
def a1() -> RobotModel:
    return load_robot("a1")


@pytest.fixture(scope="session")
def body(a1: RobotModel) -> PlanarBody:
    return planar_body(a1)


@pytest.fixture(scope="session")
def planar_settings() -> EstimatorSettings:
    """As configured for servos that follow positions, for the instant of the newest sample."""
    configured = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
    planar = configured.planar.model_copy(update={"input": "commands"})
    window = configured.window.model_copy(update={"lead": 0.0})
    return configured.model_copy(update={"process": "planar", "planar": planar, "window": window})


@pytest.fixture(scope="session")
def rock(a1: RobotModel, body: PlanarBody, planar_settings: EstimatorSettings):
    """Makes one of a seed: 4 s, everything disturbed by as much as the settings say."""

    def make(seed: int = 0, duration: float = 4.0) -> Rocking:
        generator = np.random.default_rng(seed)
        planar, sensors = planar_settings.planar, a1.description.sensors
        # A foot that is taken for the wrong one makes the filter's share larger.
        truth = planar.noise.model_copy(update={"pitch_rate": 0.02, "double_support_pitch_rate": 0.03, "joint_rate": 0.1})
        noise = process_noise(truth, STEP)
        process = PlanarProcess(noise, (a1.description.foot_radius, 0.0), STEP, 10, body.links)
        base, contact = BaseInPlane(body), PlanarContact(process, planar)
        base_from_imu = a1.attached_frame(sensors.imu_link).body_from_frame_rotation
        stand = body.joints(a1.stand_joint_position)
        state = np.zeros(14)
        state[3:7] = stand
        state = process.moved(state, stand, DOUBLE_SUPPORT)
        state[0] -= base.at(state).value[0]
        states, modes, wanted, imu, joints, poses = [], [], [], [], [], []
        for n in range(round(duration / STEP)):
            time = n * STEP
            here = base.at(state).value
            states.append(state)
            push = 0.25 * np.sin(2.0 * np.pi * (time - STILL)) if time > STILL else 0.0
            control = stand + push * np.array([0.5, -1.0, -0.5, 1.0])
            wanted.append(twelve(a1, body, control))
            modes.append(contact.look(state, control, n))
            rotation = rotation_matrix(quaternion_from_roll_pitch_yaw(0.0, -here[2], 0.0))
            rate = np.array([0.0, -here[5], 0.0]) + generator.normal(0.0, sensors.gyroscope.standard_deviation, 3)
            imu.append(ImuMeasurement(time, base_from_imu.T @ rate, base_from_imu.T @ rotation.T @ np.array([0.0, 0.0, 9.81])))
            spread = np.tile([0.0, 1.0, 1.0], 4) * np.hypot(
                sensors.joint_position.standard_deviation, sensors.joint_position.bias_standard_deviation
            )
            read = twelve(a1, body, state[3:7]) + generator.normal(0.0, 1.0, 12) * spread
            speed = twelve(a1, body, state[10:14]) - twelve(a1, body, np.zeros(4))
            joints.append(JointMeasurement(time, read, speed))
            pose_noise = np.array([planar.noise.pose_position] * 2 + [planar.noise.pose_pitch])
            seen = here[:3] + generator.normal(0.0, 1.0, 3) * pose_noise
            turn = quaternion_from_roll_pitch_yaw(0.0, -seen[2], 0.0)
            poses.append(PoseMeasurement(time, np.array([seen[0], 0.0, seen[1]]), turn, np.full(6, 1e-6)))
            state = process.moved(state, control, modes[-1])
            if time > STILL:
                state = state + generator.multivariate_normal(np.zeros(14), noise[modes[-1]])
        bases = np.array([base.at(one).value for one in states])
        return Rocking(np.array(states), bases, modes, np.array(wanted), imu, joints, poses)

    return make


def twelve(model: RobotModel, body: PlanarBody, planar: Array) -> Array:
    """Joints (12,) of planar ones (4,), both legs of a pair alike."""
    pair = (planar - body.offset) / body.sign
    joints = model.stand_joint_position.reshape(4, 3).copy()
    joints[[2, 3], 1:], joints[[0, 1], 1:] = pair[:2], pair[2:]
    return joints.ravel()


@pytest.fixture(scope="session")
def process(a1: RobotModel, body: PlanarBody) -> PlanarProcess:
    """Without noise, on level ground."""
    return PlanarProcess(np.zeros((3, 14, 14)), (a1.description.foot_radius, 0.0), STEP, 10, body.links)


@pytest.fixture(scope="session")
def stand(a1: RobotModel, body: PlanarBody) -> Array:
    return body.joints(a1.stand_joint_position)
