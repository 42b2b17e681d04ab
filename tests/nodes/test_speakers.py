# SPDX-License-Identifier: Apache-2.0
"""Who commands beside the balance controller is named."""

from types import SimpleNamespace
from typing import Any

from surefoot.nodes.replay.neighbours import NAMELESS
from surefoot.nodes.servo_bridge import ServoBridgeNode
from surefoot.nodes.speakers import UNNAMED, Speakers


class Found:
    """A node that has found out who publishes."""

    def __init__(self, *names: tuple[str, str]) -> None:
        self.infos = [SimpleNamespace(node_namespace=namespace, node_name=name) for namespace, name in names]
        self.asked: list[str] = []

    def count_publishers(self, topic: str) -> int:
        self.asked.append(topic)
        return len(self.infos)

    def get_publishers_info_by_topic(self, topic: str) -> list[Any]:
        return self.infos


def test_one_alone_is_as_it_should_be() -> None:
    for found in (Found(), Found(("/", "inverse_dynamics"))):
        assert Speakers(found, ["/servo_command", "/base_attitude"]).too_many() == ""
        assert found.asked == ["/servo_command", "/base_attitude"]


def test_two_are_named_with_where_they_are() -> None:
    found = Found(("/", "inverse_dynamics"), ("/lab", "stranger"), ("", NAMELESS))
    words = Speakers(found, ["/servo_command"]).too_many()
    assert words.startswith(f"3 publishers on /servo_command: /inverse_dynamics, /lab/stranger, {UNNAMED}; one alone may be there")


def test_each_topic_with_too_many_is_named() -> None:
    found = Found(("/", "one"), ("/", "two"))
    words = Speakers(found, ["/joint_states", "/operator_command"]).too_many()
    assert words.startswith("2 publishers on /joint_states: /one, /two; 2 publishers on /operator_command: /one, /two; one alone")


def test_the_bridge_says_so_again_and_again_and_no_more_once_they_are_gone() -> None:
    told: list[str] = []
    found = Found(("/", "inverse_dynamics"), ("/", "stranger"))
    node: Any = SimpleNamespace(_speakers=Speakers(found, ["/servo_command"]), fault=lambda kind, text: told.append(f"{kind}: {text}"))
    ServoBridgeNode._look_for_strangers(node)
    ServoBridgeNode._look_for_strangers(node)
    assert [words.partition(";")[0] for words in told] == ["strangers: 2 publishers on /servo_command: /inverse_dynamics, /stranger"] * 2
    assert node._strangers == told[0].partition(": ")[2]
    found.infos.pop()
    ServoBridgeNode._look_for_strangers(node)
    assert (node._strangers, len(told)) == ("", 2)
