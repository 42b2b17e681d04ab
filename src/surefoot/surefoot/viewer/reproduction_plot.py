# SPDX-License-Identifier: Apache-2.0
"""The experiments on inverse dynamics as one picture: paths of the centre of mass between waypoints, joint errors over time."""

import math
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefoot.evaluation.reproduce.idyn import Reproduction
from surefoot.evaluation.reproduce.tasks import WAYPOINTS
from surefoot.evaluation.reproduce.trial import Measured
from surefoot.viewer import style

COLUMNS = 4


def draw_reproduction(result: Reproduction, path: Path) -> None:
    """Draw centre-of-mass paths of the small robot by ground [Zapolsky and Drumwright 2016, Fig. 17] and joint errors of the large one.

    Args:
        result: of `reproduce_idyn`.
        path: of the PNG.
    """
    grounds = list(dict.fromkeys(trial.ground for trial in result.small))
    tasks = list(dict.fromkeys((trial.task, trial.ground) for trial in result.large))
    count = len(grounds) + len(tasks)
    rows = max(1, math.ceil(count / COLUMNS))
    figure = Figure(figsize=(4.6 * COLUMNS, 4.4 * rows), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    panels = [figure.add_subplot(rows, COLUMNS, index + 1) for index in range(count)]
    names = list(dict.fromkeys(trial.contender for trial in (*result.small, *result.large)))
    colours = {name: f"C{index}" for index, name in enumerate(names)}
    for panel, ground in zip(panels, grounds, strict=False):
        _paths(panel, ground, [trial for trial in result.small if trial.ground == ground], colours)
    for panel, (task, ground) in zip(panels[len(grounds) :], tasks, strict=True):
        _errors(panel, f"{task}, {ground}", [trial for trial in result.large if (trial.task, trial.ground) == (task, ground)], colours)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)


def _paths(axes: Axes, ground: str, trials: list[Measured], colours: dict[str, str]) -> None:
    corners = np.array((WAYPOINTS[-1], *WAYPOINTS))
    axes.plot(*corners.T, "o:", color=style.INK, lw=0.8, ms=4)
    for trial in trials:
        if trial.centre_of_mass_path:
            axes.plot(*np.array(trial.centre_of_mass_path).T, color=colours[trial.contender], lw=1.0, label=_label(trial))
    # Where a robot slides away to says nothing.
    axes.set(title=ground, xlabel="x, m", ylabel="y, m", xlim=(-0.6, 0.6), ylim=(-0.6, 0.6), aspect="equal")
    axes.legend(fontsize=6, loc="upper right")


def _errors(axes: Axes, title: str, trials: list[Measured], colours: dict[str, str]) -> None:
    for trial in trials:
        if trial.joint_error:
            times = np.linspace(0.0, trial.seconds, len(trial.joint_error))
            axes.semilogy(times, np.maximum(trial.joint_error, 1e-5), color=colours[trial.contender], lw=1.0, label=_label(trial))
    axes.set(title=title, xlabel="s", ylabel="norm of the joint errors, rad")
    axes.legend(fontsize=7)


def _label(trial: Measured) -> str:
    return f"{trial.contender}, fell" if trial.fell else trial.contender
