# SPDX-License-Identifier: Apache-2.0
"""The end of a run in the terminal: what happened, and the numbers."""

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from surefoot.evaluation.summary import Summary
from surefoot.viewer import style

_MISSING = "–"


def closing_table(summary: Summary) -> Group:
    """The steps of the story with their evidence, then the numbers of the run, then what is missing.

    Args:
        summary: of the run.
    """
    steps = Table(box=box.SIMPLE_HEAD, title=f"{summary.robot}, seed {summary.seed}", title_justify="left", title_style="bold")
    steps.add_column("", width=1)
    steps.add_column("step", no_wrap=True)
    steps.add_column("what shows it", style="dim")
    for step in summary.steps:
        mark = Text("✓", style=style.SURVIVED) if step.ok else Text("✗", style=f"bold {style.FAILED}")
        steps.add_row(mark, Text(step.name, style="" if step.ok else style.FAILED), Text(step.evidence))
    numbers = Table(box=None, show_header=False, padding=(0, 2))
    numbers.add_column(style="dim", no_wrap=True)
    numbers.add_column()
    for name, value in numbers_of(summary):
        numbers.add_row(name, Text(value))
    done = sum(step.ok for step in summary.steps)
    missing = f"{len(summary.steps) - done} of {len(summary.steps)} steps did not happen."
    words = "Every step of the story happened." if summary.passed else missing
    end = Text(words, style=f"bold {style.SURVIVED if summary.passed else style.FAILED}")
    return Group(steps, numbers, *(Text(f"  {note}", style=style.UNFINISHED) for note in summary.notes), Text(), end)


def numbers_of(summary: Summary) -> list[tuple[str, str]]:
    """The numbers of a run, each with its name, as a person reads them."""
    speed, tilt, latency, tick, agreement = summary.speed, summary.tilt, summary.latency_ms, summary.tick_us, summary.trace_agreement
    verdict = summary.committed
    same = "" if agreement is None else ("same" if agreement.same_events else "not the same")
    took = verdict.latency_s if verdict else None
    return [
        ("speed", f"{speed.measured:.3f} of {speed.commanded:.3f} m/s, off by {speed.relative_error:.1%} at most" if speed else _MISSING),
        ("largest tilt while walking", f"roll {tilt.roll:.3f}, pitch {tilt.pitch:.3f} rad" if tilt else _MISSING),
        ("sensor sample to servo command", f"median {latency.p50:.2f}, p99 {latency.p99:.2f} ms" if latency else _MISSING),
        ("inverse dynamics tick", f"median {tick.p50:.0f}, p99 {tick.p99:.0f} µs" if tick else _MISSING),
        ("deadline misses", f"{summary.deadline_misses}; ticks without a command: {summary.ticks_without_command}"),
        ("verdict on the gait asked for", f"{took:.2f} s of wall time" if took is not None else _MISSING),
        (
            "nominal trace and robot",
            f"{1e3 * agreement.position_m:.1f} mm and {1e3 * agreement.angle_rad:.1f} mrad apart at most in {agreement.seconds:g} s, "
            f"{same} order of contacts" if agreement else _MISSING,
        ),
        ("trajectory", summary.trajectory_sha256[:16] or _MISSING),
    ]
