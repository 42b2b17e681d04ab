# SPDX-License-Identifier: Apache-2.0
import os
import pty
import termios
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import ConfigurationError
from surefoot.teleop.terminal import KeyDecoder, Terminal


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"wW ", ["w", "w", " "]),
        (b"\x1b[A\x1b[B\x1bOC\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1b[3~w", ["w"]),
        (b"\x1b[1;5Aw", ["w"]),  # Ctrl with an arrow
        (b"\x1b ", [" "]),  # a stop behind an escape is a stop
        (b"\x1b[ w", ["[", " ", "w"]),
        ("ü\n".encode(), ["\n"]),
        (b"", []),
    ],
)
def test_bytes_are_keys(data: bytes, keys: list[str]) -> None:
    assert KeyDecoder().decode(data) == keys


def test_a_sequence_may_come_in_pieces() -> None:
    decoder = KeyDecoder()
    assert [decoder.decode(piece) for piece in (b"q\x1b", b"[", b"Aw")] == [["q"], [], ["up", "w"]]


@given(st.lists(st.binary(max_size=12), max_size=8))
def test_whatever_comes_is_decoded(pieces: list[bytes]) -> None:
    decoder = KeyDecoder()
    for piece in pieces:
        for key in decoder.decode(piece):
            assert key in ("up", "down", "left", "right") or len(key) == 1


def test_a_terminal_gives_keys_at_once_and_tells_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    stdin = os.fdopen(theirs, "r")
    monkeypatch.setattr("sys.stdin", stdin)
    before = termios.tcgetattr(theirs)
    terminal = Terminal()
    assert terminal.keys() == []
    os.write(ours, b"w\x1b[A")
    keys: list[str] = []
    deadline = time.monotonic() + 10.0
    while len(keys) < 2 and time.monotonic() < deadline:
        keys += terminal.keys() or []
    assert keys == ["w", "up"]
    terminal.close()
    assert termios.tcgetattr(theirs)[3] & termios.ICANON == before[3] & termios.ICANON
    os.close(ours)
    assert terminal.keys() is None
    terminal.close()
    stdin.close()


def test_without_a_terminal_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        with pytest.raises(ConfigurationError, match="needs a terminal"):
            Terminal()
