# SPDX-License-Identifier: Apache-2.0
from surefoot.viewer.page.recorded import Entries, Entry, Mark, TimeLine, in_order


def entries(times: list[float], step: float = 0.0, most: int = 1000) -> Entries:
    kept = Entries(step, most)
    for number, time in enumerate(times):
        kept.add(Entry(time, number, "/topic", b""))
    return kept


def times(found: list[Entry]) -> list[float]:
    return [entry.time for entry in found]


def test_what_lies_between_two_times_and_the_newest_before_one() -> None:
    kept = entries([1.0, 2.0, 2.0, 3.0])
    assert times(kept.between(1.0, 2.0)) == [2.0, 2.0]
    assert times(kept.between(-1.0, 9.0)) == [1.0, 2.0, 2.0, 3.0]
    assert times(kept.newest(2.5, 2)) == [2.0, 2.0]
    assert kept.newest(0.5, 3) == []


def test_what_comes_often_is_thinned_and_a_long_recording_more() -> None:
    many = [0.004 * k for k in range(2000)]
    kept = entries(many, step=0.02)
    assert len(kept) == 400
    assert times(kept.between(-1.0, 0.05)) == [0.0, 0.02, 0.04]
    few = entries(many, step=0.02, most=50)
    assert 25 <= len(few) <= 50
    gaps = {round(b - a, 6) for a, b in zip(times(few.between(-1.0, 9.0)), times(few.between(0.0, 9.0)), strict=False)}
    assert len(gaps) == 1, "even over the whole recording"


def test_topics_are_heard_in_the_order_in_which_they_spoke() -> None:
    first, second = [Entry(1.0, 0, "/a", b""), Entry(1.0, 3, "/a", b"")], [Entry(1.0, 1, "/b", b""), Entry(1.0, 2, "/b", b"")]
    assert [entry.number for entry in in_order(first, second)] == [0, 1, 2, 3]


def test_a_browser_gets_plain_marks() -> None:
    line = TimeLine(0.0, 10.0, (Mark(1.23456, "verdict", "no", False),)).plain()
    assert line == {"start": 0.0, "end": 10.0, "marks": [{"time": 1.235, "kind": "verdict", "words": "no", "good": False}]}
