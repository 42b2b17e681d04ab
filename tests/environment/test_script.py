# SPDX-License-Identifier: Apache-2.0
"""The script that everything begins with."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_environment_is_not_made_by_the_python_that_is_in_it(tmp_path: Path) -> None:
    """As where somebody has activated .venv, and what it is made from has changed since."""
    package = tmp_path / "src" / "surefoot" / "surefoot" / "environment"
    inside = tmp_path / ".venv" / "bin"
    for folder in (package, inside, tmp_path / "src" / "surefoot_msgs", tmp_path / "src" / "pip_only"):
        folder.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text("import sys\nprint('made by another', sys.argv[1])\nsys.exit(3)\n")
    (tmp_path / "requirements.lock").touch()
    shutil.copy(ROOT / "surefoot", tmp_path / "surefoot")
    for name in ("python3", "python3.11", "python3.12", "python3.13"):
        (inside / name).write_text("#!/bin/sh\necho made by itself\n")
        (inside / name).chmod(0o755)
    environment = {"PATH": f"{inside}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    environment["PATH"] = ":".join(place for place in environment["PATH"].split(":") if Path(place) != ROOT / ".venv" / "bin")
    run = subprocess.run([tmp_path / "surefoot", "robots"], env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 3, run.stderr
    assert run.stdout == f"made by another {tmp_path}\n"
