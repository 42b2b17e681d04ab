# SPDX-License-Identifier: Apache-2.0
"""What the page shows at one moment, as plain values. Legs in the order of LEG_NAMES, vectors in odom."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.modes import SWING
from surefoot.gait.swing import evaluate_swing
from surefoot.limited_names import LimitedNames
from surefoot.viewer.page.history import ContactHistory, EffortHistory
from surefoot.viewer.page.rehearsal import RehearsalShown

Array = NDArray[np.float64]

VERDICTS_KEPT = 20
MOST_NODES = 100
"""That report on their health, those of other people's drivers among them."""
SWING_POINTS = 16


@dataclass(frozen=True)
class RobotShown:
    """The robot as it is estimated.

    Attributes:
        time: of the sample, s.
        base_position: (3,), m.
        base_quaternion: odom_from_base, x y z w, (4,).
        joint_position: (12,), rad.
        joint_effort: measured, (12,), N m; NaN where it is not measured.
        position_covariance: of the base, (3, 3), m^2.
        foot_position: centres of the feet, (4, 3), m.
        foot_force: of the ground on each foot, (4, 3), N; NaN where it is not measured.
        contact_probability: (4,).
        invalid_reason: empty while the estimate may be walked on.
    """

    time: float
    base_position: Array
    base_quaternion: Array
    joint_position: Array
    joint_effort: Array
    position_covariance: Array
    foot_position: Array
    foot_force: Array
    contact_probability: Array
    invalid_reason: str = ""


@dataclass(frozen=True)
class PlanShown:
    """What the gait planner asks for.

    Attributes:
        moving: whether a gait runs.
        gait: its name.
        phase: in its cycle, 0 to 1.
        base_position, base_quaternion: reference of the base, (3,), m, and x y z w, (4,).
        base_velocity: (3,), m/s.
        foot_mode: of gait.modes, (4,).
        planned_contact: by the timetable, (4,), bool.
        foot_position, foot_velocity: (4, 3), m and m/s.
        time_to_next_event: until the next touchdown or liftoff, (4,), s.
        friction: that the controller may rely on, (4,).
        normal: out of the ground, (4, 3).
        fault: in words, empty while there is none.
    """

    moving: bool
    gait: str
    phase: float
    base_position: Array
    base_quaternion: Array
    base_velocity: Array
    foot_mode: NDArray[np.int64]
    planned_contact: NDArray[np.bool_]
    foot_position: Array
    foot_velocity: Array
    time_to_next_event: Array
    friction: Array
    normal: Array
    fault: str = ""


@dataclass(frozen=True)
class SwingShown:
    """The path of one foot through the air, from where it was lifted to its foothold.

    Attributes:
        start, end: s, of the planner's time.
        points: along the path, (k, 3), m; the last one is the foothold.
    """

    start: float
    end: float
    points: Array


def swing_shown(knot_time: Array, knot_position: Array, knot_velocity: Array) -> SwingShown:
    """The path of a swing from its knots, as gait.swing has them: (4,), s, (4, 3), m, and (4, 3), m/s."""
    times = np.linspace(knot_time[0], knot_time[-1], SWING_POINTS)
    points, nothing = np.zeros((SWING_POINTS, 3)), np.zeros(3)
    for time, point in zip(times, points, strict=True):
        evaluate_swing(time, knot_time, knot_position, knot_velocity, point, nothing, nothing.copy())
    return SwingShown(float(knot_time[0]), float(knot_time[-1]), points)


@dataclass(frozen=True)
class CommandShown:
    """What goes to the joints: wanted angles, (12,), rad, and feed-forward torques, (12,), N m; remarks on what was clamped or repaired."""

    position: Array
    effort: Array
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModeShown:
    """The mode of the servo bridge and why; since, s; the last request that was refused, empty for none."""

    name: str = ""
    reason: str = ""
    since: float = 0.0
    refused: str = ""


@dataclass(frozen=True)
class StatusShown:
    """The gait that runs, and what became of the last request.

    Attributes:
        gait: running.
        state: IDLE, REHEARSING, SCHEDULED, COMMITTED or VETOED.
        request_id, requested_gait: of that request.
        switch_time: s; NaN unless scheduled or committed.
        reason: in words.
        offer: what could be done instead; empty for nothing.
        ground: believed to lie ahead.
        command: velocity in force, forward and left, m/s, and turn, rad/s.
    """

    gait: str = "stand"
    state: str = "IDLE"
    request_id: int = 0
    requested_gait: str = ""
    switch_time: float = float("nan")
    reason: str = ""
    offer: str = ""
    ground: str = ""
    command: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class NodeHealth:
    """The last report of a node: its values by name, whether it complains, and when it came, s of the clock of the wall."""

    values: dict[str, str]
    complaint: str
    came: float


