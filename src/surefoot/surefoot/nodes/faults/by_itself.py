# SPDX-License-Identifier: Apache-2.0
"""One node by itself: what it hears is played to it, its timers and its clock are stepped by hand, and what it says is kept."""

import os
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from rclpy.serialization import deserialize_message
from surefoot_msgs.action import RequestGait, ScoreTransitions
from surefoot_msgs.msg import MotionPlan, RobotMode

from surefoot.nodes.base import SurefootNode
from surefoot.nodes.faults.beside import Beside
from surefoot.nodes.faults.company import CAUGHT, QUIET, TRACES, Company
from surefoot.nodes.faults.inbox import Inbox
from surefoot.nodes.faults.judge import VERDICT, Judge
from surefoot.nodes.faults.messages import stamp_in, with_stamp
from surefoot.nodes.faults.rehearsals import ACTION, Handle, Kept, answered
from surefoot.nodes.faults.stand_in import StandIn
from surefoot.nodes.faults.vouch import vouch
from surefoot.nodes.particle_trace import BROKE_DOWN

REQUEST = "/request_gait"

ALIVE: dict[str, Callable[[Any], bool]] = {
    "/robot_mode": lambda message: message.mode in (RobotMode.READY, RobotMode.WALKING),
    "/robot_state": lambda message: bool(message.valid),
    "/motion_plan": lambda message: message.activity in (MotionPlan.STANDING, MotionPlan.MOVING),
    "/servo_command": lambda message: bool(message.active),
    "/operator_command": lambda message: message.twist.linear.x > 0.0,
    "/cmd_vel": lambda message: message.twist.linear.x > 0.0 or message.twist.angular.z != 0.0,
    VERDICT: lambda message: len(message.scores) > 0,
}
"""By what a node says, whether it is at work: garbage to one that refuses everything shows little."""

ALIKE = 3
"""Words with which what is illegal begins and by which it is of one kind; what follows are numbers."""

LOOKS = ("look", "_look")
"""Timers by which a node looks for who else there is in the domain: nobody is."""


