# SPDX-License-Identifier: Apache-2.0
"""Time of a tick of the estimator against how many steps of its window it replays, as a picture."""

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefoot.evaluation.bench.estimator import EstimatorResult
from surefoot.viewer import style

FILE_NAME = "estimator.png"


def draw_windows(result: EstimatorResult, path: Path) -> None:
    """Draw median and 99th percentile.

    Args:
        result: of `bench_estimator`.
        path: of the PNG; its folder is made.
    """
    figure = Figure(figsize=(7.0, 4.5), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    steps = [window.steps for window in result.window]
    median, high = [window.times.median_us for window in result.window], [window.times.p99_us for window in result.window]
    axes.plot(steps, median, color=style.MEASURED, marker="o", markersize=3.5, linewidth=1.6, label="median")
    axes.plot(steps, high, color=style.MEASURED, linewidth=1.0, linestyle=(0, (3, 2)), label="99th percentile")
    axes.axhline(400.0, color=style.INK, linewidth=1.0, linestyle=(0, (1, 2)))
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("steps replayed", color=style.INK)
    axes.set_ylabel("one tick, us", color=style.INK)
    style.plain_axes(axes)
    axes.legend(frameon=False, fontsize=9, labelcolor=style.INK)
    axes.set_title(f"{result.robot}: cost of late samples", loc="left", fontsize=11, color=style.INK)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
