# SPDX-License-Identifier: Apache-2.0
"""What is right after each fault on each interface."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from surefoot.evaluation.faults.loop import INTERFACES
from surefoot.evaluation.faults.taps import Kind
from surefoot.servos.settings import BridgeSettings

REACTION = 0.1
"""s that the right mode may be late beyond the age that its gate allows."""


@dataclass(frozen=True)
class Expectation:
    """What is right.

    Attributes:
        keeps: the mode stays as it was and the robot stays up.
        trips: beginnings of the reason of a fault that is right instead, or, where nothing is kept, has to come.
        within: s in which the reaction has to come; None where there is no promise.
        stands: a walking robot comes to a stand instead.
        moving: asked of a robot that walks alone; one that stands may go on.
        held: a robot that stands is held where it is without an estimate instead: what is asked of it then is to go on.
    """

    keeps: bool
    trips: tuple[str, ...] = ()
    within: float | None = None
    stands: bool = False
    moving: bool = False
    held: bool = False


FALLEN = (
    "following", "attitude", "fall", "joint state stale", "command stale", "velocity", "torque", "position", "power", "estimator",
    "numbers", "frozen",
)  # fmt: skip
"""Where a lie cannot be told from the truth, the robot may fall over it; then one of these is what is said."""

UNTOLD = Expectation(keeps=True, trips=FALLEN)
"""Sound numbers that are wrong: nobody can promise more than that nothing illegal leaves the bridge and a fall is damped."""

PROCESS_FAULTS = ("killed", "stopped")
"""SIGKILL; SIGSTOP, and SIGCONT after STOPPED_FOR."""

STOPPED_FOR = 0.3
"""s"""

CLOCK = "clock"
CLOCK_JUMPS = {"forward": 10.0, "back": -10.0}
"""s by which the stamps of all sensors jump."""

SILENT_SERVOS = "commands went on without a bridge"

BLIND = ("estimator invalid", "attitude missing", "command stale", "joint state stale", "attitude", "fall")
"""Without a state the balance controller gives no command."""

SURVIVED = Expectation(keeps=True)


def expectations(settings: BridgeSettings) -> Mapping[tuple[str, Kind], Expectation]:
    """By interface and kind of fault."""
    stale, missing = settings.stale_after + REACTION, settings.attitude_missing_after + REACTION
    table: dict[tuple[str, Kind], Expectation] = {}
    for interface in INTERFACES:
        for kind in Kind:
            table[interface, kind] = UNTOLD if kind in (Kind.STUCK, Kind.WRONG) else SURVIVED

    def loses(interface: str, trips: tuple[str, ...], within: float, *kinds: Kind, held: bool = False) -> None:
        for kind in kinds:
            table[interface, kind] = Expectation(keeps=False, trips=trips, within=within, held=held)

    gone = (Kind.OFF, Kind.GARBAGE, Kind.RESTARTED)
    loses("joint_states", ("joint state stale", "command stale"), stale, *gone, Kind.DELAYED)
    loses("servo_command", ("command stale", "numbers"), stale, *gone, Kind.DELAYED)
    loses("motion_plan", ("command stale",), stale, *gone)
    loses("robot_state", ("command stale",), stale, Kind.OFF, Kind.RESTARTED)
    # Then the planner says that it has none to go by.
    loses("robot_state", ("command stale",), stale, Kind.GARBAGE, held=True)
    loses("base_attitude", ("attitude missing", "estimator invalid"), stale, Kind.OFF, Kind.RESTARTED, held=True)
    # An attitude that is no number is none to stand on.
    loses("base_attitude", ("attitude",), stale, Kind.GARBAGE)
    # What the estimator does without an IMU is its own; in the end the bridge hears that it does not know.
    loses("imu", BLIND, missing + REACTION, *gone, held=True)
    # What repeats itself to the last digit shows where something should move, and nowhere else.
    for interface in ("joint_states", "base_attitude", "servo_command", "motion_plan", "robot_state", "imu"):
        within = missing + REACTION if interface == "imu" else stale
        table[interface, Kind.STUCK] = Expectation(keeps=False, trips=("frozen", *BLIND), within=within, moving=True)
    for kind in (Kind.DELAYED, Kind.SLOW):
        # Older than they were made for: the robot may stumble over them, and must be damped then.
        for interface in ("imu", "robot_state", "motion_plan", "joint_command", "base_attitude", "joint_states", "servo_command"):
            if table[interface, kind].keeps:
                table[interface, kind] = UNTOLD
    table["imu", Kind.INTERMITTENT] = UNTOLD
    # Behind the bridge nothing tells it; the robot's own servos damp, and it sinks or falls.
    for kind in (Kind.OFF, Kind.GARBAGE, Kind.RESTARTED):
        table["joint_command", kind] = UNTOLD
    for kind in (Kind.OFF, Kind.RESTARTED):
        table["operator_command", kind] = Expectation(keeps=True, stands=kind == Kind.OFF)
    return table


def process_expectations(settings: BridgeSettings) -> Mapping[tuple[str, str], Expectation]:
    """What is right when something happens to a process or to the clock, by its name and what happens."""
    stale = settings.stale_after + REACTION
    silent = Expectation(keeps=False, trips=("command stale", "attitude missing", "joint state stale"), within=stale)
    table: dict[tuple[str, str], Expectation] = {}
    for node in ("state_estimator", "gait_planner", "inverse_dynamics", "simulator"):
        for fault in PROCESS_FAULTS:
            table[node, fault] = silent if node != "state_estimator" else replace(silent, held=True)
    # Without a bridge the robot's own servos damp, and it sinks; one that comes back finds it lower.
    table["servo_bridge", "killed"] = table["servo_bridge", "stopped"] = UNTOLD
    table["servo_bridge", "second"] = SURVIVED
    table["teleop", "killed"] = Expectation(keeps=True, stands=True)
    table["teleop", "stopped"] = SURVIVED
    for fault in (*PROCESS_FAULTS, "disk full"):
        table["recorder", fault] = SURVIVED
    for fault in CLOCK_JUMPS:
        table[CLOCK, fault] = Expectation(keeps=True, trips=(*FALLEN, "clock"))
    return table
