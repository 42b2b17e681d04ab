# SPDX-License-Identifier: Apache-2.0
"""The traces of a rehearsal fanned out ahead of the robot: survivors solid, failures dotted up to a mark that names what they violated."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import viser

from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.viewer.page import palette
from surefoot.viewer.page.rehearsal import RehearsalShown
from surefoot.viewer.page.shapes import Points, cross, dashes, rods, segments

LINGERS = 5.0
"""s of the robot for which traces stay after their verdict."""
MOST_NAMES = 4
"""Groups of marks that are named in the scene, the largest; the panel has them all."""
_LINE, _DASH = 0.011, 0.04
"""Radius of a line, and length of a dash; in parts of the stand height. Thinner than a pixel, a solid line would fall into dots where
edges are not smoothed."""
_NEAR = 0.5
"""Marks of one requirement that are nearer than this share a name; in parts of the stand height."""
_ABOVE, _APART = 0.15, 0.45
"""Of the lowest name over all marks, and between names: on a phone still a line of text; in parts of the stand height."""


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
            dim, points = rehearsal.is_dim(number), trace.points
            if trace.outcome == FAILED:
                lines[palette.FAILED, dim] += [dashes(points, _DASH * self._scale), cross(trace.points[-1], 0.03 * self._scale)]
            else:
                colour = palette.SURVIVED if trace.outcome == SURVIVED else palette.UNFINISHED
                lines[colour, dim].append(segments(points))
        ends = named_ends(rehearsal, self._scale)
        if ends:
            lines[palette.EDGE, False] = [end.thread() for end in ends]
        for order, ((colour, dim), pieces) in enumerate(sorted(lines.items(), key=lambda item: -item[0][1])):
            vertices, faces = rods(pieces, _LINE * self._scale)
            if len(faces) == 0:
                continue
            self._handles.append(
                self._server.scene.add_mesh_simple(
                    f"{self._name}/lines_{order}", vertices, faces, color=palette.dimmed(colour) if dim else palette.rgb(colour),
                    side="double", flat_shading=True, cast_shadow=False, receive_shadow=False,
                )
            )  # fmt: skip
        for order, end in enumerate(ends):
            label = self._server.scene.add_label(f"{self._name}/end_{order}", end.words, position=end.place(), anchor="bottom-center")
            self._handles.append(label)


class NamedEnd(NamedTuple):
    """What ended some traces at one place.

    Attributes:
        words: the requirement, and how many traces.
        mark: the end of the trace in their middle, (3,), m.
        height: at which the words are, straight above the mark, m.
    """

    words: str
    mark: Points
    height: float

    def place(self) -> tuple[float, float, float]:
        """Of the words, m."""
        return float(self.mark[0]), float(self.mark[1]), self.height

    def thread(self) -> Points:
        """The line from the mark to its words, (1, 2, 3), m."""
        return np.array([[self.mark, self.place()]], np.float32)


def named_ends(rehearsal: RehearsalShown, scale: float) -> list[NamedEnd]:
    """What ended the failed traces that are drawn, each requirement where it ended them, the most frequent first.

    No two names are at one height: from whatever side one looks, they do not lie on each other.

    Args:
        rehearsal: of which the candidates that were not chosen are passed over.
        scale: stand height of the robot, m.
    """
    ends: dict[tuple[str, int], list[Points]] = defaultdict(list)
    for number, trace in rehearsal.drawn():
        if trace.outcome == FAILED and len(trace.points) and not rehearsal.is_dim(number):
            ends[trace.violated, number].append(trace.points[-1])
    groups: list[tuple[str, Points]] = []
    for (violated, _), points in ends.items():
        group = np.array(points)
        for place, (name, other) in enumerate(groups):
            if name == violated and np.linalg.norm(other.mean(axis=0) - group.mean(axis=0)) < _NEAR * scale:
                groups[place] = (name, np.concatenate((other, group)))
                break
        else:
            groups.append((violated, group))
    groups.sort(key=lambda group: -len(group[1]))
    lowest = max((float(group[:, 2].max()) for _, group in groups), default=0.0) + _ABOVE * scale
    return [
        NamedEnd(f"✕ {name.replace('_', ' ')} {len(group)}×", _middle(group), lowest + order * _APART * scale)
        for order, (name, group) in enumerate(groups[:MOST_NAMES])
    ]


def _middle(points: Points) -> Points:
    """That of some points, (n, 3), which is nearest to their mean."""
    nearest: Points = points[int(np.argmin(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
    return nearest
