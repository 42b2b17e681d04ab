# SPDX-License-Identifier: Apache-2.0
"""How well a robot did what it was asked to: joints against their targets, the base against its plan."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from surefoot.evaluation.run import Run
from surefoot.robot.description import JOINTS_PER_LEG, LEG_NAMES
from surefoot.viewer import style

Array = NDArray[np.float64]

_KINDS = ("abduction", "hip", "knee")


@dataclass(frozen=True)
class Tracking:
    """Measured less asked for, NaN where nothing was asked for.

    Attributes:
        time: (n,), s.
        joint_error: (n, 12), rad.
        base_error: in odom, (n, 3), m.
    """

    time: Array
    joint_error: Array
    base_error: Array

    @staticmethod
    def of(run: Run) -> "Tracking":
        """What a run alone tells: of its joints. Where the base should have been is said in odom, which drifts over the ground."""
        return Tracking(run.time, run.joint_position - run.joint_target, np.full_like(run.base_position, np.nan))


def draw_tracking(tracking: Tracking, path: Path) -> bool:
    """Draw the errors over time; whether there are any. path: of the PNG; its folder is made."""
    if not (np.isfinite(tracking.joint_error).any() or np.isfinite(tracking.base_error).any()):
        return False
    figure = Figure(figsize=(11.0, 7.5), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    planned = bool(np.isfinite(tracking.base_error).any())
    axes = figure.subplots(len(LEG_NAMES) + planned, 1, sharex=True)
    colours = (style.THIRD, style.SECOND, style.MEASURED)
    for leg, place in enumerate(axes[: len(LEG_NAMES)]):
        for kind, colour in enumerate(colours):
            errors = 1e3 * tracking.joint_error[:, leg * JOINTS_PER_LEG + kind]
            root = float(np.sqrt(np.nanmean(errors**2))) if np.isfinite(errors).any() else float("nan")
            place.plot(tracking.time, errors, color=colour, linewidth=0.7, label=f"{_KINDS[kind]}, rms {root:.1f}")
        place.set_ylabel(f"{LEG_NAMES[leg]}, mrad", color=style.INK, fontsize=9)
    if planned:
        for axis, (name, colour) in enumerate(zip("xyz", colours, strict=True)):
            axes[-1].plot(tracking.time, 1e3 * tracking.base_error[:, axis], color=colour, linewidth=0.8, label=name)
        axes[-1].set_ylabel("base, mm", color=style.INK, fontsize=9)
    for place in axes:
        style.plain_axes(place, linewidth=0.6)
        place.tick_params(labelsize=8)
        place.legend(loc="upper left", ncols=3, frameon=False, fontsize=8, labelcolor=style.INK)
    figure.supxlabel("time, s", color=style.INK, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    return True
