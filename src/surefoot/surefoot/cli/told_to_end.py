# SPDX-License-Identifier: Apache-2.0
"""Long commands that say what they have done when they are told to end."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def told_to_end() -> Iterator[None]:
    """Within it SIGTERM is what Ctrl-C is: a KeyboardInterrupt. A job in the background hears no Ctrl-C."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
