# SPDX-License-Identifier: Apache-2.0
"""A robot that lies still, and everything that may be wrong with what it says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from surefoot.estimation.settings import EstimatorSettings, StartSettings
from surefoot.evaluation.preflight.checklist import Check, Outcome, may_walk
from surefoot.evaluation.preflight.sensors import BATTERY, FEET, IMU, JOINTS, sensors
from surefoot.recording.types import RawMessage, Topic
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.settings import read_settings

STORE = get_typestore(Stores.ROS2_JAZZY)
SECOND = 1_000_000_000
BEGIN = 1_700_000_000 * SECOND
TOPICS = {
    name: Topic(name, kind)
    for name, kind in ((JOINTS, "sensor_msgs/msg/JointState"), (IMU, "sensor_msgs/msg/Imu"), (BATTERY, "sensor_msgs/msg/BatteryState"))
}


@pytest.fixture(scope="module")
def settings() -> StartSettings:
    return read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml").start


@pytest.fixture
def said(hyq: RobotModel, settings: StartSettings) -> Callable[..., dict[str, Check]]:
    """The checklist of two seconds, with something spoilt."""

    def check(**spoilt: Any) -> dict[str, Check]:
        random = np.random.default_rng(1)
        imu_from_base = hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation.T
        options: dict[str, Any] = {"period": 0.004, "age": 0.002, "force": (0.0, 0.0, 9.81), "rate": 0.0}
        options |= {"names": hyq.description.joint_names, "position": hyq.lie_joint_position, "noise": 0.02, "speed": np.zeros(12)}
        options |= {"stamp": lambda k, time: time} | spoilt
        messages = []
        for k in range(int(2.0 / options["period"])):
            time = BEGIN + round(k * options["period"] * SECOND)
            header = _header(options["stamp"](k, time - round(options["age"] * SECOND)))
            force = imu_from_base @ options["force"] + options["noise"] * random.standard_normal(3)
            joints = STORE.types["sensor_msgs/msg/JointState"](
                header, list(options["names"]), np.array(options["position"]), np.array(options["speed"]), np.zeros(12)
            )
            imu = STORE.types["sensor_msgs/msg/Imu"](
                header, STORE.types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0), np.zeros(9),
                STORE.types["geometry_msgs/msg/Vector3"](options["rate"], 0.0, 0.0), np.zeros(9),
                STORE.types["geometry_msgs/msg/Vector3"](*force), np.zeros(9),
            )  # fmt: skip
            for topic, message in ((JOINTS, joints), (IMU, imu)):
                data = bytes(STORE.serialize_cdr(message, TOPICS[topic].type))
                messages.append(RawMessage(topic, TOPICS[topic].type, data, time, time))
            messages.append(RawMessage(FEET, "", messages[-1].data, time, time))
        return {one.name: one for one in sensors(messages, TOPICS, hyq, settings)}

    return check


def _header(stamp: int) -> Any:
    return STORE.types["std_msgs/msg/Header"](STORE.types["builtin_interfaces/msg/Time"](stamp // SECOND, stamp % SECOND), "")


def bad(checks: dict[str, Check]) -> dict[str, str]:
    return {name: f"{one.found}: {one.advice}" for name, one in checks.items() if one.outcome == Outcome.BAD}


def test_a_joint_that_says_that_it_moves_and_does_not_is_named(said: Callable[..., dict[str, Check]], hyq: RobotModel) -> None:
    check = said(speed=np.eye(12)[7])["IMU and joints"]
    assert check.outcome is Outcome.BAD
    assert hyq.description.joint_names[7] in check.found
    assert said(speed=np.zeros(0))["IMU and joints"].outcome is Outcome.GOOD


def test_a_sound_robot_may_walk(said: Callable[..., dict[str, Check]]) -> None:
    checks = said()
    assert bad(checks) == {}
    assert may_walk(checks.values())
    assert checks["rate of /imu"].found.startswith("250 Hz")
    assert checks["battery"].outcome == Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("spoilt", "name", "words"),
    [
        ({"period": 0.01}, "rate of /joint_states", ("100 Hz", "needs 250 Hz")),
        ({"age": 3600.0}, "stamps of /imu", ("synchronize the clocks",)),
        ({"stamp": lambda k, time: (1 + k) * 4_000_000}, "stamps of /imu", ("begin at 0.0 s", "only a simulation")),
        ({"stamp": lambda k, time: 0}, "stamps of /joint_states", ("all 0",)),
        ({"stamp": lambda k, time: BEGIN - k}, "stamps of /imu", ("go back",)),
        ({"force": (0.0, 0.0, 1.0)}, "IMU and joints", ("in g",)),
        ({"force": (0.0, 0.0, -9.81)}, "IMU and joints", ("upside down",)),
        ({"rate": 1.0}, "IMU and joints", ("gyroscope turns",)),
        ({"noise": 0.0}, "IMU", ("frozen",)),
        ({"position": [9.0] * 12}, "IMU and joints", ("outside of",)),
        ({"position": [float("nan")] * 12}, "IMU and joints", ("not finite",)),
        ({"names": [f"leg{k}" for k in range(12)]}, "joints", ("without lf_haa_joint",)),
    ],
    ids=[
        "slow",
        "late clock",
        "other clock",
        "no stamps",
        "backwards",
        "in g",
        "upside down",
        "turning",
        "frozen",
        "limits",
        "nan",
        "names",
    ],
)
def test_what_is_wrong_is_named_with_what_to_do(
    said: Callable[..., dict[str, Check]], spoilt: dict[str, Any], name: str, words: tuple[str, ...]
) -> None:
    found = bad(said(**spoilt))
    assert name in found, found
    for word in words:
        assert word in found[name]


def test_silence_is_bad_and_never_a_crash(hyq: RobotModel, settings: StartSettings) -> None:
    checks = sensors([], {}, hyq, settings)
    assert not may_walk(checks)
    assert [one.name for one in checks if one.outcome == Outcome.BAD] == [f"rate of {topic}" for topic in (JOINTS, IMU, FEET)]
    broken = [RawMessage(topic, "", b"\x00\x01", BEGIN + k, BEGIN + k) for topic in (JOINTS, IMU) for k in range(5)]
    assert not may_walk(sensors(broken, TOPICS, hyq, settings))


@pytest.mark.parametrize(
    ("charge", "outcome"), [(0.9, Outcome.GOOD), (0.25, Outcome.WARNING), (0.1, Outcome.BAD), (float("nan"), Outcome.UNKNOWN)]
)
def test_the_battery(hyq: RobotModel, settings: StartSettings, charge: float, outcome: Outcome) -> None:
    kind = STORE.types["sensor_msgs/msg/BatteryState"]
    values = {"voltage": 24.0, "temperature": 20.0, "current": 0.0, "charge": 0.0, "capacity": 0.0, "design_capacity": 0.0}
    message = kind(
        header=_header(0), percentage=charge, power_supply_status=0, power_supply_health=0, power_supply_technology=0, present=True,
        cell_voltage=np.array([], np.float32), cell_temperature=np.array([], np.float32), location="", serial_number="", **values,
    )  # fmt: skip
    raw = RawMessage(BATTERY, "sensor_msgs/msg/BatteryState", bytes(STORE.serialize_cdr(message, "sensor_msgs/msg/BatteryState")), 0, 0)
    assert sensors([raw], TOPICS, hyq, settings)[-1].outcome == outcome
