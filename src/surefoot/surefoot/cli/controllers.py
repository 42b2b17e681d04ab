# SPDX-License-Identifier: Apache-2.0
"""`surefoot controllers`: what there is, and which of it suits a situation."""

from typing import Annotated

import typer
from rich.table import Table

from surefoot.cli.consoles import roomy_console
from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.feedback import FEEDBACK_NAMES, JOINED_BY
from surefoot.inverse_dynamics.proposal import Situation, Task, propose, verdicts
from surefoot.inverse_dynamics.selector import reason_against_hardware
from surefoot.locomotion.control import SelectedControl
from surefoot.locomotion.laws import LAW_OF


def controllers(
    contacts: Annotated[int, typer.Option(min=0, help="Largest number at once.")] = 4,
    friction: Annotated[float | None, typer.Option(min=0.0, help="Smallest Coulomb coefficient believed in; none: nobody knows.")] = None,
    task: Annotated[Task, typer.Option(help="What the robot does with its contacts.")] = Task.LOCOMOTION,
    hardware: Annotated[bool, typer.Option(help="A real robot, whose gears torque chatter destroys.")] = False,
    contact_forces: Annotated[bool, typer.Option(help="Exact contact forces are felt, as in a simulator only.")] = False,
    dynamics: Annotated[bool, typer.Option(help="Masses and inertias are known.")] = True,
) -> None:
    """List the controllers, and say which of the source's suits a situation [Zapolsky 2017, Table 18]."""
    situation = Situation(contacts, friction, task, hardware, contact_forces, dynamics)
    row, console = verdicts(situation), roomy_console()
    table = Table("controller", "on motors", "gaits change under it", "in this situation, by the source")
    for name in SelectedControl.names():
        reason = reason_against_hardware(name)
        verdict = row.get(name)
        said = "" if verdict is None else f"{'passes' if verdict.passed else 'fails'}: {verdict.remark}"
        table.add_row(name, f"refused: {reason}" if reason else "allowed", "yes" if name in LAW_OF else "no", said)
    console.print(table)
    console.print(f"With feedback on top: {', '.join(f'NAME{JOINED_BY}{one}' for one in FEEDBACK_NAMES)}, or both.", highlight=False)
    try:
        proposal = propose(situation)
    except ConfigurationError as error:
        console.print(f"proposed: none; {error}", highlight=False)
        return
    others = f"; also: {', '.join(proposal.others)}" if proposal.others else ""
    console.print(f"proposed: [bold]{proposal.name}[/] ({proposal.reason}){others}", highlight=False)
