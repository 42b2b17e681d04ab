# SPDX-License-Identifier: Apache-2.0
"""Stamps, vectors and names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import SensorError
from surefoot.nodes.conversions.common import Order, array_of, doubles, point_of, quaternion_of, seconds_of, stamp_of, vector_of


@given(st.integers(min_value=0, max_value=1_000_000_000))
def test_stamps_of_whole_milliseconds_come_back(milliseconds: int) -> None:
    stamp = stamp_of(milliseconds * 1e-3)
    assert (stamp.sec, stamp.nanosec) == (milliseconds // 1000, milliseconds % 1000 * 1_000_000)
    assert stamp_of(seconds_of(stamp)) == stamp


def test_stamps_of_the_wall_clock_come_back_to_the_microsecond() -> None:
    stamp = stamp_of(seconds_of(stamp_of(1_800_000_000.123456)))
    assert stamp.sec == 1_800_000_000
    assert abs(stamp.nanosec - 123_456_000) < 1000


def test_a_stamp_does_not_round_up_to_a_nanosecond_too_many() -> None:
    stamp = stamp_of(1.9999999999)
    assert (stamp.sec, stamp.nanosec) == (2, 0)


def test_vectors_come_back() -> None:
    values = np.array((1.5, -2.0, 1e-9))
    np.testing.assert_array_equal(array_of(vector_of(values)), values)
    np.testing.assert_array_equal(array_of(point_of(values)), values)
    q = quaternion_of(np.array((0.1, 0.2, 0.3, 0.9)))
    assert (q.x, q.y, q.z, q.w) == (0.1, 0.2, 0.3, 0.9)


def test_order_finds_each_name_wherever_it_is() -> None:
    order = Order("joint", ("a", "b", "c"))
    assert [("c", "a", "b")[place] for place in order.places(("c", "a", "b"))] == ["a", "b", "c"]
    assert [("b", "c", "a")[place] for place in order.places(("b", "c", "a"))] == ["a", "b", "c"]


@pytest.mark.parametrize("given_names", [("a", "b"), ("a", "b", "d"), ("a", "b", "b"), ("a", "b", "c", "c"), ()])
def test_order_refuses_missing_unknown_and_doubled_names(given_names: tuple[str, ...]) -> None:
    order = Order("joint", ("a", "b", "c"))
    with pytest.raises(SensorError):
        order.places(given_names)
    order.places(("a", "b", "c"))
    with pytest.raises(SensorError, match=r"joint names are .*needed are a, b, c"):
        order.places(given_names)
    assert order.places(("a", "b", "c")) == [0, 1, 2]


def test_values_come_in_the_order_of_the_description() -> None:
    order = Order("joint", ("a", "b"))
    for given_names, right, rows in ((("a", "b"), [1.0, 2.0], [[1, 2], [3, 4]]), (("b", "a"), [2.0, 1.0], [[3, 4], [1, 2]])):
        order.places(given_names)
        np.testing.assert_array_equal(order.values("effort", [1.0, 2.0]), right)
        np.testing.assert_array_equal(order.values("force", [1.0, 2.0, 3.0, 4.0], 2), rows)


def test_values_without_a_name_are_refused() -> None:
    order = Order("joint", ("a", "b"))
    order.places(("b", "a"))
    for values in ([], [1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(SensorError, match=f"effort: {len(values)} values for 2 names"):
            order.values("effort", values)
    with pytest.raises(SensorError, match="force: 5 values for 2 names of 3 each"):
        order.values("force", [0.0] * 5, 3)


def test_doubles_are_what_numpy_had() -> None:
    values = np.arange(6.0).reshape(2, 3)
    assert list(doubles(values)) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert list(doubles(values.T)) == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
