# SPDX-License-Identifier: Apache-2.0
"""Whatever a name leads to, it holds no recorder up."""

import os
from pathlib import Path

import pytest

from surefoot.recording.attached_file import read_file
from surefoot.recording.errors import BagError


def test_a_plain_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_bytes(b"{}")
    assert read_file(tmp_path / "record.json") == b"{}"
    assert read_file(tmp_path / "record.json", largest=2) == b"{}"
    with pytest.raises(BagError, match="more than 1 bytes"):
        read_file(tmp_path / "record.json", largest=1)


def test_what_is_no_plain_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path, words in (
        (tmp_path / "pipe", "no plain file"),
        (Path("/dev/zero"), "no plain file"),
        (tmp_path, "Is a directory|no plain file"),
        (tmp_path / "none", "No such file"),
        (tmp_path / "loop", "symbolic links"),
        (Path("a\0b"), "cannot be read"),
    ):
        with pytest.raises(BagError, match=words):
            read_file(path)
