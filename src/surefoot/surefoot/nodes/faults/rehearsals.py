# SPDX-License-Identifier: Apache-2.0
"""The action /score_transitions between nodes of one process: who asks has the answer before it goes on."""

from collections.abc import Callable
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from surefoot.nodes.faults.vouch import vouch

ACTION = "/score_transitions"

SOON, SHORT = 0.1, 0.3
"""s from the snapshot to the change of a goal that is rehearsed here, and of its horizon: what comes out of it matters elsewhere."""

EASY = {"particles": 1, "most_particles": 32, "accept_at": 0.5, "confidence": 0.6}
"""With which a rehearsal is soon over."""


class Kept:
    """A future that has its value."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def add_done_callback(self, callback: Callable[[Any], Any]) -> None:
        """See rclpy."""
        callback(self)

    def result(self) -> Any:
        """See rclpy."""
        return self._value


class Handle:
    """Of one goal: what rclpy gives to whoever answers it."""

    def __init__(self, goal: Any) -> None:
        self.request = goal
        self.answers: list[Any] = []

    def publish_feedback(self, feedback: Any) -> None:
        """See rclpy; nobody listens."""

    def succeed(self) -> None:
        """See rclpy."""

    def abort(self) -> None:
        """See rclpy."""

    def execute(self, callback: Callable[[Any], Any]) -> None:
        """See rclpy."""
        self.answers.append(callback(self))


class AtOnce:
    """In the place of the thread that rehearses: what is handed over is done before this comes back."""

    def submit(self, work: Callable[..., Any], *arguments: Any) -> None:
        """See concurrent.futures."""
        work(*arguments)


class Rehearsals:
    """In the place of the gait planner's action client. Every change of gait is vouched for, so that the robot steps.

    Args:
        told: hears of each goal, made easy.

    Attributes:
        newest: the last such goal; None before the first.
    """

    def __init__(self, told: Callable[[Any], None] = lambda goal: None) -> None:
        self._told = told
        self.newest: Any = None

    def server_is_ready(self) -> bool:
        """See rclpy."""
        return True

    def send_goal_async(self, goal: Any) -> Kept:
        """See rclpy."""
        self.newest = eased(goal)
        self._told(self.newest)
        answer = Kept(SimpleNamespace(result=vouch(Handle(goal))))
        return Kept(SimpleNamespace(accepted=True, get_result_async=lambda: answer))


def eased(goal: Any) -> Any:
    """A copy of a goal that is soon rehearsed."""
    easy = deepcopy(goal)
    for name, value in EASY.items():
        setattr(easy, name, value)
    for candidate in easy.candidates:
        candidate.switch_time -= easy.latency - SOON
        candidate.blend_time = min(candidate.blend_time, SHORT)
        candidate.intermediate, candidate.intermediate_time = "", 0.0
    easy.latency, easy.horizon = SOON, SHORT
    return easy


def answered(node: Any, goal: Any) -> Any:
    """What particle_trace says to a goal, in this thread; None if it says nothing."""
    if not isinstance(node._rehearsals, AtOnce):
        node._rehearsals.shutdown()
        node._rehearsals = AtOnce()
    handle = Handle(goal)
    node._accept(handle)
    node._hand_over()
    return handle.answers[0] if handle.answers else None
