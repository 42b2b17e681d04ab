# SPDX-License-Identifier: Apache-2.0
import io

import pytest

from surefoot.teleop.screen import Screen


def drawn(written: str) -> list[str]:
    """What a terminal that is wide enough shows: what comes after a return and an erasure takes the place of what was there."""
    return [line.rpartition("\r\x1b[K")[2] for line in written.split("\n")]


def test_what_happens_is_whole_and_above_the_last_line() -> None:
    out = io.StringIO()
    screen = Screen(out, lambda: 20)
    screen.show("driving key w")
    screen.say("pace on ice ground is not vouched for: best known at 50% of walk")
    assert drawn(out.getvalue()) == ["pace on ice ground is not vouched for: best known at 50% of walk", "driving key w"]
    screen.show("driving key -")
    screen.say("vetoed")
    assert drawn(out.getvalue())[1:] == ["vetoed", "driving key -"]


def test_the_last_line_is_cut_where_the_terminal_ends_and_is_written_only_when_it_changed() -> None:
    out, columns = io.StringIO(), [10]
    screen = Screen(out, lambda: columns[0])
    for _ in range(3):
        screen.show("driving key w  stick 50%")
    assert out.getvalue() == "\r\x1b[Kdriving k"
    columns[0] = 80  # somebody made it wider
    screen.show("driving key w  stick 50%")
    assert drawn(out.getvalue()) == ["driving key w  stick 50%"]
    columns[0] = 0
    screen.show("mode READY")
    assert drawn(out.getvalue()) == ["m"]


def test_the_bell_leaves_the_lines_as_they_are() -> None:
    out = io.StringIO()
    screen = Screen(out, lambda: 80)
    screen.show("mode READY")
    screen.ring()
    screen.show("mode READY")
    assert out.getvalue() == "\r\x1b[Kmode READY\a"


def test_a_terminal_that_was_closed_is_an_error() -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        Screen(Closed(), lambda: 80).say("words")
