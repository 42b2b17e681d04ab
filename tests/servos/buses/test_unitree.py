# SPDX-License-Identifier: Apache-2.0
"""The bus against a robot in this process by memory, and against one in another process over DDS."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.buses import find_bus_file
from surefoot.servos.buses.unitree import UnitreeBus, UnitreeSettings
from surefoot.servos.emulation.unitree import EmulatedUnitree
from surefoot.servos.unitree.layout import LOW_STATE, NO_POSITION, checksum_of
from surefoot.settings import check_settings, read_settings

STEP = 0.002


def copied(record: Any) -> Any:
    """With the bytes between its members, which a copy by numpy leaves out."""
    return np.frombuffer(bytearray(record.tobytes()), dtype=record.dtype)[0:1].reshape(())


class Memory:
    """A wire without length."""

    def __init__(self, robot: EmulatedUnitree) -> None:
        self.robot, self.now, self.commands = robot, 0.0, []
        self.spoil: Any = lambda state: state

    def send(self, record: Any) -> None:
        self.commands.append(copied(record))

    def receive(self) -> Any:
        self.now += STEP
        return self.spoil(copied(self.robot.step(self.commands[-1] if self.commands else None, STEP)))

    def close(self) -> None: ...


def settings_of(model: RobotModel) -> UnitreeSettings:
    # The second front leg is the first of the messages, as on the maker's robots.
    order = [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]
    return UnitreeSettings(motors=dict(zip(model.joint_names, order, strict=True)))


@pytest.fixture
def wire(hyq: RobotModel) -> Memory:
    return Memory(EmulatedUnitree(np.arange(12.0) / 10.0))


@pytest.fixture
def bus(hyq: RobotModel, wire: Memory) -> UnitreeBus:
    return UnitreeBus(hyq, settings_of(hyq), lambda: wire.now, wire)


def command(position: np.ndarray, stiffness: float = 40.0) -> JointCommand:
    one = np.ones(12)
    return JointCommand(0.0, position, 0.0 * one, 0.0 * one, stiffness * one, 1.0 * one)


def test_joints_and_motors_are_matched_by_name(bus: UnitreeBus, wire: Memory) -> None:
    sample = bus.read()
    assert sample is not None
    np.testing.assert_allclose(sample.joint_position[:3], (0.3, 0.4, 0.5), atol=0.01)
    np.testing.assert_allclose(sample.specific_force_imu, (0.0, 0.0, 9.81), atol=1e-5)
    goal = np.linspace(-0.5, 0.5, 12)
    for _ in range(1000):
        bus.write(command(goal))
        sample = bus.read()
    assert sample is not None
    np.testing.assert_allclose(sample.joint_position, goal, atol=1e-3)
    sent = wire.commands[-1]
    assert sent["motor_cmd"]["q"][0] == np.float32(goal[3])
    assert (sent["motor_cmd"]["kp"][12:] == 0.0).all()
    assert sent["crc"] == checksum_of(sent)
    assert wire.robot.refused == 0


def test_states_that_are_spoilt_or_old_are_refused(bus: UnitreeBus, wire: Memory) -> None:
    assert bus.read() is not None
    wire.spoil = lambda state: np.frombuffer(state.tobytes()[:100] + b"\x01" + state.tobytes()[101:], dtype=LOW_STATE)[0]
    assert bus.read() is None
    assert bus.health().counters["states_refused"] == 1
    wire.spoil = lambda state: None
    for _ in range(20):
        assert bus.read() is None
    assert bus.health().problem.startswith("no state from the robot for 0.04")
    old = copied(wire.robot.state)
    wire.spoil = lambda state: old
    bus.read()
    assert bus.read() is None, "the same state again is no news"


def test_what_the_robot_says_of_its_motors(bus: UnitreeBus, wire: Memory, hyq: RobotModel) -> None:
    bus.read()
    assert (bus.health().temperature == 35.0).all()
    assert bus.health().voltage[0] == pytest.approx(28.5)
    wire.robot.gone = {0}
    bus.read()
    wire.robot.gone = set()
    bus.read()
    assert bus.health().counters["motor_losses"] == 1
    wire.robot.gone = {0}
    for _ in range(50):
        bus.read()
        assert bus.health().faults == (), "what is missed once, or for a moment, is no fault"
    for _ in range(2):
        bus.read()
    (words,) = bus.health().faults
    assert words.startswith(f"{hyq.joint_names[3]} (motor 0) is lost by the robot for 0.10")
    wire.robot.gone = set()
    bus.read()
    assert bus.health().faults == ()


def test_a_motor_that_is_not_in_the_mode_that_it_is_told_is_a_fault(bus: UnitreeBus, wire: Memory, hyq: RobotModel) -> None:
    for _ in range(100):
        bus.read()
    assert bus.health().faults == (), "nobody has told them a mode yet"
    wire.robot.off = {0, 14}
    for _ in range(45):
        bus.write(JointCommand.damped(0.0, np.zeros(12), 2.0))
        bus.read()
    assert bus.health().faults == (), "for a moment it is none"
    for _ in range(10):
        bus.read()
    (words,) = bus.health().faults
    assert words.startswith(f"{hyq.joint_names[3]} (motor 0) is in mode 0, told mode 1, for 0.1")
    wire.robot.off = set()
    bus.read()
    assert bus.health().faults == ()


def test_a_damped_motor_is_told_no_position(bus: UnitreeBus, wire: Memory) -> None:
    bus.write(JointCommand.damped(0.0, np.full(12, 0.7), 2.0))
    motors = wire.commands[-1]["motor_cmd"][:12]
    assert (motors["q"] == np.float32(NO_POSITION)).all(), "there may be none that anybody measured"
    np.testing.assert_array_equal((motors["kp"], motors["dq"], motors["kd"]), ([0.0] * 12, [0.0] * 12, [2.0] * 12))
    bus.write(command(np.full(12, 0.7)))
    assert (wire.commands[-1]["motor_cmd"]["q"][:12] == np.float32(0.7)).all()


def test_a_message_that_cannot_be_one_is_counted(bus: UnitreeBus, wire: Memory) -> None:
    def raising(_: Any) -> Any:
        raise ValueError("buffer is too short")

    wire.spoil = raising
    assert bus.read() is None
    assert bus.health().counters["receive_errors"] == 1
    wire.spoil = lambda state: state
    assert bus.read() is not None


def test_the_end_is_damping(bus: UnitreeBus, wire: Memory, hyq: RobotModel) -> None:
    bus.read()
    bus.write(command(np.zeros(12)))
    bus.close()
    bus.close()
    last = wire.commands[-1]["motor_cmd"]
    assert (last["kp"] == 0.0).all()
    assert (last["kd"][:12] == hyq.description.servos.safe_damping).all()
    assert bus.read() is None


def test_a_command_that_does_not_leave_is_raised_and_the_end_is_tried_all_the_same(bus: UnitreeBus, wire: Memory) -> None:
    send, closed = wire.send, list[int]()

    def broken(_: Any) -> None:
        raise RuntimeError("DDS_RETCODE_TIMEOUT")

    wire.send = broken  # type: ignore[method-assign]
    for _ in range(2):
        with pytest.raises(RuntimeError, match="DDS_RETCODE_TIMEOUT"):
            bus.write(command(np.zeros(12)))
    assert bus.health().counters["send_errors"] == 2
    wire.send = send  # type: ignore[method-assign]
    bus.write(command(np.zeros(12)))
    wire.send, wire.close = broken, lambda: closed.append(1)  # type: ignore[method-assign]
    bus.close()
    assert closed


def test_a_robot_that_was_only_looked_at_is_told_nothing(bus: UnitreeBus, wire: Memory) -> None:
    bus.read()
    bus.close()
    assert wire.commands == []


def test_files_that_cannot_be_are_refused(hyq: RobotModel, wire: Memory) -> None:
    motors = settings_of(hyq).motors
    with pytest.raises(ConfigurationError, match="no motor is given for lf_haa_joint"):
        UnitreeBus(hyq, UnitreeSettings(motors={k: v for k, v in motors.items() if k != "lf_haa_joint"}), time.monotonic, wire)
    with pytest.raises(ConfigurationError, match="two joints one motor"):
        UnitreeBus(hyq, UnitreeSettings(motors=motors | {"lf_haa_joint": 0}), time.monotonic, wire)
    with pytest.raises(ConfigurationError, match="less than 20"):
        check_settings(UnitreeSettings, {"motors": {"a": 20}}, "bus")
    assert len(read_settings(UnitreeSettings, find_bus_file("go2_unitree")).motors) == 12


def test_over_dds_against_a_robot_in_another_process(hyq: RobotModel) -> None:
    pytest.importorskip("cyclonedds", reason="surefoot install unitree")
    from surefoot.servos.unitree.messages import DdsWire

    loopback = "<Interfaces><NetworkInterface name='lo' multicast='false'/></Interfaces>"
    peers = "<Peers><Peer address='127.0.0.1'/></Peers><ParticipantIndex>auto</ParticipantIndex>"
    alone = f"<CycloneDDS><Domain><General>{loopback}</General><Discovery>{peers}</Discovery></Domain></CycloneDDS>"
    domain = 100 + os.getpid() % 100
    words = [sys.executable, "-m", "surefoot.servos.emulation", "unitree", str(domain), alone]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[3] / "src" / "surefoot"), *sys.path])}
    robot = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert robot.stdout is not None
        assert robot.stdout.readline() == "ready\n"
        bus = UnitreeBus(hyq, settings_of(hyq), time.monotonic, DdsWire(domain, alone))
        goal, seen = np.linspace(-0.5, 0.5, 12), None
        deadline = time.monotonic() + 60.0
        while time.monotonic() < deadline:
            bus.write(command(goal))
            sample = bus.read()
            if sample is not None:
                seen = sample.joint_position
                if np.abs(seen - goal).max() < 0.01:
                    break
            time.sleep(STEP)
        assert seen is not None, bus.health().problem
        np.testing.assert_allclose(seen, goal, atol=0.01)
        assert bus.health().counters["states_refused"] == 0
        bus.close()
    finally:
        robot.communicate(timeout=30)
