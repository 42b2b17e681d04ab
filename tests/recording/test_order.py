# SPDX-License-Identifier: Apache-2.0
"""What was sent first comes first."""

from surefoot.recording.order import by_publish_time
from surefoot.recording.types import RawMessage

SECOND = 1_000_000_000


def test_messages_come_in_the_order_in_which_they_were_sent() -> None:
    sent = [0, 3, 1, 2, 7, 5, 4, 6]
    messages = [RawMessage("/t", "", b"", 100 + k, time + 50) for k, time in enumerate(sent)]
    assert [message.publish_time - 50 for message in by_publish_time(messages)] == sorted(sent)


def test_a_simulated_clock_beside_that_of_the_wall_does_not_disturb_the_order() -> None:
    messages = [RawMessage("/t", "", bytes([k]), k * SECOND // 10, 10**18 + (7 - k) * SECOND) for k in range(8)]
    assert [message.data for message in by_publish_time(messages)] == [bytes([k]) for k in range(8)]


def test_little_is_kept_in_hand() -> None:
    taken = []

    def endless() -> object:
        for k in range(10_000):
            taken.append(k)
            yield RawMessage("/t", "", b"", k * SECOND // 100, k * SECOND // 100)

    first = next(iter(by_publish_time(endless())))  # type: ignore[arg-type]
    assert first.log_time == 0
    assert len(taken) < 200
