# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.robot.bodies import AttachedFrame
from surefoot.robot.description import NoiseDescription, RobotDescription
from surefoot.robot.model import RobotModel
from surefoot.simulation.sensors import SensorModel, TrueSample

STEP = 1e-3
MOUNT = AttachedFrame("imu", "base", Rotation.from_euler("xyz", (np.pi / 2, 0.0, 0.3)).as_matrix(), np.array((0.2, 0.1, -0.05)))


def true_sample(time: float = 0.0, **changes: np.ndarray) -> TrueSample:
    zero = np.zeros(3)
    values = {
        "joint_position": np.full(12, time), "joint_velocity": np.full(12, time), "joint_effort": np.full(12, time),
        "angular_velocity_base": zero, "acceleration_in_world": zero, "angular_acceleration_base": zero, "world_from_base": np.eye(3),
        "foot_force_base": np.full((4, 3), time),
    }  # fmt: skip
    return TrueSample(time=time, **(values | changes))


def described(hyq: RobotModel, **changes: object) -> RobotDescription:
    sensors = hyq.description.sensors.model_copy(update=changes)
    return hyq.description.model_copy(update={"sensors": sensors})


CHANNELS = {
    "joint_position": "joint_position", "joint_velocity": "joint_velocity", "joint_effort": "joint_effort",
    "gyroscope": "angular_velocity_imu", "accelerometer": "specific_force_imu", "foot_force": "foot_force",
}  # fmt: skip
NONE = NoiseDescription()
SILENT = dict.fromkeys(CHANNELS, NONE)


@pytest.mark.parametrize("channel", CHANNELS)
def test_noise_is_white_and_bias_is_constant(hyq: RobotModel, channel: str) -> None:
    noisy = SILENT | {channel: NoiseDescription(standard_deviation=0.2, bias_standard_deviation=3.0)}
    truth, biases = [true_sample()], []
    perfect = SensorModel(described(hyq, **SILENT), MOUNT, 0, STEP).sample(truth)[0]
    for seed in range(25):
        sensors = SensorModel(described(hyq, **noisy), MOUNT, seed, STEP)
        errors = np.array(
            [getattr(sensors.sample(truth)[0], CHANNELS[channel]) - getattr(perfect, CHANNELS[channel]) for _ in range(60)]
        ).reshape(60, -1)
        biases.append(errors.mean(axis=0))
        rest = errors - errors.mean(axis=0)
        assert rest.std() == pytest.approx(0.2, rel=0.2)
        correlation = (rest[1:] * rest[:-1]).mean() / (rest**2).mean()
        assert abs(correlation) < 0.4
    assert np.std(biases) == pytest.approx(3.0, rel=0.3)
    assert abs(np.mean(biases)) < 1.5


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_channel_disturbs_no_other(hyq: RobotModel, channel: str) -> None:
    noisy = {name: NoiseDescription(standard_deviation=0.1, bias_standard_deviation=0.1) for name in CHANNELS}
    loud = noisy | {channel: NoiseDescription(standard_deviation=5.0, bias_standard_deviation=5.0)}
    one, two = (SensorModel(described(hyq, **noise), MOUNT, 3, STEP).sample([true_sample()])[0] for noise in (noisy, loud))
    for name, field in CHANNELS.items():
        assert np.array_equal(getattr(one, field), getattr(two, field)) == (name != channel), name


def test_each_channel_has_its_own_age(hyq: RobotModel) -> None:
    delays = {name: NoiseDescription(delay=0.001 * k) for k, name in enumerate(CHANNELS)}
    sensors = SensorModel(described(hyq, **delays), MOUNT, 0, STEP)
    assert sensors.longest_delay_steps == 5
    times = np.arange(20) * STEP
    history = [
        true_sample(t, angular_velocity_base=np.full(3, t), acceleration_in_world=np.array((0.0, 0.0, t - 9.81))) for t in times
    ]
    sample, stamps = sensors.sample(history)
    now = times[-1]
    assert sample.joint_position == pytest.approx(np.full(12, now))
    assert sample.joint_velocity == pytest.approx(np.full(12, now - 0.001))
    assert sample.joint_effort == pytest.approx(np.full(12, now - 0.002))
    assert MOUNT.body_from_frame_rotation @ sample.angular_velocity_imu == pytest.approx(np.full(3, now - 0.003))
    felt = MOUNT.body_from_frame_rotation @ sample.specific_force_imu
    assert felt[2] == pytest.approx(now - 0.004, abs=1e-3)
    assert sample.foot_force == pytest.approx(np.full((4, 3), now - 0.005))
    assert (sample.time, stamps) == (pytest.approx(now), pytest.approx((now - 0.003, now, now - 0.005)))


def test_before_there_is_a_past_the_oldest_sample_stands_in(hyq: RobotModel) -> None:
    sensors = SensorModel(described(hyq, **SILENT | {"joint_position": NoiseDescription(delay=0.01)}), MOUNT, 0, STEP)
    assert sensors.sample([true_sample(0.5), true_sample(0.501)])[0].joint_position[0] == 0.5


@pytest.mark.parametrize("tilt", [(0.0, 0.0, 0.0), (0.3, -0.2, 1.0), (np.pi, 0.0, 0.0)])
def test_a_mounted_imu_at_rest_reads_gravity_upwards(hyq: RobotModel, tilt: tuple[float, float, float]) -> None:
    attitude = Rotation.from_euler("xyz", tilt)
    sample, _ = SensorModel(hyq.description, MOUNT, 0, STEP, perfect=True).sample([true_sample(world_from_base=attitude.as_matrix())])
    world_from_imu = attitude * Rotation.from_matrix(MOUNT.body_from_frame_rotation)
    assert world_from_imu.apply(sample.specific_force_imu) == pytest.approx([0.0, 0.0, 9.81])


def test_an_imu_off_the_centre_feels_the_turning(hyq: RobotModel) -> None:
    rate, spin_up = np.array((0.0, 0.0, 2.0)), np.array((0.0, 0.0, 5.0))
    falling = np.array((0.0, 0.0, -9.81))
    sample, _ = SensorModel(hyq.description, MOUNT, 0, STEP, perfect=True).sample(
        [true_sample(angular_velocity_base=rate, angular_acceleration_base=spin_up, acceleration_in_world=falling)]
    )
    x, y, _ = MOUNT.body_from_frame_translation
    expected = (-4.0 * x - 5.0 * y, -4.0 * y + 5.0 * x, 0.0)
    assert MOUNT.body_from_frame_rotation @ sample.specific_force_imu == pytest.approx(expected)
    assert MOUNT.body_from_frame_rotation @ sample.angular_velocity_imu == pytest.approx(rate)


def test_feet_without_sensors_say_nothing(hyq: RobotModel) -> None:
    sample, _ = SensorModel(described(hyq, foot_force=None), MOUNT, 0, STEP).sample([true_sample()])
    assert np.isnan(sample.foot_force).all()


def test_perfect_sensors_have_no_age(hyq: RobotModel) -> None:
    sensors = SensorModel(hyq.description, MOUNT, 0, STEP, perfect=True)
    assert sensors.longest_delay_steps == 0
    assert sensors.sample([true_sample(0.1), true_sample(0.2)])[0].joint_velocity.tolist() == [0.2] * 12
