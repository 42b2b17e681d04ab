# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.traces.findings.events import HOLD, LEAVES, LOST, MADE, SLIPS, STICKS, STRIKES, TOUCHES, find_events, told
from surefoot.traces.findings.marks import CONTACT, SLIDING, STRUCK, SURFACE, TOUCHED

PERIOD = 0.004
TICKS = round(HOLD / PERIOD)


def marks(**spans: list[tuple[int, int]]) -> np.ndarray:
    """One trace of 200 ticks in which bits are set for a while; the names end in the number of the bit."""
    row = np.zeros((1, 200), np.int64)
    for name, parts in spans.items():
        for begin, end in parts:
            row[0, begin:end] |= 1 << int(name.split("_")[1])
    return row


def events(row: np.ndarray, end: int = 199) -> list[tuple[int, int, str]]:
    found = find_events(row, np.array([7]), np.array([end]), PERIOD)
    assert (found["particle"] == 7).all()
    return [(round(event.time / PERIOD), event.kind, event.part) for event in told(found, PERIOD)]


def test_contacts_made_and_lost_in_the_order_of_time() -> None:
    row = marks(**{f"lf_{CONTACT}": [(0, 50), (100, 150)], f"rh_{CONTACT + 3}": [(60, 200)]})
    assert events(row) == [(50, LOST, "LF foot"), (60, MADE, "RH foot"), (100, MADE, "LF foot"), (150, LOST, "LF foot")]


def test_a_foot_that_bounces_makes_contact_once() -> None:
    row = marks(**{f"lf_{CONTACT}": [(20, 22), (24, 26), (30, 180), (182, 184)]})
    # It is gone when it is gone for good.
    assert events(row) == [(30, MADE, "LF foot"), (184, LOST, "LF foot")]


def test_what_the_end_cuts_short_did_not_happen() -> None:
    row = marks(**{f"lf_{CONTACT}": [(20, 200)]})
    assert events(row, 20 + TICKS - 2) == []
    assert events(row, 20 + TICKS - 1) == [(20, MADE, "LF foot")]


def test_slips_strikes_and_touches() -> None:
    row = marks(
        **{f"rf_{CONTACT + 1}": [(0, 200)], f"rf_{SLIDING + 1}": [(40, 60), (80, 82)], f"lh_{STRUCK + 2}": [(30, 31)],
           f"base_{TOUCHED}": [(120, 121)], f"shin_{TOUCHED + 3}": [(130, 200)]}
    )  # fmt: skip
    assert events(row) == [
        (30, STRIKES, "LH foot"), (40, SLIPS, "RF foot"), (60, STICKS, "RF foot"), (120, TOUCHES, "base"), (121, LEAVES, "base"),
        (130, TOUCHES, "LF shin"),
    ]  # fmt: skip


def test_which_ground_a_foot_is_on() -> None:
    row = marks(**{f"lf_{CONTACT}": [(0, 50), (100, 150)]})
    row[0, 100:150] |= 2 << SURFACE
    found = told(find_events(row, np.array([0]), np.array([199]), PERIOD), PERIOD)
    assert [(event.kind, event.surface) for event in found] == [(LOST, 0), (MADE, 2), (LOST, 2)]
    assert str(found[1]) == "LF foot makes contact with ground 3"


def test_nobody_and_nothing() -> None:
    assert len(find_events(np.zeros((0, 10), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), PERIOD)) == 0
    assert events(np.zeros((1, 200), np.int64)) == []
