# SPDX-License-Identifier: Apache-2.0
"""How long things took in a run, as histograms: the control loop, verdicts, and the ticks of each node that counts them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from surefoot.evaluation.run import Run
from surefoot.evaluation.story import DiagnosticsReported, Event, VerdictGiven, of_kind
from surefoot.tick_times import EDGES_US, TICK_COUNTS, counts_of
from surefoot.viewer import style

FIRST = ("state_estimator", "gait_planner", "inverse_dynamics", "servo_bridge")
"""Nodes on the way from sensors to motors, which come before the others."""
_COLUMNS = 3


def draw_timings(run: Run, story: Sequence[Event], path: Path) -> tuple[str, ...]:
    """Draw what was recorded of times.

    Args:
        run: with the time from each sensor sample to its command.
        story: with verdicts and the last health report of each node.
        path: of the PNG, which is made where there is anything to draw; its folder is made.

    Returns:
        What was not recorded, a sentence each.
    """
    latency = 1e3 * run.command_latency[np.isfinite(run.command_latency)]
    verdicts = np.array([event.wall_seconds for event in of_kind(story, VerdictGiven) if event.wall_seconds is not None])
    counted, untold = _counted(story)
    absent = list(untold)
    if not len(latency):
        absent.append("The time from sensor sample to servo command was not recorded.")
    if not len(verdicts):
        absent.append("There was no verdict whose time was taken.")
    panels = len(counted) + bool(len(latency)) + bool(len(verdicts))
    if not panels:
        return tuple(absent)
    rows = -(-panels // _COLUMNS)
    figure = Figure(figsize=(11.0, 2.3 * rows), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = iter(figure.subplots(rows, _COLUMNS, squeeze=False).flat)
    if len(latency):
        _histogram(next(axes), "sensor sample to servo command", latency, "ms")
    if len(verdicts):
        _histogram(next(axes), "request to verdict", verdicts, "s")
    for node, counts in counted.items():
        _ticks(next(axes), node, counts)
    for rest in axes:
        rest.set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    return tuple(absent)


def _counted(story: Sequence[Event]) -> tuple[dict[str, NDArray[np.int64]], list[str]]:
    """Counts of the ticks of nodes, those of the control loop first, and what is not known of others."""
    reports = {event.node: event.values for event in of_kind(story, DiagnosticsReported)}
    order = sorted(reports, key=lambda node: (FIRST.index(node) if node in FIRST else len(FIRST), node))
    counts = {node: counts_of(str(reports[node].get(TICK_COUNTS, ""))) for node in order}
    counted = {node: known for node, known in counts.items() if known is not None and known.any()}
    uncounted = [node for node in order if node not in counted]
    if not reports:
        return counted, ["No health report of any node was recorded, so nothing is known of their ticks."]
    return counted, [f"Single ticks were not recorded of: {', '.join(uncounted)}."] if uncounted else []


def _histogram(axes: Axes, title: str, values: NDArray[np.float64], unit: str) -> None:
    median, high = np.percentile(values, (50, 99))
    right = 1.15 * max(high, 2.0 * median)
    axes.hist(np.minimum(values, right), bins=40, range=(0.0, right), color=style.MEASURED)
    words = f"{unit}; median {_plain(median)}, p99 {_plain(high)}, longest {_plain(values.max())}"
    _finish(axes, f"{title}: {len(values)}", words, (median, high))


def _ticks(axes: Axes, node: str, counts: NDArray[np.int64]) -> None:
    """Classes get wider with the duration: so does the axis."""
    step = EDGES_US[1] / EDGES_US[0]
    edges = np.concatenate(([EDGES_US[0] / step], EDGES_US, [EDGES_US[-1] * step]))
    used = np.flatnonzero(counts)
    axes.stairs(counts, edges, fill=True, color=style.MEASURED)
    axes.set_xscale("log")
    axes.set_xlim(edges[max(used[0] - 2, 0)], edges[min(used[-1] + 3, len(edges) - 1)])
    ranks = np.searchsorted(np.cumsum(counts), np.array((0.5, 0.99)) * counts.sum())
    median, high = edges[ranks + 1]
    _finish(axes, f"{node}: {counts.sum()} ticks", f"µs; half below {median:.0f}, 99 % below {high:.0f}", (median, high))


def _plain(value: float) -> str:
    return f"{value:.3g}" if value < 1000.0 else f"{value:.0f}"


def _finish(axes: Axes, title: str, words: str, marks: tuple[float, float]) -> None:
    for mark, form in zip(marks, ((0, (4, 2)), (0, (1, 1))), strict=True):
        axes.axvline(mark, color=style.INK, linewidth=1.0, linestyle=form)
    axes.set_title(title, loc="left", fontsize=9, color=style.INK)
    axes.set_xlabel(words, fontsize=8.5, color=style.INK)
    style.plain_axes(axes, linewidth=0.6)
    axes.tick_params(labelsize=8)
