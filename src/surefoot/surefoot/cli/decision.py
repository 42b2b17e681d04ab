# SPDX-License-Identifier: Apache-2.0
"""`surefoot decision …`: look at a decision record, and decide again from it."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from surefoot.cli.consoles import roomy_console
from surefoot.traces.decision.record import RecordedDecision, plain_answer, read_record

decision = typer.Typer(no_args_is_help=True, add_completion=False)

Record = Annotated[Path, typer.Argument(help="A decision record, decision_….json in the folder of a run.")]
READY_TIMEOUT = 300.0


@decision.command()
def show(
    file: Record,
    picture: Annotated[Path | None, typer.Option(help="PNG to draw; beside the record if not given.")] = None,
) -> None:
    """Say what was decided and why, and draw the traces and the race."""
    from surefoot.viewer.decision_plot import draw_decision

    record = read_record(file)
    path = file.with_suffix(".png") if picture is None else picture
    draw_decision(record, path)
    console = roomy_console()
    console.print(_table(record))
    console.print(record.answer["reason"], highlight=False)
    for sentence in record.answer["explanation"]:
        console.print(f"  {sentence}", highlight=False)
    if record.answer["offer"] is not None:
        console.print(f"offered instead: {record.answer['offer']['reason']}", highlight=False)
    console.print(f"picture: {path}", style="dim", highlight=False)


@decision.command()
def replay(
    file: Record,
    workers: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Trace it all again, and see that the answer is the same to the last digit; the exit code is 1 if it is not."""
    from surefoot.evaluation.closed_loop import planner_settings
    from surefoot.traces.decision.race import JOB
    from surefoot.traces.workers import WorkerPool

    record, console = read_record(file), roomy_console()
    pool = WorkerPool(record.robot, planner_settings(), workers, JOB, READY_TIMEOUT)
    try:
        pool.wait_until_ready(READY_TIMEOUT)
        again = json.loads(json.dumps(plain_answer(record.replay(pool))))
    finally:
        pool.close()
    different = [name for name in record.answer if json.dumps(again.get(name)) != json.dumps(record.answer[name])]
    if different:
        console.print(f"the answer differs in {', '.join(different)}", style="red", highlight=False)
        console.print(f"recorded: {record.answer['reason']}\nnow:      {again['reason']}", highlight=False)
        raise typer.Exit(1)
    particles = sum(score["particles"] for score in again["scores"])
    console.print(f"the same answer from {particles} particles: {again['reason']}", highlight=False)


def _table(record: RecordedDecision) -> Table:
    from surefoot.viewer.decision_plot import label

    snapshot, command = record.rehearsal.snapshot, record.rehearsal.snapshot.command
    title = (
        f"{record.robot}: {snapshot.gait_from.name} to {snapshot.gait_to.name} at {snapshot.state.time:.2f} s, "
        f"{command[0]:.2f} m/s, {snapshot.terrain.name} ground"
    )
    table = Table("change at", "due s", "particles", "S", "K", "U", "no robot", "success, at least", "at most", "ended by", title=title)
    for number, score in enumerate(record.answer["scores"]):
        chosen = " *" if number == record.answer["chosen"] else ""
        counts = (str(score[key]) for key in ("particles", "survived", "failed", "unfinished", "inconsistent"))
        causes = ", ".join(f"{name} {times}x" for name, times in score["violated"])
        due = record.candidates[number].switch_time - snapshot.state.time
        table.add_row(label(record, number) + chosen, f"{due:.2f}", *counts, f"{score['lower']:.2f}", f"{score['upper']:.2f}", causes)
    return table
