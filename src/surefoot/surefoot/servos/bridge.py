# SPDX-License-Identifier: Apache-2.0
"""The servo bridge: the last gate before the motors. Pure and deterministic; all timing comes from stamps."""

import math
from collections import Counter
from types import MappingProxyType

import numpy as np

from surefoot.errors import RobotDescriptionError
from surefoot.robot.activity import Activity
from surefoot.robot.command import JointCommand
from surefoot.robot.description import RobotDescription
from surefoot.robot.state import SensorSample
from surefoot.servos.answers import Answers
from surefoot.servos.attitude import Attitude
from surefoot.servos.bus import BusHealth
from surefoot.servos.estimate import Estimate
from surefoot.servos.footing import Footing
from surefoot.servos.gates import BALANCE, UNDER_TORQUE, Facts, first_trip
from surefoot.servos.handover import HandOver, moved_on
from surefoot.servos.intake import StateIntake, command_problem
from surefoot.servos.limiter import CommandLimiter
from surefoot.servos.limits import JointLimits, posture_of
from surefoot.servos.modes import RISES_FROM, STAND_WAITS, Condition, Event, Mode, ModeMachine, Request
from surefoot.servos.motion_clock import MotionClock
from surefoot.servos.motor_watch import MotorWatch
from surefoot.servos.output import BridgeOutput
from surefoot.servos.posture import PostureTrajectory, held_where_it_is, sit_down, stand_up
from surefoot.servos.rate import SAMPLES_BEFORE_STALE, Rates
from surefoot.servos.repeats import Repeats
from surefoot.servos.settings import BridgeSettings
from surefoot.servos.unmet import NO_ANSWER, NO_COMMAND, NO_ESTIMATE, NOT_ON_ITS_FEET, STILL_STEPS, unmet_by_pose
from surefoot.servos.watchdog import Watchdog
from surefoot.servos.words import Words, is_fresh

MOST_STEPS = 2
"""How often feet that are out of place are set anew on the way up."""


