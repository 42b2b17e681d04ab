# SPDX-License-Identifier: Apache-2.0
"""`python -m surefoot …`, which is what ./surefoot runs."""

import sys

from surefoot.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
