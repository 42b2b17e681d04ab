# SPDX-License-Identifier: Apache-2.0
"""The experiments of the source with traces, ours and theirs, as pictures."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefoot.evaluation.bench.sample import Proportion
from surefoot.evaluation.reproduce.curb import SOURCE as CURB_SOURCE
from surefoot.evaluation.reproduce.curb import CurbResult
from surefoot.evaluation.reproduce.gait_period import BRITTLE, ROBUST, PeriodResult
from surefoot.evaluation.reproduce.transition import SOURCE, TransitionResult
from surefoot.viewer import style

_COLOURS = style.MEASURED, style.SECOND, style.THIRD, style.INK


def draw_transition(result: TransitionResult, path: Path) -> None:
    """Draw the share that stays up by transition point, one line for each path.

    Args:
        result: of `reproduce_transition`.
        path: of the PNG; its folder is made.
    """
    figure, (axes,) = _figure(1)
    names = list(result.chosen)
    for k, name in enumerate(names):
        points = [one for one in result.points if one.path == name]
        places = [one.point + 0.012 * (k - 0.5 * (len(names) - 1)) for one in points]
        _shares(axes, places, [one.survived for one in points], _COLOURS[k % len(_COLOURS)], name)
    axes.plot(list(SOURCE), [k / n for k, n in SOURCE.values()], "x", color=style.INK, markersize=8, label="source, 4 traces")
    axes.set_xticks(list(SOURCE), [f"{point:.0%}" for point in SOURCE])
    axes.set_xlabel("change at, of the cycle of the walk", color=style.INK)
    axes.set_ylabel("stays up for 2 s of trot", color=style.INK)
    _finish(figure, f"{result.robot}: when to change from walk to trot, {result.particles} traces each", path)


def draw_gait_period(result: PeriodResult, path: Path) -> None:
    """Draw share of falls and mean time to fall by period, one line for each speed.

    Args:
        result: of `reproduce_gait_period`.
        path: of the PNG; its folder is made.
    """
    figure, (left, right) = _figure(2)
    for colour, speed in zip(_COLOURS, result.threshold, strict=False):
        rows = [one for one in result.periods if one.speed == speed]
        places = [one.period for one in rows]
        _shares(left, places, [one.fell for one in rows], colour, f"{speed:g} m/s")
        right.plot(places, [one.mean_time for one in rows], color=colour, marker="o", markersize=4, label=f"{speed:g} m/s")
        for one in rows:
            right.plot([one.period] * len(one.times), one.times, ".", color=colour, alpha=0.4, markersize=4)
    for axes in (left, right):
        axes.axvspan(ROBUST, BRITTLE, color=style.GRID, label="source: from hold to fall")
        axes.set_xlabel("period, s", color=style.INK)
    left.set_ylabel(f"falls within {result.seconds:g} s", color=style.INK)
    right.set_ylabel("time to fall, s; mean, and each trace", color=style.INK)
    _finish(figure, f"{result.robot}: how long a cycle the walk bears, {result.particles} traces each", path)


def draw_curb(result: CurbResult, path: Path) -> None:
    """Draw strikes and clearances by step height.

    Args:
        result: of `reproduce_curb`.
        path: of the PNG; its folder is made.
    """
    names = list(dict.fromkeys(one.gait for one in result.heights))
    figure, panels = _figure(len(names))
    for axes, name in zip(panels, names, strict=True):
        rows = [one for one in result.heights if one.gait == name]
        places = [100.0 * one.step_height for one in rows]
        for kind, colour, label in (
            ("struck", style.FAILED, "strikes the curb"),
            ("cleared", style.SURVIVED, "all feet beyond"),
            ("otherwise", style.SECOND, "ends otherwise"),
            ("without_curb", style.FAINT, "ends without a curb"),
        ):
            _shares(axes, places, [getattr(one, kind) for one in rows], colour, label)
        axes.set_xticks(places, [f"{place:g} cm\n{CURB_SOURCE[one.step_height]}" for place, one in zip(places, rows, strict=True)])
        axes.set_xlabel("step height, and what the source found", color=style.INK)
        axes.set_title(name, color=style.INK, fontsize=10)
    panels[0].set_ylabel("share of the traces", color=style.INK)
    _finish(figure, f"{result.robot}: over a curb of 3 cm, {result.particles} traces each", path)


def _figure(count: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(6.0 * count, 4.2), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(1, count, squeeze=False)[0])


def _shares(axes: Axes, places: Sequence[float], shares: Sequence[Proportion], colour: str, label: str) -> None:
    rates = [share.k / max(1, share.n) for share in shares]
    below = [rate - share.lower for rate, share in zip(rates, shares, strict=True)]
    above = [share.upper - rate for rate, share in zip(rates, shares, strict=True)]
    axes.errorbar(places, rates, [below, above], color=colour, marker="o", markersize=5, capsize=3, label=label)


def _finish(figure: Figure, title: str, path: Path) -> None:
    for axes in figure.axes:
        style.plain_axes(axes)
        axes.legend(frameon=False, fontsize=9, labelcolor=style.INK)
    figure.suptitle(title, x=0.01, ha="left", color=style.INK)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
