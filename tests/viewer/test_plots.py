# SPDX-License-Identifier: Apache-2.0
"""What stands in the overview stays in it."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from surefoot.evaluation.story import VerdictGiven, of_kind
from surefoot.viewer.report import write_report


@pytest.mark.parametrize("before_the_end", [0.1, 3.0, 20.0])
def test_no_word_runs_out_of_the_overview(told_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before_the_end: float) -> None:
    drawn: list[Figure] = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *given, **more: (drawn.append(figure), save(figure, *given, **more)))
    end = float(told_run.columns["time"][-1])
    last = of_kind(told_run.events, VerdictGiven)[-1]
    moved = last.model_copy(update={"time": end - before_the_end})
    told_run.events = sorted((moved if event is last else event for event in told_run.events), key=lambda event: event.time)
    told_run.write(tmp_path)
    write_report(tmp_path, tmp_path, film=False)
    (figure,) = drawn
    figure.canvas.draw()
    width, height = figure.get_size_inches() * figure.dpi
    words = [text for place in (figure, *figure.axes) for text in place.texts if text.get_text().strip()]
    assert any("vetoed" in text.get_text() or "accepted" in text.get_text() for text in words)
    for text in words:
        box = text.get_window_extent()
        assert box.x0 >= 0.0, text
        assert box.x1 <= width, text
        assert box.y0 >= 0.0, text
        assert box.y1 <= height, text
