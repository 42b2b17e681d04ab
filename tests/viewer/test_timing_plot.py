# SPDX-License-Identifier: Apache-2.0
"""Times of a run are histograms where they were recorded, and words where they were not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from surefoot.evaluation.run import FILE_NAME, read_run
from surefoot.evaluation.story import DiagnosticsReported, VerdictGiven
from surefoot.tick_times import TICK_COUNTS, TickTimes
from surefoot.viewer.timing_plot import draw_timings


def report(node: str, *seconds: float) -> DiagnosticsReported:
    times = TickTimes()
    times.add(np.array(seconds))
    return DiagnosticsReported(time=32.0, node=node, values={"tick_us_p50": "1.0", TICK_COUNTS: times.words()} if seconds else {})


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    drawn: list[Figure] = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *given, **more: (drawn.append(figure), save(figure, *given, **more)))
    return drawn


def test_what_was_recorded_is_drawn_and_the_rest_is_said(told_run: Any, tmp_path: Path, figures: list[Figure]) -> None:
    told_run.write(tmp_path)
    run = read_run(tmp_path / FILE_NAME)
    story = [event for event in told_run.events if not isinstance(event, DiagnosticsReported)]
    story += [report("teleop", 1e-4, 1e-4), report("servo_bridge", *[2e-4] * 98, 8e-3, 9e-3), report("narrator")]
    absent = draw_timings(run, story, tmp_path / "times.png")
    assert absent == ("Single ticks were not recorded of: narrator.",)
    (figure,) = figures
    shown = [axes for axes in figure.axes if axes.get_visible()]
    titles = [axes.get_title(loc="left") for axes in shown]
    assert titles == ["sensor sample to servo command: 3200", "request to verdict: 2", "servo_bridge: 100 ticks", "teleop: 2 ticks"]
    assert shown[2].get_xlabel() == "µs; half below 237, 99 % below 10000"
    figure.canvas.draw()
    width = figure.get_size_inches()[0] * figure.dpi
    for axes in shown:
        for text in (axes.xaxis.label, axes._left_title):  # type: ignore[attr-defined]
            box = text.get_window_extent()
            assert box.x0 >= 0.0, text
            assert box.x1 <= width, text


def test_where_nothing_was_recorded_nothing_is_drawn(told_run: Any, tmp_path: Path) -> None:
    told_run.columns["command_latency"] = np.full(len(told_run.columns["time"]), np.nan)
    told_run.write(tmp_path)
    story = [event for event in told_run.events if not isinstance(event, DiagnosticsReported | VerdictGiven)]
    absent = draw_timings(read_run(tmp_path / FILE_NAME), story, tmp_path / "times.png")
    assert len(absent) == 3
    assert "No health report" in absent[0]
    assert not (tmp_path / "times.png").exists()
