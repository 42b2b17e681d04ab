# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from surefoot.evaluation.timeline import Timeline
from surefoot.robot.model import RobotModel
from surefoot.viewer.animation import PAUSE, Director
from surefoot.viewer.film import FilmWriter


def test_a_verdict_stands_still(told_run: Any, hyq: RobotModel) -> None:
    director = Director(Timeline(told_run.run(), told_run.events), hyq, {})
    moments = list(director.moments())
    assert sum(duration for _, duration in moments) == pytest.approx(moments[-1][0] + 0.1 + 2.0 * PAUSE)
    long = [time for time, duration in moments if duration > 1.0]
    assert long == pytest.approx([11.0, 21.0])
    assert [director.is_about_a_request(time) for time in (8.0, 9.5, 11.0, 13.0, 15.0)] == [False, True, True, True, False]


def test_a_film_of_plain_pictures(tmp_path: Path) -> None:
    with FilmWriter(tmp_path, 160, 96) as film:
        for grey in range(0, 250, 50):
            film.add(Image.new("RGB", (160, 96), (grey, grey, grey)), 0.1 if grey != 100 else 1.0, True)
    assert (tmp_path / "run.mp4").read_bytes()[4:8] == b"ftyp"
    with Image.open(tmp_path / "run.gif") as picture:
        assert picture.n_frames == 5  # type: ignore[attr-defined]
        picture.seek(2)
        assert picture.info["duration"] == 1000


def test_nothing_to_show_is_no_film(tmp_path: Path) -> None:
    with FilmWriter(tmp_path / "empty", 160, 96):
        pass
    assert not (tmp_path / "empty" / "run.gif").exists()


def test_a_short_run_becomes_a_film(told_run: Any, tmp_path: Path) -> None:
    environment = {**os.environ, "MUJOCO_GL": "egl", "PYTHONPATH": os.pathsep.join(sys.path)}
    probe = "import mujoco; mujoco.Renderer(mujoco.MjModel.from_xml_string('<mujoco/>'), 32, 32).close()"
    if subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, check=False).returncode != 0:
        pytest.skip("no OpenGL without a screen on this machine")
    kept = told_run.during(20.8, 21.3)
    told_run.columns = {name: values[kept] for name, values in told_run.columns.items()}
    told_run.write(tmp_path)
    command = [sys.executable, "-m", "surefoot.viewer.animation", str(tmp_path), str(tmp_path / "report")]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    for name in ("run.gif", "snapshot.png"):
        with Image.open(tmp_path / "report" / name) as picture:
            # The robot's blue is in the picture.
            assert any(b > r + 60 for _, (r, _, b) in picture.convert("RGB").getcolors(1 << 24) or [])