@dataclass
class PageState:
    """Everything that the page shows.

    Attributes:
        effort_limit: of each joint, (12,), N m.
        robot, plan, command: the newest; None while nobody said anything.
        heard_at: when the robot was last heard, s of the clock of the wall; infinite where it does not matter.
        swings: the paths of the feet that are in the air, by leg.
        mode, status: the newest.
        operator: why nobody drives; empty while somebody does, None while that is not known.
        rehearsal: the one that goes on, or the last one.
        past: those before it that are over, newest first.
        health: by node.
        rates: messages a second by topic, as they arrive here.
        contacts, efforts: the last seconds.
        faults: what was complained of, newest first, with the time of the robot, s.
    """

    effort_limit: Array
    robot: RobotShown | None = None
    heard_at: float = np.inf
    plan: PlanShown | None = None
    command: CommandShown | None = None
    swings: dict[int, SwingShown] = field(default_factory=dict)
    mode: ModeShown = ModeShown()
    status: StatusShown = StatusShown()
    operator: str | None = None
    rehearsal: RehearsalShown | None = None
    past: list[RehearsalShown] = field(default_factory=list)
    health: LimitedNames[NodeHealth] = field(default_factory=lambda: LimitedNames("node", MOST_NODES))
    rates: dict[str, float] = field(default_factory=dict)
    contacts: ContactHistory = field(default_factory=ContactHistory)
    efforts: EffortHistory = field(default_factory=EffortHistory)
    faults: list[tuple[float, str]] = field(default_factory=list)

    @property
    def time(self) -> float:
        """Of the robot, s."""
        return 0.0 if self.robot is None else self.robot.time

    def take_robot(self, robot: RobotShown, heard_at: float = np.inf) -> None:
        """A new estimate, and when it was heard, s of the clock of the wall.

        A robot whose time went back was started again, and what is remembered of the last one is dropped.
        """
        if self.robot is not None and robot.time < self.robot.time - 1.0:
            self.contacts, self.efforts, self.swings = ContactHistory(), EffortHistory(), {}
            self.rehearsal, self.past, self.faults = None, [], []
        self.robot, self.heard_at = robot, heard_at
        planned = np.zeros(4, np.bool_) if self.plan is None else self.plan.planned_contact
        self.contacts.add(robot.time, planned, robot.contact_probability > 0.5)
        effort = robot.joint_effort if self.command is None or np.isfinite(robot.joint_effort).all() else self.command.effort
        self.efforts.add(robot.time, effort)

    def take_plan(self, plan: PlanShown | None) -> None:
        """A new plan: a new fault is remembered, and the path of a foot that is no longer in the air is over."""
        if plan is not None and plan.fault and (self.plan is None or self.plan.fault != plan.fault):
            self.complain(f"gait planner: {plan.fault}")
        self.plan = plan
        self.swings = {leg: swing for leg, swing in self.swings.items() if plan is not None and plan.foot_mode[leg] == SWING}

    def take_mode(self, mode: ModeShown) -> None:
        """A new mode; a fault or a refusal is remembered."""
        if mode.name == "FAULT" and (self.mode.name, self.mode.reason) != (mode.name, mode.reason):
            self.complain(f"fault: {mode.reason}")
        if mode.refused and mode.refused != self.mode.refused:
            self.complain(f"refused: {mode.refused}")
        self.mode = mode

    def rehearsal_of(self, request_id: int, gait_from: str, gait_to: str, time: float) -> RehearsalShown:
        """The rehearsal that something belongs to, of a request and a snapshot at a time, s; it begins if it is not known.

        Messages overtake each other: an older one than that which is shown is among those that are over, and stays there.
        """
        for known in ([] if self.rehearsal is None else [self.rehearsal, *self.past]):
            if (known.request_id, known.time) == (request_id, time):
                return known
        rehearsal = RehearsalShown(request_id, gait_from, gait_to, time)
        if self.rehearsal is None or time >= self.rehearsal.time:
            self.take_rehearsal(rehearsal)
        else:
            self.past = sorted([*self.past, rehearsal], key=lambda past: -past.time)[:VERDICTS_KEPT]
        return rehearsal

    def take_rehearsal(self, rehearsal: RehearsalShown) -> None:
        """Another rehearsal begins."""
        if self.rehearsal is not None:
            # It is not drawn again.
            self.rehearsal.forget_traces()
            self.past = [self.rehearsal, *self.past][:VERDICTS_KEPT]
        self.rehearsal = rehearsal

    def take_health(self, node: str, health: NodeHealth) -> None:
        """A node reports; a new complaint is remembered. Raises SensorError: there are too many nodes already."""
        before = self.health.get(node)
        self.health[node] = health
        if health.complaint and (before is None or before.complaint != health.complaint):
            self.complain(f"{node}: {health.complaint}")

    def complain(self, words: str) -> None:
        """Remember what went wrong."""
        self.faults = [(self.time, words), *self.faults][:VERDICTS_KEPT]
