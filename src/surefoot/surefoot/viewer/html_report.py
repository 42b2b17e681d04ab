# SPDX-License-Identifier: Apache-2.0
"""A run as one HTML file that carries everything with it: story, plots, decisions with their traces, film."""

import base64
import tempfile
from html import escape
from pathlib import Path

from surefoot.evaluation import run as runs
from surefoot.evaluation import story as stories
from surefoot.evaluation.run import read_run
from surefoot.evaluation.story import CommandChanged, Event, GaitRequested, GaitStatusChanged, ModeChanged, Said, VerdictGiven, read_story
from surefoot.evaluation.summary import Summary
from surefoot.robot.load import load_robot
from surefoot.viewer import plots, style
from surefoot.viewer.animation import STILL, readable_records
from surefoot.viewer.decision_plot import draw_decision
from surefoot.viewer.load_plots import draw_foot_forces, draw_torques
from surefoot.viewer.report import write_report
from surefoot.viewer.table import numbers_of

FILM = "run.mp4"
FILE_NAME = "report.html"

_STYLE = f"""
body {{ max-width: 1100px; margin: 2em auto; padding: 0 1em; font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: {style.INK}; }}
img, video {{ max-width: 100%; height: auto; }} table {{ border-collapse: collapse; width: 100%; }}
td, th {{ text-align: left; padding: 4px 8px; border-bottom: 1px solid {style.GRID}; vertical-align: top; }}
td.time {{ white-space: nowrap; font-variant-numeric: tabular-nums; text-align: right; }}
.good {{ color: #00704f; }} .no {{ color: #b34700; }} .faint {{ color: #5d6b76; }}
"""


def write_html(run_directory: Path, path: Path, film: bool = True) -> Summary:
    """Write the report.

    Args:
        run_directory: holds run.npz, story.jsonl and decision_*.json.
        path: of the HTML file; its folder is made.
        film: whether to render the film, which takes most of the time.

    Returns:
        What the run showed; its notes say what could not be made, and why.

    Raises:
        ConfigurationError: the run or its story is missing or cut.
    """
    run = read_run(run_directory / runs.FILE_NAME)
    story = read_story(run_directory / stories.FILE_NAME)
    model = load_robot(run.robot)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        summary = write_report(run_directory, folder, film)
        draw_torques(run, model, folder / "torques.png")
        draw_foot_forces(run, model, folder / "forces.png")
        decisions = []
        for file, record in readable_records(run_directory).items():
            draw_decision(record, folder / f"{file}.png")
            decisions.append((file, record.answer["reason"], record.answer["chosen"] is not None))
        parts = [
            f"<h1>{escape(summary.robot)} in {escape(summary.world)}, seed {summary.seed}</h1>",
            _verdict(summary),
            _picture(folder / STILL, "the robot and the rehearsals of two requests"),
            _film(folder / FILM),
            "<h2>Steps</h2>", _steps(summary),
            "<h2>Numbers</h2>", _rows([(name, value) for name, value in numbers_of(summary)]),
            "<h2>Overview: speed, tilt, gait diagram, times</h2>", _picture(folder / plots.FILE_NAME, "overview"),
            "<h2>Torques against their limits</h2>", _picture(folder / "torques.png", "torques"),
            "<h2>Forces of the ground</h2>", _picture(folder / "forces.png", "forces of the ground"),
            "<h2>Decisions with their traces</h2>",
            *(
                f'<h3 class="{_kind(accepted)}">{escape(file)}</h3><p>{escape(reason)}</p>{_picture(folder / f"{file}.png", reason)}'
                for file, reason, accepted in decisions
            ),
            "<h2>Story</h2>", _story(story),
            *(f'<p class="faint">{escape(note)}</p>' for note in summary.notes),
        ]  # fmt: skip
        head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Surefoot: {escape(summary.robot)}</title>'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head><body>{"".join(parts)}</body></html>\n',
            encoding="utf-8",
        )
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


def _verdict(summary: Summary) -> str:
    done = sum(step.ok for step in summary.steps)
    missing = f"{len(summary.steps) - done} of {len(summary.steps)} steps did not happen."
    words = "Every step of the story happened." if summary.passed else missing
    return f'<p class="{_kind(summary.passed)}"><strong>{words}</strong></p>'


def _kind(good: bool) -> str:
    return "good" if good else "no"


def _steps(summary: Summary) -> str:
    rows = (
        f'<tr><td class="{_kind(step.ok)}">{"✓" if step.ok else "✗"} {escape(step.name)}</td><td>{escape(step.evidence)}</td></tr>'
        for step in summary.steps
    )
    return f"<table>{''.join(rows)}</table>"


def _story(story: list[Event]) -> str:
    rows = []
    for event in story:
        words = told(event)
        kind = f' class="{_kind(event.accepted)}"' if isinstance(event, VerdictGiven) else ""
        if words:
            rows.append(f'<tr><td class="time">{event.time:.2f} s</td><td{kind}>{escape(words)}</td></tr>')
    return f"<table>{''.join(rows)}</table>"


def _rows(pairs: list[tuple[str, str]]) -> str:
    return "<table>" + "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in pairs) + "</table>"


def _picture(path: Path, words: str) -> str:
    if not path.is_file():
        return ""
    return f'<img alt="{escape(words, quote=True)}" src="data:image/png;base64,{_encoded(path)}">'


def _film(path: Path) -> str:
    return f'<video controls src="data:video/mp4;base64,{_encoded(path)}"></video>' if path.is_file() else ""


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
