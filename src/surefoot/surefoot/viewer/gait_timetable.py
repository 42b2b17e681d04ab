# SPDX-License-Identifier: Apache-2.0
"""When which foot is on the ground, as bars: the diagram of a gait [Hildebrand 1965; Zapolsky 2017, Fig. 69]."""

import math
from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefoot.gait.parameters import Gait
from surefoot.robot.description import LEG_NAMES
from surefoot.viewer import style

ROWS = ("LH", "LF", "RF", "RH")
"""From the bottom up, as in the literature."""


def draw_timetable(
    axes: Axes, gait: Gait, colour: str = style.MEASURED, span: float = 1.0, offset: float = 0.0, thick: float = 0.7
) -> None:
    """Bars over the stances of each foot.

    Args:
        axes: to draw on; their unit along x is that of span.
        gait: to draw.
        colour: of the bars.
        span: length of a period; 1 for phases, the period for seconds.
        offset: of the bars from the middle of their row.
        thick: of a bar, in rows.
    """
    for row, leg in enumerate(ROWS):
        duty, touchdown = gait.duty_factor[leg], gait.touchdown[leg]
        left, right = axes.get_xlim()
        for cycle in range(math.floor(left / span) - 1, math.ceil(right / span) + 1):
            axes.barh(row + offset, duty * span, thick, left=(touchdown + cycle) * span, color=colour, linewidth=0)
    axes.set_yticks(range(len(LEG_NAMES)), ROWS)
    axes.set_ylim(-0.6, len(LEG_NAMES) - 0.4)


def draw_timetables(gaits: Mapping[str, Gait], path: Path, columns: int = 3) -> None:
    """One small diagram over one period for each gait.

    Args:
        gaits: by the name to show.
        path: of the PNG; its folder is made.
        columns: of diagrams.
    """
    rows = math.ceil(len(gaits) / columns)
    figure = Figure(figsize=(3.1 * columns, 1.45 * rows), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    for number, (name, gait) in enumerate(gaits.items()):
        axes = figure.add_subplot(rows, columns, number + 1)
        axes.set_xlim(0.0, 1.0)
        draw_timetable(axes, gait)
        plain(axes)
        axes.set_xticks((0.0, 0.5, 1.0), ("0", "50", "100 %"))
        axes.set_title(name, loc="left", fontsize=10, color=style.INK)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def plain(axes: Axes) -> None:
    """No box, small labels."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=8, colors=style.INK)
