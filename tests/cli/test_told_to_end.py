# SPDX-License-Identifier: Apache-2.0
import signal

import pytest

from surefoot.cli.told_to_end import told_to_end


def test_a_job_in_the_background_is_told_as_one_before_a_person_is() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), told_to_end():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == before
