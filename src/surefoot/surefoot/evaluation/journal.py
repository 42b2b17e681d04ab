# SPDX-License-Identifier: Apache-2.0
"""What a long run has done so far, kept in a file from one start to the next: it takes hours, and may be stopped."""

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import surefoot
from surefoot.errors import ConfigurationError
from surefoot.robot.locate import shared_directory

PACKAGE = Path(surefoot.__file__).parent

FORMAT = 1
"""Of the file; one of another format is refused."""

SHARED = ("config", "launch", "urdf")


class Journal:
    """A line of JSON for each thing that was done, behind a heading that says of which run they are.

    Args:
        path: of the file; it is begun if there is none.
        kind: of what is kept, as in "gait requests".
        run: what must not differ between the starts that share the file, as plain values.

    Raises:
        ConfigurationError: the file is of another run or of other code, or no journal of this kind.

    Attributes:
        kept: the lines that were whole, in their order.
    """

    def __init__(self, path: Path, kind: str, run: dict[str, Any]) -> None:
        self.path = path
        heading = {"journal": kind, "format": FORMAT, "code": digest_of_code(), "run": json.loads(json.dumps(run))}
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(heading) + "\n")
        elif not path.read_bytes().endswith(b"\n"):
            # Cut off where a run was killed: what comes next is a line of its own, and what was cut off is done again.
            with path.open("a") as file:
                file.write("\n")
        lines = self._lines()
        _require_same(path, next(lines, {}), heading)
        self.kept = list(lines)

    def add(self, line: dict[str, Any]) -> None:
        """Write one more thing down."""
        self.kept.append(line)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _lines(self) -> Iterator[dict[str, Any]]:
        for text in self.path.read_text(errors="replace").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if isinstance(line, dict):
                yield line


@cache
def digest_of_code() -> str:
    """Name of the present state of every source, and of all settings, launch files and robots that come with them."""
    digest = hashlib.sha256()
    roots = [(PACKAGE, "*.py"), *((shared_directory() / name, "*") for name in SHARED)]
    for root, pattern in roots:
        for path in sorted(path for path in root.rglob(pattern) if path.is_file() and "__pycache__" not in path.parts):
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _require_same(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    kind = now["journal"]
    if before.get("journal") != kind:
        found = f"a journal of {before['journal']}" if "journal" in before else "no journal"
        raise ConfigurationError(f"{path} is {found}, and what is to be kept is {kind}; give this run another file")
    if before.get("format") != FORMAT:
        raise ConfigurationError(f"{path} has format {before.get('format')}, and this one writes {FORMAT}; give this run another file")
    if before.get("code") != now["code"]:
        raise ConfigurationError(
            f"{path} is of other code or settings: it was begun by {before.get('code')}, and this is {now['code']}. "
            "Go on with the code that began it, or give this run another file"
        )
    kept = before.get("run")
    for name, value in now["run"].items():
        if difference := _difference(name, kept.get(name) if isinstance(kept, dict) else None, value):
            raise ConfigurationError(f"{path} is of a run with {difference}; give this one another file")


def _difference(name: str, before: Any, now: Any) -> str:
    """The first number in which two runs differ, in words; empty if they are the same."""
    if before == now:
        return ""
    if isinstance(before, dict) and isinstance(now, dict):
        parts = (_difference(f"{name}.{key}", before.get(key), now.get(key)) for key in (*now, *before))
        return next((part for part in parts if part), f"other numbers in {name}")
    return f"{name} {before}, and this one has {now}"
