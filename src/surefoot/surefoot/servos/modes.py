# SPDX-License-Identifier: Apache-2.0
"""The mode machine of the servo bridge: one table of legal moves; everything else is refused in words.

An absent operator is no fault: while the dead-man switch is open the wanted twist is zero upstream, and the robot goes on
stepping or standing where it is. When the operator's whole side falls silent, a walking robot comes to a stand. Only STOP and the gates
take the torque away.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Mode(IntEnum):
    """Modes, numbered as in RobotMode.msg."""

    OFF = 0
    DAMPING = 1
    STANDING_UP = 2
    READY = 3
    WALKING = 4
    SITTING_DOWN = 5
    SITTING = 6
    STOPPED = 7
    FAULT = 8


def mode_name(number: int) -> str:
    """The name of a mode in a message; the number itself where it is none."""
    return Mode(number).name if number in set(Mode) else str(number)


class Request(IntEnum):
    """What the operator can ask for, numbered as in OperatorCommand.msg."""

    NONE = 0
    STOP = 1
    ARM = 2
    STAND = 3
    WALK = 4
    SIT = 5


class Event(StrEnum):
    """What the bridge itself observes."""

    POSE_REACHED = "pose reached"
    TRIPPED = "a gate tripped"
    OPERATOR_LOST = "the operator's side fell silent"
    RATE_LOST = "the servos are reached too seldom to walk"
    CONTROLLER_SILENT = "the balance controller fell silent before it took over"
    ESTIMATE_LOST = "there was no estimate for estimate_hold while the robot stood"


class Condition(StrEnum):
    """What a move may depend on; the bridge says at each tick which of these hold, and why the others do not."""

    STATE_KNOWN = "the joint state is fresh and finite"
    CAUSE_GONE = "every gate would pass now"
    SAFE_POSE = "the base is level, the joints are slow and inside their limits"
    CAN_STAND = "the pose is one to stand up from"
    CONTROLLER_ANSWERS = "the balance controller answers, if only that it has nothing to say"
    CONTROLLER_ACTIVE = "the balance controller has taken over"
    PLANNER_STANDS = "the gait planner keeps all feet on the ground"
    ONE_COMMANDS = "one node alone speaks on each topic that moves the robot"
    RATE_SUFFICES = "the servos are reached often enough"


@dataclass(frozen=True)
class Move:
    """One legal move of the machine."""

    source: Mode
    trigger: Request | Event
    target: Mode
    conditions: tuple[Condition, ...] = ()


_RESET = (Condition.CAUSE_GONE, Condition.SAFE_POSE, Condition.ONE_COMMANDS)
# Who stands up has to be taken over there, and without that is damped, at full height.
_RISE = (Condition.CAN_STAND, Condition.CONTROLLER_ANSWERS, Condition.ONE_COMMANDS)

MOVES: tuple[Move, ...] = (
    Move(Mode.OFF, Request.ARM, Mode.DAMPING, (Condition.STATE_KNOWN, Condition.ONE_COMMANDS)),
    Move(Mode.STOPPED, Request.ARM, Mode.DAMPING, _RESET),
    Move(Mode.FAULT, Request.ARM, Mode.DAMPING, _RESET),
    Move(Mode.DAMPING, Request.STAND, Mode.STANDING_UP, _RISE),
    Move(Mode.SITTING, Request.STAND, Mode.STANDING_UP, _RISE),
    Move(Mode.STANDING_UP, Event.POSE_REACHED, Mode.READY),
    # Its own posture brings the robot down as gently as up; damping would let it sink from where it is.
    Move(Mode.STANDING_UP, Event.CONTROLLER_SILENT, Mode.SITTING_DOWN),
    Move(Mode.READY, Event.CONTROLLER_SILENT, Mode.SITTING_DOWN),
    Move(Mode.READY, Event.ESTIMATE_LOST, Mode.SITTING_DOWN),
    Move(Mode.READY, Request.WALK, Mode.WALKING, (Condition.CONTROLLER_ACTIVE, Condition.RATE_SUFFICES)),
    Move(Mode.WALKING, Request.STAND, Mode.READY),
    Move(Mode.WALKING, Event.OPERATOR_LOST, Mode.READY),
    Move(Mode.WALKING, Event.RATE_LOST, Mode.READY),
    Move(Mode.READY, Request.SIT, Mode.SITTING_DOWN, (Condition.PLANNER_STANDS,)),
    Move(Mode.SITTING_DOWN, Event.POSE_REACHED, Mode.SITTING),
    *(Move(mode, Request.STOP, Mode.STOPPED) for mode in Mode),
    *(Move(mode, Event.TRIPPED, Mode.FAULT) for mode in Mode if mode not in (Mode.STOPPED, Mode.FAULT)),
)
"""Every legal move. STANDING_UP and SITTING_DOWN end by themselves; READY and WALKING differ in what the planner is told."""

RISES_FROM = frozenset(move.source for move in MOVES if move.target == Mode.STANDING_UP)
STAND_WAITS = "STAND waits: "
"""In the reason of such a mode, before what standing up waits for."""
_NUMBERS = frozenset(int(request) for request in Request)
_BY_TRIGGER = {(move.source, move.trigger): move for move in MOVES}


def requests_of(mode: Mode) -> tuple[Request, ...]:
    """The requests that have a legal move out of a mode, whether or not their conditions hold now."""
    return tuple(request for request in Request if (mode, request) in _BY_TRIGGER)


def moves_table() -> str:
    """The legal moves as a Markdown table, for the documentation."""
    lines = ["| from | on | to | if |", "|---|---|---|---|"]
    for move in MOVES:
        trigger = move.trigger.name if isinstance(move.trigger, Request) else str(move.trigger)
        lines.append(f"| {move.source.name} | {trigger} | {move.target.name} | {'; '.join(move.conditions) or 'always'} |")
    return "\n".join(lines)


def _problems(move: Move, unmet: Mapping[Condition, str]) -> str:
    # One cause may leave several conditions unmet, and is one thing to mend.
    return "; ".join(dict.fromkeys(unmet[condition] for condition in move.conditions if condition in unmet))


class ModeMachine:
    """The mode, why it is what it is, and since when.

    Attributes:
        mode: the mode now; OFF at the start.
        reason: why, in words.
        since: time at which it was entered, s.
    """

    def __init__(self) -> None:
        self.mode = Mode.OFF
        self.reason = "started; nothing moves until armed"
        self.since = 0.0

    def request(self, time: float, request: int, unmet: Mapping[Condition, str]) -> str:
        """Take one request of the operator.

        Args:
            time: of the tick, s.
            request: a Request, or any other number, which is refused.
            unmet: why each condition that does not hold now does not; conditions that hold are absent.

        Returns:
            Why it was refused and what would be accepted; empty when it was taken.
        """
        if request == Request.NONE:
            return ""
        if request not in _NUMBERS:
            return f"request {request} is unknown; {self._accepted()}"
        name = Request(request).name
        move = _BY_TRIGGER.get((self.mode, Request(request)))
        if move is None:
            return f"{name} has no meaning in {self.mode.name}; {self._accepted()}"
        if problems := _problems(move, unmet):
            return f"{name} in {self.mode.name}: {problems}"
        if move.target != self.mode:
            self._enter(time, move.target, "emergency stop by the operator" if request == Request.STOP else f"{name} by the operator")
        return ""

    def answers(self, unmet: Mapping[Condition, str]) -> dict[Request, str]:
        """By request that has a legal move out of this mode: why it would be refused now; empty where it would be taken. unmet as above."""
        return {request: _problems(_BY_TRIGGER[self.mode, request], unmet) for request in requests_of(self.mode)}

    def event(self, time: float, event: Event, reason: str) -> bool:
        """Take one observation of the bridge; returns whether the mode changed."""
        move = _BY_TRIGGER.get((self.mode, event))
        if move is None:
            return False
        self._enter(time, move.target, reason)
        return True

    def _enter(self, time: float, mode: Mode, reason: str) -> None:
        self.mode, self.reason, self.since = mode, reason, time

    def _accepted(self) -> str:
        return f"accepted now: {', '.join(request.name for request in requests_of(self.mode))}"
