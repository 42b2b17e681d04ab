# SPDX-License-Identifier: Apache-2.0
"""Curves out of bags."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from surefoot.recording.compare import TopicComparison

Curve = tuple[np.ndarray, np.ndarray]
MOST_PANELS = 12


def draw_curves(panels: Mapping[str, Mapping[str, Curve]], path: Path, time_label: str = "time, s") -> None:
    """One panel for each name, with one curve for each label in it; times in s."""
    figure = Figure(figsize=(10.0, 1.0 + 1.8 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (name, curves) in zip(axes, panels.items(), strict=True):
        for label, (times, values) in curves.items():
            axis.plot(times, values, linewidth=0.9, label=label)
        axis.set_title(name, fontsize="small", loc="left")
        axis.grid(alpha=0.3)
        if len(curves) > 1:
            axis.legend(fontsize="x-small")
    axes[-1].set_xlabel(time_label)
    figure.savefig(path, dpi=110)


def draw_differences(comparisons: Sequence[TopicComparison], path: Path) -> None:
    """How far two bags are apart: one panel for each field that differs by a number, those that part first in front."""
    panels = {
        f"{comparison.topic}.{entry.path}": {"": (np.array(entry.times), np.array(entry.sizes))}
        for comparison in comparisons
        for entry in comparison.fields
        if np.isfinite(entry.sizes).all()
    }
    draw_curves(dict(list(panels.items())[:MOST_PANELS]) or {"no difference": {}}, path, "time of the sample, s")
