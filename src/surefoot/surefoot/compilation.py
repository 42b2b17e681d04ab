# SPDX-License-Identifier: Apache-2.0
"""How the functions that run inside a batch of particles are compiled, and where their machine code is kept."""

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent

_IMPORT = re.compile(r"^[ \t]*(?:from\s+(surefoot[\w.]*)\s+import\s+(\([^)]*\)|[^\n]+)|import\s+(surefoot[\w.]*))", re.MULTILINE)


def compiled(function: Function) -> Function:
    """Compile a numeric function to machine code, once, with a cache on disk.

    No fast-math: it would let the compiler reorder sums and assume that there are no NaNs, and the law that
    runs on the robot must give the same bits in a trace.
    """
    # Numba looks only at the function's own file to tell whether its cache is stale; machine code holds the functions and
    # constants of other files as well. So each state of all the sources that a module can reach has a folder of its own.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_root() / source_digest(function.__module__))
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = before


def cache_root() -> Path:
    """Where compiled code is kept: $NUMBA_CACHE_DIR, or the user's cache folder."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "surefoot" / "compiled"


@cache
def source_digest(module: str, package: Path = PACKAGE) -> str:
    """Name of the present state of a module and of every module of the package that it imports, directly or not.

    Args:
        module: dotted, as in "surefoot.contact.pyramid".
        package: folder of `surefoot`.
    """
    digest = hashlib.sha256()
    for name in sorted(reachable_modules(module, package)):
        digest.update(name.encode() + b"\0" + _path(name, package).read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def reachable_modules(module: str, package: Path = PACKAGE) -> set[str]:
    """A module of the package and every other one that it imports, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or not _path(name, package).is_file():
            continue
        found.add(name)
        for parent, names, plain in _IMPORT.findall(_path(name, package).read_text()):
            waiting += [parent or plain, *(f"{parent}.{part.split()[0]}" for part in names.strip("()").split(",") if part.strip())]
    return found


def _path(module: str, package: Path) -> Path:
    path = package.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
