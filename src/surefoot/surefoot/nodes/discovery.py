# SPDX-License-Identifier: Apache-2.0
"""How far nodes are found: by nobody, or on this machine alone, whatever the shell says."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

NOBODY, THIS_MACHINE = "OFF", "LOCALHOST"


def variables(reach: str) -> dict[str, str]:
    """The environment of a node that is to be found as far as this, and no farther.

    Peers that are named one by one would be spoken to beside it, and the variable of older versions would come first.
    """
    return {"ROS_AUTOMATIC_DISCOVERY_RANGE": reach, "ROS_STATIC_PEERS": "", "ROS_LOCALHOST_ONLY": ""}


@contextmanager
def found_by(reach: str) -> Iterator[None]:
    """Within, contexts are made whose nodes are found as far as this."""
    wanted = variables(reach)
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
