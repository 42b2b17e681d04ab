# SPDX-License-Identifier: Apache-2.0
"""Who looks at the newest messages now and then."""

from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.serialization import serialize_message
from surefoot_msgs.msg import RobotMode

from surefoot.nodes import glance as module
from surefoot.nodes.glance import Glance


def test_bytes_that_are_no_message_are_refused_and_what_comes_after_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = bytes(serialize_message(RobotMode(mode=RobotMode.READY, reason="armed")))
    waiting, refused = {"/robot_mode": [sound[:9], sound], "/other": [sound[:9], sound]}, list[str]()
    heard: list[tuple[str, str]] = []

    def subscribe(kind: Any, topic: str, callback: Any, profile: Any, raw: bool) -> Any:
        def take(kind: Any, raw: bool) -> tuple[bytes, dict[str, Any]] | None:
            return (waiting[topic].pop(0), {"publication_sequence_number": 1}) if waiting[topic] else None

        return SimpleNamespace(handle=SimpleNamespace(take_message=take), msg_type=kind)

    monkeypatch.setattr(module, "quiet_node", lambda name: SimpleNamespace(create_subscription=subscribe))
    glance = Glance("glance", refused.append)
    for topic in waiting:
        glance.subscribe(RobotMode, topic, lambda message, topic=topic: heard.append((topic, message.reason)))
    glance.look()
    assert heard == []
    assert [words.split(":")[0] for words in refused] == ["/robot_mode", "/other"]
    glance.look()
    assert heard == [("/robot_mode", "armed"), ("/other", "armed")]
