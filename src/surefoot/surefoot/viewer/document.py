# SPDX-License-Identifier: Apache-2.0
"""One HTML file that carries everything with it and needs no network: the form of every report."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from surefoot.viewer import style

_STYLE = f"""
body {{ max-width: 1100px; margin: 2em auto; padding: 0 1em; font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: {style.INK}; }}
img, video {{ max-width: 100%; height: auto; }} table {{ border-collapse: collapse; width: 100%; }}
td, th {{ text-align: left; padding: 4px 8px; overflow-wrap: anywhere; border-bottom: 1px solid {style.GRID}; vertical-align: top; }}
td.time {{ white-space: nowrap; font-variant-numeric: tabular-nums; text-align: right; }}
@media (max-width: 760px) {{ .picture {{ overflow-x: auto; }} .picture img {{ max-width: none; width: 1000px; }} }}
.good {{ color: #00704f; }} .no {{ color: #b34700; }} .faint {{ color: #5d6b76; }}
"""


class Section(NamedTuple):
    """A part of a document: its title, empty for none, and its content as HTML."""

    title: str
    content: str


def write_document(path: Path, title: str, sections: Iterable[Section]) -> None:
    """Write a document.

    Args:
        path: of the HTML file; its folder is made.
        title: as text.
        sections: in their order; those without content are left out.
    """
    parts = [f"<h1>{escape(title)}</h1>"]
    for section in sections:
        if section.content:
            parts.append((f"<h2>{escape(section.title)}</h2>" if section.title else "") + section.content)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Surefoot: {escape(title)}</title>'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head><body>{"".join(parts)}</body></html>\n', encoding="utf-8"
    )


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Rows of text as a table."""
    top = "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>" if head else ""
    return f"<table>{top}" + "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows) + "</table>"


def picture(path: Path, words: str) -> str:
    """A PNG, with words for who cannot see it; nothing where it was not made."""
    # On a phone it is as large as it has to be for its words, and is moved by a finger.
    image = f'<img alt="{escape(words, quote=True)}" src="data:image/png;base64,{encoded(path)}">' if path.is_file() else ""
    return image and f'<div class="picture">{image}</div>'


def kind(good: bool) -> str:
    """The class of what is good and of what is not."""
    return "good" if good else "no"


def encoded(path: Path) -> str:
    """A file as text."""
    return base64.b64encode(path.read_bytes()).decode()
