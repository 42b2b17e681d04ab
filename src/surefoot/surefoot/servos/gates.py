# SPDX-License-Identifier: Apache-2.0
"""The gates of the servo bridge, in their order: each may take the torque away, by name and with a reason."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from surefoot.servos.attitude import Attitude, tilt_of, tilt_problem
from surefoot.servos.modes import Mode
from surefoot.servos.settings import BridgeSettings
from surefoot.servos.watchdog import Watchdog

UNDER_TORQUE = frozenset({Mode.STANDING_UP, Mode.READY, Mode.WALKING, Mode.SITTING_DOWN})
BALANCE = frozenset({Mode.READY, Mode.WALKING})


@dataclass(frozen=True)
class Facts:
    """What the gates look at in one tick.

    Attributes:
        time: of the tick, s.
        clock_problem: what is wrong with it.
        sample_time: of the newest good joint state, s; None before the first.
        command_problem: why the command of this tick must not pass.
        command_time: of the newest good active command, s; None before the first since standing up.
        mode_since: s.
        attitude: the last one that came; None before the first.
        attitude_time: when it was so, s.
        attitude_heard: when the estimator's newest word of it came, which may be that it does not know, s; None before the first.
        posture_problem: why the posture was not reached in time.
        bus_problem: why no joint state comes, as the bus says, naming the servo.
        estimate_problem: why the estimator gives no attitude, as it says.
        motor_problems: what is wrong with joints, by the name of the gate.
        frozen: who says the same to the last digit while the robot moves.
        blind: whether the robot stands, or sits down, without an estimate, for as long as it may.
    """

    time: float
    clock_problem: str
    sample_time: float | None
    command_problem: str
    command_time: float | None
    mode_since: float
    attitude: Attitude | None
    attitude_time: float
    attitude_heard: float | None
    posture_problem: str
    bus_problem: str = ""
    estimate_problem: str = ""
    motor_problems: tuple[tuple[str, str], ...] = ()
    frozen: str = ""
    blind: bool = False


@dataclass(frozen=True)
class Gate:
    """One gate.

    Attributes:
        name: said in the reason of the fault.
        modes: in which it is closed on trouble.
        what: for the documentation.
        check: returns why it trips, or an empty text.
    """

    name: str
    modes: frozenset[Mode]
    what: str
    check: Callable[[Facts, BridgeSettings, Watchdog], str]


def _clock(facts: Facts, _settings: BridgeSettings, _watchdog: Watchdog) -> str:
    return facts.clock_problem


def _numbers(facts: Facts, _settings: BridgeSettings, _watchdog: Watchdog) -> str:
    return facts.command_problem


def _joint_state(facts: Facts, _settings: BridgeSettings, watchdog: Watchdog) -> str:
    trip = watchdog.check("joint state", facts.time, facts.sample_time)
    return f"{trip}{f'; {facts.bus_problem}' if facts.bus_problem else ''}" if trip else ""


def _command(facts: Facts, _settings: BridgeSettings, watchdog: Watchdog) -> str:
    if facts.command_time is None:
        return ""
    trip = watchdog.check("command", facts.time, facts.command_time)
    # Without a state the balance controller has nothing to say: then that is the cause.
    return f"{trip}{f'; {facts.estimate_problem}' if facts.estimate_problem else ''}" if trip else ""


def _frozen(facts: Facts, _settings: BridgeSettings, _watchdog: Watchdog) -> str:
    return facts.frozen


def _takeover(facts: Facts, settings: BridgeSettings, _watchdog: Watchdog) -> str:
    if facts.command_time is not None or facts.time - facts.mode_since <= settings.takeover_timeout:
        return ""
    return f"no active command within {settings.takeover_timeout:.1f} s of READY; is the balance controller running?"


def _fall(facts: Facts, settings: BridgeSettings, _watchdog: Watchdog) -> str:
    tilt = tilt_of(facts.attitude) if facts.attitude else 0.0
    return f"the base is {tilt:.2f} rad from upright, limit {settings.fall_tilt:.2f} rad" if tilt > settings.fall_tilt else ""


def _attitude(facts: Facts, settings: BridgeSettings, _watchdog: Watchdog) -> str:
    return tilt_problem(facts.attitude, settings.max_roll, settings.max_pitch) if facts.attitude else ""


def _missing(facts: Facts, settings: BridgeSettings, watchdog: Watchdog) -> str:
    if facts.blind:
        return ""
    # Who says that he does not know is given time to find his feet again; who says nothing may never say anything any more.
    if facts.attitude_heard is not None and (silence := watchdog.check("the newest word", facts.time, facts.attitude_heard)):
        return f"nobody says it, nor that it is not known; {silence}"
    age = facts.time - facts.attitude_time if facts.attitude else math.inf
    if age <= settings.attitude_missing_after:
        return ""
    return f"none for {age:.3f} s, limit {settings.attitude_missing_after:.3f} s"


def _estimator(facts: Facts, settings: BridgeSettings, watchdog: Watchdog) -> str:
    missing = _missing(facts, settings, watchdog) if facts.estimate_problem else ""
    return f"{facts.estimate_problem}; attitude: {missing}" if missing else ""


def _attitude_missing(facts: Facts, settings: BridgeSettings, watchdog: Watchdog) -> str:
    return _missing(facts, settings, watchdog)


def _posture(facts: Facts, _settings: BridgeSettings, _watchdog: Watchdog) -> str:
    return facts.posture_problem


def _motor(name: str) -> Callable[[Facts, BridgeSettings, Watchdog], str]:
    def check(facts: Facts, _settings: BridgeSettings, _watchdog: Watchdog) -> str:
        return dict(facts.motor_problems).get(name, "") if facts.motor_problems else ""

    return check


IN_ALL = "in all"
"""The times beyond a limit are added up, see `overruns.watch`."""

MOTOR_GATES = {
    "servo fault": "a servo reports a fault of its own (overload, overheating, voltage, …), or no command has left for stale_after",
    "voltage": "a servo that tells has less than min_voltage",
    "temperature": "a servo that tells is warmer than max_temperature",
    "position": f"a joint measures more than overrun_margin beyond its limits for overrun_patience {IN_ALL}",
    "velocity": f"a joint is faster than overrun_factor times its limit for overrun_patience {IN_ALL}",
    "torque": f"a joint measures more than overrun_factor times its effort limit for overrun_patience {IN_ALL}",
    "following": f"a joint of a robot that stands or walks is further than following_error from its target for following_patience {IN_ALL}",
    "power": f"the joints together put out more than max_power for overrun_patience {IN_ALL}",
}
"""Gates on what servos and joints measure, in their order."""

FROZEN = "joint state, attitude or command the same to the last digit for stale_after, while targets or joints move by frozen_motion"
UNLESS = "not while held without one"

GATES: tuple[Gate, ...] = (
    Gate("clock", UNDER_TORQUE, "the time of a tick is not a number, or ran backwards", _clock),
    Gate("numbers", BALANCE, "a command with NaN, infinity, a wrong shape, a negative or absurd gain", _numbers),
    Gate("joint state stale", UNDER_TORQUE, "joint state older than stale_after; latched watchdog", _joint_state),
    Gate("command stale", BALANCE, "active command older than stale_after after the take-over; latched watchdog", _command),
    Gate("frozen", UNDER_TORQUE, FROZEN, _frozen),
    Gate("take-over", frozenset({Mode.READY}), "no active command within takeover_timeout of READY", _takeover),
    *(Gate(name, UNDER_TORQUE, what, _motor(name)) for name, what in MOTOR_GATES.items()),
    Gate("fall", UNDER_TORQUE, "the up of the base is further than fall_tilt from the up of the world", _fall),
    Gate("attitude", UNDER_TORQUE, "roll beyond max_roll or pitch beyond max_pitch, or either not a number", _attitude),
    Gate("estimator invalid", UNDER_TORQUE, f"the estimator says for attitude_missing_after that it does not know; {UNLESS}", _estimator),
    Gate("attitude missing", UNDER_TORQUE, f"no word of the attitude for stale_after; {UNLESS}", _attitude_missing),
    Gate("posture", UNDER_TORQUE, "stand or lie pose not reached within posture_timeout of its trajectory", _posture),
)
"""All gates, in the order in which they are asked. What merely exceeds a limit in a command is clamped by the limiter instead."""


def first_trip(mode: Mode, facts: Facts, settings: BridgeSettings, watchdog: Watchdog) -> tuple[str, str] | None:
    """Name and reason of the first gate that trips in a mode; None if all pass."""
    for gate in GATES:
        if mode in gate.modes:
            reason = gate.check(facts, settings, watchdog)
            if reason:
                return gate.name, reason
    return None


def gates_table() -> str:
    """The gates as a Markdown table, for the documentation."""
    lines = ["| gate | asked in | trips on |", "|---|---|---|"]
    lines += [f"| {gate.name} | {', '.join(mode.name for mode in sorted(gate.modes))} | {gate.what} |" for gate in GATES]
    return "\n".join(lines)
