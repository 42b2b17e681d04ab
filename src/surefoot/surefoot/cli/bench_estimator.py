# SPDX-License-Identifier: Apache-2.0
"""What `surefoot bench estimator` says about the estimator and the filters beside it."""

from dataclasses import asdict
from typing import Any

from rich.table import Table

from surefoot.evaluation.bench.estimator import EstimatorResult
from surefoot.evaluation.bench.estimator_seed import (
    INVARIANT,
    INVARIANT_NO_DELAY,
    NO_DELAY,
    NO_STAMPS,
    ODOMETRY,
    ODOMETRY_NO_DELAY,
    OURS,
)
from surefoot.evaluation.bench.sample import Times

KEYS = {
    NO_STAMPS: "without_delay_handling", NO_DELAY: "sensors_without_delay", ODOMETRY: "leg_odometry", INVARIANT: "invariant",
    ODOMETRY_NO_DELAY: "leg_odometry_sensors_without_delay", INVARIANT_NO_DELAY: "invariant_sensors_without_delay",
}  # fmt: skip


def estimator_tables(result: EstimatorResult) -> tuple[Table, ...]:
    """Errors by filter, consistency of ours, and times against the length of the window."""
    title = f"{result.robot}, {result.sensors}: {result.way_m:.1f} m in {result.seconds:.0f} s; mean over the seeds, and the worst"
    errors = Table("filter", "seeds", "position % of way", "yaw deg", "velocity RMS m/s", "height m", "tilt deg", title=title)
    for name, one in result.accuracy.items():
        numbers = (one.position_percent, one.yaw_deg, one.velocity_rms, one.height_m, one.tilt_deg)
        formats = (".2f", ".2f", ".4f", ".4f", ".2f")
        cells = [f"{mean:{form}}, {worst:{form}}" for (mean, worst), form in zip(numbers, formats, strict=True)]
        errors.add_row(name, str(one.seeds), *cells)
    title = "1 is honest, less is shy, more is overconfident"
    honest = Table("filter", "what", "normalised squared error", "in its 95 % band", title=title)
    for name, parts in result.nees.items():
        for what, consistency in (parts | result.nis[name]).items():
            honest.add_row(name, what, f"{consistency.normalised:.2f}", f"{consistency.in_band:.0%}")
    times = Table("steps replayed", "median us", "p99 us", title="one tick, taking turns")
    for window in result.window:
        times.add_row(str(window.steps), f"{window.times.median_us:.0f}", f"{window.times.p99_us:.0f}")
    return errors, honest, times


def estimator_as_json(result: EstimatorResult) -> dict[str, Any]:
    """The same for machines: what counts first, then everything."""
    ours = result.accuracy[OURS]
    return {
        "position_percent": ours.position_percent[0],
        "yaw_deg": ours.yaw_deg[0],
        "velocity_rms": ours.velocity_rms[0],
        "height_m": ours.height_m[1],
        "nees_in_band": {what: one.in_band for what, one in result.nees[OURS].items()},
        "nis_in_band": result.nis[OURS]["innovations"].in_band,
        "tick_us": _percentiles(result.tick),
        "baseline": {key: asdict(result.accuracy[name]) for name, key in KEYS.items() if name in result.accuracy},
        "window_us": {str(window.steps): _percentiles(window.times) for window in result.window},
        "whole": asdict(result),
    }


def _percentiles(times: Times) -> dict[str, float]:
    return {"p50": times.median_us, "p99": times.p99_us}
