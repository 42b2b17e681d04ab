# SPDX-License-Identifier: Apache-2.0
"""The clock of the samples."""

from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.errors import ConfigurationError
from surefoot.recording.reader import Bag
from surefoot.recording.stamps import has_header, stamp_of
from surefoot.recording.timeline import clock_topic, with_run, with_time
from surefoot.recording.topic_map import TopicMap, read_topic_map
from surefoot.recording.types import RawMessage

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("definition", "answer"),
    [
        ("std_msgs/Header header\nfloat64 x", True),
        ("# words\nuint8 A=0\nuint8 B = 1\nstd_msgs/Header header # more", True),
        ("float64 x\nstd_msgs/Header header", False),
        ("", False),
        ("float64 x\n====\nMSG: a/B\nstd_msgs/Header header", False),
    ],
)
def test_whether_a_type_has_a_stamp(definition: str, answer: bool) -> None:
    assert has_header(definition) is answer


def test_a_message_that_is_too_short_has_no_stamp() -> None:
    assert stamp_of(b"\x00\x01\x00\x00") == 0
    assert stamp_of(b"\x00\x01\x00\x00" + (2).to_bytes(4, "little") + (5).to_bytes(4, "little")) == 2 * SECOND + 5
    assert stamp_of(b"\x00\x00\x00\x00" + (2).to_bytes(4, "big") + (5).to_bytes(4, "big")) == 2 * SECOND + 5


def stamp(seconds: int) -> bytes:
    return b"\x00\x01\x00\x00" + seconds.to_bytes(4, "little") + bytes(4)


def test_messages_between_samples_have_the_time_of_the_last_one() -> None:
    topics = [("/early", 0), ("/tick", 5), ("/other", 0), ("/tick", 6), ("/tick", 4), ("/other", 0)]
    messages = [RawMessage(topic, "", stamp(seconds), k, k) for k, (topic, seconds) in enumerate(topics)]
    assert [(time // SECOND, message.topic) for time, message in with_time(messages, "/tick")] == [
        (5, "/early"), (5, "/tick"), (5, "/other"), (6, "/tick"), (6, "/tick"), (6, "/other"),
    ]  # fmt: skip
    assert [time for time, _ in with_time(messages, "")] == list(range(6))


@pytest.mark.parametrize(
    ("said", "runs"),
    [
        # A sample that comes late, or one of somebody else, is no restart; two in a row are.
        ([("/tick", 5), ("/tick", 4), ("/tick", 6)], [0, 0, 0]),
        ([("/tick", 5), ("/tick", 1), ("/tick", 6), ("/tick", 1), ("/other", 1)], [0, 0, 0, 0, 0]),
        ([("/tick", 5), ("/tick", 0), ("/tick", 1), ("/tick", 2), ("/tick", 3), ("/tick", 4)], [0, 1, 1, 1, 1, 1]),
        # What is said before the first sample of a run belongs to it, and what comes late from the run before does not.
        ([("/tick", 9), ("/stamped", 1), ("/other", 0), ("/stamped", 9), ("/tick", 1), ("/tick", 2)], [0, 0, 1, 1, 1, 1]),
        ([("/stamped", 9), ("/tick", 9), ("/tick", 1), ("/tick", 2), ("/tick", 7), ("/tick", 3), ("/tick", 4)], [0, 0, 1, 1, 1, 2, 2]),
        ([("/stamped", 9), ("/stamped", 1)], [0, 0]),
    ],
)
def test_a_run_ends_where_the_samples_begin_again(said: list[tuple[str, int]], runs: list[int]) -> None:
    messages = [RawMessage(topic, "", stamp(seconds), k, k) for k, (topic, seconds) in enumerate(said)]
    found = list(with_run(messages, "/tick", ("/stamped",)))
    assert [number for number, _ in found] == runs
    assert sorted(message.log_time for _, message in found) == list(range(len(said)))
    # Within a run, the order stays.
    assert found == sorted(found, key=lambda entry: (entry[0], entry[1].log_time))


def test_the_clock_of_a_bag_is_its_ticks(write_bag: Callable[..., Path], write_stamped: Callable[..., Path]) -> None:
    assert clock_topic(Bag(write_bag())) == ""
    assert clock_topic(Bag(write_stamped("stamps", [(0.1, (1.0, 2.0))]))) == "/stamped"


def test_a_topic_map_renames(tmp_path: Path) -> None:
    file = tmp_path / "map.yaml"
    file.write_text("topics: {/joint_states: /robot/joints, /imu: /robot/imu}\n")
    names = [RawMessage(name, "", b"", 0, 0) for name in ("/robot/joints", "/camera")]
    assert [message.topic for message in read_topic_map(file).translate(names)] == ["/joint_states", "/camera"]
    file.write_text("topic: {}\n")
    with pytest.raises(ConfigurationError, match="topic: unknown key"):
        read_topic_map(file)
    assert TopicMap().topics == {}
