# SPDX-License-Identifier: Apache-2.0
"""A run as one HTML file that carries everything with it: story, plots, decisions with their traces, film."""

import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path

from surefoot.evaluation.story import (
    CommandChanged,
    DiagnosticsReported,
    Event,
    GaitRequested,
    GaitStatusChanged,
    ModeChanged,
    Said,
    VerdictGiven,
    of_kind,
)
from surefoot.evaluation.summary import Summary
from surefoot.traces.decision.record import RecordedDecision
from surefoot.viewer import plots, style
from surefoot.viewer.decision_plot import draw_decision
from surefoot.viewer.document import Section, encoded, kind, picture, table, write_document
from surefoot.viewer.film import MP4, STILL
from surefoot.viewer.load_plots import draw_foot_forces, draw_torques
from surefoot.viewer.report import ToldRun, read_told_run, write_report_of
from surefoot.viewer.table import numbers_of
from surefoot.viewer.timing_plot import draw_timings
from surefoot.viewer.tracking import Tracking, draw_tracking

FILE_NAME = "report.html"


def write_html(
    run_directory: Path, path: Path, film: bool = True, pictures: Path | None = None, tracking: Tracking | None = None
) -> Summary:
    """Write the report.

    Args:
        run_directory: holds run.npz, story.jsonl and decision_*.json.
        path: of the HTML file; its folder is made.
        film: whether to render the film, which takes most of the time.
        pictures: folder in which report.json, pictures and film are left as files of their own, too.
        tracking: how well the robot did what it was asked to; by default what the run tells of it.

    Returns:
        What the run showed; its notes say what could not be made, and why.

    Raises:
        ConfigurationError: the run or its story is missing or cut.
    """
    run = read_told_run(run_directory)
    with tempfile.TemporaryDirectory() as name:
        folder = pictures or Path(name)
        summary = write_report_of(run, folder, film)
        draw_torques(run.run, run.model, folder / "torques.png")
        draw_foot_forces(run.run, run.model, folder / "forces.png")
        untimed = draw_timings(run.run, run.story, folder / "times.png")
        tracked = draw_tracking(tracking or Tracking.of(run.run), folder / "tracking.png")
        sections = [
            Section("", _lead(run, summary)),
            Section("", picture(folder / STILL, "the robot and the rehearsals of two requests") + _film(folder / MP4)),
            *([Section("Steps", _steps(summary))] if is_scripted(run.story) else []),
            Section("Numbers", table(numbers_of(summary))),
            Section("Overview: speed, tilt, gait diagram, times", picture(folder / plots.FILE_NAME, "overview")),
            *([Section("Joints and base against what was asked of them", picture(folder / "tracking.png", "tracking"))] if tracked else []),
            Section("Torques against their limits", picture(folder / "torques.png", "torques")),
            Section("Forces of the ground", picture(folder / "forces.png", "forces of the ground")),
            Section("Decisions with their traces", "".join(_decision(file, record, folder) for file, record in run.records.items())),
            Section(
                "Times of control loop, verdicts and nodes",
                picture(folder / "times.png", "histograms of times") + _faint(untimed) + _nodes(run.story),
            ),
            Section("Story", _story(run.story)),
            Section("", _faint(summary.notes)),
        ]
        write_document(path, f"{summary.robot} in {summary.world}, seed {summary.seed}", sections)
    return summary


def told(event: Event) -> str:
    """An event in words; empty for one that is not part of the story."""
    match event:
        case Said():
            return f"the operator {event.text}"
        case ModeChanged():
            return f"mode {style.mode_words(event.mode)}" + (f": {event.reason}" if event.reason else "")
        case GaitRequested():
            return f"asked for {event.gait} while in {event.gait_from}"
        case VerdictGiven():
            return f"{'accepted' if event.accepted else 'vetoed'}: {event.reason}"
        case GaitStatusChanged():
            return f"{event.gait}, request {event.state.lower()}"
        case CommandChanged():
            return f"velocity in force: forward {event.forward:+.2f} m/s, left {event.left:+.2f} m/s, turn {event.turn:+.2f} rad/s"
    return ""


def is_scripted(story: Sequence[Event]) -> bool:
    """Whether a scripted gamepad played, whose story has steps that should happen."""
    return bool(of_kind(story, Said))


def _lead(run: ToldRun, summary: Summary) -> str:
    if not is_scripted(run.story):
        return ""
    done = sum(step.ok for step in summary.steps)
    missing = f"{len(summary.steps) - done} of {len(summary.steps)} steps did not happen."
    words = "Every step of the story happened." if summary.passed else missing
    return f'<p class="{kind(summary.passed)}"><strong>{words}</strong></p>'


def _decision(file: str, record: RecordedDecision, folder: Path) -> str:
    reason, accepted = record.answer["reason"], record.answer["chosen"] is not None
    draw_decision(record, folder / f"{file}.png")
    return f'<h3 class="{kind(accepted)}">{escape(file)}</h3><p>{escape(reason)}</p>{picture(folder / f"{file}.png", reason)}'


def _nodes(story: Sequence[Event]) -> str:
    rows = [
        (event.node, *(str(event.values.get(key, "")) for key in ("rate_hz", "tick_us_p50", "tick_us_p99")))
        for event in of_kind(story, DiagnosticsReported)
        if "tick_us_p50" in event.values
    ]
    return table(rows, ("node", "ticks a second", "median, µs", "p99, µs")) if rows else ""


def _faint(notes: Sequence[str]) -> str:
    return "".join(f'<p class="faint">{escape(note)}</p>' for note in notes)


def _steps(summary: Summary) -> str:
    rows = (
        f'<tr><td class="{kind(step.ok)}">{"✓" if step.ok else "✗"} {escape(step.name)}</td><td>{escape(step.evidence)}</td></tr>'
        for step in summary.steps
    )
    return f"<table>{''.join(rows)}</table>"


def _story(story: list[Event]) -> str:
    rows = []
    for event in story:
        words = told(event)
        of = f' class="{kind(event.accepted)}"' if isinstance(event, VerdictGiven) else ""
        if words:
            rows.append(f'<tr><td class="time">{event.time:.2f} s</td><td{of}>{escape(words)}</td></tr>')
    return f"<table>{''.join(rows)}</table>"


def _film(path: Path) -> str:
    return f'<video controls src="data:video/mp4;base64,{encoded(path)}"></video>' if path.is_file() else ""
