# SPDX-License-Identifier: Apache-2.0
"""A node that is told to end while it still imports."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "src" / "surefoot" / "scripts"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl_c", "terminate"])
@pytest.mark.parametrize("start", [("-m", "surefoot.nodes.gamepad"), (str(SCRIPTS / "gamepad"),)], ids=["module", "script"])
def test_a_node_that_still_imports_ends_without_a_word(tmp_path: Path, start: tuple[str, ...], number: signal.Signals) -> None:
    slow = tmp_path / "rclpy"
    slow.mkdir()
    (slow / "__init__.py").write_text("import time\nprint('imports', flush=True)\ntime.sleep(600)\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))}
    process = subprocess.Popen([sys.executable, *start], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "imports\n"
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, output, errors) == (0, "", "")


def test_who_only_imports_the_nodes_keeps_the_signals() -> None:
    code = "import signal; before = signal.getsignal(2); import surefoot.nodes; print(signal.getsignal(2) is before)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout == "True\n"
