# SPDX-License-Identifier: Apache-2.0
"""The run as a film: the robot as it really moved, and each rehearsal as a fan of traces.

Run as a program in a process of its own, because a graphics driver may crash: `python -m surefoot.viewer.animation RUN REPORT`.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from surefoot.errors import SurefootError
from surefoot.evaluation import run as runs
from surefoot.evaluation import story as stories
from surefoot.evaluation.run import Run, read_run
from surefoot.evaluation.story import GaitRequested, Said, VerdictGiven, of_kind, read_story
from surefoot.evaluation.timeline import Span, Timeline
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.terrain.world import World, read_world
from surefoot.traces.decision.record import RecordedDecision, read_record
from surefoot.viewer import style
from surefoot.viewer.caption import SPOKEN_FOR, Words, write_words
from surefoot.viewer.fan import Fan, draw_fan, fan_of
from surefoot.viewer.film import RATE, STILL, FilmWriter
from surefoot.viewer.stage import Stage

WIDTH, HEIGHT = 560, 352
"""Pixels, multiples of 16 for the film's codec."""
STILL_SCALE = 2
_BETWEEN = 12
"""Pixels between the two pictures of the still."""
LINGERS = 1.5
"""s after a verdict for which its traces stay in the picture."""
PAUSE = 1.6
"""s that the film stands still at a verdict."""
_GLASS = 0.65
"""How transparent the robot becomes while traces are drawn through it."""
_FAR, _NEAR, _AHEAD = 4.4, 3.3, 0.5
"""Distance of the camera, and close up; how far ahead of the base it looks then; in parts of the stand height."""


@dataclass(frozen=True)
class Rehearsed:
    """A request with its answer and, where a record was written, its traces."""

    start: float
    verdict: VerdictGiven
    fan: Fan | None


