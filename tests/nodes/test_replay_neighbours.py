# SPDX-License-Identifier: Apache-2.0
"""What could move a robot is never played under its own name, and nobody who could be one hears what is."""

from types import SimpleNamespace
from typing import Any

import pytest

from surefoot.nodes.replay.neighbours import COMMANDED, NAMELESS, SAID_OF_ITSELF, SENSED, Neighbours, played_as
from surefoot.nodes.stack_topics import STACK_TOPICS


class Domain:
    """A domain in which nodes publish and hear."""

    def __init__(self) -> None:
        self.publishers: dict[str, list[str]] = {}
        self.subscriptions: dict[str, list[str]] = {}

    def get_name(self) -> str:
        return "replayer"

    def get_publishers_info_by_topic(self, topic: str) -> list[Any]:
        return [SimpleNamespace(node_name=name) for name in self.publishers.get(topic, ())]

    def get_subscriptions_info_by_topic(self, topic: str) -> list[Any]:
        return [SimpleNamespace(node_name=name) for name in self.subscriptions.get(topic, ())]


@pytest.mark.parametrize("name", ["/joint_command", "/joy", "/path", "/spot/command", "/lf_leg/commands", "/clock", "/imu/reset"])
def test_what_is_not_known_to_move_nothing_is_played_elsewhere(name: str) -> None:
    assert played_as(name) == f"/replay{name}"


def test_what_a_robot_says_of_itself_keeps_its_name() -> None:
    assert {"/joint_states", "/imu", "/robot_state", "/tf", "/verdict"} <= SAID_OF_ITSELF
    assert all(played_as(name) == name for name in SAID_OF_ITSELF)
    commands = {name for name, topic in STACK_TOPICS.items() if topic.type.endswith("Command")}
    assert commands
    assert not commands & SAID_OF_ITSELF


@pytest.mark.parametrize(
    ("side", "topic", "name", "words"),
    [
        ("publishers", SENSED, "driver", "driver has to do with /joint_states"),
        ("publishers", SENSED, "replayer", "replayer has to do with /joint_states"),
        ("subscriptions", COMMANDED, "servo_bridge", "servo_bridge has to do with /joint_command"),
        ("subscriptions", COMMANDED, "recorder_ears", ""),
        ("subscriptions", COMMANDED, "view_glance", ""),
        ("subscriptions", COMMANDED, "markers_glance", ""),
        ("publishers", COMMANDED, "view_glance", "view_glance has to do with /joint_command"),
        ("subscriptions", "/replay/spot/command", "spot_driver", "spot_driver has to do with /replay/spot/command"),
        ("subscriptions", "/odom", "controller_server", "controller_server has to do with /odom"),
        ("subscriptions", "/odom", "viewpoint_planner", "viewpoint_planner has to do with /odom"),
        ("subscriptions", "/odom", "rviz2", ""),
        ("subscriptions", "/odom", "recorder_ears", ""),
        ("subscriptions", "/odom", "my_plot_2", ""),
        ("subscriptions", "/not_played", "anybody", ""),
        ("subscriptions", "/odom", NAMELESS, ""),
    ],
)
def test_only_who_moves_nothing_may_hear(side: str, topic: str, name: str, words: str) -> None:
    domain = Domain()
    getattr(domain, side)[topic] = [name]
    assert Neighbours(domain, ("/odom", "/replay/spot/command"), ("my_plot*",)).stranger() == words


def test_its_own_publisher_is_no_stranger_while_it_plays() -> None:
    domain = Domain()
    domain.publishers[SENSED] = ["replayer"]
    neighbours = Neighbours(domain, (SENSED,))
    assert neighbours.stranger(playing=True) == ""
    domain.publishers[SENSED] *= 2
    assert neighbours.stranger(playing=True)


def test_who_keeps_his_name_to_himself_is_a_stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    domain = Domain()
    domain.subscriptions["/odom"] = [NAMELESS]
    neighbours = Neighbours(domain, ("/odom",))
    assert neighbours.stranger() == ""
    now[0] += 1.5
    assert "without a name" in neighbours.stranger()
