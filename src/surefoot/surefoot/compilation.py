# SPDX-License-Identifier: Apache-2.0
"""How the functions that run inside a batch of particles are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a numeric function to machine code, once, with a cache on disk.

    No fast-math: it would let the compiler reorder sums and assume that there are no NaNs, and the law that
    runs on the robot must give the same bits in a trace.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]