class Director:
    """Knows what each moment of a run looks like.

    Args:
        timeline: the run and its story.
        model: of the robot.
        records: of the decisions, by file name.
    """

    def __init__(self, timeline: Timeline, model: RobotModel, records: dict[str, RecordedDecision]) -> None:
        self._timeline, self._scale = timeline, model.description.stand_height
        asked = {request.request_id: request.time for request in of_kind(timeline.story, GaitRequested)}
        self.rehearsals = [
            Rehearsed(asked.get(verdict.request_id, verdict.time), verdict, _fan(records.get(Path(verdict.record).name), timeline.run))
            for verdict in of_kind(timeline.story, VerdictGiven)
        ]
        position, window = timeline.run.base_position, max(1, round(0.5 / timeline.run.period))
        padded = np.pad(position, ((window // 2, window - 1 - window // 2), (0, 0)), mode="edge")
        summed = np.cumsum(np.vstack((np.zeros((1, 3)), padded)), axis=0)
        self._followed = (summed[window:] - summed[:-window]) / window

    def moments(self) -> Iterator[tuple[float, float]]:
        """Times of the frames, and how long each of them stays, s: one a period of the film, and a longer one at each verdict."""
        run, pauses = self._timeline.run, [rehearsed.verdict.time for rehearsed in self.rehearsals]
        times = np.arange(run.time[0], run.time[-1], 1.0 / RATE)
        for time, after in zip(times, np.append(times[1:], np.inf), strict=True):
            yield float(time), 1.0 / RATE + PAUSE * sum(time <= pause < after for pause in pauses)

    def is_about_a_request(self, time: float) -> bool:
        """Whether a short film must show this moment."""
        return any(item.start - 0.8 <= time <= item.verdict.time + LINGERS + 0.8 for item in self.rehearsals)

    def draw(self, stage: Stage, time: float) -> Image.Image:
        """The picture at a time, s."""
        run = self._timeline.run
        index = min(int(np.searchsorted(run.time, time)), len(run.time) - 1)
        near = self._closeness(time)
        yaw = self._timeline.roll_pitch_yaw[index, 2]
        centre = np.array((*self._followed[index, :2], 0.62 * self._scale))
        centre[:2] += near * _AHEAD * self._scale * np.array((np.cos(yaw), np.sin(yaw)))
        distance = self._scale * ((1.0 - near) * _FAR + near * _NEAR)
        opacity = 1.0 - near * _GLASS
        pixels = stage.draw(run.base_position[index], run.base_quaternion[index], run.joint_position[index], centre, distance, opacity)
        picture, shown = Image.fromarray(pixels), self._shown(time)
        if shown is not None and shown.fan is not None:
            duration = max(shown.verdict.time - shown.start, 1e-6)
            picture = draw_fan(picture, stage, shown.fan, min(1.0, (time + 1.0 / RATE - shown.start) / duration))
        return write_words(picture, self._words(time, shown))

    def _closeness(self, time: float) -> float:
        """0 from afar, 1 close up, and smooth between."""
        near = 0.0
        for item in self.rehearsals:
            steps = min((time - item.start + 0.6) / 1.0, (item.verdict.time + LINGERS + 0.6 - time) / 1.0)
            near = max(near, min(1.0, max(0.0, steps)))
        return near * near * (3.0 - 2.0 * near)

    def _shown(self, time: float) -> Rehearsed | None:
        return next((item for item in self.rehearsals if item.start <= time <= item.verdict.time + LINGERS), None)

    def _words(self, time: float, shown: Rehearsed | None) -> Words:
        said = [event for event in of_kind(self._timeline.story, Said) if event.time <= time < event.time + SPOKEN_FOR]
        headline, colour = "", style.INK
        if shown is not None:
            headline, colour = _headline(shown.verdict, time)
        return Words(
            time=time,
            mode=_name_at(self._timeline.modes, time),
            gait=_name_at(self._timeline.gaits, time),
            said=said[-1].text if said and not (headline and time >= (shown.verdict.time if shown else 0.0)) else "",
            headline=headline,
            headline_colour=colour,
            fan=shown is not None and shown.fan is not None,
        )


def _fan(record: RecordedDecision | None, run: Run) -> Fan | None:
    return None if record is None else fan_of(record, run)


def _name_at(spans: list[Span], time: float) -> str:
    return next((span.name for span in reversed(spans) if span.start <= time), spans[0].name)


def _headline(verdict: VerdictGiven, time: float) -> tuple[str, str]:
    """What is to be said about a request before and after its verdict, and in which colour."""
    points, particles = len(verdict.scores), sum(score.particles for score in verdict.scores)
    if time < verdict.time - 0.5 / RATE:
        return f"rehearses the {verdict.gait_to} at {points} moments, {particles} robots", style.INK
    best = verdict.best
    count = f": {best.survived} of {best.particles} survive" if best else ""
    if verdict.accepted:
        point = f" at {best.transition_point:.0%} of {verdict.gait_from}{best.manner}" if best else ""
        return f"{verdict.gait_to} accepted{count}{point}", style.SURVIVED
    causes = ", ".join(best.violated) if best else ""
    return f"{verdict.gait_to} vetoed{count}{f' ({causes})' if causes else ''}; keeps to {verdict.gait_from}", style.FAILED


def world_of(run: Run) -> World:
    """The ground of a run; flat ground where its file is not to be found."""
    for path in (Path(run.world), shared_directory() / "config" / "worlds" / f"{run.world}.yaml"):
        if path.is_file():
            try:
                return read_world(path)
            except SurefootError:
                break
    return World()


def animate(run_directory: Path, report_directory: Path) -> None:
    """Render run.mp4 (where ffmpeg is there), run.gif and snapshot.png."""
    run = read_run(run_directory / runs.FILE_NAME)
    timeline = Timeline(run, read_story(run_directory / stories.FILE_NAME))
    model, world = load_robot(run.robot), world_of(run)
    director = Director(timeline, model, readable_records(run_directory))
    stage = Stage(model, world, WIDTH, HEIGHT)
    with FilmWriter(report_directory, WIDTH, HEIGHT) as film:
        for time, duration in director.moments():
            film.add(director.draw(stage, time), duration, director.is_about_a_request(time))
    stage.close()
    stage = Stage(model, world, STILL_SCALE * WIDTH, STILL_SCALE * HEIGHT)
    _still(director, stage, float(run.time.mean())).save(report_directory / STILL, optimize=True)
    stage.close()


def _still(director: Director, stage: Stage, otherwise: float) -> Image.Image:
    """The first accepted and the first vetoed request side by side; another time, s, where there is no verdict."""
    firsts = [[item.verdict.time for item in director.rehearsals if item.verdict.accepted == accepted][:1] for accepted in (True, False)]
    times = [time for first in firsts for time in first] or [otherwise]
    pictures = [director.draw(stage, time) for time in times]
    if len(pictures) == 1:
        return pictures[0]
    width, height = round(0.75 * pictures[0].width), round(0.75 * pictures[0].height)
    still = Image.new("RGB", (2 * width + _BETWEEN, height), "white")
    for number, picture in enumerate(pictures):
        still.paste(picture.resize((width, height), Image.Resampling.LANCZOS), (number * (width + _BETWEEN), 0))
    return still


def readable_records(run_directory: Path) -> dict[str, RecordedDecision]:
    """The decision records of a run by file name, without those that cannot be read."""
    records = {}
    for path in sorted(run_directory.glob("decision_*.json")):
        try:
            records[path.name] = read_record(path)
        except SurefootError:
            continue
    return records


if __name__ == "__main__":
    animate(Path(sys.argv[1]), Path(sys.argv[2]))
