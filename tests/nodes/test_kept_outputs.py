# SPDX-License-Identifier: Apache-2.0
"""What replayed nodes say can be read again, whatever is in it."""

from contextlib import suppress
from pathlib import Path

from surefoot.nodes.replay.kept import KeptOutputs
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class
from surefoot.recording.decoder import Decoder
from surefoot.recording.reader import Bag


def test_every_topic_of_the_stack_comes_back_though_it_holds_nothing(tmp_path: Path) -> None:
    with KeptOutputs(tmp_path / "kept") as kept:
        for name, topic in STACK_TOPICS.items():
            kept(name, 5, message_class(topic.type)())
    bag, decoder = Bag(tmp_path / "kept"), Decoder()
    read = {message.topic: decoder.decode(bag.topics[message.topic], message.data) for message in bag.messages()}
    assert read.keys() == STACK_TOPICS.keys()
    assert read["/operator_command"].own_gait == []


def test_what_was_said_before_a_replay_failed_is_kept_and_nothing_else(tmp_path: Path) -> None:
    with suppress(ZeroDivisionError), KeptOutputs(tmp_path / "nothing"):
        raise ZeroDivisionError
    assert not (tmp_path / "nothing").exists()
    name, topic = next(iter(STACK_TOPICS.items()))
    with suppress(ZeroDivisionError), KeptOutputs(tmp_path / "some") as kept:
        kept(name, 5, message_class(topic.type)())
        raise ZeroDivisionError
    assert [message.topic for message in Bag(tmp_path / "some").messages()] == [name]
