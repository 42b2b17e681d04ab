# SPDX-License-Identifier: Apache-2.0
"""Everything that is left of a run for people to look at: one folder."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import surefoot
from surefoot.errors import ConfigurationError
from surefoot.evaluation import run as runs
from surefoot.evaluation import story as stories
from surefoot.evaluation import summary as summaries
from surefoot.evaluation.run import Run, read_run
from surefoot.evaluation.story import Event, read_story
from surefoot.evaluation.summary import Summary, summarize
from surefoot.evaluation.timeline import Timeline
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.traces.decision.record import RecordedDecision, read_record
from surefoot.viewer import plots
from surefoot.viewer.film import GIF, MP4, STILL

RENDERING_TIMEOUT = 180.0
"""Wall time for the film, s."""
_WAY_OUT = "on Debian or Ubuntu: sudo apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri"


@dataclass(frozen=True)
class ToldRun:
    """A run as it lies in a folder, read once.

    Attributes:
        folder: holds run.npz, story.jsonl and decision_*.json.
        run, story, model: what the robot did, what was told of it, and the robot.
        records: the decisions that can be read, by file name.
        notes: a sentence about each that cannot be.
    """

    folder: Path
    run: Run
    story: list[Event]
    model: RobotModel
    records: dict[str, RecordedDecision]
    notes: tuple[str, ...]


def read_told_run(folder: Path) -> ToldRun:
    """Read a run. Raises ConfigurationError where it or its story is missing or cut."""
    run = read_run(folder / runs.FILE_NAME)
    story = read_story(folder / stories.FILE_NAME)
    records: dict[str, RecordedDecision] = {}
    notes: tuple[str, ...] = ()
    for path in sorted(folder.glob("decision_*.json")):
        try:
            records[path.name] = read_record(path)
        except ConfigurationError as error:
            notes += (str(error),)
    return ToldRun(folder, run, story, load_robot(run.robot), records, notes)


def write_report(run_directory: Path, report_directory: Path, film: bool = True) -> Summary:
    """Write report.json, overview.png, run.mp4, run.gif, snapshot.png and copies of the decision records.

    Args:
        run_directory: holds run.npz, story.jsonl and decision_*.json.
        report_directory: is made; files of the same names are replaced.
        film: whether to render the film, which takes most of the time.

    Returns:
        What the run showed; its notes say what could not be made, and why.

    Raises:
        ConfigurationError: the run or its story is missing or cut.
    """
    return write_report_of(read_told_run(run_directory), report_directory, film)


def write_report_of(told: ToldRun, report_directory: Path, film: bool = True) -> Summary:
    """The same of a run that was read already."""
    report_directory.mkdir(parents=True, exist_ok=True)
    if report_directory.resolve() != told.folder.resolve():
        for path in told.folder.glob("decision_*.json"):
            shutil.copyfile(path, report_directory / path.name)
        # A film or a picture out of it that was left here is of another run.
        for name in (MP4, GIF, STILL):
            (report_directory / name).unlink(missing_ok=True)
    summary = summarize(told.run, told.story, told.records, told.model)
    plots.draw_overview(Timeline(told.run, told.story), summary, told.model, report_directory / plots.FILE_NAME)
    notes = told.notes + (_film(told.folder, report_directory) if film else ())
    summary = summary.model_copy(update={"notes": notes + summary.notes})
    summary.write(report_directory / summaries.FILE_NAME)
    return summary


def _film(run_directory: Path, report_directory: Path) -> tuple[str, ...]:
    """Render in a process of its own, since a graphics driver may take its process with it; what went wrong, in one sentence."""
    package = str(Path(surefoot.__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))}
    environment.setdefault("MUJOCO_GL", "egl")
    command = [sys.executable, "-m", "surefoot.viewer.animation", str(run_directory), str(report_directory)]
    try:
        result = subprocess.run(
            command, env=environment, timeout=RENDERING_TIMEOUT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return (f"no film: rendering took more than {RENDERING_TIMEOUT:.0f} s",)
    if result.returncode == 0:
        return ()
    if result.returncode < 0:
        return (f"no film: the renderer died of {signal.Signals(-result.returncode).name}; {_WAY_OUT}",)
    lines = [line for line in result.stderr.splitlines() if line and not line[0].isspace()]
    # Python prints exceptions that are ignored after the one that counts.
    errors = [line for line in lines if "Error" in line.split(":")[0] or "Exception" in line.split(":")[0]]
    return (f"no film: {(errors or lines or ['unknown reason'])[0]}; {_WAY_OUT}",)
