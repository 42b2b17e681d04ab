# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.evaluation.contact_events import ContactEvent, contact_events, debounced, same_order


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("1111000011110000", "1111000011110000"),
        ("1111010011110000", "1111111111110000"),
        ("0111100001111111", "1111100001111111"),
        ("1111111111111110", "1111111111111111"),
        ("1010101010101010", "1111111111111111"),
    ],
)
def test_what_is_short_did_not_happen(given: str, expected: str) -> None:
    signal = np.array([letter == "1" for letter in given])
    assert "".join("01"[int(value)] for value in debounced(signal, 3)) == expected


def test_events_go_by_foot_in_the_order_of_time() -> None:
    contact = np.ones((20, 4), np.bool_)
    contact[4:12, 2], contact[8:16, 1] = False, False
    assert contact_events(contact, 0.01, 0.03) == [
        ("LH", False, 0.04), ("RF", False, 0.08), ("LH", True, 0.12), ("RF", True, 0.16),
    ]  # fmt: skip


def events(*steps: tuple[str, bool, float]) -> list[ContactEvent]:
    return [ContactEvent(*step) for step in steps]


LANDINGS = events(("LF", False, 0.1), ("RH", False, 0.11), ("LF", True, 0.3), ("RH", True, 0.4))


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (LANDINGS, True),
        (events(("RH", False, 0.1), ("LF", False, 0.11), ("LF", True, 0.3), ("RH", True, 0.4)), True),
        (events(("LF", False, 0.1), ("RH", False, 0.11), ("RH", True, 0.3), ("LF", True, 0.4)), False),
        (events(("LF", False, 0.1), ("LF", True, 0.3)), False),
        (events(("LF", False, 0.1), ("RH", False, 0.11), ("LF", True, 0.3), ("RH", True, 0.4), ("RF", False, 0.99)), True),
        (events(("LF", False, 0.1), ("RH", False, 0.11), ("LF", True, 0.3), ("RH", True, 0.4), ("RF", False, 0.5)), False),
    ],
)
def test_order(other: list[ContactEvent], same: bool) -> None:
    assert same_order(LANDINGS, other, 0.95, 0.02) is same
    assert same_order(other, LANDINGS, 0.95, 0.02) is same
