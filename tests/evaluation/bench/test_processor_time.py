# SPDX-License-Identifier: Apache-2.0
import os
import time

import pytest

from surefoot.evaluation.bench.processor_time import TICK, processor_time


def test_it_is_what_the_process_says_of_itself() -> None:
    assert processor_time([os.getpid()]) == pytest.approx(time.process_time(), abs=10 * TICK)
    assert processor_time([]) == 0.0
