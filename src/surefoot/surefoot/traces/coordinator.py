# SPDX-License-Identifier: Apache-2.0
"""What happens to a gait request: it is rehearsed, then committed at the chosen moment, or vetoed with the reason.

A gait change that nobody vouched for does not happen; the one exception is to stand, which is how everything ends well.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.library import STAND, GaitLibrary
from surefoot.gait.modes import FAULT_TEXT
from surefoot.gait.parameters import Gait
from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.laws import FollowedLaw
from surefoot.locomotion.policy import Planning, ScheduledChange, state_record
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.terrain.belief import Grounds, TerrainBelief
from surefoot.traces.decision.offer import Offer
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.request import Answer, Enquiry, RequestState, Status, Wish
from surefoot.traces.snapshot import Snapshot, candidates_of, intermediates_of

Array = NDArray[np.float64]

LONGEST_DELAY = 20.0
"""s by which a change may be put off."""

COMMAND_TOLERANCE = 0.15
"""Change of the wanted velocity after which a verdict no longer holds, m/s and rad/s."""

POSTURE_TOLERANCE = 0.05
"""The same of the posture, m and rad."""

STEADY_STEP, STEADY_TIME = 0.02, 0.2
"""A command and a posture that changed by less than this, m/s, m and rad, for this long, s, are steady: worth a new rehearsal."""

MOST_REPEATS = 3
"""How often a request is rehearsed again because the command changed."""


class GaitCoordinator:
    """Runs the planner, and takes gait requests through rehearsal to commit or veto.

    Args:
        model: the believed robot.
        gaits: that may be asked for.
        grounds: that may be named; the first is believed until somebody says otherwise.
        planner_settings: of the planner.
        settings: of the decision.

    Attributes:
        planning: the planner with its memory.
        status: what became of the last request.
        ground: what is believed about the ground ahead.
        law: that drives the robot.
        doubt: why a rehearsal would say nothing about this robot now; empty if it would. As long as there is one no gait changes.
        objection: says why the robot as it is now cannot walk a gait that it could otherwise; empty for nothing.
    """

    def __init__(
        self, model: RobotModel, gaits: GaitLibrary, grounds: Grounds, planner_settings: PlannerSettings, settings: DecisionSettings
    ) -> None:
        self.planning = Planning(model, gaits, planner_settings)
        self.law = FollowedLaw(model)
        self.status = Status()
        self.ground: TerrainBelief = grounds.usual
        self.doubt = ""
        self.objection: Callable[[Gait], str] = lambda gait: ""
        self._ground_here = self.ground
        self._gaits, self._grounds, self._settings = gaits, grounds, settings
        self._first_gait = model.description.default_gait
        self._period = 1.0 / model.description.control.rate
        self._tolerance = 0.1 * model.description.stand_height
        self._standing_up, self._walking = True, False
        self._seen_request = 0
        self._hand = Status()
        """Of the request that is being rehearsed or scheduled; one that is refused meanwhile shows in `status` only."""
        self._enquiry: Enquiry | None = None
        self._due, self._position_when_due = 0.0, np.full(3, np.nan)
        self._change: ScheduledChange | None = None
        self._vouched_for: Snapshot | None = None
        self._again: Gait | None = None
        self._intermediate, self._delay, self._half_way = "", 0.0, False
        self._repeats = 0
        self._asked_in_presence = False
        self._steady, self._steady_since = np.zeros(7), 0.0

    @property
    def enquiry(self) -> Enquiry | None:
        """What is being rehearsed, None while nothing is."""
        return self._enquiry

    @property
    def _open(self) -> bool:
        """Whether a request is neither committed nor vetoed."""
        return self._enquiry is not None or self._change is not None or self._again is not None

    def must_wait(self, time: float) -> bool:
        """Whether the verdict is due at this time; in lockstep the tick waits for it."""
        return self._enquiry is not None and time >= self._due - 1e-6

    def rest(self, request_id: int = 0, gait: str = "") -> None:
        """The robot is not balanced by the controller now: the next balanced tick begins to stand at the measured pose.

        Args:
            request_id, gait: of the newest gait request, which cannot be taken up; 0 if it is not known.
        """
        self._half_way = False
        if self._open:
            self._veto("the robot left balance control")
        if request_id > self._seen_request:
            self._seen_request = request_id
            self.status = Status(RequestState.VETOED, request_id, gait, reason="the robot does not stand; ask again when it does")
        if self.status.offer is not None:
            self.status = replace(self.status, offer=None)
        self._standing_up, self._walking = True, False

    def tick(self, state: RobotState, wish: Wish, walking: bool) -> Enquiry | None:
        """Plan one tick; the plan is in `planning.plan_record`.

        Args:
            state: the estimate.
            wish: of the operator.
            walking: whether the robot is to walk; else it is to stand.

        Returns:
            What is to be rehearsed from now on, if anything.
        """
        if self._standing_up:
            self.planning.start(state)
            self._standing_up = False
            # Requests made before the robot stood are history.
            self._seen_request = wish.request_id
        self._believe(wish)
        self._note_place(state)
        self.planning.carry(wish.posture)
        self._watch_steering(state.time, self._steering(wish))
        enquiry = self._take_requests(state, wish, walking)
        self._keep_only_true_verdicts(wish)
        if self._again is not None and state.time - self._steady_since >= STEADY_TIME and not self.planning.blending:
            gait, self._again = self._again, None
            enquiry = self._enquire(state, wish, self._hand.request_id, gait)
        if self.planning.tick(state, wish.command, self.ground.cautious_friction) and self._change is not None:
            self._note_change(self._change)
        if self.law.remembers:
            self.law.follow(self.planning.plan_record, state_record(state))
        return enquiry

    def answer(self, state: RobotState, answer: Answer) -> None:
        """Take the answer to the enquiry in hand, once it is due.

        Args:
            state: the estimate at this tick; the first since the answer is due says whether the robot is where it was predicted.
            answer: already checked for soundness.
        """
        enquiry = self._enquiry
        if enquiry is None:
            return
        if not answer.accepted or answer.candidate is None:
            self._veto(answer.reason, answer.offer)
            return
        candidate = answer.candidate
        self._note_place(state)
        # A change that is due between two ticks is made at the second, in the trace as well.
        if candidate.switch_time <= state.time - self._period:
            self._veto(f"the verdict came too late: the change was due {state.time - candidate.switch_time:.2f} s ago")
            return
        allowed = np.maximum(4.0 * answer.predicted_deviation, self._tolerance)
        error = np.abs(self._position_when_due - answer.predicted_position)
        if not (error <= allowed).all():
            axis = int(np.argmax(error / allowed))
            self._veto(f"the robot left its predicted cloud: {error[axis]:.2f} m off in {'xyz'[axis]}, allowed {allowed[axis]:.2f} m")
            return
        on_the_way = next((gait for gait in enquiry.snapshot.intermediates if gait.name == candidate.intermediate), None)
        if candidate.intermediate and on_the_way is None:
            self._veto(f"the verdict is on a change through {candidate.intermediate}, which was not among the gaits that were asked about")
            return
        self._enquiry = None
        self._change = ScheduledChange(
            enquiry.snapshot.gait_to, candidate.switch_time, candidate.transition_point, candidate.blend_time, on_the_way,
            candidate.intermediate_time,
        )  # fmt: skip
        self._vouched_for = enquiry.snapshot
        self.planning.schedule(self._change)
        self._hand = self.status = Status(
            RequestState.SCHEDULED, enquiry.request_id, enquiry.snapshot.gait_to.name, candidate.switch_time, answer.reason
        )

    def _note_change(self, change: ScheduledChange) -> None:
        """The gait has changed as scheduled: to the intermediate one, if there is one on the way, or at last."""
        on_the_way = self.planning.changing
        reason = f"{self.planning.gait.name} taken; {self._hand.reason}"
        state = RequestState.SCHEDULED if on_the_way else RequestState.COMMITTED
        self.status = replace(self._hand, state=state, switch_time=change.switch_time + change.intermediate_time, reason=reason)
        self._half_way = on_the_way
        if not on_the_way:
            self._change = None

    def no_answer(self, reason: str) -> None:
        """Silence, a crash or a verdict that does not add up: a veto."""
        if self._enquiry is not None:
            self._veto(reason)

    def _note_place(self, state: RobotState) -> None:
        """Remember where the robot was when the answer was due, however late it comes."""
        if self.must_wait(state.time) and np.isnan(self._position_when_due).any():
            self._position_when_due = state.base_position

    def _steering(self, wish: Wish) -> Array:
        """What the operator holds in hand: the command and the posture, (7,)."""
        return np.concatenate((wish.command, self.planning.planner["posture"][0]))

    def _watch_steering(self, time: float, steering: Array) -> None:
        if np.abs(steering - self._steady).max() > STEADY_STEP:
            self._steady, self._steady_since = steering, time

    def _believe(self, wish: Wish) -> None:
        if wish.ground and wish.ground != self.ground.name and wish.ground in self._grounds.names:
            self.ground = self._grounds[wish.ground]

    def _take_requests(self, state: RobotState, wish: Wish, walking: bool) -> Enquiry | None:
        started, stopped = walking and not self._walking, self._walking and not walking
        self._walking = walking
        # An operator without any request is a new one, whose ids may begin at 1.
        self._seen_request = self._seen_request if wish.request_id else 0
        asked = wish.request_id if wish.request_id > self._seen_request else 0
        self._seen_request = max(self._seen_request, wish.request_id)
        if stopped:
            self._stand(state)
        if asked:
            if wish.unreadable:
                self.status = Status(RequestState.VETOED, asked, wish.gait, reason=wish.unreadable)
                return None
            return self._request(state, wish, asked, wish.own_gait or wish.gait, walking)
        if started:
            # The way that was wished for is that of a request.
            return self._request(state, replace(wish, intermediate="", delay=0.0), 0, self._first_gait, walking)
        return None

    def _stand(self, state: RobotState) -> None:
        """Stop: always allowed, at once, and whatever was asked for is dropped."""
        self._half_way = False
        if self._open:
            self._veto("the robot was told to stand")
        else:
            self.status = Status()
        if self.planning.gait.moves or self.planning.blending:
            self.planning.schedule(ScheduledChange(self._gaits[STAND], state.time, 0.0))

    def _request(self, state: RobotState, wish: Wish, request_id: int, asked: Gait | str, walking: bool) -> Enquiry | None:
        refusal = self._refusal(wish, asked, walking)
        if refusal:
            self.status = Status(RequestState.VETOED, request_id, asked if isinstance(asked, str) else asked.name, reason=refusal)
            return None
        gait = self._gaits[asked] if isinstance(asked, str) else asked
        if gait == self.planning.gait:
            self.status = Status(RequestState.COMMITTED, request_id, gait.name, state.time, f"{gait.name} runs already")
            return None
        self._repeats, self._asked_in_presence = 0, wish.present
        self._intermediate, self._delay, self._half_way = wish.intermediate, wish.delay, False
        return self._enquire(state, wish, request_id, gait)

    def _refusal(self, wish: Wish, asked: Gait | str, walking: bool) -> str:
        """Why a request is not even rehearsed; empty if it is."""
        impossible = self._impossible(asked) or self.objection(self._gaits[asked] if isinstance(asked, str) else asked)
        impossible = impossible or self._no_way_through(wish, asked if isinstance(asked, str) else asked.name)
        if impossible:
            return impossible
        if not walking:
            return "the robot stands; switch walking on first"
        if self._enquiry is not None or self._again is not None:
            return f"{self._hand.gait} is being rehearsed; ask again after its verdict"
        if self._change is not None:
            return f"the change to {self._change.gait.name} is scheduled; ask again after it"
        if self.planning.blending:
            return f"the change to {self.planning.gait.name} is under way; ask again after it"
        if wish.ground and wish.ground not in self._grounds.names:
            return f"unknown ground '{wish.ground}' ahead; known: {', '.join(self._grounds.names)}"
        return self._obstacle()

    def _obstacle(self) -> str:
        """Why no gait may change now; empty if one may."""
        return self.doubt or FAULT_TEXT[int(self.planning.planner["fault"][0])]

    def _impossible(self, asked: Gait | str) -> str:
        """Why there is no such gait; empty if there is. Whether the robot can do one of the operator's making, the rehearsal says."""
        if isinstance(asked, str):
            return "" if asked in self._gaits else f"unknown gait '{asked}'; known: {', '.join(self._gaits.names)}"
        if asked.name in self._gaits and asked != self._gaits[asked.name]:
            return f"'{asked.name}' is the name of another gait; give yours one of its own"
        return ""

    def _no_way_through(self, wish: Wish, asked: str) -> str:
        """Why a gait cannot be reached as it is wished for; empty if it can."""
        intermediate = wish.intermediate
        if not 0.0 <= wish.delay <= LONGEST_DELAY:
            return f"the change is asked for {wish.delay:g} s later; it must be 0 to {LONGEST_DELAY:g} s"
        if not intermediate or asked == self.planning.gait.name:
            return ""
        if intermediate not in self._gaits:
            return f"unknown intermediate gait '{intermediate}'; known: {', '.join(self._gaits.names)}"
        if intermediate in (asked, self.planning.gait.name) or not self._gaits[intermediate].moves:
            return f"'{intermediate}' cannot be walked on the way from {self.planning.gait.name} to {asked}; ask for another, or for none"
        return self.objection(self._gaits[intermediate])

    def _intermediates(self, gait: Gait) -> tuple[Gait, ...]:
        """The gaits that may be walked on the way to another by this robot as it is now."""
        known = intermediates_of(self._gaits, self._settings, self.planning.gait.name, gait.name, self._intermediate)
        return tuple(one for one in known if not self.objection(one))

    def _enquire(self, state: RobotState, wish: Wish, request_id: int, gait: Gait) -> Enquiry | None:
        planner = self.planning.planner.copy()
        law = self.law.now()
        snapshot = Snapshot(
            state, planner, self.planning.gait, gait, wish.command.copy(), self.ground, self._ground_here, law, self._intermediates(gait)
        )
        settings = self._settings
        # Who asked for a way through a gait and walks it by now has half of the change behind, and waited before it.
        begun = self._intermediate == self.planning.gait.name
        to_go, delay = ("", 0.0) if begun else (self._intermediate, self._delay)
        candidates = candidates_of(snapshot, settings, to_go, delay)
        if not candidates:
            self._veto(self.objection(self._gaits[to_go]))
            return None
        self._enquiry, self._due = Enquiry(request_id, snapshot, candidates), state.time + settings.latency
        self._position_when_due = np.full(3, np.nan)
        reason = f"rehearsing {gait.name} on {self.ground.name} ground"
        self._hand = self.status = Status(RequestState.REHEARSING, request_id, gait.name, reason=reason)
        return self._enquiry

    def _keep_only_true_verdicts(self, wish: Wish) -> None:
        """A verdict holds for the command, the posture and the ground that it was made for, and for the operator who asked."""
        if self._open and self._asked_in_presence and not wish.present:
            self._veto("the operator who asked for it is gone; ask again")
            return
        pending = self._vouched_for if self._change is not None else self._enquiry.snapshot if self._enquiry is not None else None
        if pending is None:
            return
        if obstacle := self._obstacle():
            self._veto(obstacle)
        elif pending.terrain != self.ground:
            self._veto(f"the ground ahead is now said to be {self.ground.name}; the rehearsal was for {pending.terrain.name}")
        elif pending.law.name != self.law.name:
            self._veto(f"the law that drives the robot is now {self.law.name}; the rehearsal was for {pending.law.name}")
        elif not self._is_command_of(pending, wish.command):
            self._ask_again(pending.gait_to, "command")
        elif np.abs(self.planning.planner["posture"][0] - pending.planner["posture"][0]).max() > POSTURE_TOLERANCE:
            self._ask_again(pending.gait_to, "posture")

    def _is_command_of(self, pending: Snapshot, command: Array) -> bool:
        """Whether a command is that which was rehearsed. On the way through a gait that may only be held back to what that gait does."""
        gait = self.planning.gait
        limits = np.array((gait.max_forward_speed, gait.max_strafe_speed, gait.max_turn_rate))
        rehearsed = [pending.command, np.clip(pending.command, -limits, limits)] if self._half_way else [pending.command]
        return any(np.abs(command - one).max() <= COMMAND_TOLERANCE for one in rehearsed)

    def _ask_again(self, gait: Gait, changed: str) -> None:
        """The command or the posture changed: the verdict would be about something else."""
        if self._repeats >= MOST_REPEATS:
            self._veto(f"the {changed} keeps changing; ask again with a steady one")
            return
        self._repeats += 1
        self._drop()
        self._again = gait
        reason = f"the {changed} changed: rehearsing again once it is steady"
        self._hand = self.status = replace(self._hand, state=RequestState.REHEARSING, switch_time=float("nan"), reason=reason)

    def _drop(self) -> None:
        """Forget the enquiry and the change in hand."""
        self._enquiry, self._again = None, None
        if self._change is not None:
            self.planning.cancel()
            self._change = None

    def _veto(self, reason: str, offer: Offer | None = None) -> None:
        self._drop()
        if self._half_way:
            reason, self._half_way = f"{reason}; half of the change was made, and the robot stays in {self.planning.gait.name}", False
        self.status = Status(RequestState.VETOED, self._hand.request_id, self._hand.gait, reason=reason, offer=offer)
