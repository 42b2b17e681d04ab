# SPDX-License-Identifier: Apache-2.0
"""The traces of a rehearsal fanned out ahead of the robot: survivors solid, failures dotted up to a mark that names what they violated."""

from collections import defaultdict

import numpy as np
import viser
from numpy.typing import NDArray

from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.viewer.page import palette
from surefoot.viewer.page.rehearsal import RehearsalShown
from surefoot.viewer.page.shapes import Points, cross, dashes, rods, segments, thinned

LINGERS = 5.0
"""s of the robot for which traces stay after their verdict."""
MOST_NAMES = 4
"""Requirements that are named in the scene; the panel has them all."""
MOST_POINTS = 24
"""Of a trace that are drawn."""
_TRACE, _MARK, _DASH = 0.007, 0.007, 0.04
"""Radius of a trace and of the strokes of a mark, and length of a dash; in parts of the stand height. Thinner than a pixel, a solid line
would fall into dots where edges are not smoothed."""


class RehearsalFigure:
    """The fan of one rehearsal after another.

    Args:
        server: of the scene.
        name: of its place in the scene.
        scale: stand height of the robot, m.
    """

    def __init__(self, server: viser.ViserServer, name: str, scale: float) -> None:
        self._server, self._name, self._scale = server, name, scale
        self._handles: list[viser.SceneNodeHandle] = []
        self._drawn: tuple[int, float, int] | None = None
        self.traces = 0

    def draw(self, rehearsal: RehearsalShown | None, time: float) -> None:
        """Draw a rehearsal at a time of the robot, s; nothing once its verdict is old."""
        old = rehearsal is not None and rehearsal.verdict is not None and time > rehearsal.heard_at + LINGERS
        if rehearsal is None or old:
            self._clear()
            self._drawn = None
            return
        news = (rehearsal.request_id, rehearsal.time, rehearsal.version)
        if news != self._drawn:
            self._clear()
            self._draw(rehearsal)
            self._drawn = news

    def _clear(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles, self.traces = [], 0

    def _draw(self, rehearsal: RehearsalShown) -> None:
        lines: dict[tuple[str, bool], list[Points]] = defaultdict(list)
        for number, trace in rehearsal.drawn():
            if len(trace.points) == 0:
                continue
            self.traces += 1
            dim, points = rehearsal.is_dim(number), thinned(trace.points, MOST_POINTS)
            if trace.outcome == FAILED:
                lines[palette.FAILED, dim].append(dashes(points, _DASH * self._scale))
                lines[f"{palette.FAILED} mark", dim].append(cross(trace.points[-1], 0.03 * self._scale))
            else:
                colour = palette.SURVIVED if trace.outcome == SURVIVED else palette.UNFINISHED
                lines[colour, dim].append(segments(points))
        for order, ((kind, dim), pieces) in enumerate(sorted(lines.items(), key=lambda item: -item[0][1])):
            colour = kind.removesuffix(" mark")
            vertices, faces = rods(pieces, (_MARK if kind != colour else _TRACE) * self._scale)
            if len(faces) == 0:
                continue
            self._handles.append(
                self._server.scene.add_mesh_simple(
                    f"{self._name}/lines_{order}", vertices, faces, color=palette.dimmed(colour) if dim else palette.rgb(colour),
                    side="double", flat_shading=True, cast_shadow=False, receive_shadow=False,
                )
            )  # fmt: skip
        ends = named_ends(rehearsal)
        if ends is not None:
            text, points = ends
            place = above(points, self._scale)
            self._handles.append(self._server.scene.add_label(f"{self._name}/ends", text, position=place, anchor="bottom-center"))


def named_ends(rehearsal: RehearsalShown) -> tuple[str, NDArray[np.float32]] | None:
    """What the marks at the ends of failed traces stand for, the most frequent first, and where they are, (n, 3), m; None for none."""
    ends: dict[str, list[NDArray[np.float32]]] = defaultdict(list)
    for number, trace in rehearsal.drawn():
        if trace.outcome == FAILED and len(trace.points) and not rehearsal.is_dim(number):
            ends[trace.violated].append(trace.points[-1])
    most = sorted(ends.items(), key=lambda item: -len(item[1]))[:MOST_NAMES]
    if not most:
        return None
    text = "\n".join(f"✕ {name.replace('_', ' ')} {len(points)}×" for name, points in most)
    return text, np.concatenate([np.array(points) for _, points in most])


def above(points: NDArray[np.float32], scale: float) -> tuple[float, float, float]:
    """A place over all of some points (n, 3): one label there lies on no other, from whatever side one looks; scale: stand height, m."""
    return float(points[:, 0].mean()), float(points[:, 1].mean()), float(points[:, 2].max()) + 0.15 * scale
