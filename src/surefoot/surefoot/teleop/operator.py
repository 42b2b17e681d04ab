# SPDX-License-Identifier: Apache-2.0
"""The one door between people, or what drives in their place, and the robot."""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from surefoot.gait.library import STAND
from surefoot.gait.parameters import Gait
from surefoot.teleop.driving import STILL, PlanarVelocity, fade, velocity_from_sticks, within
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.offers import CounterOffer, OfferHand
from surefoot.teleop.page import TuningPage
from surefoot.teleop.posture import LEVEL, Posture, PostureHand
from surefoot.teleop.presses import DEAD_MAN_OPEN, NO_PAD_YET, PAGE, PadWatch
from surefoot.teleop.settings import OperatorSettings
from surefoot.teleop.sources import PadSources

_NUMBER = re.compile(r"[0-9.]+")
"""What grows in a reason that stays the same."""


class OperatorRequest(IntEnum):
    """Numbered as in OperatorCommand.msg."""

    NONE = 0
    STOP = 1
    ARM = 2
    STAND = 3
    WALK = 4
    SIT = 5


@dataclass(frozen=True)
class OperatorWish:
    """Everything that the operator wants at one tick, as in OperatorCommand.msg.

    Attributes:
        time: of the tick, s.
        present: the pad is fresh and its dead-man switch is held.
        request: once per press.
        twist: wanted velocity of the base in its own frame.
        gait_request_id: grows with each request; 0: none was made since the start.
        gait: name of the gait of that request.
        ground: name of the ground said to lie ahead; empty: no word of it.
        absence: why the operator is not present, in words.
        notices: what the operator should be told, each once.
        posture: of the body, beside what the gait says.
        own_gait: that gait itself, where it is not one of the library but one that somebody made.
        intermediate: name of the gait through which the request is to be met; empty: as seems best.
        delay: s by which it is to be met later than it could be.
    """

    time: float
    present: bool
    request: OperatorRequest
    twist: PlanarVelocity
    gait_request_id: int
    gait: str
    ground: str
    absence: str
    notices: tuple[str, ...]
    own_gait: Gait | None = None
    posture: Posture = LEVEL
    intermediate: str = ""
    delay: float = 0.0


