# SPDX-License-Identifier: Apache-2.0
"""How far verdicts can be trusted, as a picture."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefoot.evaluation.bench.sample import Proportion
from surefoot.evaluation.reproduce.trust import TrustResult
from surefoot.viewer import style


def draw_trust(result: TrustResult, path: Path) -> None:
    """Draw falls with and without the verdict, by scenario, and the reliability diagram.

    Args:
        result: of `reproduce_trust`.
        path: of the PNG; its folder is made.
    """
    figure = Figure(figsize=(10.0, 4.4), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    rows = (*result.scenarios.items(), ("all", result.all))
    for number, (_, trust) in enumerate(rows):
        _bar(left, number - 0.18, trust.falls_unfiltered, style.FAILED, "every request obeyed at once" if number == 0 else "")
        _bar(left, number + 0.18, trust.falls_obeyed, style.SURVIVED, "verdict obeyed" if number == 0 else "")
    left.set_xticks(range(len(rows)), [f"{name}\n{trust.n}" for name, trust in rows])
    left.set_ylabel("falls within 3 s", color=style.INK)
    left.legend(frameon=False, fontsize=9, labelcolor=style.INK)
    right.plot([0.0, 1.0], [0.0, 1.0], color=style.FAINT, linewidth=1.0, linestyle=(0, (3, 2)))
    for one in result.reliability:
        true = one.succeeded
        rate = true.k / true.n
        right.errorbar(
            one.mean_predicted, rate, [[rate - true.lower], [true.upper - rate]], color=style.MEASURED, marker="o", markersize=5, capsize=3
        )
        right.annotate(str(true.n), (one.mean_predicted, rate), (5, -11), textcoords="offset points", fontsize=8, color=style.FAINT)
    right.set_xlabel("predicted success of a candidate", color=style.INK)
    right.set_ylabel("the hidden robot did it", color=style.INK)
    right.set_xlim(-0.03, 1.05)
    right.set_ylim(-0.03, 1.05)
    for axes in (left, right):
        style.plain_axes(axes)
    figure.suptitle(f"{result.robot}: {result.all.n} gait changes asked of robots that nobody has seen", x=0.01, ha="left", color=style.INK)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def _bar(axes: Axes, at: float, share: Proportion, colour: str, label: str) -> None:
    rate = share.k / max(1, share.n)
    error = [[rate - share.lower], [share.upper - rate]]
    axes.bar(at, rate, 0.34, color=colour, label=label or None, yerr=error, ecolor=style.FAINT, capsize=3)
