# SPDX-License-Identifier: Apache-2.0
"""Only shared memory that is ours and that nobody holds is removed."""

import fcntl
from pathlib import Path

from surefoot.bringup.shared_memory import locks, remove_orphans


def make(directory: Path, name: str) -> list[Path]:
    files = [directory / name, directory / f"{name}_el", directory / f"sem.{name}_mutex"]
    for file in files:
        file.touch()
    return files


def test_orphans_are_removed_and_the_rest_stays(tmp_path: Path) -> None:
    earlier = make(tmp_path, "fastdds_" + "a" * 16)
    before = locks(tmp_path)
    held, held_port = make(tmp_path, "fastdds_" + "b" * 16), make(tmp_path, "fastdds_port7411")
    make(tmp_path, "fastdds_" + "c" * 16)
    make(tmp_path, "fastdds_port7413")
    stranger = tmp_path / "something_else_el"
    stranger.touch()
    with held[1].open() as owner, held_port[1].open() as port_owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        fcntl.flock(port_owner, fcntl.LOCK_SH)
        assert remove_orphans(before, tmp_path) == 2
    assert sorted(tmp_path.iterdir()) == sorted([*earlier, *held, *held_port, stranger])


def test_no_shared_memory_at_all(tmp_path: Path) -> None:
    assert locks(tmp_path / "missing") == frozenset()
    assert remove_orphans(frozenset(), tmp_path / "missing") == 0
