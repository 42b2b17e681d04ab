# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path

from PIL import Image
from rich.table import Table

from surefoot.viewer.result_report import write_result


def test_tables_pictures_and_notes_are_one_file(tmp_path: Path) -> None:
    table = Table("controller", "error, rad", title="Table 3 <ours>")
    table.add_row("ours", "[red]NO[/red] 0.01")
    table.add_row("peer & co", "0.02")
    Image.new("RGB", (4, 4)).save(tmp_path / "made.png")
    write_result(tmp_path / "new" / "page.html", "reproduce idyn", (table,), (tmp_path / "made.png", tmp_path / "none.png"), ("seed 7", ""))
    text = (tmp_path / "new" / "page.html").read_text()
    assert text.count("data:image/png;base64,") == 1
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    for part in ("<h2>Table 3 &lt;ours&gt;</h2>", "<th>error, rad</th>", "<td>NO 0.01</td>", "<td>peer &amp; co</td>", "seed 7"):
        assert part in text, part
