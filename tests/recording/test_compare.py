# SPDX-License-Identifier: Apache-2.0
"""Two bags: they meet by sample, and the first field that parts is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.errors import UnknownNameError
from surefoot.recording.compare import compare
from surefoot.recording.reader import Bag

SAMPLES = [(0.01 * k, (0.1 * k, -0.1 * k)) for k in range(100)]


def test_the_gaps_between_values_are_no_difference(write_stamped: Callable[..., Path]) -> None:
    a, b = Bag(write_stamped("a", SAMPLES)), Bag(write_stamped("b", SAMPLES, garbage=b"\xab"))
    (result,) = compare(a, b)
    assert (result.same, result.different, result.fields) == (100, 0, ())


def test_the_first_divergence_is_named_by_joint(write_stamped: Callable[..., Path]) -> None:
    changed = [(time, (a, b + (0.5 if time > 0.495 else 0.0))) for time, (a, b) in SAMPLES]
    (result,) = compare(Bag(write_stamped("a", SAMPLES)), Bag(write_stamped("b", changed)))
    assert (result.same, result.different) == (50, 50)
    assert result.first == pytest.approx(0.5)
    (field,) = result.fields
    assert field.path == "joint_position.b"
    assert field.largest == pytest.approx(0.5)
    assert field.values == (pytest.approx(-5.0), pytest.approx(-4.5))
    assert len(field.times) == field.count == 50


def test_a_tolerance_forgives(write_stamped: Callable[..., Path]) -> None:
    changed = [(time, (a + 1e-7, b)) for time, (a, b) in SAMPLES]
    bags = Bag(write_stamped("a", SAMPLES)), Bag(write_stamped("b", changed))
    assert compare(*bags)[0].different == 100
    assert compare(*bags, tolerance=1e-6)[0].different == 0


def test_samples_that_one_lacks_are_counted_and_the_others_still_meet(write_stamped: Callable[..., Path]) -> None:
    (result,) = compare(Bag(write_stamped("a", SAMPLES)), Bag(write_stamped("b", [*SAMPLES[5:-3], (2.0, (0.0, 0.0))])))
    assert (result.same, result.different, result.only_a, result.only_b) == (92, 0, 8, 1)


def test_nan_is_nan(write_stamped: Callable[..., Path]) -> None:
    nan = float("nan")
    a, b = Bag(write_stamped("a", [(0.1, (nan, 1.0))])), Bag(write_stamped("b", [(0.1, (nan, 1.0))], garbage=b"\x01"))
    assert compare(a, b)[0].different == 0
    other = Bag(write_stamped("c", [(0.1, (2.0, 1.0))]))
    assert compare(a, other)[0].fields[0].largest == float("inf")


def test_a_topic_that_is_not_in_both_is_named(write_stamped: Callable[..., Path]) -> None:
    a = Bag(write_stamped("a", SAMPLES))
    with pytest.raises(UnknownNameError, match="/stamped"):
        compare(a, a, ["/stampd"])
