# SPDX-License-Identifier: Apache-2.0
import os

from surefoot.servos.emulation.line import EmulatedLine


def test_the_emulation_leaves_no_file_open(emulated: EmulatedLine) -> None:
    before = len(os.listdir("/proc/self/fd"))
    EmulatedLine([]).close()
    assert len(os.listdir("/proc/self/fd")) == before
