# SPDX-License-Identifier: Apache-2.0
"""Where commands print."""

from rich.console import Console


def roomy_console(stderr: bool = False) -> Console:
    """The terminal; where nobody looks, such as in a file, there is room for whole rows.

    Args:
        stderr: print there, where the standard output belongs to whoever reads it.
    """
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(width=200, stderr=stderr)
