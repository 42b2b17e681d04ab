# SPDX-License-Identifier: Apache-2.0
"""Colours and axes that look the same in every picture and table."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Tables use the colours as well, and need not wait for a library of plots.
    from matplotlib.axes import Axes

INK = "#22303c"
FAINT = "#8795a1"
GRID = "#e4e9ed"
# These stay apart for the colour-blind, after the set of Okabe and Ito: lines among lines, outcomes among outcomes.
MEASURED, SECOND, THIRD = "#0072b2", "#e69f00", "#882255"
SURVIVED, FAILED, UNFINISHED = "#009e73", "#d55e00", "#6b4fa0"

_GAITS = {"stand": "#eef1f4", "walk": "#d6e7f7", "trot": "#d9f0df"}
_OTHER_GAIT = "#f6e7cf"
_MODES = {
    "OFF": "#dfe4e8",
    "DAMPING": "#c7d0d8",
    "STANDING_UP": "#a9c4de",
    "READY": "#7fb0da",
    "WALKING": "#4f94cd",
    "SITTING_DOWN": "#a9c4de",
    "SITTING": "#c7d0d8",
    "STOPPED": "#e59a9a",
    "FAULT": "#d23f3f",
}


def plain_axes(axes: "Axes", linewidth: float = 0.8) -> None:
    """A pale grid behind the data, and no frame above and on the right."""
    axes.grid(color=GRID, linewidth=linewidth)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def gait_colour(name: str) -> str:
    """Background of a gait."""
    return _GAITS.get(name, _OTHER_GAIT)


def mode_colour(name: str) -> str:
    """Background of a mode of the servo bridge."""
    return _MODES.get(name, _OTHER_GAIT)


def mode_words(name: str) -> str:
    """A mode as a person says it."""
    return name.replace("_", " ").lower()
