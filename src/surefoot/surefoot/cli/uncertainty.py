# SPDX-License-Identifier: Apache-2.0
"""`surefoot uncertainty show`: what a cloud is drawn from, how wide, and who says so."""

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from surefoot.cli.consoles import roomy_console
from surefoot.robot.load import load_robot
from surefoot.robot.locate import find_configuration
from surefoot.robot.model import RobotModel
from surefoot.traces.cloud.catalogue import LEFT_OUT, PERSISTENT, SOURCE_COUNT, TRANSIENT, Parameter, drawn_count, source_count
from surefoot.traces.cloud.effects import in_si, stated_width, without_effect
from surefoot.traces.cloud.ranges import Choice, Spread
from surefoot.traces.cloud.uncertainty import Uncertainty, read_uncertainty

uncertainty = typer.Typer(no_args_is_help=True, add_completion=False)


@uncertainty.callback()
def _outline() -> None:
    """How much a robot may differ from what is believed of it."""


@uncertainty.command()
def show(
    name: Annotated[str, typer.Argument(help="A name in config/uncertainty, or a path.")] = "default",
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """List what is drawn for each particle and for each control tick, with its spread, its origin and the count."""
    cloud, model = read_uncertainty(find_configuration("cloud", "uncertainty", name)), load_robot(robot)
    rows = [_row(cloud, parameter, model, when) for when, table in _TABLES.items() for parameter in sorted(table, key=_by_group(table))]
    result = _summary(name, cloud, model, rows)
    if as_json:
        print(json.dumps(result, indent=2))
        return
    console = roomy_console()
    table = Table("when", "parameter", "scalars", "spread", f"on {model.description.name}", "origin", "acts on", "source")
    table.title = f"{name}: {cloud.sampling}, truncated at {cloud.truncation:g} standard deviations"
    before = ""
    for row in rows:
        when = f"{row['when']}: {row['group']}"
        if when != before:
            table.add_section()
        shown = ("" if when == before else when, row["parameter"], str(row["scalars"]), row["spread"], row["in_si"])
        table.add_row(*(escape(text) for text in (*shown, row["origin"], row["acts_on"], str(row["source"] or ""))))
        before = when
    console.print(table)
    for line in _counted(result):
        console.print(escape(line), highlight=False)


_TABLES = {"particle": PERSISTENT, "tick": TRANSIENT}


def _by_group(table: tuple[Parameter, ...]) -> Callable[[Parameter], int]:
    """The place of a parameter's group among the groups."""
    groups = [parameter.group for parameter in table]
    return lambda parameter: groups.index(parameter.group)


def _row(cloud: Uncertainty, parameter: Parameter, model: RobotModel, when: str) -> dict[str, Any]:
    """One parameter as plain values."""
    persistent = when == "particle"
    entry = getattr(cloud.persistent if persistent else cloud.transient, parameter.name, None)
    row = {
        "when": when, "group": parameter.group, "parameter": parameter.name, "scalars": parameter.count, "law": parameter.law.value,
        "unit": parameter.unit, "acts_on": parameter.acts_on, "source": parameter.source,
    }  # fmt: skip
    if isinstance(entry, Choice):
        return row | {"spread": " | ".join(entry.choices), "in_si": "", "origin": entry.origin, "active": len(entry.choices) > 1}
    if isinstance(entry, Spread):
        end = f" cut at {entry.truncation:g} sd" if entry.truncation else ""
        sign = "+" if parameter.law.name == "MAGNITUDE" else "±"
        number = f"{entry.width:.3g} {parameter.unit}" if parameter.unit != "of it" else f"{100.0 * entry.width:.3g} %"
        text = f"{sign}{number}{' even' if entry.distribution == 'uniform' else ''}{end}"
        return row | {
            "spread": " ".join(text.split()), "in_si": in_si(parameter, entry.width, model), "origin": entry.origin,
            "active": entry.width > 0.0, "distribution": entry.distribution, "width": entry.width, "reach": entry.reach(cloud.truncation),
        }  # fmt: skip
    width = stated_width(parameter, cloud, persistent)
    return row | {
        "spread": f"{width:g} × {parameter.unit}", "in_si": "" if persistent else in_si(parameter, width, model),
        "origin": parameter.law.value, "active": width > 0.0, "width": width,
    }  # fmt: skip


def _summary(name: str, cloud: Uncertainty, model: RobotModel, rows: list[dict[str, Any]]) -> dict[str, Any]:
    groups: dict[str, int] = {}
    for row in rows:
        key = f"{row['when']}: {row['group']}"
        groups[key] = groups.get(key, 0) + row["scalars"]
    named = source_count(PERSISTENT) + source_count(TRANSIENT)
    return {
        "name": name, "robot": model.description.name, "sampling": cloud.sampling, "truncation": cloud.truncation,
        "persistent": drawn_count(PERSISTENT), "transient": drawn_count(TRANSIENT),
        "drawn": drawn_count(PERSISTENT) + drawn_count(TRANSIENT), "groups": groups,
        "spread": sum(row["scalars"] for row in rows if row["active"]),
        "source": {
            "named": SOURCE_COUNT, "drawn": named,
            "left_out": [{"what": what, "scalars": count, "why": why} for what, count, why in LEFT_OUT],
        },
        "without_effect": [{"parameter": key, "scalars": count, "why": why} for key, (count, why) in without_effect(model).items()],
        "parameters": rows,
    }  # fmt: skip


def _counted(result: dict[str, Any]) -> list[str]:
    """The counts in words."""
    source = result["source"]
    lines = [
        f"{result['drawn']} scalars: {result['persistent']} for each particle, {result['transient']} more at each control tick; "
        f"{result['spread']} of them have a spread here",
        ", ".join(f"{key} {count}" for key, count in result["groups"].items()),
        f"of the {source['named']} that Fig. 15 of [Zapolsky 2017] lists, {source['drawn']} are drawn (column 'source'); left out are "
        + "; ".join(f"{entry['scalars']} {entry['what']} ({entry['why']})" for entry in source["left_out"]),
    ]
    lines += [f"{result['robot']} does not feel {e['scalars']} of {e['parameter']}: {e['why']}" for e in result["without_effect"]]
    return lines
