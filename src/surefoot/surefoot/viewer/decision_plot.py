# SPDX-License-Identifier: Apache-2.0
"""A decision as a picture: the traces of each candidate from above, and how sure the race became of them."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefoot.traces.decision.record import RecordedDecision
from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.viewer import style

COLUMNS = 4


def draw_decision(record: RecordedDecision, path: Path) -> None:
    """Draw a decision record: survivors solid, failures dotted up to a cross where they ended.

    Args:
        record: as read.
        path: of the PNG; its folder is made.
    """
    answer, count = record.answer, len(record.candidates)
    columns = min(COLUMNS, count)
    rows = -(-count // columns)
    figure = Figure(figsize=(3.2 * columns, 2.6 * rows + 2.9), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(rows + 1, columns)
    for number in range(count):
        _draw_traces(figure.add_subplot(grid[number // columns, number % columns]), record, number)
    _draw_race(figure.add_subplot(grid[rows, :]), record)
    snapshot = record.rehearsal.snapshot
    word = "vetoed" if answer["chosen"] is None else "accepted"
    figure.suptitle(f"{snapshot.gait_from.name} to {snapshot.gait_to.name}: {word}", x=0.01, ha="left", color=style.INK, fontsize=13)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def label(record: RecordedDecision, number: int) -> str:
    """A candidate in few words."""
    candidate = record.candidates[number]
    return f"{candidate.transition_point:.0%}{candidate.manner}"


def _draw_traces(axes: Axes, record: RecordedDecision, number: int) -> None:
    answer: dict[str, Any] = record.answer
    score, period = answer["scores"][number], answer["path_period"]
    start = record.rehearsal.snapshot.state.time
    for trace, verdict, failed_at in zip(
        answer["paths"][number], answer["verdicts"][number], answer["failure_times"][number], strict=True
    ):
        points = np.asarray(trace)
        if verdict == FAILED and failed_at is not None and np.isfinite(failed_at):
            points = points[: max(1, round(failed_at / period)) + 1]
            axes.plot(points[:, 0], points[:, 1], color=style.FAILED, linewidth=0.9, linestyle=(0, (1, 1.5)))
            axes.plot(points[-1, 0], points[-1, 1], color=style.FAILED, marker="x", markersize=5)
        else:
            colour = style.SURVIVED if verdict == SURVIVED else style.UNFINISHED
            axes.plot(points[:, 0], points[:, 1], color=colour, linewidth=0.7, alpha=0.7)
    if answer["paths"][number]:
        switch = min(round((record.candidates[number].switch_time - start) / period), len(answer["paths"][number][0]) - 1)
        axes.plot(*np.mean([trace[switch][:2] for trace in answer["paths"][number]], axis=0), color=style.INK, marker="|", markersize=11)
    causes = ", ".join(f"{name} {times}x" for name, times in score["violated"][:2])
    chosen = "  chosen" if number == answer["chosen"] else ""
    axes.set_title(
        f"at {label(record, number)}: {score['survived']}/{score['particles']}{chosen}" + (f"\n{causes}" if causes else ""),
        fontsize=9, color=style.INK, loc="left",
    )  # fmt: skip
    axes.set_aspect("equal", adjustable="datalim")
    axes.tick_params(labelsize=7)
    axes.grid(color=style.GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_race(axes: Axes, record: RecordedDecision) -> None:
    """The running lower bound of each candidate after each round."""
    settings, history = record.admission.settings, record.answer["history"]
    for number in record.admission.candidates:
        total = [sum(of[1] for of in scores) for scores in history]
        bounds = [scores[number][2] for scores in history]
        front = number == record.answer["chosen"]
        width, colour = (2.2, style.SURVIVED) if front else (1.0, style.FAINT)
        axes.plot([0, *total], [0.0, *bounds], color=colour, linewidth=width, marker="o", markersize=3.5, label=label(record, number))
    axes.axhline(settings.accept_at, color=style.INK, linewidth=1.0, linestyle=(0, (3, 2)))
    axes.text(0.0, settings.accept_at + 0.01, f" asked: {settings.accept_at:g}", color=style.INK, fontsize=8, va="bottom")
    axes.set_ylim(0.0, 1.05)
    axes.set_xlabel("particles of all candidates together", color=style.INK, fontsize=9)
    axes.set_ylabel(f"success, at least\n({settings.confidence:.0%} over all)", color=style.INK, fontsize=9)
    style.plain_axes(axes)
