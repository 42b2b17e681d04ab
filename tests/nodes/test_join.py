# SPDX-License-Identifier: Apache-2.0
"""Messages of one tick, together."""

import random

from surefoot.nodes.join import Tick, TickJoin


def joined(lockstep: bool) -> tuple[TickJoin, list[Tick]]:
    ticks: list[Tick] = []
    return TickJoin(("/a", "/b"), "/b", lockstep, ticks.append), ticks


def test_in_lockstep_a_tick_is_one_message_of_each_topic() -> None:
    join, ticks = joined(lockstep=True)
    join.push("/b", "b0")
    assert ticks == []
    join.push("/a", "a0")
    assert ticks == [{"/a": "a0", "/b": "b0"}]


def test_in_lockstep_the_same_messages_meet_in_whatever_order_they_arrive() -> None:
    for seed in range(50):
        join, ticks = joined(lockstep=True)
        waiting = {"/a": list(range(20)), "/b": list(range(20))}
        generator = random.Random(seed)
        while any(waiting.values()):
            topic = generator.choice([name for name, messages in waiting.items() if messages])
            join.push(topic, waiting[topic].pop(0))
        assert ticks == [{"/a": k, "/b": k} for k in range(20)]


def test_in_lockstep_what_is_missing_has_a_name_and_can_be_given_up() -> None:
    join, ticks = joined(lockstep=True)
    assert join.missing() == ()
    assert join.give_up() is None
    join.push("/a", "a0")
    assert join.missing() == ("/b",)
    assert join.give_up() == {"/a": "a0", "/b": None}
    assert join.missing() == ()
    assert ticks == []


def test_running_free_the_trigger_makes_a_tick_of_what_was_heard_last() -> None:
    join, ticks = joined(lockstep=False)
    join.push("/b", "b0")
    join.push("/a", "a0")
    join.push("/a", "a1")
    join.push("/b", "b1")
    join.push("/b", "b2")
    assert ticks == [{"/a": None, "/b": "b0"}, {"/a": "a1", "/b": "b1"}, {"/a": "a1", "/b": "b2"}]
    assert join.latest() == {"/a": "a1", "/b": "b2"}


def test_a_tick_that_is_handed_out_does_not_change_afterwards() -> None:
    join, ticks = joined(lockstep=False)
    join.push("/b", "b0")
    join.push("/a", "a1")
    join.latest()["/a"] = "forged"
    assert ticks == [{"/a": None, "/b": "b0"}]
    assert join.latest()["/a"] == "a1"


def test_receivers_push_to_their_own_topic() -> None:
    join, ticks = joined(lockstep=True)
    hear = {topic: join.receiver(topic) for topic in ("/a", "/b")}
    hear["/a"]("a0")
    hear["/b"]("b0")
    assert ticks == [{"/a": "a0", "/b": "b0"}]
