# SPDX-License-Identifier: Apache-2.0
"""What is read of a bag that a recorder wrote beside a player."""

from pathlib import Path

import pytest

from surefoot.evaluation.bench.bags import gaps, lateness_of
from surefoot.recording.reader import Bag
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings

BEGIN = 1_700_000_000_000_000_000
MILLISECOND = 1_000_000


@pytest.fixture
def bag(tmp_path: Path) -> Bag:
    """Ten messages on each topic, 10 ms from one to the next, of each topic by one publisher: those of /lossy lack the numbers 3, 4 and 7.

    Each was 1 ms on its way, the last of each 9 ms.
    """
    numbers = {"/whole": range(5, 15), "/lossy": (1, 2, 5, 6, 8, 9, 10, 11, 12, 13), "/diagnostics": range(0, 100, 10)}
    writer = BagWriter(tmp_path / "bag", WriterSettings(keep_free=0))
    for name in numbers:
        writer.add_topic(Topic(name, "std_msgs/msg/Bool", "bool data\n"))
    for k in range(10):
        for name, row in numbers.items():
            sent = BEGIN + 10 * k * MILLISECOND
            heard = sent + (9 if k == 9 else 1) * MILLISECOND
            writer.write(RawMessage(name, "std_msgs/msg/Bool", b"\x00\x01\x00\x00\x01", heard, sent, row[k]))
    writer.close()
    return Bag(tmp_path / "bag")


def test_numbers_that_never_came_are_lost_where_one_publisher_speaks(bag: Bag) -> None:
    assert gaps(bag) == 3


def test_messages_of_the_time_that_was_watched_are_timed(bag: Bag) -> None:
    times = lateness_of(bag, BEGIN + 50 * MILLISECOND)
    assert times.n == 15
    assert times.median_us == pytest.approx(1000.0)
    assert 1000.0 < times.p99_us <= 9000.0
    assert lateness_of(bag, 0).n == 30