class ByItself:
    """One node that was in a company.

    Args:
        company: whose nodes do no longer speak to each other.
        name: of the node.
        answer: what is made of each verdict that the gait planner waits for.
        beside: what is known of it, where it is not on the way from sensors to motors.

    Attributes:
        node: it.
        kinds: type of message by topic, of all that it hears.
        raw: topics that it hears as bytes, whatever these are.
        exceptions: that nobody handled, or that it caught as a last resort, counted.
        illegal: what left it that must not, counted.
        said: messages that left it, by topic.
        at_work: ticks in which it was, see ALIVE.
    """

    def __init__(
        self, company: Company, name: str, answer: Callable[[Any], Any] = lambda verdict: verdict, beside: Beside | None = None
    ) -> None:
        self.node: SurefootNode = company.nodes[name]
        self._name, self._judge = name, Judge(self.node.model)
        self.exceptions, self.illegal, self.said = Counter[str](), Counter[str](), Counter[str]()
        self.at_work, self._works, self._clock = 0, False, 0.0
        self._outbox: list[tuple[str, Any]] = []
        self._first: dict[tuple[str, ...], str] = {}
        self._beside = beside or Beside()
        self._timers = [timer.callback for timer in self.node.timers if getattr(timer.callback, "__name__", "") not in LOOKS]
        self.kinds: dict[str, Any] = {}
        self.raw: set[str] = set()
        self._hears: dict[str, Callable[[Any], None]] = {}
        for subscription in self.node.subscriptions:
            self.kinds[subscription.topic_name], self._hears[subscription.topic_name] = subscription.msg_type, subscription.callback
        for ears, take in self._beside.polled(self.node):
            for subscription in ears.subscriptions:
                topic = subscription.topic_name
                self.kinds[topic], self._hears[topic] = subscription.msg_type, self._polls(subscription, take)
                self.raw.add(topic)
        for publisher in self.node.publishers:
            if (topic := publisher.topic_name) not in QUIET:
                publisher.publish = lambda message, topic=topic: self._outbox.append((topic, message))
                # Somebody looks at everything.
                publisher.get_subscription_count = lambda: 1
        self.node.steady, self.node.slow_motion = (lambda: self._clock), 1.0
        node: Any = self.node
        if name == "teleop":
            self.kinds[REQUEST], self._hears[REQUEST] = RequestGait.Goal, lambda goal: node._action._accept(Handle(goal))
        elif name == "gait_planner":
            node._client = _Vouches(answer)
        elif name == TRACES:
            node._pool.close()
            node._pool = StandIn(1.0 / node.model.description.control.rate)
            self.kinds[ACTION], self._hears[ACTION] = ScoreTransitions.Goal, self._rehearse

    def stamped(self, topic: str, data: bytes, later: float) -> bytes:
        """The same message, stamped later by some s if it has a stamp."""
        fields = self.kinds[topic].get_fields_and_field_types()
        return data if next(iter(fields), "") != "header" else with_stamp(data, stamp_in(data) + later)

    def hear(self, topic: str, message: Any) -> None:
        """Let it hear one message; bytes where it hears raw ones."""
        self._call(self._hears[topic], message)

    def go_on(self) -> None:
        """Let it do what it does in each tick by itself."""
        self._call(self._beside.each_tick, self.node)

    def look_through(self, over: bool = False) -> None:
        """Judge what it made beside what it said; over: for the last time."""
        if words := self._beside.broken(self.node, over):
            self._count(self.illegal, (self._name, *words.split()[:ALIKE]), words)

    def step_clock(self, seconds: float) -> None:
        """Let its clock go on."""
        self._clock += seconds

    def fire(self, number: int) -> None:
        """Let one of its timers fire."""
        self._call(self._timers[number])

    @property
    def timers(self) -> int:
        """How many it has."""
        return len(self._timers)

    def end_tick(self) -> bool:
        """Judge what it said since the last time. Returns whether it is at work."""
        for topic, message in self._outbox:
            self.said[topic] += 1
            try:
                words = self._judge.illegal(topic, message)
            except Exception as error:  # it cannot be sent
                self._raised(error)
                continue
            if words:
                self._count(self.illegal, (topic, *words.split()[:ALIKE]), f"{topic}: {words}")
            if topic == "/robot_mode" and message.reason.startswith(CAUGHT):
                self._caught(message.reason)
            if topic in ALIVE:
                self._works = ALIVE[topic](message)
        self._outbox.clear()
        works = self._beside.works(self.node)
        self._works = self._works if works is None else works
        self.at_work += self._works
        return self._works

    def _polls(self, subscription: Any, take: Callable[[], None]) -> Callable[[bytes], None]:
        inbox = Inbox(subscription, lambda: self._clock)

        def hear(data: bytes) -> None:
            inbox.put(data)
            take()

        return hear

    def _rehearse(self, goal: Any) -> None:
        answer = answered(self.node, goal)
        if answer is None:
            self.exceptions["a goal without an answer"] += 1
        else:
            self._outbox.append((VERDICT, answer.verdict))
            if answer.verdict.reason.startswith(BROKE_DOWN):
                self._caught(answer.verdict.reason)

    def _call(self, work: Callable[..., None], *arguments: Any) -> None:
        try:
            work(*arguments)
        except Exception as error:  # it would have ended the process
            self._raised(error)

    def _raised(self, error: Exception) -> None:
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind, file = type(error).__name__, place.filename.rpartition("/")[2]
        self._count(self.exceptions, (kind, file, place.name), f"{kind}: {error} ({file}, {place.name})")

    def _caught(self, reason: str) -> None:
        """A node caught what nobody expected, as a last resort; the name of the exception is the second thing that it says."""
        self._count(self.exceptions, tuple(reason.split(":")[:2]), reason)

    def _count(self, counts: Counter[str], kind: tuple[str, ...], words: str) -> None:
        """Count one of a kind under the words of the first one: a million with other numbers in them are one kind."""
        counts[self._first.setdefault(kind, words)] += 1


class _Vouches:
    """In the place of the gait planner's action client: each change is vouched for, and the answer is made something of."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._answer = answer

    def server_is_ready(self) -> bool:
        """See rclpy."""
        return True

    def send_goal_async(self, goal: Any) -> Kept:
        """See rclpy."""
        result = vouch(Handle(goal))
        result.verdict = self._answer(result.verdict)
        answer = Kept(SimpleNamespace(result=result))
        return Kept(SimpleNamespace(accepted=True, get_result_async=lambda: answer))


def read(kind: Any, data: bytes) -> Any:
    """The message of some bytes, as rclpy hands it over; None where it does not."""
    try:
        with _unsaid():
            return deserialize_message(data, kind)
    except Exception:  # whatever it is: such a message never arrives
        return None


@contextmanager
def _unsaid() -> Iterator[None]:
    """What the middleware writes past Python to stderr of each message that it cannot read, a line for each, is not seen."""
    said, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(said, 2)
        os.close(said)
        os.close(nowhere)
