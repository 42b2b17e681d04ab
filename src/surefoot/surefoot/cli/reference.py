# SPDX-License-Identifier: Apache-2.0
"""`surefoot reference`: every parameter of every node and every key of the files of config/, as the code declares them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic.fields import FieldInfo

from surefoot.cli.graph_names import FILES
from surefoot.nodes.parameters import NODES, NodeParameters, is_live
from surefoot.robot.description import RobotDescription
from surefoot.robot.locate import shared_directory
from surefoot.settings import Settings, read_settings
from surefoot.settings_words import range_of, type_of
from surefoot.teleop.gait_values import PARAMETERS

START, LIVE = "at the start", "**live**"

HEAD = """# Parameters

Made from the declarations of the code by `./surefoot reference --to docs/parameters.md`; a test holds it to them.

A node is given parameters by a launch file, by `--ros-args -p NAME:=VALUE`, or by a parameter file. They are checked when it starts: a
value of another type or out of its range ends it with exit code 2 and the reason, and `./surefoot launch` refuses it before anything
starts. Those that are read at the start stay as they are: `ros2 param set` of one is refused, and says why. Those that are live are taken
over while the node runs, or refused with the reason.
"""

GAIT = """### Of the gait that runs

Parameters of `teleop`, all live: setting them asks for a gait that is changed so, all that are set in one call together. What cannot be a
gait, or what the robot cannot do, is refused at once. The rest is rehearsed first, like any gait.
"""

CONFIG = """## Files of config/

Read by the nodes that are named, at their start, whatever else they are given. Keys that are unknown, missing or out of range are named
all at once, and nothing starts.
"""

ROBOT = """## A robot

`config/robots/NAME.yaml`, or a file of yours. Without a default a key has to be there.
"""


def reference(
    to: Annotated[Path | None, typer.Option(help="Write it to this file instead of the terminal.")] = None,
) -> None:
    """Write the reference of all parameters, as Markdown."""
    text = parameter_reference()
    if to is None:
        print(text, end="")
    else:
        to.write_text(text, encoding="utf-8")


def parameter_reference() -> str:
    """The whole page."""
    parts = [HEAD, "## Of every node\n", _of_node(NodeParameters, {})]
    for name, kind in sorted(NODES.items()):
        if kind is not NodeParameters:
            parts += [f"## {name}\n", f"{kind.__doc__}\n", _of_node(kind, NodeParameters.model_fields)]
        if name == "teleop":
            rows = ((f"`gait.{one.key}`", f"{one.least:g} to {one.most:g}", one.unit, one.meaning) for one in PARAMETERS)
            parts += [GAIT, _table(("parameter", "range", "unit", "meaning"), rows)]
    parts.append(CONFIG)
    readers: dict[str, list[str]] = {}
    kinds: dict[str, type[Settings]] = {}
    for node, files in FILES.items():
        for file, settings in files:
            readers.setdefault(file, []).append(node)
            kinds[file] = settings
    for file, settings in sorted(kinds.items()):
        values = read_settings(settings, shared_directory() / "config" / file)
        parts += [f"### config/{file}\n", f"Read by {', '.join(readers[file])}.\n", _of_file(settings, values)]
    parts += [ROBOT, _of_file(RobotDescription, None)]
    return "\n".join(parts)


def _of_node(kind: type[NodeParameters], without: dict[str, FieldInfo]) -> str:
    rows = (
        (f"`{name}`", type_of(field), _shown(field.default), range_of(field), LIVE if is_live(field) else START, field.description or "")
        for name, field in kind.model_fields.items()
        if name not in without
    )
    return _table(("parameter", "type", "default", "range", "read", "meaning"), rows)


def _of_file(kind: type[Settings], values: Settings | None) -> str:
    rows = _rows(kind, values, "")
    return _table(("key", "type", "default" if values is None else "as it is", "range", "meaning"), rows)


def _rows(kind: type[Settings], values: Settings | None, before: str) -> Iterator[tuple[str, ...]]:
    for name, field in kind.model_fields.items():
        inner, key = _settings_in(field.annotation), f"{before}{name}"
        value = field.get_default(call_default_factory=True) if values is None else getattr(values, name)
        if inner is None:
            shown = "" if field.is_required() and values is None else _shown(value)
            yield f"`{key}`", type_of(field), shown, range_of(field), field.description or ""
            continue
        by_name = "dict" in str(field.annotation).lower().split("[")[0]
        yield from _rows(inner, value if isinstance(value, inner) else None, f"{key}.NAME." if by_name else f"{key}.")


def _settings_in(kind: Any) -> type[Settings] | None:
    """The settings that a setting consists of, None where it is a plain value."""
    if isinstance(kind, type) and issubclass(kind, Settings):
        return kind
    return next((found for part in getattr(kind, "__args__", ()) if (found := _settings_in(part)) is not None), None)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "none"
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, tuple | list):
        return ", ".join(map(_shown, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_shown(one)}" for key, one in value.items()) or "empty"
    return f"`{value}`" if value != "" else "empty"


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
