# SPDX-License-Identifier: Apache-2.0
"""Runtime of the contact laws against the number of contacts, as a picture."""

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefoot.evaluation.bench.contacts import ContactsResult
from surefoot.viewer import style

FILE_NAME = "contacts.png"
COLOURS = (style.MEASURED, style.SURVIVED, style.THIRD, style.FAILED, style.SECOND, style.INK)


def draw_contacts(result: ContactsResult, robot: str, path: Path) -> None:
    """Draw the medians, warm as lines and cold as dashes, on logarithmic axes with the 1 ms of a control rate of 1000 Hz.

    Args:
        result: of `bench_contacts`.
        robot: name, for the title.
        path: of the PNG; its folder is made.
    """
    figure = Figure(figsize=(8.5, 5.5), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    contacts = sorted({cost.contacts for curve in result.curves.values() for cost in curve})
    for number, (name, curve) in enumerate(result.curves.items()):
        colour, at = COLOURS[number % len(COLOURS)], [cost.contacts for cost in curve]
        axes.plot(at, [1e-3 * cost.warm.median_us for cost in curve], color=colour, marker="o", markersize=3.5, linewidth=1.6, label=name)
        axes.plot(at, [1e-3 * cost.cold.median_us for cost in curve], color=colour, linewidth=1.0, linestyle=(0, (3, 2)))
    axes.axhline(1.0, color=style.INK, linewidth=1.0, linestyle=(0, (1, 2)))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(contacts, [str(number) for number in contacts])
    axes.minorticks_off()
    axes.set_xlabel("contacts", color=style.INK)
    axes.set_ylabel("median of a solve, ms", color=style.INK)
    style.plain_axes(axes)
    axes.legend(frameon=False, fontsize=9, labelcolor=style.INK)
    axes.set_title(f"{robot}: warm as lines, cold as dashes", loc="left", fontsize=11, color=style.INK)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
