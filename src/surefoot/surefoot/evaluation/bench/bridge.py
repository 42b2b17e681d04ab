# SPDX-License-Identifier: Apache-2.0
"""How long a tick of the servo bridge takes, and how often twelve Dynamixel servos can be reached."""

import math
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surefoot.errors import SurefootError
from surefoot.evaluation.bench.sample import Machine, Times, this_machine, times_of
from surefoot.robot.command import JointCommand
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.attitude import Attitude
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.line import wire_bytes
from surefoot.servos.dynamixel.members import JOINT_STATE
from surefoot.servos.dynamixel.settings import DynamixelSettings, JointServo
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request
from surefoot.servos.settings import BridgeSettings

BAUD_RATES = (1000000, 2000000, 4000000)
TABLE = "dynamixel_x"
BITS_PER_BYTE = 10
SWING, STEPS_A_SECOND = 0.05, 2.0
"""rad, and 1/s, by which and how often the joints of a robot that walks go to and fro."""

MOST_TICKS = 20000
"""Until the bridge has to be walking."""


@dataclass(frozen=True)
class LoopRate:
    """Reading and writing all servos once a cycle.

    Attributes:
        baud_rate: of the line.
        bytes_a_cycle: on the wire.
        computed_hz: what the wire alone allows.
        measured_hz: by the median cycle, on the emulation in another process that keeps the time of the wire.
        cycle: wall times of the cycles.
        incomplete: cycles in which an answer was missing.
    """

    baud_rate: int
    bytes_a_cycle: int
    computed_hz: float
    measured_hz: float
    cycle: Times
    incomplete: int


@dataclass(frozen=True)
class BridgeResult:
    """Everything that was measured.

    Attributes:
        robot: its name.
        machine: that it was measured on.
        tick: wall times of a tick under balance control.
        tick_processor: the same in processor time.
        loops: one for each baud rate.
    """

    robot: str
    machine: Machine
    tick: Times
    tick_processor: Times
    loops: tuple[LoopRate, ...]


def bench_bridge(robot: str, ticks: int = 2000, cycles: int = 300, baud_rates: Sequence[int] = BAUD_RATES) -> BridgeResult:
    """Measure.

    Args:
        robot: whose bridge it is.
        ticks: that are measured.
        cycles: of the bus at each baud rate.
        baud_rates: of the line.
    """
    machine, model = this_machine(), load_robot(robot)
    wall, processor = _tick_seconds(model, ticks)
    loops = tuple(loop_rate(load_robot("links"), baud_rate, cycles) for baud_rate in baud_rates)
    return BridgeResult(model.description.name, machine, times_of(wall), times_of(processor), loops)


class _Walker:
    """A bridge whose servos go where they are told at once, and that hears something else in every tick, as one that walks does."""

    def __init__(self, model: RobotModel) -> None:
        self._bridge = ServoBridge(model.description, JointLimits.of(model), BridgeSettings())
        self._stand, self._position = model.stand_joint_position, model.lie_joint_position
        self._servos, self._period = model.description.servos, 1.0 / model.description.control.rate
        self._time = 0.0
        for _ in range(MOST_TICKS):
            request = {Mode.OFF: Request.ARM, Mode.DAMPING: Request.STAND, Mode.READY: Request.WALK}.get(self.tick(), Request.NONE)
            if self.tick(request) == Mode.WALKING:
                return
        raise SurefootError(f"the bridge of {model.description.name} does not come to walk")

    def tick(self, request: int = 0) -> Mode:
        self._time = round(self._time + self._period, 9)
        one, nothing, swing = np.ones(12), np.full(3, np.nan), SWING * math.sin(2.0 * math.pi * STEPS_A_SECOND * self._time)
        effort = 5.0 * one + swing
        sample = SensorSample(self._time, self._position, 0.0 * one, effort, nothing, nothing, np.full((4, 3), np.nan))
        command = JointCommand(
            self._time, self._stand + swing, 0.0 * one, effort, self._servos.stiffness * one, self._servos.damping * one
        )
        self._begin = time.perf_counter(), time.thread_time()
        output = self._bridge.tick(
            self._time, sample=sample, command=command, answered=self._time, request=request, attitude=Attitude(0.1 * swing, 0.0),
            planner_activity=1, operator=True,
        )
        self.taken = time.perf_counter() - self._begin[0], time.thread_time() - self._begin[1]
        if output.command.stiffness.any():
            self._position = output.command.position
        return output.mode


def _tick_seconds(model: RobotModel, ticks: int) -> tuple[np.ndarray, np.ndarray]:
    walker = _Walker(model)
    for _ in range(200):
        walker.tick()
    seconds = np.empty((ticks, 2))
    for tick in range(ticks):
        if walker.tick() != Mode.WALKING:
            raise SurefootError("the bridge left WALKING while its ticks were measured")
        seconds[tick] = walker.taken
    return seconds[:, 0], seconds[:, 1]


def bytes_a_cycle(count: int) -> int:
    """Bytes on the wire for one reading of the joint state and one writing of the goals of so many servos."""
    table = read_table(TABLE)
    _, length = table.span(*JOINT_STATE)
    return wire_bytes(table.protocol, [length] * count, [table.items["goal_position"].size])[0]


def loop_rate(model: RobotModel, baud_rate: int, cycles: int) -> LoopRate:
    """Reach the servos of a robot as often as it goes, on an emulated line in another process."""
    names = model.description.joint_names
    count = len(names)
    words = [sys.executable, "-m", "surefoot.servos.emulation", "dynamixel", str(count), str(baud_rate)]
    emulation = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert emulation.stdout is not None
        settings = DynamixelSettings(
            port=emulation.stdout.readline().strip(),
            baud_rate=baud_rate,
            reply_time=0.05,
            health_every=cycles + 1,
            joints={name: JointServo(id=place + 1, table=TABLE) for place, name in enumerate(names)},
        )
        bus = DynamixelBus(model, settings, time.monotonic)
        try:
            seconds, incomplete = _cycles(bus, model, cycles)
        finally:
            bus.close()
    finally:
        emulation.communicate(timeout=30)
    size = bytes_a_cycle(count)
    rate = baud_rate / BITS_PER_BYTE / size
    return LoopRate(baud_rate, size, rate, float(1.0 / np.median(seconds)), times_of(seconds), incomplete)


def _cycles(bus: DynamixelBus, model: RobotModel, cycles: int) -> tuple[np.ndarray, int]:
    one, incomplete, seconds = np.ones(12), 0, np.empty(cycles)
    command = JointCommand(0.0, model.stand_joint_position, 0.0 * one, 0.0 * one, one, one)
    bus.write(command)
    for cycle in range(cycles):
        begin = time.perf_counter()
        incomplete += bus.read() is None
        bus.write(command)
        seconds[cycle] = time.perf_counter() - begin
    return seconds, incomplete
