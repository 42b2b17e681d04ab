# SPDX-License-Identifier: Apache-2.0
"""The gamepad node with a pad that exists in SDL only; what the hands do with it comes on /hands, in words."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "teleop"))

from std_msgs.msg import String
from virtual_pads import XBOX, VirtualPad

from surefoot.nodes.base import run
from surefoot.nodes.gamepad import GamepadNode


class PadAtHand(GamepadNode):
    """Topic: /hands in: 'button NAME 0|1', 'axis NAME RAW' or 'unplug', by SDL's names."""

    def __init__(self) -> None:
        super().__init__()
        self._virtual = VirtualPad(XBOX)
        self.create_subscription(String, "/hands", self._do, 100)

    def _do(self, message: String) -> None:
        what, *words = message.data.split()
        if what == "button":
            self._virtual.button(words[0], words[1] == "1")
        elif what == "axis":
            self._virtual.axis(words[0], int(words[1]))
        else:
            self._virtual.unplug()


if __name__ == "__main__":
    run(PadAtHand)
