# SPDX-License-Identifier: Apache-2.0
"""One Dynamixel servo that is not there: its memory, its motor, its answers."""

import math

import numpy as np

from surefoot.servos.dynamixel.table import ControlTable
from surefoot.servos.emulation.packets import (
    ACCESS_ERROR,
    ALERT,
    BROADCAST,
    INSTRUCTION_ERROR,
    PING,
    RANGE_ERROR,
    READ,
    REBOOT,
    WRITE,
    Instruction,
    status_packet,
)
from surefoot.servos.motors.servo_law import ServoFollower, ServoLaw

MEMORY = 256
EEPROM_END = {1: 24, 2: 64}
"""First address that may be written under torque, by protocol."""
OVERLOAD = 5
"""Bit of the overload, in both protocols."""
GOALS = ("goal_pwm", "goal_current", "goal_velocity", "goal_position")
CURRENT_LIMIT, MAX_TORQUE = 1193, 1023
"""As it comes from its maker."""
INERTIA, FRICTION = 0.02, 0.2
"""Of the joint under current control, kg m^2 and N m s/rad."""


class EmulatedServo:
    """A servo with a control table.

    Attributes:
        gone: whether it has fallen off the line.
        temperature: degrees Celsius.
        voltage: V.
        position: of the shaft from the maker's zero, rad.
        load: that turns the shaft, N m; in position mode one beyond what the motor has at rest takes it along, at its no-load speed.
        watchful: whether its bus watchdog acts; a busy machine may trip it.
        torque_on_goal: whether a goal position switches its torque on, as some of Protocol 1 do.
    """

    def __init__(self, table: ControlTable, identity: int, baud_rate: int = 1000000, position: float = 0.0) -> None:
        self.table, self.gone, self.temperature, self.voltage = table, False, 31, 12.0
        self.load = 0.0
        number, model = next(iter(table.models.items()))
        self._model = model
        self._memory = bytearray(MEMORY)
        self._follower = ServoFollower([ServoLaw(3800.0, 98.0, model.no_load_speed, 200.0)], [position])
        # What has to be compiled is compiled before anybody waits for an answer.
        self._follower.advance(np.array([position]), 1e-3)
        self._torque = 0.0
        self._overloaded = self.watchful = self.torque_on_goal = False
        self._put("model_number", number)
        self._put("identity", identity)
        self._put("baud_rate", table.baud_rates[baud_rate])
        self._put("return_delay", 250)
        self._put("least_position", table.count_range[0])
        self._put("most_position", table.count_range[1])
        if "current_limit" in table.items:
            self._put("current_limit", CURRENT_LIMIT)
        if "pwm_limit" in table.items:
            self._put("pwm_limit", table.pwm_full)
        if "operating_mode" in table.items:
            self._put("operating_mode", table.modes["position"])
        self._begin()

    @property
    def identity(self) -> int:
        """On the wire."""
        return self._get("identity")

    @property
    def baud_rate(self) -> int:
        """It listens at this rate only."""
        number = self._get("baud_rate")
        return next((rate for rate, known in self.table.baud_rates.items() if known == number), 0)

    @property
    def return_delay(self) -> float:
        """From an instruction to the answer, s."""
        return self._get("return_delay") * self.table.return_delay_unit

    @property
    def under_torque(self) -> bool:
        """Whether its motor is on."""
        return bool(self._get("torque_enable"))

    @property
    def position(self) -> float:
        return float(self._follower.position[0])

    @property
    def most_torque(self) -> float:
        """That it has at rest in position mode, N m."""
        stall = (self._model.stall_torque or 0.0) * self.voltage / self._model.nominal_voltage
        if "torque_limit" in self.table.items:
            return stall * self._get("torque_limit") / MAX_TORQUE
        return stall * (self._get("goal_pwm") / self.table.pwm_full if "goal_pwm" in self.table.items else 1.0)

    def overload(self) -> None:
        """Shut down as under a load that was too much for too long."""
        self._overloaded = True
        self._put("torque_enable", 0)
        if "hardware_error" in self.table.items:
            self._put("hardware_error", 1 << OVERLOAD)

    def advance(self, duration: float) -> None:
        """Let time pass without an instruction on the line, s."""
        if self.watchful and self.under_torque and 0 < self._watchdog() * self.table.bus_watchdog_unit < duration:
            self._put("bus_watchdog", -1)
        if self._watchdog() < 0:
            self._follower.velocity[:] = 0.0
            duration = 0.0
        if duration > 0.0 and self.under_torque:
            if "operating_mode" in self.table.items and self._get("operating_mode") == self.table.modes.get("current"):
                self._push(min(duration, 0.1))
            else:
                self._follow(min(duration, 1.0))
        elif duration > 0.0:
            self._follower.velocity[:] = 0.0
        self._put("present_position", round(self.position / self.table.radians_per_count) + self.table.centre)
        self._put("present_velocity", round(float(self._follower.velocity[0]) / self.table.velocity_unit))
        self._put("present_load", round(self._torque / self._model.torque_per_unit))
        self._put("present_voltage", round(self.voltage / self.table.voltage_unit))
        self._put("present_temperature", self.temperature)

    def answer(self, asked: Instruction) -> bytes | None:
        """What it says to an instruction to itself, or does at one to all; None where it says nothing."""
        error = self._error()
        protocol, identity = self.table.protocol, self.identity
        if asked.code == PING:
            extra = self._memory[:2] + b"\x2d" if protocol == 2 else b""
            return status_packet(protocol, identity, error, bytes(extra))
        if asked.code == READ:
            start, length = self._stretch(asked.parameters)
            if start + length > MEMORY:
                return status_packet(protocol, identity, RANGE_ERROR if protocol == 2 else 1 << 3)
            return status_packet(protocol, identity, error, self.read(start, length))
        if asked.code == WRITE:
            width = protocol
            refused = self.write(int.from_bytes(asked.parameters[:width], "little"), asked.parameters[width:])
            return None if asked.identity == BROADCAST else status_packet(protocol, identity, refused or error)
        if asked.code == REBOOT and protocol == 2:
            self.restart()
            return status_packet(protocol, identity, 0)
        return status_packet(protocol, identity, INSTRUCTION_ERROR if protocol == 2 else 1 << 6)

    def read(self, start: int, length: int) -> bytes:
        """Bytes of its memory."""
        return bytes(self._memory[start : start + length])

    def report(self, start: int, length: int) -> bytes:
        """Its status packet in a reading of many."""
        return status_packet(self.table.protocol, self.identity, self._error(), self.read(start, length))

    def write(self, start: int, data: bytes) -> int:
        """Put bytes into its memory; returns the error, 0 for none."""
        if start + len(data) > MEMORY:
            return RANGE_ERROR if self.table.protocol == 2 else 1 << 3
        if start < EEPROM_END[self.table.protocol] and self.under_torque and start != self.table.items["torque_enable"].address:
            return ACCESS_ERROR if self.table.protocol == 2 else 0
        torque = self.table.items["torque_enable"].address
        if self._overloaded and start <= torque < start + len(data):
            return ACCESS_ERROR if self.table.protocol == 2 else 1 << OVERLOAD
        before = bytes(self._memory)
        self._memory[start : start + len(data)] = data
        if not self._possible(start, start + len(data)):
            self._memory[:] = before
            return RANGE_ERROR if self.table.protocol == 2 else 1 << 3
        if "goal_pwm" in self.table.items and self._within("operating_mode", start, start + len(data)):
            # A mode begins without a bound of its own.
            self._put("goal_pwm", self._get("pwm_limit"))
        if self.torque_on_goal and self._within("goal_position", start, start + len(data)):
            self._put("torque_enable", 1)
        return 0

    def restart(self) -> None:
        """Forget what is not kept without power, and the overload with it."""
        self._overloaded = False
        end = EEPROM_END[self.table.protocol]
        self._memory[end:] = bytes(MEMORY - end)
        self._begin()

    def _begin(self) -> None:
        """What is so after power came."""
        if "torque_limit" in self.table.items:
            self._put("torque_limit", MAX_TORQUE)
        if "goal_pwm" in self.table.items:
            self._put("goal_pwm", self._get("pwm_limit"))
        self.advance(0.0)
        self._put("goal_position", self._get("present_position"))

    def _possible(self, start: int, end: int) -> bool:
        """Whether goals that were written are inside of its own limits, and may be written at all."""
        moded = "operating_mode" in self.table.items
        for name in GOALS:
            if name not in self.table.items or not self._within(name, start, end):
                continue
            if self._watchdog() < 0:
                return False
            if name == "goal_pwm" and abs(self._get(name)) > self._get("pwm_limit"):
                return False
            if name == "goal_current" and abs(self._get(name)) > self._get("current_limit"):
                return False
            by_position = not moded or self._get("operating_mode") == self.table.modes["position"]
            if name == "goal_position" and by_position:
                return self._get("least_position") <= self._get(name) <= self._get("most_position")
        return True

    def _within(self, name: str, start: int, end: int) -> bool:
        item = self.table.items[name]
        return start < item.address + item.size and item.address < end

    def _watchdog(self) -> int:
        return self._get("bus_watchdog") if "bus_watchdog" in self.table.items else 0

    def _follow(self, duration: float) -> None:
        if abs(self.load) > self.most_torque:
            self._follower.velocity[:] = math.copysign(self._model.no_load_speed, self.load)
            self._follower.position += self._follower.velocity * duration
            return
        goal = (self._get("goal_position") - self.table.centre) * self.table.radians_per_count
        self._follower.advance(np.array([goal]), duration)

    def _push(self, duration: float) -> None:
        self._torque = self._get("goal_current") * self._model.torque_per_unit
        velocity = float(self._follower.velocity[0])
        after = self._torque / FRICTION + (velocity - self._torque / FRICTION) * math.exp(-duration * FRICTION / INERTIA)
        after = max(-self._model.no_load_speed, min(self._model.no_load_speed, after))
        self._follower.position += 0.5 * (velocity + after) * duration
        self._follower.velocity[:] = after

    def _error(self) -> int:
        if not self._overloaded:
            return 0
        return ALERT if self.table.protocol == 2 else 1 << OVERLOAD

    def _stretch(self, parameters: bytes) -> tuple[int, int]:
        if self.table.protocol == 1:
            return parameters[0], parameters[1]
        return int.from_bytes(parameters[:2], "little"), int.from_bytes(parameters[2:4], "little")

    def _get(self, name: str) -> int:
        item = self.table.items[name]
        return self.table.value(name, self.read(item.address, item.size), item.address)

    def _put(self, name: str, number: int) -> None:
        item, table = self.table.items[name], self.table
        if number < 0 and not table.signed:
            number = -number | 1 << table.sign_bit
        self._memory[item.address : item.address + item.size] = table.bytes_of(name, number)
