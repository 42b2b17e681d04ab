# SPDX-License-Identifier: Apache-2.0
"""The fault matrix as a table and as JSON."""

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot.evaluation.faults.matrix import Cell, Matrix, cells_of


def matrix_as_json(matrix: Matrix) -> dict[str, Any]:
    """What `faults run --json` prints."""
    return {
        "robot": matrix.robot,
        "seed": matrix.seed,
        "outcome": matrix.outcome,
        "asked": matrix.asked,
        "cells": len(matrix.cells),
        "passed": len(matrix.passed),
        "failed": [asdict(cell) for cell in matrix.failed],
        "not_run": [asdict(cell) for cell in matrix.not_run],
        "ended": matrix.ended,
    }


def show_matrix(matrix: Matrix) -> None:
    """Print the table, what failed and what was not run."""
    phases = list(dict.fromkeys(cell.phase for cell in matrix.cells))
    table = Table("interface", "fault", *phases, title=f"{matrix.robot}: the mode after each fault, and what it took")
    for interface, kind, cells in cells_of(matrix):
        by_phase = {cell.phase: cell for cell in cells}
        table.add_row(interface, kind, *(_short(by_phase.get(phase)) for phase in phases))
    console = Console()
    console.print(table)
    for cell in (*matrix.failed, *matrix.not_run):
        what = "failed" if cell.failed else "not run"
        words = f"{what}: {cell.interface} {cell.fault} while {cell.phase}: {cell.failed or cell.not_run}"
        console.print(Text(words, style="red"))
    ended = f"; it was cut off: {matrix.ended}" if matrix.ended else ""
    counts = f"{len(matrix.passed)} of {matrix.asked} cells passed, {len(matrix.failed)} failed, {len(matrix.not_run)} could not be run"
    console.print(f"{counts}{ended}\n{matrix.outcome}", highlight=False)


def words_of(cell: Cell) -> str:
    """What came of a cell, in few words."""
    if cell.not_run:
        return f"not run: {cell.not_run}"
    if cell.failed:
        return f"failed: {cell.failed}"
    return _change(cell)


def _short(cell: Cell | None) -> Text:
    if cell is None:
        return Text("")
    return Text("not run") if cell.not_run else Text(_change(cell), style="red" if cell.failed else "")


def _change(cell: Cell) -> str:
    unchanged = "goes on" if cell.mode else "no command"
    change = unchanged if cell.reaction is None else f"{cell.reason.partition(':')[0]} after {1e3 * cell.reaction:.0f} ms"
    return f"{change}{'' if cell.up else ', down'}"
