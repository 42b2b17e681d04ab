# SPDX-License-Identifier: Apache-2.0
"""Emulated robots in a process of their own.

    python -m surefoot.servos.emulation dynamixel COUNT BAUD_RATE    servos 1 to COUNT on a pseudo terminal, in the time of the wire
    python -m surefoot.servos.emulation unitree DOMAIN [XML]         the robot's end of the low-level messages

Says on its first line where it is, and ends with its standard input.
"""

import sys
import threading

import numpy as np

from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo

STEP = 0.002


def main(words: list[str]) -> None:
    """Run one of them."""
    over = threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        over.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    if words[0] == "dynamixel":
        table, baud_rate = read_table("dynamixel_x"), int(words[2])
        line = EmulatedLine([EmulatedServo(table, identity, baud_rate) for identity in range(1, int(words[1]) + 1)], timed=True)
        print(line.name, flush=True)
        over.wait()
        line.close()
        return
    from surefoot.servos.emulation.unitree import EmulatedUnitree
    from surefoot.servos.unitree.messages import DdsWire

    wire, robot = DdsWire(int(words[1]), words[2] if len(words) > 2 else "", robot_side=True), EmulatedUnitree(np.zeros(12))
    print("ready", flush=True)
    while not over.wait(STEP):
        wire.send(robot.step(wire.receive(), STEP))
    wire.close()


if __name__ == "__main__":
    main(sys.argv[1:])
