# SPDX-License-Identifier: Apache-2.0
"""What an operator does next, in words, by the mode that the robot is in."""

from surefoot.teleop.layout import PadLayout

ELSEWHERE = "without a pad: the same by keys in another terminal, `surefoot drive`"


def next_step(mode: str, layout: PadLayout) -> str:
    """The line for a mode; empty where the robot goes on by itself, or everything has been said.

    Args:
        mode: its name.
        layout: of the pad that the buttons are named by.
    """

    def button(action: str) -> str:
        return layout.actions[action].replace("_", " ")

    words = {
        "OFF": f"next: arm it with {button('arm')}; {ELSEWHERE}",
        "DAMPING": f"next: let it stand up with {button('stand')}",
        "READY": f"it stands. Next: hold {button('dead_man')}, walk with {button('walk')}, push the stick; {button('stop')} stops all",
        "WALKING": f"another gait: {button('gait_1')}, {button('gait_2')}, {button('gait_3')}; stand still: {button('stand')}",
        "SITTING": f"next: stand up again with {button('stand')}",
        "STOPPED": f"next: once the cause is gone, arm it with {button('arm')}",
        "FAULT": f"next: once the cause is gone, arm it with {button('arm')}",
    }
    return f"{words[mode]}   ({layout.title})" if mode in words else ""
