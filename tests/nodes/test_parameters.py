# SPDX-License-Identifier: Apache-2.0
"""Parameters of a node: typed and range-checked when it starts; afterwards only what is live can be set."""

import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import pytest
import rclpy
from pydantic import Field
from rclpy.parameter import Parameter

from surefoot.errors import ConfigurationError
from surefoot.nodes.base import SurefootNode
from surefoot.nodes.parameters import Live, NodeParameters


class DeskParameters(NodeParameters):
    """Of a desk."""

    size: Annotated[float, Field(gt=0.0, le=10.0)] = 1.0
    """m"""
    lamp: Annotated[float, Field(ge=0.0, le=1.0), Live] = 0.5
    """How bright."""
    drawer: Annotated[bool, Live] = False
    """Whether it is open."""


class Desk(SurefootNode):
    """Takes over what is live, but for a lamp of 0.9."""

    def __init__(self) -> None:
        super().__init__("desk")
        self.given = self.declared(DeskParameters)
        self.taken: dict[str, Any] = {}

    def tune(self, changes: Mapping[str, Any]) -> None:
        if changes.get("lamp") == 0.9:
            raise ConfigurationError("a lamp of 0.9 flickers")
        self.taken |= changes

    def set(self, **values: object) -> tuple[bool, str]:
        result = self.set_parameters_atomically([Parameter(name, value=value) for name, value in values.items()])
        return result.successful, result.reason


def desk_with(*words: str) -> Desk:
    arguments = [part for word in words for part in ("-p", word)]
    rclpy.init(
        args=["--ros-args", *arguments] if words else [],
        domain_id=121 + os.getpid() % 20,
        signal_handler_options=rclpy.signals.SignalHandlerOptions.NO,
    )
    return Desk()


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    rclpy.try_shutdown()


def test_what_is_given_is_taken_and_the_rest_has_its_defaults() -> None:
    desk = desk_with("size:=2", "seed:=7", "lockstep:=false")
    assert (desk.given.size, desk.given.lamp, desk.given.seed) == (2.0, 0.5, 7)
    assert (desk.seed, desk.lockstep, desk.given.robot) == (7, False, "hyq")


@pytest.mark.parametrize(
    ("word", "reasons"),
    [
        ("size:=soon", ("parameters of desk", "size", "valid number", "'soon'")),
        ("size:=11.0", ("size", "less than or equal to 10", "11.0")),
        ("size:=true", ("size", "True")),
        ("drawer:=1", ("drawer", "valid boolean", "1")),
        ("seed:=1.5", ("seed", "valid integer", "1.5")),
        ("robot:=7", ("robot", "valid string", "7")),
    ],
)
def test_another_type_or_a_value_out_of_range_is_refused_with_both(word: str, reasons: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        desk_with(word)
    for reason in reasons:
        assert reason in str(refusal.value)


def test_what_is_read_at_the_start_refuses_to_be_set_later_and_says_why() -> None:
    desk = desk_with()
    assert desk.set(size=2.0) == (False, "size is read at the start only; start desk with it")
    assert desk.set(robot="links")[0] is False
    # Nothing of a call is taken over where a part of it is refused.
    assert desk.set(lamp=0.7, size=2.0)[0] is False
    assert desk.taken == {}
    assert desk.get_parameter("lamp").value == 0.5


def test_what_is_live_is_checked_and_taken_over() -> None:
    desk = desk_with()
    assert desk.set(lamp=0.7, drawer=True) == (True, "")
    assert desk.taken == {"lamp": 0.7, "drawer": True}
    assert desk.set(lamp=1) == (True, "")
    accepted, reason = desk.set(lamp=1.5)
    assert not accepted
    assert "less than or equal to 1" in reason
    assert desk.set(drawer="open")[0] is False
    assert desk.set(lamp=0.9) == (False, "a lamp of 0.9 flickers")
    assert desk.taken["lamp"] == desk.get_parameter("lamp").value == 1


def test_parameters_of_others_are_theirs() -> None:
    desk = desk_with()
    assert desk.set(use_sim_time=True) == (True, "")


def test_they_describe_themselves() -> None:
    desk = desk_with()
    assert desk.describe_parameter("lamp").description == "How bright; from 0 to 1"
    assert desk.describe_parameter("size").description == "m; above 0 to 10; read at the start"
