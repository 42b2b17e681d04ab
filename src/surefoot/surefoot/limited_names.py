# SPDX-License-Identifier: Apache-2.0
"""What is known by names that others make up, so that nobody who says ever new ones fills the memory."""

from typing import Generic, TypeVar

from surefoot.errors import SensorError

Value = TypeVar("Value")

SHOWN = 60
"""Letters of a refused name that are said."""


class LimitedNames(dict[str, Value], Generic[Value]):
    """A dictionary that takes in no more than so many names. Those that it has stay, and go on getting new values.

    Args:
        kind: of the names, for the error.
        most: of them.
    """

    def __init__(self, kind: str, most: int) -> None:
        super().__init__()
        self._kind, self._most = kind, most

    def __setitem__(self, name: str, value: Value) -> None:
        """Keep the value. Raises SensorError: the name is one too many."""
        if name not in self and len(self) >= self._most:
            raise SensorError(f"{self._kind} '{name[:SHOWN]}' is one too many: {self._most} are known already")
        super().__setitem__(name, value)
