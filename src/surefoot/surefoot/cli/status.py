# SPDX-License-Identifier: Apache-2.0
"""`surefoot status`: the mode of the robot, why, and what may be asked of it."""

import json
from typing import Annotated

import typer

from surefoot.errors import SurefootError
from surefoot.servos.modes import Mode, requests_of


def status(
    patience: Annotated[float, typer.Option(min=0.1, help="Time to wait for a word of the servo bridge, s.")] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show the mode of the robot, why it is in it, since when, what it would take now, and why not the rest."""
    from surefoot.nodes.mode_listener import hear_mode

    heard = hear_mode(patience)
    if heard is None:
        raise SurefootError(
            f"no servo bridge was heard within {patience:g} s. Is the graph running (surefoot launch …), in the same ROS_DOMAIN_ID, and in "
            "lockstep not waiting for a rehearsal?"
        )
    mode = Mode(heard.mode)
    answers = heard.answers
    accepted = None if answers is None else [name for name, reason in answers.items() if not reason]
    refusing = None if answers is None else {name: reason for name, reason in answers.items() if reason}
    if as_json:
        values = {"mode": mode.name, "reason": heard.reason, "since": heard.since, "time": heard.time}
        print(json.dumps(values | {"accepted": accepted, "would_refuse": refusing, "refused": heard.refused}, indent=2))
        return
    print(f"{mode.name} for {heard.time - heard.since:.2f} s: {heard.reason}")
    if accepted is None or refusing is None:
        legal = ", ".join(request.name for request in requests_of(mode))
        print(f"may be asked for: {legal}; what would be taken was not said within {patience:g} s")
    else:
        print(f"accepts: {', '.join(accepted)}")
        for name, reason in refusing.items():
            print(f"would refuse {name}: {reason}")
    if heard.refused:
        print(f"last refused: {heard.refused}")
