# SPDX-License-Identifier: Apache-2.0
"""The fan of a rehearsal: what survives in one piece, what fails in dashes up to a mark, and over the marks what they stand for."""

from unittest.mock import MagicMock

import numpy as np
from numpy.typing import NDArray

from surefoot.viewer.page import palette
from surefoot.viewer.page.rehearsal import RehearsalShown, VerdictShown
from surefoot.viewer.page.rehearsal_figure import LINGERS, RehearsalFigure


def lines(server: MagicMock) -> dict[tuple[int, int, int], list[NDArray[np.float32]]]:
    """Vertices of what was drawn, by its colour."""
    drawn: dict[tuple[int, int, int], list[NDArray[np.float32]]] = {}
    for call in server.scene.add_mesh_simple.call_args_list:
        drawn.setdefault(call.kwargs["color"], []).append(call.args[1])
    return drawn


def test_survivors_are_solid_failures_dotted_and_their_marks_named(rehearsed: RehearsalShown) -> None:
    server = MagicMock()
    figure = RehearsalFigure(server, "/fan", 0.6)
    figure.draw(rehearsed, 10.0)
    assert figure.traces == 128
    drawn = lines(server)
    assert set(drawn) == {palette.rgb(palette.SURVIVED), palette.rgb(palette.FAILED)}
    (solid,), failed = drawn[palette.rgb(palette.SURVIVED)], drawn[palette.rgb(palette.FAILED)]
    # Each piece has eight vertices: 32 survivors in 23 pieces each, 96 failures in dashes, and as many crosses of three strokes.
    assert len(solid) == 8 * 32 * 23
    assert len(failed) == 2
    assert 8 * 96 * 3 in [len(vertices) for vertices in failed]
    text = server.scene.add_label.call_args.args[1]
    assert text == "✕ tilt 63×\n✕ joint range 33×"


def test_those_that_were_not_chosen_fade_and_the_fan_goes_in_the_end(rehearsed: RehearsalShown) -> None:
    server = MagicMock()
    figure = RehearsalFigure(server, "/fan", 0.6)
    rehearsed.answer(VerdictShown(True, 0, "32 of 64 survive"), 10.0)
    figure.draw(rehearsed, 10.0)
    assert palette.dimmed(palette.FAILED) in lines(server)
    assert palette.rgb(palette.SURVIVED) in lines(server)
    assert server.scene.add_label.call_args.args[1] == "✕ tilt 21×\n✕ joint range 11×", "only the ends of the chosen one are named"
    figure.draw(rehearsed, 10.0 + LINGERS + 0.1)
    assert figure.traces == 0
    assert server.scene.add_label.return_value.remove.called
