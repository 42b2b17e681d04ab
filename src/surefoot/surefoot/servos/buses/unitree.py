# SPDX-License-Identifier: Apache-2.0
"""Robots that speak the low-level messages of Unitree's SDK 2: gains and feed-forward torque for each motor, and an IMU."""

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from surefoot.errors import ConfigurationError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import BusHealth
from surefoot.servos.joint_names import require_every_joint
from surefoot.servos.unitree.layout import MOTORS, NO_POSITION, SERVO_MODE, Record, checksum_of, empty_command
from surefoot.servos.unitree.network import absent_networks, networks_of
from surefoot.settings import Settings

FAREWELLS = 5
"""Damping commands at the end; nobody confirms them."""


class UnitreeSettings(Settings):
    """The robot on its network."""

    domain: Annotated[int, Field(ge=0, le=232)] = 0
    """Of DDS."""
    configuration: str = ""
    """XML of Cyclone DDS that names the network interface; empty: as CYCLONEDDS_URI says."""
    motors: dict[str, Annotated[int, Field(ge=0, lt=MOTORS)]]
    """Place of each joint's motor in the messages, by joint name."""
    check_states: bool = True
    """Whether states whose checksum is wrong are refused."""
    lost_patience: Annotated[float, Field(ge=0.0, le=1.0)] = 0.1
    """Time for which the robot may miss a motor from state to state, or a motor be in another mode than it is told, before that is a fault,
    s."""

    @property
    def devices(self) -> tuple[str, ...]:
        """What no two bridges may share: its domain on each network that it may be on, however the configuration spells it."""
        return tuple(f"DDS domain {self.domain} on {network}" for network in networks_of(self.configuration, self.domain))


SETTINGS: type[Settings] = UnitreeSettings


class Wire(Protocol):
    """What carries the messages."""

    def send(self, record: Record) -> None:
        """Send one LowCmd."""
        ...

    def receive(self) -> Record | None:
        """The newest LowState since the last call."""
        ...

    def close(self) -> None:
        """Let go."""
        ...


