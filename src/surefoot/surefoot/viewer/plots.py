# SPDX-License-Identifier: Apache-2.0
"""One picture of a whole run: overview.png."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from surefoot.evaluation.contact_events import debounced
from surefoot.evaluation.story import GaitRequested, Said, VerdictGiven, of_kind
from surefoot.evaluation.summary import Summary
from surefoot.evaluation.timeline import Span, Timeline
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.viewer import style

FILE_NAME = "overview.png"
NEAR_THE_END = 0.85
"""Part of an axis from which on words do not fit beside what they are about."""
JOINT_KINDS = ("abduction", "hip", "knee")
AROUND_CHANGE = 2.0
"""s before and after a gait change that the gait diagram shows."""


def draw_overview(timeline: Timeline, summary: Summary, model: RobotModel, path: Path) -> None:
    """Draw speed, base pose, torques, the gait diagram and the latencies of a run.

    Args:
        timeline: the run and its story.
        summary: of the same run.
        model: of the robot.
        path: of the PNG.
    """
    figure = Figure(figsize=(13.0, 11.5), facecolor="white")
    FigureCanvasAgg(figure)
    rows = figure.add_gridspec(5, 1, height_ratios=(0.55, 1.25, 0.9, 1.1, 1.1), hspace=0.2, left=0.075, right=0.975, top=0.925, bottom=0.31)
    ribbon = figure.add_subplot(rows[0])
    panels = [figure.add_subplot(rows[row], sharex=ribbon) for row in range(1, 5)]
    bottom = figure.add_gridspec(1, 3, wspace=0.28, left=0.075, right=0.975, top=0.235, bottom=0.055)
    _ribbons(ribbon, timeline)
    for panel, draw in zip(panels, (_speed, _height, _tilt, _torques), strict=True):
        _shade(panel, timeline)
        draw(panel, timeline, model)
    for panel in panels[:-1]:
        panel.tick_params(labelbottom=False)
    panels[-1].set_xlabel("time, s", color=style.INK)
    _gait_diagram(figure.add_subplot(bottom[:2]), timeline, summary, model)
    _latencies(figure.add_subplot(bottom[2]), timeline, summary)
    result = "every step of the story happened" if summary.passed else "not every step of the story happened"
    if not of_kind(timeline.story, Said):
        result = ""  # Nobody had a story to play.
    figure.text(0.075, 0.965, f"{summary.robot} · seed {summary.seed}", fontsize=17, weight="bold", color=style.INK)
    figure.text(
        0.975, 0.967, result, fontsize=12, ha="right", weight="bold", color=style.SURVIVED if summary.passed else style.FAILED
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def _plain(axes: Axes, label: str) -> None:
    """The look of every panel."""
    axes.set_ylabel(label, color=style.INK)
    axes.tick_params(colors=style.INK, length=3)
    axes.grid(axis="y", color=style.GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(style.FAINT)


def _legend(axes: Axes) -> None:
    axes.legend(loc="upper left", ncols=4, frameon=False, fontsize=9, labelcolor=style.INK, borderaxespad=0.2)


def _shade(axes: Axes, timeline: Timeline) -> None:
    """Gaits as background, requests and verdicts as lines."""
    for span in timeline.gaits:
        axes.axvspan(span.start, span.end, color=style.gait_colour(span.name), linewidth=0, zorder=-2)
    for request in of_kind(timeline.story, GaitRequested):
        axes.axvline(request.time, color=style.INK, linewidth=0.9, linestyle=(0, (1.5, 2)), zorder=1)
    for verdict in of_kind(timeline.story, VerdictGiven):
        axes.axvline(verdict.time, color=style.SURVIVED if verdict.accepted else style.FAILED, linewidth=1.4, zorder=1)


def _ribbons(axes: Axes, timeline: Timeline) -> None:
    """Modes and gaits as ribbons, with what was asked and answered above them."""
    total = timeline.run.time[-1] - timeline.run.time[0]

    def ribbon(spans: list[Span], low: float, colour: str, words: str, ink: str) -> None:
        axes.axvspan(spans[0].start, spans[0].end, low, low + 0.36, color=colour, linewidth=0)
        for span in spans:
            if span.seconds > 0.011 * total * len(words):
                axes.text(0.5 * (span.start + span.end), low + 0.17, words, ha="center", va="center", fontsize=8.5, color=ink)

    for span in timeline.modes:
        ribbon([span], 0.44, style.mode_colour(span.name), style.mode_words(span.name), "white" if span.name == "WALKING" else style.INK)
    for span in timeline.gaits:
        ribbon([span], 0.02, style.gait_colour(span.name), span.name, style.INK)
    axes.set_xlim(timeline.run.time[0], timeline.run.time[-1] + timeline.run.period)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([0.2, 0.62], ["gait", "mode"])
    axes.tick_params(length=0, labelbottom=False, colors=style.INK)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for request in of_kind(timeline.story, GaitRequested):
        axes.plot(request.time, 0.9, marker="v", color=style.INK, markersize=6, clip_on=False)
        axes.text(request.time, 1.02, f"{request.gait}? ", ha="right", va="bottom", fontsize=9.5, color=style.INK)
    for verdict in of_kind(timeline.story, VerdictGiven):
        colour = style.SURVIVED if verdict.accepted else style.FAILED
        best = verdict.best
        count = f": {best.survived}/{best.particles} survive" if best else ""
        answer = f" {'accepted' if verdict.accepted else 'vetoed'}{count}"
        axes.plot(verdict.time, 0.9, marker="v", color=colour, markersize=6, clip_on=False)
        # Beside the request there is no place left of it: what would run out of the picture ends at its edge, one line higher.
        late = verdict.time > axes.get_xlim()[0] + NEAR_THE_END * (axes.get_xlim()[1] - axes.get_xlim()[0])
        place, high, side = (axes.get_xlim()[1], 1.34, "right") if late else (verdict.time, 1.02, "left")
        axes.text(place, high, answer, ha=side, va="bottom", fontsize=9.5, color=colour, weight="bold")


def _smooth(values: NDArray[np.float64], timeline: Timeline, seconds: float) -> NDArray[np.float64]:
    result: NDArray[np.float64] = uniform_filter1d(values, max(1, round(seconds / timeline.run.period)), mode="nearest")
    return result


def _speed(axes: Axes, timeline: Timeline, model: RobotModel) -> None:
    time, forward = timeline.run.time, timeline.heading_velocity[:, 0]
    axes.plot(time, forward, color=style.MEASURED, linewidth=0.6, alpha=0.3)
    axes.plot(time, _smooth(forward, timeline, 0.4), color=style.MEASURED, linewidth=1.8, label="measured (mean of 0.4 s)")
    axes.plot(time, timeline.command[:, 0], color=style.INK, linewidth=1.4, linestyle=(0, (4, 2)), label="commanded")
    low, high = float(timeline.command[:, 0].min(initial=0.0)), float(timeline.command[:, 0].max(initial=0.05))
    axes.set_ylim(low - 0.35 * (high - low), high + 0.75 * (high - low))
    _plain(axes, "forward, m/s")
    _legend(axes)


def _height(axes: Axes, timeline: Timeline, model: RobotModel) -> None:
    stand = model.description.stand_height
    axes.plot(timeline.run.time, timeline.run.base_position[:, 2], color=style.MEASURED, linewidth=1.6)
    axes.axhline(stand, color=style.FAINT, linewidth=0.9, linestyle=(0, (4, 2)))
    axes.text(timeline.run.time[0], stand * 1.03, "  stand pose", fontsize=8.5, color=style.FAINT, va="bottom")
    axes.set_ylim(0.0, 1.3 * max(stand, float(np.nanmax(timeline.run.base_position[:, 2]))))
    _plain(axes, "base height, m")


def _tilt(axes: Axes, timeline: Timeline, model: RobotModel) -> None:
    angles = timeline.roll_pitch_yaw
    for column, name, colour in ((0, "roll", style.MEASURED), (1, "pitch", style.SECOND)):
        axes.plot(timeline.run.time, 1e3 * angles[:, column], color=colour, linewidth=0.9, label=name)
    largest = max(20.0, 1.9e3 * float(np.nanmax(np.abs(angles[:, :2]))))
    axes.set_ylim(-0.7 * largest, largest)
    _plain(axes, "tilt, mrad")
    _legend(axes)


def _torques(axes: Axes, timeline: Timeline, model: RobotModel) -> None:
    share = 100.0 * np.abs(timeline.run.joint_effort) / model.effort_limit
    window = max(1, round(0.3 / timeline.run.period))
    for kind, colour in zip(range(3), (style.THIRD, style.SECOND, style.MEASURED), strict=True):
        largest = maximum_filter1d(share[:, kind::3].max(axis=1), window)
        axes.plot(timeline.run.time, largest, color=colour, linewidth=1.3, label=JOINT_KINDS[kind])
    axes.axhline(100.0, color=style.FAILED, linewidth=1.0, linestyle=(0, (4, 2)))
    axes.text(timeline.run.time[-1], 98.0, "limit ", fontsize=8.5, color=style.FAILED, ha="right", va="top")
    axes.set_ylim(0.0, 145.0)
    axes.set_yticks([0, 50, 100])
    _plain(axes, "torque, % of limit")
    _legend(axes)


def _gait_diagram(axes: Axes, timeline: Timeline, summary: Summary, model: RobotModel) -> None:
    """Which foot bears load, around the gait change that the story asks for."""
    run, change = timeline.run, summary.committed
    if change is not None:
        middle, title = change.time, f"feet on the ground around the change from {change.gait_from} to {change.gait_to}"
    else:
        walking = np.flatnonzero(timeline.in_mode("WALKING"))
        middle = float(run.time[walking[len(walking) // 2]]) if len(walking) else float(run.time.mean())
        title = "feet on the ground"
    begin, end = max(float(run.time[0]), middle - AROUND_CHANGE), min(float(run.time[-1]), middle + AROUND_CHANGE)
    for span in timeline.gaits:
        if span.end > begin and span.start < end:
            axes.axvspan(max(begin, span.start), min(end, span.end), color=style.gait_colour(span.name), linewidth=0, zorder=-2)
    inside = timeline.during(begin, end + run.period)
    times, ticks = run.time[inside], max(1, round(0.02 / run.period))
    for leg in range(4):
        contact = debounced(run.foot_load[inside, leg] > model.description.control.foot_force_threshold, ticks)
        edges = np.flatnonzero(np.diff(np.concatenate(([False], contact, [False])).astype(int)))
        bars = [(times[a], times[min(b, len(times) - 1)] - times[a]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        colour = style.MEASURED if leg in (0, 3) else style.SECOND
        axes.broken_barh(bars, (3 - leg - 0.3, 0.6), color=colour, linewidth=0)
    if change is not None:
        axes.axvline(change.time, color=style.SURVIVED, linewidth=1.6)
    axes.set_yticks([3, 2, 1, 0], LEG_NAMES)
    axes.set_xlim(begin, end + run.period)
    axes.set_ylim(-0.6, 3.6)
    _plain(axes, "")
    axes.grid(visible=False)
    axes.set_xlabel("time, s", color=style.INK)
    axes.set_title(title, loc="left", fontsize=10, color=style.INK)


def _latencies(axes: Axes, timeline: Timeline, summary: Summary) -> None:
    """Histogram of sensor sample to servo command."""
    latency = 1e3 * timeline.run.command_latency[np.isfinite(timeline.run.command_latency)]
    axes.set_title("sensor sample to servo command", loc="left", fontsize=10, color=style.INK)
    _plain(axes, "ticks")
    axes.set_xlabel("wall time, ms", color=style.INK)
    if len(latency) == 0 or summary.latency_ms is None:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color=style.FAINT)
        return
    p50, p99, period = summary.latency_ms.p50, summary.latency_ms.p99, 1e3 * timeline.run.period
    right = 1.15 * max(2.0 * p50, p99, period)
    counts, *_ = axes.hist(np.clip(latency, 0.0, right), bins=60, range=(0.0, right), color=style.MEASURED, alpha=0.85)
    top = 1.35 * float(np.max(counts))
    axes.set_ylim(0.0, top)
    axes.set_xlim(0.0, right)
    for value, name, height in ((p50, "median", 0.97), (p99, "p99", 0.87)):
        axes.axvline(value, color=style.INK, linewidth=1.0, linestyle=(0, (4, 2)))
        _beside(axes, value, height * top, f"{name} {value:.1f}", style.INK)
    axes.axvline(period, color=style.FAILED, linewidth=1.0)
    _beside(axes, period, 0.77 * top, f"period {period:.0f}", style.FAILED)


def _beside(axes: Axes, place: float, height: float, words: str, colour: str) -> None:
    """Words right of a line, or left of it where they would run out of the picture; readable over whatever is behind."""
    side = "right" if place > NEAR_THE_END * axes.get_xlim()[1] else "left"
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5}
    axes.text(place, height, f" {words} ", fontsize=8.5, color=colour, va="top", ha=side, bbox=paper)
