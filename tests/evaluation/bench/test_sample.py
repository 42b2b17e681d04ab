# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.evaluation.bench.sample import most_frequent, proportion, this_machine, times_of


def test_the_interval_is_that_of_clopper_and_pearson() -> None:
    # Published bounds: all of 20 at 95 %, two-sided: 0.025^(1/20); 18 of 20: 0.683 to 0.988.
    everything = proportion(20, 20)
    assert (everything.lower, everything.upper) == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    most = proportion(18, 20)
    assert (round(most.lower, 3), round(most.upper, 3)) == (0.683, 0.988)
    assert proportion(0, 20).lower == 0.0


def test_times_are_summed_up_in_microseconds() -> None:
    times = times_of(np.linspace(0.0, 1e-3, 101))
    assert (times.n, times.median_us, times.p99_us) == (101, pytest.approx(500.0), pytest.approx(990.0))


def test_the_machine_says_what_it_is() -> None:
    machine = this_machine()
    assert machine.cores >= 1
    assert machine.load >= 0.0


def test_the_most_frequent_name_is_the_first_of_several() -> None:
    assert most_frequent(["roll", "stub", "pitch", "stub", "roll"]) == "roll"
    assert most_frequent(["roll", "stub", "stub"]) == "stub"
    assert most_frequent([]) == ""
