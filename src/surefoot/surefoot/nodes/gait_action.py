# SPDX-License-Identifier: Apache-2.0
"""The action /request_gait: a gait asked for by another program, and what became of it."""

import math
from collections.abc import Callable

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from surefoot_msgs.action import RequestGait
from surefoot_msgs.msg import GaitStatus

from surefoot.errors import SurefootError
from surefoot.gait.parameters import Gait
from surefoot.nodes.conversions.gait import own_gait_of
from surefoot.robot.description import RobotDescription

ENDS = (GaitStatus.COMMITTED, GaitStatus.VETOED)


class GaitAction:
    """Takes goals, one at a time, and answers each when its request is committed or vetoed.

    Args:
        node: that serves.
        description: names of the feet.
        ask: makes a request of a gait by name, or of one that somebody made, through another by name, empty for none; returns its id and
            why it was refused, empty if it was not.
    """

    def __init__(self, node: Node, description: RobotDescription, ask: Callable[[str, Gait | None, str], tuple[int, str]]) -> None:
        self._description, self._ask = description, ask
        self._open: tuple[int, ServerGoalHandle] | None = None
        self._server = ActionServer(
            node, RequestGait, "/request_gait", lambda _: RequestGait.Result(), handle_accepted_callback=self._accept,
            cancel_callback=lambda _: CancelResponse.REJECT,
        )  # fmt: skip

    def _accept(self, handle: ServerGoalHandle) -> None:
        goal = handle.request
        if self._open is not None:
            self._end(handle, False, "another request is still open; ask again after its verdict")
            return
        try:
            own_gait = own_gait_of(goal.own_gait, self._description)
        except SurefootError as error:
            self._end(handle, False, str(error))
            return
        number, refusal = self._ask(goal.gait, own_gait, goal.intermediate)
        if refusal:
            self._end(handle, False, refusal)
        else:
            self._open = number, handle

    def hear(self, status: GaitStatus) -> None:
        """What the gait planner says of requests."""
        if self._open is None or status.request_id < self._open[0]:
            return
        number, handle = self._open
        if status.request_id > number:
            self._open = None
            self._end(handle, False, "a later request took its place")
            return
        handle.publish_feedback(RequestGait.Feedback(status=status))
        if status.request_state in ENDS:
            self._open = None
            self._end(handle, status.request_state == GaitStatus.COMMITTED, status.reason, status.switch_time)

    def _end(self, handle: ServerGoalHandle, taken: bool, reason: str, switch_time: float = math.nan) -> None:
        def result(goal: ServerGoalHandle) -> RequestGait.Result:
            goal.succeed() if taken else goal.abort()
            return RequestGait.Result(taken=taken, reason=reason, switch_time=switch_time)

        handle.execute(result)
