# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.tick_times import CLASSES, EDGES_US, TickTimes, counts_of


def test_every_tick_is_in_the_class_of_its_duration() -> None:
    times = TickTimes()
    times.add(np.array([1e-6, 150e-6, 151e-6, 4e-3]))
    times.add(np.array([30.0]))
    assert times.counts.sum() == 5
    (shortest, usual, long, longest) = np.flatnonzero(times.counts)
    assert (shortest, longest) == (0, CLASSES - 1)
    assert times.counts[usual] == 2
    assert EDGES_US[usual - 1] <= 150.0 < EDGES_US[usual]
    assert EDGES_US[long - 1] <= 4000.0 < EDGES_US[long]


def test_a_report_carries_them_and_what_is_none_is_none() -> None:
    times = TickTimes()
    times.add(np.full(7, 2e-3))
    read = counts_of(times.words())
    assert read is not None
    np.testing.assert_array_equal(read, times.counts)
    for words in ("", "7", " ".join(["x"] * CLASSES), " ".join(["-1"] * CLASSES)):
        assert counts_of(words) is None
