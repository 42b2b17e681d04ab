# SPDX-License-Identifier: Apache-2.0
"""What requests would be answered, as values of /diagnostics, and back."""

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray

from surefoot.servos.modes import Mode, Request

BRIDGE = "servo_bridge"
"""Name of the status that holds them."""

OF_MODE, ANSWER = "answers_of", "answer_"
TAKEN = "would be taken"


def told_answers(mode: Mode, answers: Mapping[Request, str]) -> dict[str, str]:
    """As values of the status of the bridge, of answers as in `BridgeOutput`; nothing where there are none yet."""
    if not answers:
        return {}
    return {OF_MODE: mode.name} | {f"{ANSWER}{request.name}": reason or TAKEN for request, reason in answers.items()}


def heard_answers(message: DiagnosticArray, mode: str) -> dict[str, str] | None:
    """By name of the request, why it would be refused in that mode, empty where it would be taken; None where the message does not say."""
    for status in message.status:
        values = {one.key: one.value for one in status.values}
        if status.name == BRIDGE and values.get(OF_MODE) == mode:
            told = {key.removeprefix(ANSWER): value for key, value in values.items() if key.startswith(ANSWER)}
            return {name: "" if value == TAKEN else value for name, value in told.items()}
    return None
