# SPDX-License-Identifier: Apache-2.0
"""What a shell says about discovery does not count where nodes must not be found."""

import os
from typing import Any

import pytest

from surefoot.nodes.discovery import NOBODY, THIS_MACHINE, found_by, variables
from surefoot.nodes.faults import relay
from surefoot.nodes.replay import offline
from surefoot.robot.model import RobotModel


@pytest.fixture(autouse=True)
def shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that lets nodes be found everywhere."""
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    monkeypatch.setenv("ROS_STATIC_PEERS", "192.168.0.7")
    monkeypatch.delenv("ROS_LOCALHOST_ONLY", raising=False)


def test_afterwards_the_environment_is_as_it_was_also_after_an_error() -> None:
    before = dict(os.environ)

    def fails() -> None:
        with found_by(NOBODY):
            assert os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "OFF"
            assert os.environ["ROS_STATIC_PEERS"] == ""
            raise OSError("the network is down")

    with pytest.raises(OSError, match="network"):
        fails()
    assert dict(os.environ) == before


class Made(Exception):
    """A context would be made now."""


def test_the_relay_of_faults_is_on_this_machine_alone(hyq: RobotModel, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}

    def init(**named: Any) -> None:
        seen.update({name: os.environ[name] for name in variables(THIS_MACHINE)}, domain=str(named["domain_id"]))
        raise Made

    monkeypatch.setattr(relay.rclpy, "init", init)
    with pytest.raises(Made):
        relay.Relay(hyq, (), 75)
    assert seen == variables("LOCALHOST") | {"domain": "75"}


def test_a_replay_is_found_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    class Context:
        def init(self, args: list[str]) -> None:
            seen.append(os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"])

    monkeypatch.setattr(offline, "Context", Context)
    offline.apart()
    assert seen == ["OFF"]
