# SPDX-License-Identifier: Apache-2.0
"""Tables of `surefoot bench traces`."""

from rich.table import Table

from surefoot.evaluation.bench.traces import TracesResult


def traces_tables(result: TracesResult) -> list[Table]:
    """The rates, and what the step size does if that was measured."""
    title = f"{result.robot}: {result.particles} particles, {result.horizon:g} s, time step {1e3 * result.dt:g} ms"
    rates = Table("what", "workers", "per wall second", "per processor second", "of the peer", title=title)
    for ours, theirs, ratio in zip(result.traces, result.rollout, result.ratios, strict=True):
        for name, rate, share in (("closed-loop traces", ours, f"{ratio:.2f}"), ("peer: mujoco.rollout, open loop", theirs, "")):
            rates.add_row(name, str(rate.workers), f"{rate.per_wall_second:.1f}", f"{rate.per_processor_second:.1f}", share)
    errors = result.time_step_errors
    if errors is None:
        return [rates]
    moments = [f"{what} at {moment:g} s" for moment in errors.moments for what in ("mm", "mrad")]
    title = f"time step against {1e3 * errors.finest:g} ms, and the spread of {errors.particles} particles"
    steps = Table("base of a trot", *moments, title=title)
    rows = [(f"time step {1e3 * one.time_step:g} ms", one.error) for one in errors.errors] + [("spread of the cloud", errors.spread)]
    for name, row in rows:
        steps.add_row(name, *(f"{1e3 * n:.2f}" for pair in zip(row.position_m, row.angle_rad, strict=True) for n in pair))
    return [rates, steps]
