# SPDX-License-Identifier: Apache-2.0
"""What an experiment or a measurement showed, in the form of every report: the tables of the terminal and the pictures in one HTML file."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from rich.table import Table
from rich.text import Text

from surefoot.viewer import document
from surefoot.viewer.document import Section, picture, write_document


def write_result(path: Path, title: str, tables: Iterable[Table], pictures: Iterable[Path] = (), notes: Iterable[str] = ()) -> None:
    """Write a result.

    Args:
        path: of the HTML file; its folder is made.
        title: what was measured.
        tables: as the terminal shows them.
        pictures: PNGs; one that was not made is left out.
        notes: what one has to know of the numbers, such as the machine.
    """
    sections = [Section("", picture(file, title)) for file in pictures]
    sections += [Section(_plain(table.title), _html(table)) for table in tables]
    sections.append(Section("", "".join(f'<p class="faint">{escape(note)}</p>' for note in notes if note)))
    write_document(path, title, sections)


def _html(table: Table) -> str:
    columns = [[_plain(cell) for cell in column.cells] for column in table.columns]
    return document.table(zip(*columns, strict=True), [_plain(column.header) for column in table.columns])


def _plain(words: object) -> str:
    """As text, without the marks that colour it in a terminal."""
    return Text.from_markup(words).plain if isinstance(words, str) else "" if words is None else str(words)
