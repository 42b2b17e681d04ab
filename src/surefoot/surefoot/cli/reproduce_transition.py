# SPDX-License-Identifier: Apache-2.0
"""What `surefoot reproduce transition` prints."""

from dataclasses import asdict
from typing import Any

from rich.table import Table

from surefoot.evaluation.reproduce.transition import SOURCE, TransitionResult


def transition_as_json(result: TransitionResult) -> dict[str, Any]:
    """The result as plain values, with the source's."""
    source = [{"point": point, "survived": k, "n": n} for point, (k, n) in SOURCE.items()]
    return {"robot": result.robot, "source": source} | asdict(result)


def transition_tables(result: TransitionResult) -> tuple[Table, Table, Table]:
    """Scores by path and point, what the traces did, and the mirrored pairs."""
    title = f"{result.robot}: walk to trot, 2 s of it, seed {result.seed}; S stays up, K falls, U unfinished"
    scores = Table("path", "change at", "source S", f"S, first {result.few}", "S", "K", "U", "S, all requirements", "chosen", title=title)
    ends = Table("path", "change at", "falls left, right", "median fall", "spread ahead, aside", "groups", "first parting", "telling")
    for one in result.points:
        k, n = SOURCE[one.point]
        place = one.path, f"{one.point:.0%}"
        chosen = "yes" if result.chosen[one.path] == one.point else ""
        strict = f"{one.strict}" + (f", {one.strict_reason}" if one.strict_reason else "")
        shares = str(one.survived_first), str(one.survived), str(one.failed), str(one.unfinished)
        scores.add_row(*place, f"{k} of {n}", *shares, strict, chosen)
        fall = f"{one.median_fall:.2f} s" if one.failed.k > 0 else ""
        spread = f"{one.forward_deviation:.3f}, {one.left_deviation:.3f} m" if one.survived.k > 1 else ""
        first = f"{one.first_time:.2f} s: {one.first_parting}" if one.first_parting else ""
        ends.add_row(*place, f"{one.fell_left}, {one.fell_right}", fall, spread, one.parted, first, one.telling)
    word = "the same within sampling error" if result.symmetric else "NOT the same within sampling error"
    mirrored = Table("path", "change at", "S", "mirrored", "change at", "S", "chance", title=f"mirrored paths: {word}")
    for pair in result.mirrored:
        mirror = pair.mirror_path, f"{pair.mirror_point:.0%}", str(pair.mirror_survived)
        mirrored.add_row(pair.path, f"{pair.point:.0%}", str(pair.survived), *mirror, f"{pair.chance:.2f}")
    return scores, ends, mirrored
