# SPDX-License-Identifier: Apache-2.0
"""The running gait as ROS parameters `gait.period`, `gait.liftoff.LF`, …: setting one asks for a changed gait, which is rehearsed first."""

from collections.abc import Callable

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from surefoot.gait.parameters import Gait
from surefoot.teleop.gait_editor import GaitEditor, Outcome
from surefoot.teleop.gait_values import PARAMETERS, find_parameter

PREFIX = "gait."


class GaitParameters:
    """Parameters of a node that say what gait the robot walks.

    What cannot be a gait, or what this robot cannot do, is refused at once with the reason. The rest is asked for, all parameters of one
    call together, and shown from then on; after a veto they are again what the robot walks.

    Args:
        node: whose parameters they are.
        editor: checks what is set; nobody else may use it.
        ask: makes a request of a gait; returns its id and why it was refused, empty if it was not.
    """

    def __init__(self, node: Node, editor: GaitEditor, ask: Callable[[str, Gait | None], tuple[int, str]]) -> None:
        self._node, self._editor, self._ask = node, editor, ask
        self._shows = False
        for parameter in PARAMETERS:
            limits = FloatingPointRange(from_value=parameter.least, to_value=parameter.most, step=0.0)
            meaning = f"of the gait that runs: {parameter.meaning}" + (f", {parameter.unit}" if parameter.unit else "")
            description = ParameterDescriptor(description=meaning, floating_point_range=[limits])
            node.declare_parameter(PREFIX + parameter.key, parameter.value(editor.running), description)
        node.add_on_set_parameters_callback(self._set)

    def follow(self, gait: Gait | None, answered: bool) -> None:
        """Show what the robot walks where that is news.

        Args:
            gait: that runs, whether it was asked for here or not; None while it is not known.
            answered: whether a request was just committed or vetoed: what was set is then no longer what is asked for.
        """
        if (gait is None or gait == self._editor.running) and not answered:
            return
        self._editor.restart(self._editor.running if gait is None else gait)
        self._shows = True
        try:
            self._node.set_parameters([Parameter(PREFIX + one.key, value=one.value(self._editor.running)) for one in PARAMETERS])
        finally:
            self._shows = False

    def _set(self, given: list[Parameter]) -> SetParametersResult:
        wanted = {one.name.removeprefix(PREFIX): one.value for one in given if one.name.startswith(PREFIX)}
        if self._shows or not wanted:
            return SetParametersResult(successful=True)
        if len(wanted) < len(given):
            # Either of the two might be taken over and the other refused.
            return SetParametersResult(successful=False, reason=f"set parameters of the gait ({PREFIX}…) apart from others")
        # What it is already is no mistake, as long as something else is new.
        news = {key: value for key, value in wanted.items() if value != find_parameter(key).value(self._editor.draft)}
        if news and (change := self._editor.set_all(news)).outcome is Outcome.REFUSED:
            return self._refuse(str(change))
        gait = self._editor.request()
        if gait is None:
            return self._refuse(str(self._editor.log[-1]))
        number, refusal = self._ask(gait.name, gait)
        if refusal:
            return self._refuse(refusal)
        # The reason of a success is not handed on.
        self._node.get_logger().info(f"asked for gait '{gait.name}', request {number}; it is rehearsed first: {self._editor.differences()}")
        return SetParametersResult(successful=True)

    def _refuse(self, reason: str) -> SetParametersResult:
        self._editor.restart(self._editor.running)
        return SetParametersResult(successful=False, reason=reason)
