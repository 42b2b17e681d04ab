# SPDX-License-Identifier: Apache-2.0
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.errors import SurefootError
from surefoot.servos import lock
from surefoot.servos.lock import BridgeLock


def test_the_second_is_refused_and_told_who_is_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    first = BridgeLock("domain_3/dog", patience=0.0)
    with pytest.raises(SurefootError, match=rf"another servo bridge \(process {os.getpid()}\) drives domain_3/dog already"):
        BridgeLock("domain_3/dog", patience=0.1)
    BridgeLock("domain_4/dog", patience=0.0).release()
    first.release()
    first.release()
    BridgeLock("domain_3/dog", patience=0.0).release()


def test_the_dead_hold_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    code = (
        "import os, pathlib, signal; from surefoot.servos import lock; "
        f"lock.FOLDER = pathlib.Path({str(tmp_path)!r}); lock.BridgeLock('dog'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], check=False, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    (left,) = tmp_path.iterdir()
    assert left.read_text().isdigit()
    BridgeLock("dog").release()


def test_a_lock_is_for_every_user_and_every_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    before = os.umask(0o077)
    try:
        first = BridgeLock("serial /dev/ttyUSB0", patience=0.0)
    finally:
        os.umask(before)
    assert first.path.stat().st_mode & 0o777 == 0o666
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "other"))
    with pytest.raises(SurefootError, match="drives serial /dev/ttyUSB0 already"):
        BridgeLock("serial /dev/ttyUSB0", patience=0.0)
    first.release()


def test_a_lock_that_cannot_be_made_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path / "missing")
    with pytest.raises(SurefootError, match=r"the lock .*missing/surefoot_bridge_dog_.* cannot be opened: .*Mend its permissions"):
        BridgeLock("dog")


def test_names_that_differ_are_locked_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    assert BridgeLock("a/b", patience=0.0).path != BridgeLock("a_b", patience=0.0).path


def test_whoever_removes_the_file_removes_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    first = BridgeLock("serial /dev/ttyUSB0", patience=0.0)
    for _ in range(2):
        first.path.unlink()
        with pytest.raises(SurefootError, match=rf"\(process {os.getpid()}\) drives serial /dev/ttyUSB0 already"):
            BridgeLock("serial /dev/ttyUSB0", patience=0.0)
    first.release()
    second = BridgeLock("serial /dev/ttyUSB0", patience=0.0)
    assert second.path.read_text() == str(os.getpid())
    second.release()


def test_where_there_are_no_such_names_the_file_alone_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    monkeypatch.setattr(lock.sys, "platform", "darwin")
    first = BridgeLock("dog", patience=0.0)
    with pytest.raises(SurefootError, match=rf"\(process {os.getpid()}\) drives dog already"):
        BridgeLock("dog", patience=0.0)
    first.release()
    BridgeLock("dog", patience=0.0).release()


def test_a_network_of_its_own_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two containers with one /tmp: neither sees the names of the other."""
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    first = BridgeLock("dog", patience=0.0)
    first._name.release()
    with pytest.raises(SurefootError, match=rf"\(process {os.getpid()}\) drives dog already"):
        BridgeLock("dog", patience=0.0)
    first.release()


def test_folders_that_are_not_the_same_are_locked_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two containers that share a network alone: a device of one name is not the same device there."""
    held = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(lock, "FOLDER", tmp_path / name)
        held.append(BridgeLock("serial /dev/ttyUSB0", patience=0.0))
        with pytest.raises(SurefootError, match="drives serial /dev/ttyUSB0 already"):
            BridgeLock("serial /dev/ttyUSB0", patience=0.0)
    assert [one.path.parent.name for one in held] == ["one", "other"]
    for one in held:
        one.release()


def test_a_machine_that_refuses_such_names_still_has_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refused(socket.socket):
        def bind(self, address: object) -> None:
            raise PermissionError(1, "not here")

    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    monkeypatch.setattr(lock.socket, "socket", Refused)
    first = BridgeLock("dog", patience=0.0)
    with pytest.raises(SurefootError, match="drives dog already"):
        BridgeLock("dog", patience=0.0)
    first.release()
