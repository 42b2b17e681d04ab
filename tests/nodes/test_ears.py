# SPDX-License-Identifier: Apache-2.0
"""What a recorder subscribes to, and that a topic keeps its type."""

from types import SimpleNamespace
from typing import Any

from rclpy.qos import QoSProfile

from surefoot.nodes.ears import Ears
from surefoot.recording.types import RawMessage, Topic

TAKEN: dict[str, Any] = {"received_timestamp": 5, "source_timestamp": 4, "publication_sequence_number": 1, "publisher_gid": {"data": b"x"}}


class Domain:
    """In the place of a node: topics with their types, and messages that wait."""

    def __init__(self) -> None:
        self.types: dict[str, list[str]] = {}
        self.waiting: dict[str, list[bytes]] = {}
        self.destroyed: list[str] = []

    def get_topic_names_and_types(self) -> list[tuple[str, list[str]]]:
        return list(self.types.items())

    def get_publishers_info_by_topic(self, name: str) -> list[Any]:
        return [SimpleNamespace(qos_profile=QoSProfile(depth=10))]

    def count_publishers(self, name: str) -> int:
        return 1

    def create_subscription(self, kind: Any, name: str, callback: Any, profile: QoSProfile, raw: bool) -> Any:
        def take(kind: Any, raw: bool) -> tuple[bytes, dict[str, Any]] | None:
            return (self.waiting[name].pop(0), TAKEN) if self.waiting.get(name) else None

        return SimpleNamespace(handle=SimpleNamespace(take_message=take), msg_type=kind, qos_profile=profile, name=name)

    def destroy_subscription(self, subscription: Any) -> None:
        self.destroyed.append(subscription.name)


def ears_in(domain: Domain) -> tuple[Ears, list[Topic], list[RawMessage], list[str]]:
    topics: list[Topic] = []
    messages: list[RawMessage] = []
    faults: list[str] = []
    ears = Ears(domain, True, topics.append, messages.extend, lambda kind, words: faults.append(words))
    return ears, topics, messages, faults


def test_a_topic_keeps_the_type_that_it_is_recorded_under() -> None:
    domain = Domain()
    ears, topics, messages, faults = ears_in(domain)
    domain.types = {"/theirs": ["geometry_msgs/msg/Vector3"]}
    ears.look()
    assert (topics[-1].name, topics[-1].type) == ("/theirs", "geometry_msgs/msg/Vector3")
    domain.waiting["/theirs"] = [b"one"]
    ears.take()
    said = len(topics)
    for types in (["geometry_msgs/msg/Point"], ["geometry_msgs/msg/Point", "geometry_msgs/msg/Vector3"]):
        domain.types["/theirs"] = types
        ears.look()
    domain.waiting["/theirs"] = [b"two"]
    ears.take()
    assert len(topics) == said
    assert domain.destroyed == []
    assert [message.type for message in messages] == ["geometry_msgs/msg/Vector3"] * 2
    assert len(faults) == 1
    assert "geometry_msgs/msg/Point, geometry_msgs/msg/Vector3; recorded is geometry_msgs/msg/Vector3" in faults[0]


def test_one_of_ours_with_a_type_of_somebody_else_is_named() -> None:
    domain = Domain()
    ears, _, _, faults = ears_in(domain)
    domain.types = {"/imu": ["std_msgs/msg/String"]}
    ears.look()
    assert faults == ["/imu has several types: sensor_msgs/msg/Imu, std_msgs/msg/String; recorded is sensor_msgs/msg/Imu"]


def test_several_types_from_the_beginning_are_not_recorded() -> None:
    domain = Domain()
    ears, topics, _, faults = ears_in(domain)
    domain.types = {"/theirs": ["geometry_msgs/msg/Point", "geometry_msgs/msg/Vector3"]}
    ears.look()
    assert "none of them" in faults[0]
    assert "/theirs" not in {topic.name for topic in topics}
