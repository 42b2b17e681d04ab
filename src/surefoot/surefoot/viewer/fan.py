# SPDX-License-Identifier: Apache-2.0
"""The traces of a decision as a fan of lines in the picture: survivors solid, failures dotted and ended by a cross."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.spatial.transform import Rotation

from surefoot.evaluation.run import Run
from surefoot.traces.decision.record import RecordedDecision
from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.viewer import style
from surefoot.viewer.stage import Stage

Array = NDArray[np.float64]

_SUPERSAMPLING = 2
_STRONG, _WEAK = 230, 80
"""Opacity of the traces of the chosen candidate, or of all where none was chosen, and of the others."""
_ORDER = {FAILED: 1, SURVIVED: 2}


@dataclass(frozen=True)
class Trace:
    """The way of one particle's base.

    Attributes:
        points: in the world, (k, 3), m, up to the end of the trace.
        verdict: of traces.outcome.
        strong: whether it belongs to the candidate that was chosen, or none was.
    """

    points: Array
    verdict: int
    strong: bool


@dataclass(frozen=True)
class Fan:
    """All traces of a decision, placed in the world.

    Attributes:
        traces: those that must be seen last.
        period: s between the points of a trace.
    """

    traces: tuple[Trace, ...]
    period: float


def fan_of(record: RecordedDecision, run: Run) -> Fan:
    """Place the traces of a decision in the world, where the estimate that they start from is a little off.

    Args:
        record: of the decision.
        run: in which it was made.
    """
    answer, state = record.answer, record.rehearsal.snapshot.state
    index = min(int(np.searchsorted(run.time, state.time)), len(run.time) - 1)
    truth = Rotation.from_quat(run.base_quaternion[index]).as_euler("ZYX")[0]
    world_from_odom = Rotation.from_euler("Z", truth - Rotation.from_quat(state.base_quaternion).as_euler("ZYX")[0])
    period = float(answer["path_period"])
    chosen = answer["chosen"]
    traces = []
    for number, paths in enumerate(answer["paths"]):
        for path, verdict, failed_at in zip(paths, answer["verdicts"][number], answer["failure_times"][number], strict=True):
            end = len(path) if verdict != FAILED else min(len(path), int(np.ceil(failed_at / period)) + 1)
            points = run.base_position[index] + world_from_odom.apply(np.array(path[:end]) - state.base_position)
            traces.append(Trace(points, verdict, chosen in (None, number)))
    return Fan(tuple(sorted(traces, key=lambda trace: (trace.strong, _ORDER.get(trace.verdict, 0)))), period)


def draw_fan(picture: Image.Image, stage: Stage, fan: Fan, shown: float) -> Image.Image:
    """The picture with a fan over it.

    Args:
        picture: as the stage drew it.
        stage: that drew it.
        fan: the traces.
        shown: how much of each trace, 0 to 1: a fan grows while the rehearsal goes on.
    """
    unit = _SUPERSAMPLING * picture.height / 400.0
    longest = max((len(trace.points) for trace in fan.traces), default=0)
    lines = [stage.seen(trace.points[: max(2, round(shown * longest))]) for trace in fan.traces]
    everything = np.concatenate([*lines, np.zeros((0, 2))])
    everything = everything[np.isfinite(everything).all(axis=1)]
    if len(everything) == 0:
        return picture
    # Only the part of the picture that the fan covers is drawn at a higher resolution.
    corner = np.clip(np.floor(everything.min(axis=0)) - 8.0, 0.0, picture.size)
    size = np.clip(np.ceil(everything.max(axis=0)) + 8.0, 0.0, picture.size) - corner
    if (size < 1.0).any():
        return picture
    layer = Image.new("RGBA", (int(_SUPERSAMPLING * size[0]), int(_SUPERSAMPLING * size[1])), (255, 255, 255, 0))
    pen = ImageDraw.Draw(layer)
    for trace, line in zip(fan.traces, lines, strict=True):
        pixels = _SUPERSAMPLING * (line[np.isfinite(line).all(axis=1)] - corner)
        if len(pixels) < 2:
            continue
        opacity = _STRONG if trace.strong else _WEAK
        colour = {SURVIVED: style.SURVIVED, FAILED: style.FAILED}.get(trace.verdict, style.UNFINISHED) + f"{opacity:02x}"
        if trace.verdict == FAILED:
            _dots(pen, pixels, colour, 1.0 * unit, 4.5 * unit)
            if shown * longest >= len(trace.points):
                _cross(pen, pixels[-1], colour, 3.2 * unit)
        else:
            pen.line([tuple(pixel) for pixel in pixels], fill=colour, width=max(1, round(1.1 * unit)), joint="curve")
            (x, y), radius = pixels[-1], 2.0 * unit
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
    layer = layer.resize((int(size[0]), int(size[1])), Image.Resampling.BOX)
    picture.paste(layer, (int(corner[0]), int(corner[1])), layer)
    return picture


def _dots(pen: ImageDraw.ImageDraw, pixels: Array, colour: str, radius: float, gap: float) -> None:
    """A dotted line with dots at equal distances in the picture."""
    lengths = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(pixels, axis=0), axis=1))))
    dots = np.arange(0.0, lengths[-1], gap)
    for x, y in zip(np.interp(dots, lengths, pixels[:, 0]), np.interp(dots, lengths, pixels[:, 1]), strict=True):
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _cross(pen: ImageDraw.ImageDraw, centre: Array, colour: str, size: float) -> None:
    x, y = centre
    for sign in (-1.0, 1.0):
        pen.line((x - size, y - sign * size, x + size, y + sign * size), fill=colour, width=max(1, round(0.5 * size)))
