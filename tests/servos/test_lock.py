# SPDX-License-Identifier: Apache-2.0
import os
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