class Operator:
    """Merges the pad, external velocities and external gait requests into one wish per tick.

    Deterministic by stamps; never raises on input.
    The loss of the operator means a twist of zero, never a change of source: while a pad that has spoken is silent, nobody else drives.

    Attributes:
        counters: pad troubles and dropped inputs by name, since the start.
        running: the gait that the robot walks, once it is known.
    """

    def __init__(
        self,
        layout: PadLayout,
        settings: OperatorSettings,
        known_gaits: Collection[str] | None = None,
        page: TuningPage | None = None,
        layouts: Mapping[str, PadLayout] | None = None,
        only: str = "",
        own_gaits: Mapping[str, Gait] | None = None,
        stand_height: float = 1.0,
    ) -> None:
        """Build.

        Args:
            layout: of a pad that does not name its own.
            settings: limits, names and times.
            known_gaits: names that a gait request may have; None: any.
            page: on which the running gait is tuned; None: there is none.
            layouts: those that a pad may name.
            only: the one layout that may drive; empty: that of the first pad that speaks.
            own_gaits: gaits beside the known ones that may be asked for by name; looked at whenever one is.
            stand_height: of the robot, m.
        """
        self._settings, self._known_gaits, self._page = settings, known_gaits, page
        self._own_gaits: Mapping[str, Gait] = {} if own_gaits is None else own_gaits
        self._sources = PadSources(layout, settings, layouts, only)
        self._warnings = self._sources.warnings
        self.counters: Counter[str] = self._sources.counters
        self._queue: list[tuple[float, str]] = []
        height, *tilts = settings.posture_limit
        self._posture = PostureHand(Posture(height * stand_height, *tilts), settings.posture_time)
        self._external, self._external_stamp = STILL, -math.inf
        self.running: Gait | None = None
        self._seen_ids: set[int] = set()
        self._gait, self._gait_id, self._newest_id = "", 0, 0
        self._own_gait: Gait | None = None
        self._intermediate, self._delay = "", 0.0
        self._offers = OfferHand()
        self._ground = ""
        self._absence = "no tick has come yet"
        self._notices: list[str] = []
        self._told = 0

    @property
    def _pad(self) -> PadWatch:
        return self._sources.watch

    def pad_message(self, stamp: float, axes: Sequence[float], buttons: Sequence[int], origin: str = "", delay: float = 0.0) -> None:
        """Take one Joy message. All that come between two ticks are heard.

        Args:
            stamp: of its receipt, s.
            axes: raw.
            buttons: raw; neither axes nor buttons: the pad is gone.
            origin: name of the layout that the sender gives; any other text is none.
            delay: since it was sent, s; of what is too late only stop is obeyed.
        """
        limit = self._settings.pad_delay_limit
        self._sources.message(stamp, axes, buttons, origin, late=limit is not None and not delay <= limit)
        self._queue += self._sources.take_presses()

    def pad_unplugged(self) -> None:
        """The driver knows that the pad is gone."""
        self._pad.unplugged()

    def gait_verdict(self, gait: str, accepted: bool, reason: str) -> None:
        """Hear what became of a gait request, by the name of the gait."""
        own_gait = self._own_gait if self._own_gait is not None and self._own_gait.name == gait else None
        # Somebody else may have asked for another gait of the same name.
        if self._page is not None and own_gait in (None, self._page.editor.asked):
            self._page.editor.verdict(gait, accepted, reason)
        if accepted and own_gait is not None:
            self.gait_runs(own_gait)

    def offer(self, time: float, offer: CounterOffer | None) -> None:
        """Hear at a time, in s, what could be done instead of what was vetoed; None after any other news."""
        self._offers.offered(time, offer)
        if offer is not None:
            self._notices.append(f"offered instead: {offer.reason}; press accept")

    def gait_status(self, gait: str, request_id: int, vetoed: bool) -> None:
        """Hear which gait runs, and what became of the last request, see OfferHand.status. The id of the next one comes after it."""
        self._newest_id = max(self._newest_id, request_id)
        self._offers.status(gait, request_id, vetoed)

    def gait_runs(self, gait: Gait) -> None:
        """Hear which gait the robot walks: the tuning page starts from it, unless there is a draft of another one on it."""
        self.running = gait
        if self._page is not None:
            self._page.editor.runs(gait)

    def external_velocity(self, stamp: float, velocity: PlanarVelocity) -> None:
        """Take one velocity of something else that drives, stamped in s; what is not a number is dropped and counted."""
        if not (velocity.finite and math.isfinite(stamp)):
            self.counters["external_not_finite"] += 1
        elif stamp >= self._external_stamp:
            self._external, self._external_stamp = velocity, stamp

    def external_gait_request(self, request_id: int, gait: str, own_gait: Gait | None = None, intermediate: str = "") -> str:
        """Take one gait request from elsewhere: for a gait by name, or for one that somebody made, perhaps through another.

        Returns:
            Why it was dropped; empty if it was taken. An id that was seen before is dropped, and 0 is no id. While the operator is
            absent, only a gait that does not move is taken.
        """
        if request_id <= 0 or request_id in self._seen_ids:
            self.counters["gait_requests_dropped"] += 1
            return f"gait request {request_id} for '{gait}' dropped: {'ids start at 1' if request_id <= 0 else 'that id was seen before'}"
        self._seen_ids.add(request_id)
        return self._ask_from_outside(gait, own_gait, intermediate)

    def gait_action(self, gait: str, own_gait: Gait | None = None, intermediate: str = "") -> tuple[int, str]:
        """Take one gait request that is waited for.

        Returns:
            The id of the request, as the wishes carry it, and why it was dropped; empty if it was taken. While the operator is absent,
            only a gait that does not move is taken.
        """
        refusal = self._ask_from_outside(gait, own_gait, intermediate)
        return self._gait_id, refusal

    def tick(self, time: float, walking: bool = False, gait_limits: PlanarVelocity | None = None, armed: bool = False) -> OperatorWish:
        """What the operator wants now.

        Args:
            time: of the tick, s.
            walking: whether the robot is in the mode WALKING; the button walk then asks to stand.
            gait_limits: largest speeds of the running gait; None where they are not known.
            armed: whether the robot is armed; a pad that was lost and is back then needs its own arming only. The posture is level
                while it is not.
        """
        request = self._next_request(time, walking, armed)
        absence = self._pad.absence(time)
        self._tell_absence(absence)
        twist = self._velocity(time, not absence, gait_limits)
        posture = self._posture.follow(time, LEVEL if absence else self._pad.posture())
        if not armed or request in (OperatorRequest.STOP, OperatorRequest.SIT):
            # Whoever stands up next must not find an old lean.
            self._posture.level()
            posture = LEVEL
        if self._page is not None:
            fresh = not self._pad.lost and self._pad.age(time) <= self._settings.pad_timeout
            self._page.hold(time, lambda action: fresh and self._page_button_down(action))
            self._notices += self._page.take_lines()
        notices = (*self._warnings[self._told :], *self._notices)
        self._told, self._notices = len(self._warnings), []
        return OperatorWish(
            time, not absence, request, twist, self._gait_id, self._gait, self._ground, absence, notices, self._own_gait, posture,
            self._intermediate, self._delay,
        )  # fmt: skip

    def _tell_absence(self, absence: str) -> None:
        """Say once for each reason why nobody drives, except where it is the operator's own doing."""
        if absence not in ("", NO_PAD_YET, DEAD_MAN_OPEN) and _NUMBER.sub("", absence) != _NUMBER.sub("", self._absence):
            self._notices.append(f"nobody drives: {absence}")
        self._absence = absence

    def _next_request(self, time: float, walking: bool, armed: bool) -> OperatorRequest:
        if any(action == "stop" for _, action in self._queue):
            self._queue.clear()
            return OperatorRequest.STOP
        while self._queue:
            stamp, action = self._queue.pop(0)
            if self._means_nothing(action):
                continue
            if time - stamp > self._settings.request_timeout:
                self._drop_press(action, f"{time - stamp:.2f} s old, limit {self._settings.request_timeout:.2f} s")
                continue
            if self._pad.lost and (action != "arm" or self._pad.state is None):
                if action != "dead_man":
                    self._drop_press(action, "the gamepad was lost; once it is back, let go of the sticks and press arm")
                continue
            request = self._act(stamp, action, walking, armed)
            if request != OperatorRequest.NONE:
                return request
        return OperatorRequest.NONE

    def _drop_press(self, action: str, reason: str) -> None:
        self._notices.append(f"press of {action} dropped: {reason}")
        self.counters["presses_dropped"] += 1

    def _act(self, stamp: float, action: str, walking: bool, armed: bool) -> OperatorRequest:
        """What one press asks of the robot; those that only change the wish are taken here."""
        if self._pad.down("stop"):
            return OperatorRequest.NONE
        if action.startswith(PAGE):
            self._press_page(stamp, action.removeprefix(PAGE))
        elif action.startswith("gait_"):
            self._press_gait(action)
        elif action in ("ground_next", "ground_previous"):
            self._turn_ground(1 if action == "ground_next" else -1)
        elif action == "arm":
            if self._sticks() != STILL:
                self._notices.append("not armed: a stick is deflected; let go of the sticks first")
                return OperatorRequest.NONE
            if self._pad.lost:
                self._pad.rearm()
                self._notices.append("the gamepad counts again")
                return OperatorRequest.NONE if armed else OperatorRequest.ARM
            return OperatorRequest.ARM
        elif action == "level":
            self._posture.level()
        elif action == "accept":
            self._accept(stamp)
        elif action == "walk":
            return OperatorRequest.STAND if walking else OperatorRequest.WALK
        elif action in ("stand", "sit"):
            return OperatorRequest[action.upper()]
        return OperatorRequest.NONE

    def _press_gait(self, action: str) -> None:
        number = action.removeprefix("gait_")
        if not (number.isdecimal() and 1 <= int(number) <= len(self._settings.gaits)):
            self._notices.append(f"button {action} has no gait; gaits of the settings are {', '.join(self._settings.gaits)}")
            return
        refusal = self._ask_for_gait(self._settings.gaits[int(number) - 1])
        if refusal:
            self._notices.append(refusal)

    def _accept(self, time: float) -> None:
        offer = self._offers.take(time)
        if offer is None:
            self._notices.append("nothing is offered; an offer comes with a veto, where one was found, and does not hold for long")
            return
        self._notices.append(offer.asking)
        own_gait = self._own_gait if self._own_gait is not None and self._own_gait.name == offer.gait else None
        refusal = self._ask_for_gait(offer.gait, own_gait, offer.intermediate, offer.delay)
        if refusal:
            self._notices.append(refusal)
        else:
            self._offers.asked(offer, self._gait_id)

    def _ask_from_outside(self, gait: str, own_gait: Gait | None, intermediate: str) -> str:
        asked = self._own_gaits.get(gait) if own_gait is None else own_gait
        moves = gait != STAND if asked is None else asked.moves
        known = asked is not None or self._known_gaits is None or gait in self._known_gaits
        if known and moves and self._absence:
            self.counters["gait_requests_dropped"] += 1
            return f"gait '{gait if asked is None else asked.name}' dropped: the operator is absent: {self._absence}"
        return self._ask_for_gait(gait, own_gait, intermediate)

    def _ask_for_gait(self, gait: str, own_gait: Gait | None = None, intermediate: str = "", delay: float = 0.0) -> str:
        own_gait = self._own_gaits.get(gait) if own_gait is None else own_gait
        if own_gait is None and self._known_gaits is not None and gait not in self._known_gaits:
            self.counters["gait_requests_dropped"] += 1
            return f"gait '{gait}' is unknown; known: {', '.join(sorted({*self._known_gaits, *self._own_gaits}))}"
        self._gait, self._own_gait = gait if own_gait is None else own_gait.name, own_gait
        self._intermediate, self._delay = intermediate, delay
        # An operator who was started again must not be given the verdict on a request that was made before.
        self._gait_id = max(self._gait_id, self._newest_id) + 1
        if self._page is not None:
            self._page.editor.names.asked(self._gait)
        return ""

    def _press_page(self, stamp: float, action: str) -> None:
        if self._page is None:
            if not action:
                self._notices.append("this program has no tuning page")
        elif not action:
            self._page.toggle()
        else:
            gait = self._page.press(stamp, action)
            if gait is not None:
                self._ask_for_gait(gait.name, gait)

    def _means_nothing(self, action: str) -> bool:
        """Whether a press is the other meaning of a button: of the tuning page while it is closed, of driving while it is open."""
        layout, is_open = self._pad.reader.layout, self._page is not None and self._page.is_open
        if action.startswith(PAGE):
            return action != PAGE and not is_open
        return is_open and layout.page is not None and layout.actions[action] in layout.page.presses.values()

    def _page_button_down(self, action: str) -> bool:
        state, page = self._pad.state, self._pad.reader.layout.page
        return state is not None and page is not None and page.presses[action] in state.pressed

    def _turn_ground(self, step: int) -> None:
        grounds = self._settings.grounds
        if not grounds:
            return
        now = grounds.index(self._ground) if self._ground else (-1 if step > 0 else 0)
        self._ground = grounds[(now + step) % len(grounds)]

    def _sticks(self) -> PlanarVelocity:
        return PlanarVelocity(*map(self._pad.stick, PlanarVelocity._fields))

    def _velocity(self, time: float, present: bool, gait_limits: PlanarVelocity | None) -> PlanarVelocity:
        settings, driving = self._settings, self._settings.driving
        sticks = PlanarVelocity(*map(self._pad.driving, PlanarVelocity._fields))
        if present and sticks != STILL:
            part = fade(self._pad.age(time), settings.pad_fades_after, settings.pad_timeout)
            wanted = velocity_from_sticks(sticks, driving, gait_limits)
        else:
            part = self._external_part(time, present)
            wanted = within(self._external, driving, gait_limits)
        if wanted == STILL:
            self._offers.let_go()
        # How fast the robot speeds up and slows down is the planner's to say: what is rehearsed is then what is asked for.
        return PlanarVelocity(*(part * self._offers.command_factor * value for value in wanted))

    def _external_part(self, time: float, present: bool) -> float:
        """How much of the external velocity counts, 0 to 1."""
        settings = self._settings
        pad_gone = self._pad.lost or (self._pad.age(time) > settings.pad_timeout and self._pad.age(time) < math.inf)
        allowed = present or (settings.external_without_operator and not pad_gone)
        age = time - self._external_stamp
        if not allowed or age < -settings.external_timeout:
            return 0.0
        return fade(age, 0.5 * settings.external_timeout, settings.external_timeout)
