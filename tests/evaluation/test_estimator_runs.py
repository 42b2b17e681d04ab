# SPDX-License-Identifier: Apache-2.0
"""What the error of an estimator is counted from."""

from dataclasses import replace

import numpy as np

from surefoot.estimation.settings import EstimatorSettings
from surefoot.evaluation.estimator_runs import run_estimator
from surefoot.evaluation.sensor_faults import read_sensor_faults, spoil
from surefoot.evaluation.sensor_stream import SensorStream
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.rotation import quaternion_from_roll_pitch_yaw
from surefoot.settings import read_settings


def standing(model: RobotModel, x: float, yaw: float) -> SensorStream:
    """One second of a robot that stands somewhere and looks somewhere."""
    n, imu = 251, model.attached_frame(model.description.sensors.imu_link)
    height = model.description.foot_radius - model.feet_in_base(model.stand_joint_position)[:, 2].min()
    force = imu.body_from_frame_rotation.T @ np.array([0.0, 0.0, 9.81])
    load = np.array([0.0, 0.0, model.total_mass * 9.81 / 4.0])
    none = np.zeros((n, 3))
    return SensorStream(
        time=np.arange(n) * 0.004, position=np.tile([x, 0.0, height], (n, 1)),
        quaternion=np.tile(quaternion_from_roll_pitch_yaw(0.0, 0.0, yaw), (n, 1)), linear_velocity=none, angular_velocity=none,
        joint_position=np.tile(model.stand_joint_position, (n, 1)), joint_velocity=np.zeros((n, 12)), joint_effort=np.full((n, 12), np.nan),
        angular_velocity_imu=none, specific_force_imu=np.tile(force, (n, 1)), foot_force_base=np.tile(load, (n, 4, 1)),
    )  # fmt: skip


def test_odom_begins_where_the_robot_is_when_the_estimator_starts(hyq: RobotModel) -> None:
    """Not at the origin of the simulation, from which a robot has moved a little as it settled; what happens later is an error."""
    settings = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
    faults = read_sensor_faults("a1_class")
    arrivals = spoil(standing(hyq, 0.0, 0.0), faults.without_delay(), 1)
    errors = [run_estimator(hyq, settings, faults, standing(hyq, x, yaw), arrivals).error for x, yaw in ((0.0, 0.0), (5.0, 2.0))]
    assert np.abs(errors[0][:, :2]).max() < 0.001
    np.testing.assert_allclose(errors[1], errors[0], atol=1e-9)
    moved = standing(hyq, 5.0, 2.0)
    later = moved.time[:, None] > 0.9
    moved = replace(moved, position=moved.position + np.where(later, [np.cos(2.0), np.sin(2.0), 0.0], 0.0))
    error = run_estimator(hyq, settings, faults, moved, arrivals).error
    np.testing.assert_allclose(error[-1, :3] - errors[0][-1, :3], [1.0, 0.0, 0.0], atol=1e-9)
