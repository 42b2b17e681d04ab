# SPDX-License-Identifier: Apache-2.0
"""A robot with round numbers, and what talks to its bridge."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.robot.description import RobotDescription
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.attitude import Attitude
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.buses import find_bus_file
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.settings import DynamixelSettings, JointServo
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request
from surefoot.servos.output import BridgeOutput
from surefoot.servos.settings import BridgeSettings
from surefoot.settings import read_settings

TICK = 0.004
LIE = np.tile([0.0, 1.2, -2.4], 4)
STAND = np.tile([0.0, 0.6, -1.2], 4)


def describe() -> RobotDescription:
    legs = {
        leg: {
            "joints": [f"{leg}_HAA", f"{leg}_HFE", f"{leg}_KFE"],
            "foot": f"{leg}_foot",
            "stand": [0.0, 0.6, -1.2],
            "lie": [0.0, 1.2, -2.4],
        }
        for leg in ("LF", "RF", "LH", "RH")
    }
    servos = {
        "stiffness": 50.0, "damping": 5.0, "posture_stiffness": 300.0, "posture_damping": 20.0, "safe_damping": 8.0, "posture_speed": 3.0,
    }  # fmt: skip
    noise: dict[str, float] = {}
    return RobotDescription.model_validate(
        {
            "name": "round", "urdf": "round.urdf", "base": "base", "legs": legs, "foot_radius": 0.02, "stand_height": 0.5, "max_reach": 0.7,
            "gait_set": "hyq", "servos": servos,
            "sensors": {
                "imu_link": "imu", "gyroscope": noise, "accelerometer": noise, "joint_position": noise, "joint_velocity": noise,
            },
            "control": {"foot_force_threshold": 30.0, "foot_force_limit": 2000.0},
            "effort_limits": {"LF_KFE": 120.0},
        }
    )  # fmt: skip


def make_limits() -> JointLimits:
    description = describe()
    return JointLimits.from_arrays(
        description,
        description.joint_names,
        lower=np.tile([-1.0, -0.5, -2.7], 4),
        upper=np.tile([1.0, 2.0, -0.3], 4),
        velocity=np.full(12, 12.0),
        effort=np.full(12, 150.0),
    )


def sample_at(time: float, position: np.ndarray, velocity: np.ndarray | float = 0.0) -> SensorSample:
    return SensorSample(
        time,
        np.array(position, dtype=float),
        np.zeros(12) + velocity,
        np.full(12, np.nan),
        np.zeros(3),
        np.array([0, 0, 9.81]),
        np.zeros((4, 3)),
    )


def command_at(time: float, position: np.ndarray = STAND, effort: float = 0.0) -> JointCommand:
    one = np.ones(12)
    return JointCommand(time, np.array(position, dtype=float), 0.0 * one, effort * one, 50.0 * one, 5.0 * one)


def torque(command: JointCommand, position: np.ndarray, velocity: np.ndarray | float = 0.0) -> np.ndarray:
    return command.effort + command.stiffness * (command.position - position) + command.damping * (command.velocity - velocity)


class Rig:
    """A bridge whose servos follow perfectly, and the clock."""

    TICK, LIE, STAND = TICK, LIE, STAND
    sample_at, command_at, torque = staticmethod(sample_at), staticmethod(command_at), staticmethod(torque)

    def __init__(self, **settings: object) -> None:
        self.settings = BridgeSettings.model_validate(settings)
        self.bridge = ServoBridge(describe(), make_limits(), self.settings)
        self.time = 0.0
        self.position = LIE.copy()
        self.outputs: list[BridgeOutput] = []

    def tick(self, **inputs: object) -> BridgeOutput:
        """One tick with a level base and a fresh sample, unless other inputs are given; then the servos go where they are told."""
        self.time = round(self.time + TICK, 6)
        inputs.setdefault("sample", sample_at(self.time, self.position))
        # Whatever is measured changes in its last digits.
        inputs.setdefault("attitude", Attitude(1e-9 * self.time, 0.0))
        inputs.setdefault("answered", self.time)
        output = self.bridge.tick(self.time, **inputs)  # type: ignore[arg-type]
        if output.command.stiffness.any():
            self.position = output.command.position.copy()
        self.outputs.append(output)
        return output

    @staticmethod
    def inwards(made: JointCommand, origin: np.ndarray) -> bool:
        """Whether targets are inside the limits, or no further beyond one than origin ((12,), rad), where they were before."""
        limits = make_limits()
        inside = (made.position >= np.minimum(limits.lower, origin)) & (made.position <= np.maximum(limits.upper, origin))
        return bool(inside.all())

    def until(self, mode: Mode, most: float = 20.0) -> BridgeOutput:
        for _ in range(int(most / TICK)):
            output = self.tick()
            if output.mode == mode:
                return output
        raise AssertionError(f"never reached {mode.name}; is {output.mode.name}: {output.reason}")

    def ready(self) -> "Rig":
        self.tick()
        self.tick(request=Request.ARM)
        self.tick(request=Request.STAND)
        self.until(Mode.READY)
        return self

    def balance(self, ticks: int = 1, **inputs: object) -> BridgeOutput:
        for _ in range(ticks):
            output = self.tick(command=command_at(self.time + TICK), **inputs)
        return output

    def walking(self, settled: int = 150) -> "Rig":
        self.ready().balance(settled)
        assert self.balance(request=Request.WALK).mode == Mode.WALKING
        return self


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture(scope="session")
def make_rig() -> type[Rig]:
    return Rig


@pytest.fixture(scope="session")
def limits() -> JointLimits:
    return make_limits()


@pytest.fixture(scope="session")
def description() -> RobotDescription:
    return describe()


@pytest.fixture(scope="session")
def links_settings() -> DynamixelSettings:
    """The bus file of LINKS, with patience for a busy machine."""
    settings = read_settings(DynamixelSettings, find_bus_file("links_dynamixel"))
    return settings.model_copy(update={"reply_time": 3.0, "stale_after": 60.0})


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Waits until something is so; a busy machine may take its time."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60.0
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    return wait


@pytest.fixture
def emulated(links_settings: DynamixelSettings) -> Iterator[EmulatedLine]:
    """Twelve servos as that file says, of both protocols."""
    line = EmulatedLine([EmulatedServo(read_table(servo.table), servo.id) for servo in links_settings.joints.values()])
    yield line
    line.close()


class ServoHand:
    """What tests of the Dynamixel bus do with it and with its emulated servos."""

    HASTE = 0.02
    """s that is waited for a servo that is known to be silent."""

    @staticmethod
    def opened(model: RobotModel, settings: DynamixelSettings, line: EmulatedLine) -> DynamixelBus:
        return DynamixelBus(model, settings.model_copy(update={"port": line.name}), time.monotonic)

    @staticmethod
    def command(position: np.ndarray, stiffness: float = 12.0, effort: float = 0.0) -> JointCommand:
        one = np.ones(12)
        return JointCommand(0.0, position, 0.0 * one, effort * one, stiffness * one, 0.3 * one)

    @staticmethod
    def damped(position: np.ndarray | float = 0.0) -> JointCommand:
        return JointCommand.damped(0.0, np.zeros(12) + position, 0.15)

    @staticmethod
    def read(bus: DynamixelBus) -> np.ndarray:
        """The joint positions, however long the machine takes."""
        for _ in range(20):
            sample = bus.read()
            if sample is not None:
                return sample.joint_position
        raise AssertionError(bus.health().problem)

    @staticmethod
    def memory(line: EmulatedLine, identity: int, name: str) -> int:
        servo = line.servo(identity)
        item = servo.table.items[name]
        return servo.table.value(name, servo.read(item.address, item.size), item.address)

    @staticmethod
    def modern(links: RobotModel, settings: DynamixelSettings, mode: str) -> DynamixelSettings:
        joints = {name: JointServo(id=place + 1, table="dynamixel_x", stiffness=20.0) for place, name in enumerate(links.joint_names)}
        return settings.model_copy(update={"joints": joints, "mode": mode})


@pytest.fixture(scope="session")
def hand() -> type[ServoHand]:
    return ServoHand


@pytest.fixture
def bus(links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine) -> Iterator[DynamixelBus]:
    made = ServoHand.opened(links, links_settings, emulated)
    yield made
    made.close()