class UnitreeBus:
    """See ServoBus.

    Args:
        model: the robot.
        settings: see there.
        clock: time of the stamps, s.
        wire: that carries the messages.

    Raises:
        ConfigurationError: joints are missing, unknown or share a motor.
    """

    def __init__(self, model: RobotModel, settings: UnitreeSettings, clock: Callable[[], float], wire: Wire) -> None:
        names = model.description.joint_names
        self._places = places_of(settings, names)
        self._names, self._settings, self._clock, self._wire = names, settings, clock, wire
        self._damping = model.description.servos.safe_damping
        self._command = empty_command()
        self._tick, self._heard = -1, clock()
        self._temperature, self._voltage = np.full(len(names), np.nan), np.full(len(names), np.nan)
        self._lost: Any = None
        self._lost_since, self._off_since = np.full(len(names), np.inf), np.full(len(names), np.inf)
        self._faults: tuple[str, ...] = ()
        self._counters = {"states": 0, "states_refused": 0, "receive_errors": 0, "motor_losses": 0, "commands": 0, "send_errors": 0}
        self._closed = False

    def read(self) -> SensorSample | None:
        """See ServoBus.read."""
        try:
            state = None if self._closed else self._wire.receive()
        except Exception:  # whatever a message that cannot be one makes the middleware raise
            self._counters["receive_errors"] += 1
            return None
        if state is None:
            return None
        if self._settings.check_states and checksum_of(state) != int(state["crc"]):
            self._counters["states_refused"] += 1
            return None
        if int(state["tick"]) == self._tick:
            return None
        now = self._clock()
        self._tick, self._heard = int(state["tick"]), now
        self._counters["states"] += 1
        motors, imu = state["motor_state"][self._places], state["imu_state"]
        self._temperature, self._voltage = motors["temperature"].astype(float), np.full(len(self._names), float(state["power_v"]))
        self._faults = (*self._lost_motors(now, motors["lost"]), *self._motors_off(now, motors["mode"]))
        position, velocity, effort = (motors[key].astype(float) for key in ("q", "dq", "tau_est"))
        return SensorSample(
            now, position, velocity, effort, imu["gyroscope"].astype(float), imu["accelerometer"].astype(float), np.full((4, 3), np.nan)
        )

    def write(self, command: JointCommand) -> None:
        """See ServoBus.write. Raises whatever the middleware does."""
        if self._closed:
            return
        motors, places = self._command["motor_cmd"], self._places
        # A damped motor is told no position at all, as the maker's own examples do: there may be none that was measured.
        motors["q"][places] = NO_POSITION if command.is_damping else command.position
        motors["dq"][places], motors["tau"][places] = command.velocity, command.effort
        motors["kp"][places], motors["kd"][places] = command.stiffness, command.damping
        self._command["crc"] = checksum_of(self._command)
        self._counters["commands"] += 1
        try:
            self._wire.send(self._command)
        except Exception:
            self._counters["send_errors"] += 1
            raise

    def health(self) -> BusHealth:
        """See ServoBus.health."""
        silent = self._clock() - self._heard
        problem = "closed" if self._closed else "" if silent < 0.02 else f"no state from the robot for {silent:.3f} s"
        return BusHealth(problem, self._faults, self._temperature.copy(), self._voltage.copy(), dict(self._counters))

    def close(self) -> None:
        """See ServoBus.close."""
        if not self._closed:
            zero = np.zeros(len(self._names))
            # A robot that was only looked at is left as it is.
            for _ in range(FAREWELLS if self._counters["commands"] else 0):
                with suppress(Exception):  # It is counted, and the next one may leave.
                    self.write(JointCommand(0.0, zero, zero, zero, zero, zero + self._damping))
            self._closed = True
            self._wire.close()

    def _lost_motors(self, now: float, lost: Any) -> tuple[str, ...]:
        """Motors that the robot itself does not reach count up; one that it misses once is no fault."""
        rising = np.zeros(len(self._names), dtype=bool) if self._lost is None else lost > self._lost
        self._counters["motor_losses"] += int(rising.sum())
        self._lost_since = np.where(rising, np.minimum(self._lost_since, now), np.inf)
        self._lost = lost.copy()
        return self._overdue(now, self._lost_since, lambda _: "is lost by the robot")

    def _motors_off(self, now: float, mode: Any) -> tuple[str, ...]:
        """Motors that say another mode than each command tells them; before the first nobody has told them any."""
        off = (mode != SERVO_MODE) & (self._counters["commands"] > 0)
        self._off_since = np.where(off, np.minimum(self._off_since, now), np.inf)
        return self._overdue(now, self._off_since, lambda k: f"is in mode {int(mode[k])}, told mode {SERVO_MODE},")

    def _overdue(self, now: float, since: Any, words: Callable[[int], str]) -> tuple[str, ...]:
        late = map(int, np.flatnonzero(now - since >= self._settings.lost_patience))
        return tuple(f"{self._names[k]} (motor {self._places[k]}) {words(k)} for {now - since[k]:.3f} s" for k in late)


def places_of(settings: UnitreeSettings, joint_names: Sequence[str]) -> NDArray[np.int64]:
    """Place of each joint's motor in the messages. Raises ConfigurationError: joints are missing, unknown or share a motor."""
    require_every_joint(settings.motors, joint_names, "motor", "motors")
    places = np.array([settings.motors[name] for name in joint_names])
    if len(set(places.tolist())) != len(joint_names):
        raise ConfigurationError(f"motors of the bus file give two joints one motor: {dict(settings.motors)}")
    return places


def check(model: RobotModel, settings: UnitreeSettings) -> None:
    """See `servos.buses`."""
    places_of(settings, model.description.joint_names)
    if absent := absent_networks(settings.configuration, settings.domain):
        there = ", ".join(name for _, name in socket.if_nameindex())
        raise ConfigurationError(
            f"there is no network interface {' and no '.join(absent)} here; "
            f"the bus file or CYCLONEDDS_URI names it for DDS, and there are {there}"
        )
    from surefoot.servos.unitree.messages import kinds

    kinds()


def open_bus(model: RobotModel, settings: UnitreeSettings, clock: Callable[[], float]) -> UnitreeBus:
    """See `buses.open_bus`. Raises ConfigurationError where cyclonedds is not installed."""
    from surefoot.servos.unitree.messages import DdsWire

    return UnitreeBus(model, settings, clock, DdsWire(settings.domain, settings.configuration))
