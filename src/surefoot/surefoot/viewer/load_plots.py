# SPDX-License-Identifier: Apache-2.0
"""What a run asked of the robot: torques against their limits, and the forces of the ground on the feet."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefoot.evaluation.run import Run
from surefoot.robot.description import JOINTS_PER_LEG, LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.viewer import style

MOST_POINTS = 1500
"""Of a line; of more ticks the largest of each group is drawn, so that no peak is lost."""


def draw_torques(run: Run, model: RobotModel, path: Path) -> None:
    """Draw the torque of each joint between its limits. path: of the PNG; its folder is made."""
    figure = _figure(11.0, 7.2)
    axes = figure.subplots(len(LEG_NAMES), JOINTS_PER_LEG, sharex=True)
    for joint, name in enumerate(model.joint_names):
        place = axes[joint // JOINTS_PER_LEG, joint % JOINTS_PER_LEG]
        _envelope(place, run.time, run.joint_effort[:, joint], style.MEASURED)
        limit = float(model.effort_limit[joint])
        for side in (-limit, limit):
            place.axhline(side, color=style.FAILED, linewidth=0.9, linestyle=(0, (4, 2)))
        peak = float(np.nanmax(np.abs(run.joint_effort[:, joint]), initial=0.0))
        place.set_title(f"{name}: up to {peak:.0f} of {limit:.0f} N m", loc="left", fontsize=9, color=style.INK)
        place.set_ylim(-1.15 * limit, 1.15 * limit)
        _plain(place)
    _save(figure, path)


def draw_foot_forces(run: Run, model: RobotModel, path: Path) -> None:
    """Draw the normal force on each foot beside the bound on it. path: of the PNG; its folder is made."""
    figure = _figure(11.0, 6.0)
    limit = model.description.control.foot_force_limit
    for leg, place in enumerate(figure.subplots(len(LEG_NAMES), 1, sharex=True)):
        _envelope(place, run.time, run.foot_load[:, leg], style.MEASURED)
        peak = float(np.nanmax(run.foot_load[:, leg], initial=0.0))
        title = f"{LEG_NAMES[leg]}: up to {peak:.0f} N; the controller asks for {limit:.0f} N at most"
        place.set_title(title, loc="left", fontsize=9, color=style.INK)
        _plain(place)
    _save(figure, path)


def _envelope(axes: Axes, time: np.ndarray, values: np.ndarray, colour: str) -> None:
    group = max(1, -(-len(time) // MOST_POINTS))
    if group == 1:
        axes.plot(time, values, color=colour, linewidth=0.8)
        return
    starts = np.arange(0, len(time), group)
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    axes.fill_between(time[starts], low, high, color=colour, linewidth=0.5, edgecolor=colour)


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _plain(axes: Axes) -> None:
    style.plain_axes(axes, linewidth=0.6)
    axes.tick_params(labelsize=8)


def _save(figure: Figure, path: Path) -> None:
    figure.supxlabel("time, s", color=style.INK, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
