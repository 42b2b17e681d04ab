# SPDX-License-Identifier: Apache-2.0
"""The fan of a rehearsal: what survives in one piece, what fails in dashes up to a mark, and over the marks what they stand for."""

from unittest.mock import MagicMock

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.traces.outcome import FAILED
from surefoot.traces.snapshot import Candidate
from surefoot.viewer.page import palette
from surefoot.viewer.page.rehearsal import CandidateShown, RehearsalShown, TraceShown, VerdictShown
from surefoot.viewer.page.rehearsal_figure import LINGERS, MOST_NAMES, RehearsalFigure, named_ends
from surefoot.viewer.page.scene import _LOOKS_AT, _SEEN_FROM


def lines(server: MagicMock) -> dict[tuple[int, int, int], list[NDArray[np.float32]]]:
    """Vertices of what was drawn, by its colour."""
    drawn: dict[tuple[int, int, int], list[NDArray[np.float32]]] = {}
    for call in server.scene.add_mesh_simple.call_args_list:
        drawn.setdefault(call.kwargs["color"], []).append(call.args[1])
    return drawn


def names(server: MagicMock) -> list[str]:
    return [call.args[1] for call in server.scene.add_label.call_args_list]


def failing(*groups: tuple[int, str, tuple[float, float, float], int]) -> RehearsalShown:
    """A rehearsal of traces that fail: number of the candidate, requirement, where, m, and how many, each a little farther."""
    shown = RehearsalShown(7, "walk", "trot", 10.0)
    for number, violated, place, count in groups:
        ends = [np.array(place, np.float32) + np.float32(0.001 * trace) for trace in range(count)]
        traces = [TraceShown(np.array([np.zeros(3), end], np.float32), FAILED, violated) for end in ends]
        shown.add(number, CandidateShown(Candidate(0.5 * number, 10.5, 0.0)), traces)
    return shown


def test_each_requirement_is_named_at_a_mark_where_it_ended_traces() -> None:
    ends = named_ends(failing((0, "tilt", (0.5, 0.0, 0.5), 5), (1, "tilt", (0.6, 0.0, 0.5), 3), (1, "reach", (2.0, 0.0, 0.4), 4)), 0.6)
    assert [end.words for end in ends] == ["✕ tilt 8×", "✕ reach 4×"], "one name for what is at one place"
    far = named_ends(failing((0, "tilt", (0.5, 0.0, 0.5), 5), (1, "tilt", (2.0, 0.0, 0.5), 3)), 0.6)
    assert [end.words for end in far] == ["✕ tilt 5×", "✕ tilt 3×"], "and one at each place"
    for end in (*ends, *far):
        np.testing.assert_allclose(end.thread()[0], [end.mark, end.place()])
        np.testing.assert_allclose(end.thread()[0][:, :2], [end.mark[:2]] * 2)
    np.testing.assert_allclose([end.mark for end in far], [(0.502, 0.002, 0.502), (2.001, 0.001, 0.501)], atol=1e-6)


@pytest.mark.parametrize("height", [515.0, 216.0], ids=["1280x720", "390x844"])
def test_names_do_not_lie_on_each_other_or_leave_the_scene(height: float) -> None:
    scale, line, field = 0.6, 17.0, np.radians(75.0)
    kinds = ("tilt", "reach", "non_foot_contact", "self_collision", "joint_range")
    ends = named_ends(failing(*((number, kind, (0.4, 0.0, 0.6), 5 - number) for number, kind in enumerate(kinds))), scale)
    assert len(ends) == MOST_NAMES
    looks = np.array(_LOOKS_AT) - _SEEN_FROM
    ahead = looks / np.linalg.norm(looks)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    up = np.cross(right / np.linalg.norm(right), ahead)
    seen = np.array([end.place() for end in ends]) - scale * np.array(_SEEN_FROM)
    rows = (seen @ up) / (seen @ ahead) * 0.5 * height / np.tan(0.5 * field)
    assert np.diff(np.sort(rows)).min() > line
    assert rows.max() + line < 0.5 * height


def test_survivors_are_solid_failures_dotted_and_their_marks_named(rehearsed: RehearsalShown) -> None:
    server = MagicMock()
    figure = RehearsalFigure(server, "/fan", 0.6)
    figure.draw(rehearsed, 10.0)
    assert figure.traces == 128
    drawn = lines(server)
    assert set(drawn) == {palette.rgb(colour) for colour in (palette.SURVIVED, palette.FAILED, palette.EDGE)}
    (solid,), (failed,), (threads,) = (drawn[palette.rgb(colour)] for colour in (palette.SURVIVED, palette.FAILED, palette.EDGE))
    # Each piece has eight vertices: 32 survivors in 23 pieces each, 96 failures in dashes, and as many crosses of three strokes.
    assert len(solid) == 8 * 32 * 23
    assert len(failed) > 8 * 96 * 3
    assert len(threads) == 8 * 2
    assert names(server) == ["✕ tilt 63×", "✕ joint range 33×"]


def test_those_that_were_not_chosen_fade_and_the_fan_goes_in_the_end(rehearsed: RehearsalShown) -> None:
    server = MagicMock()
    figure = RehearsalFigure(server, "/fan", 0.6)
    rehearsed.answer(VerdictShown(True, 0, "32 of 64 survive"), 10.0)
    figure.draw(rehearsed, 10.0)
    assert palette.dimmed(palette.FAILED) in lines(server)
    assert palette.rgb(palette.SURVIVED) in lines(server)
    assert names(server) == ["✕ tilt 21×", "✕ joint range 11×"], "only the ends of the chosen one are named"
    figure.draw(rehearsed, 10.0 + LINGERS + 0.1)
    assert figure.traces == 0
    assert server.scene.add_label.return_value.remove.called
