# SPDX-License-Identifier: Apache-2.0
"""`python -m surefoot …`, which is what ./surefoot runs."""

import atexit
import os
import sys

from surefoot.cli.app import main


def leave(code: int) -> None:
    """End this process. Where it had a node, threads of the middleware live on and can hold up the end of Python: it ends as nodes do."""
    if "rclpy" not in sys.modules:
        sys.exit(code)
    # What others left to be done at the end, such as ending processes of theirs, is done.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    leave(main())