class ServoBridge:
    """Turns commands of the balance controller, or its own postures, into what the servos get.

    Nothing moves until armed. Whatever goes wrong ends in joint damping, latched until the operator arms again from a safe pose.

    Raises:
        RobotDescriptionError: the robot has no damping to end in.
    """

    def __init__(
        self, description: RobotDescription, limits: JointLimits, settings: BridgeSettings, footing: Footing | None = None
    ) -> None:
        if not description.servos.safe_damping > 0.0:
            raise RobotDescriptionError(
                f"servos.safe_damping of '{description.name}' is {description.servos.safe_damping:g}; it must be above 0 N m s/rad: every "
                "gate ends in it, and with none the robot drops"
            )
        self._servos, self._limits, self._settings = description.servos, limits, settings
        self._stand, self._lie = posture_of(description, "stand"), posture_of(description, "lie")
        self._machine, self._answers = ModeMachine(), Answers()
        self._counters: Counter[str] = Counter()
        self._state = StateIntake(limits.names, self._counters)
        self._watchdog = Watchdog(settings.stale_after)
        self._limiter = CommandLimiter(limits, settings)
        self._motors, self._rates, self._repeats = MotorWatch(limits, settings), Rates(), Repeats(settings)
        self._handover = HandOver(settings.blend_time)
        self._motion = MotionClock(settings.stale_after / SAMPLES_BEFORE_STALE)
        self._posture: PostureTrajectory | None = None
        self._footing, self._steps_left = footing, 0
        self._command: JointCommand | None = None
        self._words = Words(settings.stale_after, settings.silent_after)
        self._estimate = Estimate(settings)
        self._health: BusHealth | None = None
        self._operator_time: float | None = None
        self._planner_moves, self._held = False, False
        self._held_until = self._time = -math.inf
        self._clock_problem = ""
        self._refused, self._strangers = "", ""
        self._last_output: JointCommand | None = None

    def warm_up(self) -> None:
        """Compile, or read from the cache, everything that a tick calls. The bridge that did this is not to be used further."""
        one = np.ones(len(self._limits.names))
        command = JointCommand(0.0, self._stand, 0.0 * one, 0.0 * one, one, one)
        command_problem(self._limits.names, command)
        self._limiter.limit(0.0, command, self._stand, 0.0 * one)
        self._motors.problems(0.0, self._state, None, None)

    @property
    def unwatched(self) -> tuple[str, ...]:
        """The gates that cannot trip on this robot, each with what is missing."""
        return self._motors.unwatched(self._state.joint_effort, self._health)

    def tick(
        self,
        time: float,
        *,
        sample: SensorSample | None = None,
        command: JointCommand | None = None,
        answered: float | None = None,
        request: int = Request.NONE,
        attitude: Attitude | None = None,
        attitude_stamp: float | None = None,
        planner_activity: int = Activity.INACTIVE,
        operator: bool = False,
        estimate_problem: str = "",
        health: BusHealth | None = None,
        strangers: str = "",
    ) -> BridgeOutput:
        """One tick. Never raises: an exception inside is a fault, and faults are damped.

        Args:
            time: of the tick, on the clock of the stamps, s.
            sample: the newest sensor sample, if one came since the tick before.
            command: the newest active command of the balance controller, if one came; an inactive command is None.
            answered: stamp of its newest word, with or without a command in it, s.
            request: of the operator, handed over in one tick only.
            attitude: of the base, if one came.
            attitude_stamp: when it was so, s; as new as the tick where it does not say.
            planner_activity: of the newest motion plan, an `Activity`.
            operator: whether a word of the operator's side came, whatever it says; its silence is noticed once one has come.
            estimate_problem: why the estimator gives no attitude, where it says so.
            health: of the bus, where there is one.
            strangers: who commands beside the balance controller, in words.
        """
        self._counters["ticks"] += 1
        try:
            self._listen(time, sample, planner_activity)
            self._counters["attitudes_out_of_time"] += self._estimate.take(self._now(), attitude, attitude_stamp)
            self._estimate.follow(planner_activity, self._machine.mode)
            self._estimate.complain(estimate_problem)
            self._words.take(self._now(), answered)
            self._repeats.look(
                self._machine.mode, self._state, self._estimate, followed=self._command, posture=self._posture, at=self._motion.time,
                said=command, answered=answered is not None,
            )  # fmt: skip
            self._health, self._strangers = health or self._health, strangers
            self._operator_time = self._now() if operator else self._operator_time
            self._answers.look(self._now(), self._machine, self._unmet)
            return self._answer(command, request, sample is not None)
        except Exception as error:  # the motors must get damping, whatever is broken here
            self._counters["exceptions"] += 1
            self._machine.event(self._now(), Event.TRIPPED, f"internal error: {type(error).__name__}: {error}")
            return self._output(self._damped(), ())

    def _listen(self, time: float, sample: SensorSample | None, planner_activity: int) -> None:
        self._take_time(time)
        self._state.take(sample, self._now() + self._settings.stale_after)
        if self._state.time is not None:
            self._rates.states.note(self._state.time)
        self._planner_moves = planner_activity == Activity.MOVING
        self._held = planner_activity == Activity.HELD

    def _answer(self, command: JointCommand | None, request: int, sampled: bool) -> BridgeOutput:
        remarks = [self._state.problem] if sampled and self._state.problem else []
        bad_command = self._take_command(command)
        if bad_command:
            remarks.append(bad_command)
        self._take_request(request)
        self._hold_what_is_held()
        self._set_feet()
        self._miss_estimate()
        self._end_the_walk()
        self._ask_gates(bad_command)
        self._miss_controller()
        self._counters["ticks_held"] += command is None and self._command is not None and self._machine.mode in BALANCE
        wanted = self._wanted()
        if wanted is None:
            return self._output(self._damped(), tuple(remarks))
        given = self._limiter.limit(self._motion.time, wanted, self._state.joint_position, self._state.joint_velocity)
        problem = command_problem(self._limits.names, given)
        if problem:  # cannot be, since everything that goes in is checked; the motors do not depend on that argument
            raise ArithmeticError(problem)
        self._counters["limited"] += bool(given.remarks)
        return self._output(given, (*remarks, *given.remarks))

    def _take_time(self, time: float) -> None:
        self._clock_problem = ""
        if not math.isfinite(time):
            self._clock_problem = f"the tick is stamped {time}"
        elif time < self._time - self._settings.stale_after:
            self._clock_problem = f"went back from {self._time:.3f} s to {time:.3f} s"
            # Everything that was stamped by the clock before is worthless now.
            for forget in (
                self._state.restart, self._estimate.restart, self._words.restart, self._repeats.restart, self._handover.restart,
                self._motors.reset, self._rates.restart, self._watchdog.reset,
            ):  # fmt: skip
                forget()
            self._command, self._operator_time, self._held_until = None, None, -math.inf
            self._time = self._machine.since = time
        else:
            self._time = max(self._time, time)
        self._counters["clock_problems"] += bool(self._clock_problem)
        self._motion.look(self._now())

    def _now(self) -> float:
        return self._time if math.isfinite(self._time) else 0.0

    def _take_command(self, command: JointCommand | None) -> str:
        """Keep a good command; returns what is wrong with a bad one."""
        if command is None:
            return ""
        problem = command_problem(self._limits.names, command)
        if problem:
            self._counters["commands_refused"] += 1
            self._words.spoil()
            return problem
        if self._machine.mode not in BALANCE or self._holds or self._estimate.blind:
            return ""
        newest = -math.inf if self._command is None else self._command.time
        if command.time < newest or not is_fresh(self._now(), command.time, self._settings.stale_after):
            # Too old or from the future: it does not count as sent, and the watchdog sees the age of the one before.
            self._counters["commands_out_of_time"] += 1
            return ""
        if self._command is None:
            self._handover.begin(self._motion.time, self._last_output)
        self._command = command
        self._rates.commands.note(command.time)
        return ""

    def _take_request(self, request: int) -> None:
        if request == Request.NONE:
            return
        before = self._machine.mode
        refused = self._machine.request(self._now(), request, self._unmet())
        self._counters["requests_refused"] += bool(refused)
        self._refused = refused
        mode = self._machine.mode
        if mode != before:
            self._enter(mode)

    def _enter(self, mode: Mode) -> None:
        now, position, speed = self._motion.time, self._state.joint_position, self._servos.posture_speed
        if mode == Mode.DAMPING:
            self._watchdog.reset()
        elif mode == Mode.STANDING_UP:
            self._posture = stand_up(now, position, self._lie, self._stand, speed=speed, lie_tolerance=self._settings.lie_tolerance)
            self._steps_left = MOST_STEPS
            self._limiter.restart(now, position)
            self._motors.reset()
            # Out of damping: what presses a joint beyond its stop is taken over little by little.
            self._handover.begin(now, self._last_output)
            self._command = None
        elif mode == Mode.SITTING_DOWN:
            self._posture = sit_down(now, position, self._lie, speed)
            self._handover.begin(now, self._last_output)
            self._command = None

    def _unmet(self) -> dict[Condition, str]:
        """The conditions that do not hold, and why."""
        unmet = unmet_by_pose(self._now(), self._state, self._estimate, self._limits, self._settings)
        for name, reason in self._motors.health_problems(self._health):
            unmet[Condition.CAUSE_GONE] = unmet[Condition.CAN_STAND] = f"{name}: {reason}"
        for name, problem in (("clock", self._clock_problem), ("frozen", self._repeats.problem)):
            if problem:
                unmet[Condition.CAUSE_GONE] = f"{name}: {problem}"
        if too_slow := self._rates.too_slow(self._settings):
            unmet[Condition.RATE_SUFFICES] = too_slow
        if self._strangers:
            unmet[Condition.ONE_COMMANDS] = self._strangers
        if not self._words.fresh(self._now()):
            unmet[Condition.CONTROLLER_ANSWERS] = NO_ANSWER
        if self._command is None:
            unmet[Condition.CONTROLLER_ACTIVE] = NO_ESTIMATE if self._estimate.blind else NOT_ON_ITS_FEET if self._holds else NO_COMMAND
        if self._planner_moves:
            unmet[Condition.PLANNER_STANDS] = STILL_STEPS
        return unmet

    @property
    def _holds(self) -> bool:
        """Whether the robot has no ground under its feet and the bridge's own posture holds its joints in the place of balance control."""
        return self._held and self._machine.mode == Mode.READY

    def _hold_what_is_held(self) -> None:
        """A robot that is lifted off the ground while it stands goes to the stand pose, as on the way up."""
        if not self._holds:
            return
        self._held_until = self._now()
        if self._command is not None:
            self._command = None
            self._posture = sit_down(self._motion.time, self._state.joint_position, self._stand, self._servos.posture_speed)
            self._handover.begin(self._motion.time, self._last_output)

    def _set_feet(self) -> None:
        """A robot that came up and whose feet the ground holds out of place lifts them and sets them."""
        now, position, attitude = self._motion.time, self._state.joint_position, self._estimate.attitude
        if self._machine.mode != Mode.STANDING_UP or self._posture is None or self._footing is None or attitude is None:
            return
        if not self._steps_left or not self._posture.stuck(now, position, self._state.joint_velocity, self._settings):
            return
        self._steps_left -= 1
        way = self._footing.way(now, position, attitude)
        if way is not None:
            self._counters["feet_set_anew"] += 1
            self._posture = way
            self._handover.begin(now, self._last_output)

    def _miss_estimate(self) -> None:
        """Springs hold a robot that stands where it is while nobody knows where that is; for so long, and then it lies down."""
        now, last, command_time = self._now(), self._last_output, None if self._command is None else self._command.time
        begins = self._estimate.look(now, self._machine.mode, command_time, self._words.fresh(now))
        if not self._estimate.blind or self._machine.mode != Mode.READY:
            return
        # Nobody can speak of a state that there is none of.
        self._held_until = now
        self._words.excuse(now)
        self._counters["estimates_lost"] += begins
        if self._command is not None and last is not None:
            moving = self._motion.time
            self._posture = held_where_it_is(moving, self._state.joint_position, last, self._servos.posture_stiffness)
            self._handover.begin(moving, last)
            self._command = None
        if reason := self._estimate.over(now):
            self._machine.event(now, Event.ESTIMATE_LOST, f"estimate lost: {reason}; the robot lies down")
            self._enter(Mode.SITTING_DOWN)

    def _end_the_walk(self) -> None:
        """Without the operator's side, or where the servos are reached too seldom, a walking robot stands."""
        if self._machine.mode != Mode.WALKING:
            return
        limit, age = self._settings.operator_missing_after, 0.0 if self._operator_time is None else self._now() - self._operator_time
        if too_slow := self._rates.too_slow(self._settings):
            self._counters["rates_lost"] += 1
            self._machine.event(self._now(), Event.RATE_LOST, f"too slow to walk: {too_slow}; the robot stands")
        elif age > limit:
            self._counters["operator_lost"] += 1
            reason = f"operator lost: no word for {age:.3f} s, limit {limit:.3f} s; the robot stands"
            self._machine.event(self._now(), Event.OPERATOR_LOST, reason)

    def _miss_controller(self) -> None:
        """Nobody would take over at the top, or does: a robot that the bridge holds by itself lies down again, as gently as it came up."""
        if self._machine.mode not in (Mode.STANDING_UP, Mode.READY) or self._command is not None:
            return
        if silence := self._words.silence(self._now()):
            self._counters["controller_silent"] += 1
            self._machine.event(self._now(), Event.CONTROLLER_SILENT, f"controller silent: {silence}; the robot lies down again")
            self._enter(Mode.SITTING_DOWN)

    def _ask_gates(self, bad_command: str) -> None:
        machine = self._machine
        if machine.mode not in UNDER_TORQUE:
            return
        now, position = self._now(), self._state.joint_position
        posture = self._posture if machine.mode in (Mode.STANDING_UP, Mode.SITTING_DOWN) else None
        overdue = posture.overdue(self._motion.time, position, self._limits, self._settings) if posture else ""
        command_time = None if self._command is None else self._command.time
        # A posture may lead the joints of a robot that rises or lies down; one that stands is to be where it is told.
        followed = self._last_output if self._command is not None or (self._estimate.blind and machine.mode == Mode.READY) else None
        facts = Facts(
            now, self._clock_problem, self._state.time, bad_command, command_time, max(machine.since, self._held_until),
            self._estimate.attitude, self._estimate.time, self._estimate.heard, overdue,
            self._health.problem if self._health else "", self._estimate.problem,
            self._motors.problems(now, self._state, self._health, followed),
            self._repeats.problem, self._estimate.blind,
        )  # fmt: skip
        trip = first_trip(machine.mode, facts, self._settings, self._watchdog)
        if trip:
            name, reason = trip
            self._counters[f"trips_{name.replace(' ', '_').replace('-', '_')}"] += 1
            machine.event(now, Event.TRIPPED, f"{name}: {reason}")
        elif posture and posture.reached(self._motion.time, position, self._settings.posture_tolerance):
            machine.event(now, Event.POSE_REACHED, "pose reached")

    def _wanted(self) -> JointCommand | None:
        """The command before limits; None: damping."""
        if self._machine.mode not in UNDER_TORQUE or self._posture is None:
            return None
        if self._command is not None:
            wanted = moved_on(self._command, self._now(), self._settings)
        else:
            wanted = self._posture.command(self._motion.time, self._sample_time(), self._servos)
        return self._handover.carry(self._motion.time, wanted)

    def _sample_time(self) -> float:
        return self._now() if self._state.time is None else self._state.time

    def _damped(self) -> JointCommand:
        """Joint damping inside of the effort limit at the speed that is known now; no torque at all while OFF."""
        damping = 0.0 if self._machine.mode == Mode.OFF else self._servos.safe_damping
        known = is_fresh(self._now(), self._state.time, self._settings.stale_after)
        inside = self._limits.damping_inside(damping, self._state.joint_velocity if known else np.zeros_like(self._stand))
        return JointCommand.damped(self._sample_time(), self._state.joint_position, inside)

    def _output(self, command: JointCommand, remarks: tuple[str, ...]) -> BridgeOutput:
        self._last_output = command
        machine, reason = self._machine, self._machine.reason
        # A single word that comes late refuses STAND, but is no news to tell.
        if machine.mode in RISES_FROM and self._words.silence(self._now()):
            reason += f"; {STAND_WAITS}{NO_ANSWER}"
        reason += self._estimate.words if machine.mode == Mode.READY else ""
        return BridgeOutput(
            command, machine.mode, reason, machine.since, self._refused, self._answers.in_mode(machine.mode), remarks,
            MappingProxyType(dict(self._counters)),
        )  # fmt: skip
