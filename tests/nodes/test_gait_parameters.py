# SPDX-License-Identifier: Apache-2.0
"""The running gait as ROS parameters: what is set is refused with its reason, or asked for, and shown until the verdict."""

import os
from collections.abc import Iterator

import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter

from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.gait.validator import check_gait
from surefoot.nodes.gait_parameters import GaitParameters
from surefoot.robot.model import RobotModel
from surefoot.teleop.gait_editor import GaitEditor


class Desk:
    """A node with the parameters, and whoever is asked for gaits."""

    def __init__(self, model: RobotModel) -> None:
        self.node, self.refusal = Node("desk"), ""
        self.asked: list[Gait] = []
        self.trot: Gait = gaits_of(model)["trot"]
        self.parameters = GaitParameters(self.node, GaitEditor(self.trot, lambda gait: check_gait(gait, model)), self._ask)

    def _ask(self, name: str, gait: Gait | None) -> tuple[int, str]:
        assert gait is not None
        assert name == gait.name
        self.asked.append(gait)
        return len(self.asked), self.refusal

    def set(self, **values: float) -> tuple[bool, str]:
        """Set parameters together; whether it went well, and the reason."""
        result = self.node.set_parameters_atomically([Parameter(f"gait.{key}", value=value) for key, value in values.items()])
        return result.successful, result.reason

    def get(self, key: str) -> float:
        return float(self.node.get_parameter(f"gait.{key}").value)


@pytest.fixture
def desk(hyq: RobotModel) -> Iterator[Desk]:
    rclpy.init(domain_id=121 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    made = Desk(hyq)
    yield made
    made.node.destroy_node()
    rclpy.try_shutdown()


def test_each_has_a_meaning_a_range_and_the_value_that_runs(desk: Desk) -> None:
    described = desk.node.describe_parameter("gait.period")
    assert described.description == "of the gait that runs: time of one cycle, s"
    assert (described.floating_point_range[0].from_value, described.floating_point_range[0].to_value) == (0.1, 5.0)
    assert desk.get("period") == desk.trot.period
    assert desk.get("liftoff.LF") == desk.trot.liftoff["LF"]
    assert desk.node.describe_parameter("gait.liftoff.RH").description.endswith("when in the cycle RH leaves the ground")


def test_what_is_set_is_asked_for_and_a_veto_takes_it_back(desk: Desk) -> None:
    assert desk.set(period=0.55, step_height=0.09)[0]
    assert desk.asked == [desk.trot.model_copy(update={"name": "trot #1", "period": 0.55, "step_height": 0.09})]
    assert desk.get("period") == 0.55
    desk.parameters.follow(desk.trot, answered=False)
    assert desk.get("period") == 0.55
    desk.parameters.follow(desk.trot, answered=True)
    assert desk.get("period") == desk.trot.period
    assert desk.get("step_height") == desk.trot.step_height
    assert len(desk.asked) == 1


def test_after_a_commitment_the_next_change_builds_on_it(desk: Desk) -> None:
    desk.set(period=0.55)
    desk.parameters.follow(desk.asked[0], answered=True)
    assert desk.get("period") == 0.55
    desk.set(step_height=0.09)
    assert (desk.asked[1].period, desk.asked[1].step_height) == (0.55, 0.09)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"stance_length": 2.9}, "stance_length"),
        ({"period": 7.0}, "7.0"),
        ({"duty_factor": float("nan")}, "duty_factor"),
        ({}, "it runs already"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason_and_nothing_changes(desk: Desk, values: dict[str, float], words: str) -> None:
    done, reason = desk.set(**(values or {"period": desk.trot.period}))
    assert not done
    assert words in reason
    assert desk.asked == []
    assert desk.get("stance_length") == desk.trot.stance_length
    assert desk.get("period") == desk.trot.period


@pytest.mark.parametrize("keys", [("period", "duty_factor"), ("duty_factor", "period")])
def test_what_is_set_together_is_judged_together(desk: Desk, keys: tuple[str, str]) -> None:
    values = {"period": 1.6, "duty_factor": 0.9}
    assert desk.set(**{key: values[key] for key in keys}) == (True, "")
    assert [(gait.period, gait.duty_factor["LF"]) for gait in desk.asked] == [(1.6, 0.9)]
    assert (desk.get("period"), desk.get("duty_factor")) == (1.6, 0.9)


def test_one_that_cannot_be_takes_the_others_with_it(desk: Desk) -> None:
    assert not desk.set(step_height=0.09, stance_length=2.9)[0]
    assert desk.get("step_height") == desk.trot.step_height
    assert desk.set(period=0.55)[0]
    assert desk.asked[0].step_height == desk.trot.step_height


def test_without_an_operator_it_is_not_even_asked(desk: Desk) -> None:
    desk.refusal = "gait 'trot #1' dropped: the operator is absent"
    assert desk.set(period=0.55) == (False, desk.refusal)
    assert desk.get("period") == desk.trot.period


def test_a_gait_is_not_set_together_with_anything_else(desk: Desk) -> None:
    desk.node.declare_parameter("other", 1.0)
    result = desk.node.set_parameters_atomically([Parameter("gait.period", value=0.55), Parameter("other", value=2.0)])
    assert (result.successful, result.reason) == (False, "set parameters of the gait (gait.…) apart from others")
    assert desk.asked == []
