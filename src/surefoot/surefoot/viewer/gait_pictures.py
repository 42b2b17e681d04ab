# SPDX-License-Identifier: Apache-2.0
"""What each parameter of a gait does: a picture of a gait before and after one number is changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from surefoot.gait.foothold import foothold
from surefoot.gait.parameters import Gait, gait_record
from surefoot.gait.swing import evaluate_swing, plan_swing
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.spatial import rotation_from_roll_pitch_yaw
from surefoot.viewer import style
from surefoot.viewer.gait_timetable import draw_timetable, plain

Array = NDArray[np.float64]

BEFORE, AFTER = style.FAINT, style.SECOND
BODY = (0.68, 0.56, 0.09)
"""Length, width and height of the body that is drawn, m: it does not change with the gait."""

Drawing = Callable[[Axes, Gait, str, float], None]
"""Draws a gait on axes in a colour; the last argument is -1 before the change and 1 after it, for what would hide the other."""


@dataclass(frozen=True)
class Picture:
    """How one parameter is shown.

    Attributes:
        drawing: of a gait.
        change: a factor, or what to put in its place.
        horizontal, vertical: labels of the axes.
    """

    drawing: Drawing
    change: Any
    horizontal: str
    vertical: str = ""


def draw_gait_parameters(gait: Gait, folder: Path) -> tuple[Path, ...]:
    """One PNG for each parameter: grey is the gait, colour is the gait with that parameter changed.

    Args:
        gait: that moves.
        folder: of the pictures, which are called after the parameter; it is made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for key, picture in PICTURES.items():
        value = getattr(gait, key)
        after = gait.model_copy(update={key: picture.change(value) if callable(picture.change) else picture.change})
        figure = Figure(figsize=(5.2, 2.6), facecolor="white", layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for one, colour, side in ((gait, BEFORE, -1.0), (after, AFTER, 1.0)):
            picture.drawing(axes, one, colour, side)
        plain(axes)
        axes.set_xlabel(picture.horizontal, color=style.INK, fontsize=9)
        axes.set_ylabel(picture.vertical, color=style.INK, fontsize=9)
        axes.set_title(f"{key}: {_show(value)} and {_show(getattr(after, key))}", loc="left", fontsize=10, color=style.INK)
        paths.append(folder / f"{key}.png")
        figure.savefig(paths[-1], dpi=110)
    return tuple(paths)


def _show(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{100 * value[leg]:.0f}" for leg in LEG_NAMES) + " %"
    return " ".join(f"{part:g}" for part in value) if isinstance(value, tuple) else f"{value:.3g}"


def _timetable(axes: Axes, gait: Gait, colour: str, side: float, span: float = 1.0) -> None:
    axes.set_xlim(0.0, 1.0)
    draw_timetable(axes, gait, colour, span, offset=-0.2 * side, thick=0.36)


def _seconds(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    _timetable(axes, gait, colour, side, gait.period)


def _swing(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    """The path of a foot over the ground at its largest speed, by the function that the planner uses."""
    duration, step = (1.0 - gait.duty_factor["LF"]) * gait.period, gait.max_forward_speed * gait.period
    times, positions, velocities = np.empty(4), np.empty((4, 3)), np.empty((4, 3))
    goal, zero = np.array([step, 0.0, 0.0]), np.zeros(3)
    plan_swing(0.0, duration, zero, zero, goal, zero, gait.step_height, gait.overshoot, times, positions, velocities)
    path, velocity, acceleration = np.empty((61, 3)), np.empty(3), np.empty(3)
    for sample, time in enumerate(np.linspace(0.0, duration, 61)):
        evaluate_swing(time, times, positions, velocities, path[sample], velocity, acceleration)
    axes.axhline(0.0, color=style.GRID)
    axes.plot(path[:, 0], path[:, 2], color=colour, linewidth=1.8)
    axes.plot(positions[1:3, 0], positions[1:3, 2], "o", color=colour, markersize=4)


def _body(gait: Gait, axis: int) -> tuple[Array, Array, Array]:
    """Feet on the ground, hips and corners of the body as seen along the other axis, (n, 2), m; hips move with the posture, feet do not."""
    feet = np.column_stack((gait_record(gait)["neutral_foot"][0], np.zeros(4)))
    rotation = np.empty((3, 3))
    rotation_from_roll_pitch_yaw(gait.base_roll, gait.base_pitch, 0.0, rotation)
    signs = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    flat = 0.5 * signs * BODY[:2]
    hips = np.column_stack((flat, np.zeros(4))) @ rotation.T + (0.0, 0.0, gait.base_height)
    top = np.column_stack((flat, np.full(4, BODY[2]))) @ rotation.T + (0.0, 0.0, gait.base_height)
    seen = [axis, 2]
    order = (0, 3) if axis == 0 else (0, 1)
    corners = np.array([hips[order[0]], hips[order[1]], top[order[1]], top[order[0]]])
    return feet[:, seen], hips[:, seen], corners[:, seen]


def _stand(axes: Axes, gait: Gait, colour: str, side: float, axis: int) -> None:
    feet, hips, corners = _body(gait, axis)
    axes.add_patch(Polygon(corners, closed=True, facecolor=colour, alpha=0.35, edgecolor=colour))
    for foot, hip in zip(feet, hips, strict=True):
        axes.plot(*np.array([hip, foot]).T, color=colour, linewidth=1.8, marker="o", markersize=3.5)
    axes.axhline(0.0, color=style.GRID)
    axes.set_aspect("equal", "datalim")


def _from_the_side(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    _stand(axes, gait, colour, side, 0)


def _from_behind(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    _stand(axes, gait, colour, side, 1)
    if not axes.xaxis_inverted():
        axes.invert_xaxis()


def _from_above(axes: Axes, gait: Gait, colour: str, side: float, command: int | None = None, error: float = 0.0) -> None:
    """Feet at rest as rings, and where each lands next under a command of the largest speed, as dots; forward is to the right."""
    record = gait_record(gait)[0]
    wanted, landing = np.zeros(3), np.empty(2)
    if command is not None:
        wanted[command] = record["max_speed"][command]
    for leg, (rest, ring) in enumerate(zip(record["neutral_foot"], _turned(record["neutral_foot"], gait.base_yaw), strict=True)):
        duty, period = gait.duty_factor[LEG_NAMES[leg]], gait.period
        velocity = np.array([error, 0.0, 0.0])
        velocity[:2] += wanted[:2]
        foothold(np.zeros(3), 0.0, gait.base_yaw, velocity, wanted, rest, 0.0, duty * period, gait.velocity_feedback, landing)
        axes.plot(*ring, "o", color=colour, markersize=9, fillstyle="none")
        target, origin = (float(landing[0]), float(landing[1])), (float(ring[0]), float(ring[1]))
        axes.annotate("", target, origin, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0})
    axes.plot(0.0, 0.0, "+", color=style.INK)
    axes.set_aspect("equal", "datalim")
    axes.margins(0.15)


def _turned(points: Array, yaw: float) -> Array:
    """Points forward and left of where the base looks, (n, 2), as points forward and left of where it goes."""
    c, s = np.cos(yaw), np.sin(yaw)
    result: Array = points @ np.array(((c, s), (-s, c)))
    return result


def _looking(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    """The body from above with its nose, over the feet under a command forward."""
    length, width = 0.5 * BODY[0], 0.5 * BODY[1]
    outline = np.array([(length, width), (1.2 * length, 0.0), (length, -width), (-length, -width), (-length, width)])
    axes.add_patch(Polygon(_turned(outline, gait.base_yaw), closed=True, facecolor=colour, alpha=0.35, edgecolor=colour))
    _forward(axes, gait, colour, side)


def _at_rest(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    _from_above(axes, gait, colour, side)


def _forward(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    _from_above(axes, gait, colour, side, 0)


def _strafe(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    _from_above(axes, gait, colour, side, 1)


def _turn(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    _from_above(axes, gait, colour, side, 2)


def _pushed(axes: Axes, gait: Gait, colour: str, side: float) -> None:
    _from_above(axes, gait, colour, side, error=0.5)


def _times(factor: float) -> Callable[[float], float]:
    return lambda value: factor * value


PICTURES: Mapping[str, Picture] = {
    "period": Picture(_seconds, _times(1.6), "s"),
    "liftoff": Picture(_timetable, lambda value: value | {"LF": (value["LF"] + 0.15) % 1.0}, "part of the period"),
    "duty_factor": Picture(_timetable, lambda value: dict.fromkeys(value, 0.8), "part of the period"),
    "step_height": Picture(_swing, _times(1.6), "forward, m", "up, m"),
    "overshoot": Picture(_swing, 0.3, "forward, m", "up, m"),
    "base_height": Picture(_from_the_side, _times(0.8), "forward, m", "up, m"),
    "base_pitch": Picture(_from_the_side, 0.2, "forward, m", "up, m"),
    "base_roll": Picture(_from_behind, 0.2, "left, m", "up, m"),
    "base_yaw": Picture(_looking, 0.3, "forward, m", "left, m"),
    "stance_length": Picture(_from_the_side, _times(1.25), "forward, m", "up, m"),
    "stance_width": Picture(_from_behind, _times(1.3), "left, m", "up, m"),
    "stance_offset": Picture(_at_rest, (0.08, 0.0), "forward, m", "left, m"),
    "max_forward_speed": Picture(_forward, _times(2.0), "forward, m", "left, m"),
    "max_strafe_speed": Picture(_strafe, _times(2.0), "forward, m", "left, m"),
    "max_turn_rate": Picture(_turn, _times(2.0), "forward, m", "left, m"),
    "velocity_feedback": Picture(_pushed, _times(2.5), "forward, m", "left, m"),
}
"""By parameter, in the order of Table 17 [Zapolsky 2017]."""
