# SPDX-License-Identifier: Apache-2.0
"""Placo as a peer in a process and an environment of its own."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SurefootError

Array = NDArray[np.float64]

ENVIRONMENT = Path(sys.prefix) / "peers" / "placo"
"""Where `surefoot install placo` puts it."""


def placo_python() -> Path | None:
    """The interpreter that has Placo; None where it is not installed."""
    python = ENVIRONMENT / "bin" / "python"
    return python if python.exists() else None


class PlacoPeer:
    """Placo's dynamics solver on given states of a standing robot; a context manager.

    Args:
        python: interpreter that has Placo.
        urdf: of the robot.
        work: arrays that `placo_peer` reads.
    """

    def __init__(self, python: Path, urdf: str, work: dict[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="surefoot-peer-")
        folder = Path(self._folder.name)
        np.savez(folder / "work.npz", **work)
        (folder / "robot.urdf").write_text(urdf)
        script = Path(__file__).with_name("placo_peer.py")
        command = [str(python), str(script), str(folder / "work.npz"), str(folder / "robot.urdf")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._answer("ready")

    def __enter__(self) -> "PlacoPeer":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def times(self, begin: int, end: int) -> tuple[Array, int]:
        """Times of the ticks from begin to before end, s, and how many of them Placo solved."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{begin} {end}\n")
        self._process.stdin.flush()
        answer = json.loads(self._answer("{"))
        return np.array(answer["seconds"]), int(answer["solved"])

    def _answer(self, beginning: str) -> str:
        """The next line that begins so; what the library itself prints is passed over."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for line in self._process.stdout:
            if line.startswith(beginning):
                return line
        raise SurefootError(f"Placo ended without an answer: {self._process.stderr.read().strip()[-2000:]}")
