# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.errors import SurefootError
from surefoot.servos.lock import BridgeLock


def test_the_second_is_refused_and_told_who_is_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    first = BridgeLock("domain_3/dog", patience=0.0)
    with pytest.raises(SurefootError, match=rf"another servo bridge \(process {os.getpid()}\) drives domain_3/dog already"):
        BridgeLock("domain_3/dog", patience=0.1)
    BridgeLock("domain_4/dog", patience=0.0).release()
    first.release()
    first.release()
    BridgeLock("domain_3/dog", patience=0.0).release()


def test_the_dead_hold_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    code = "import os, signal; from surefoot.servos.lock import BridgeLock; BridgeLock('dog'); os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", code], check=False, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    BridgeLock("dog").release()
