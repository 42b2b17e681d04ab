# SPDX-License-Identifier: Apache-2.0
"""Names for gaits that somebody made: a verdict names a gait, so no two of them may share one."""

from collections.abc import Collection

MARK = " #"
"""Before the number in such a name."""

LONGEST_NUMBER = 12
"""Digits of one that an editor can have given; a longer one is somebody else's, and no editor comes to it."""


def base_name(name: str) -> str:
    """The name that such a one was made from; any other name as it is."""
    return name.partition(MARK)[0]


class GaitNames:
    """One for all editors whose gaits are asked of the same robot."""

    def __init__(self, taken: Collection[str] = ()) -> None:
        """Begin.

        Args:
            taken: names that are given to nobody; looked at whenever one is given.
        """
        self._taken = taken
        self._number = 0

    def asked(self, name: str) -> None:
        """A gait of this name is asked for, by whomever; a number that it has will not be given again, nor one below."""
        number = name.rpartition(MARK)[2] if MARK in name else ""
        if number.isdecimal() and len(number) <= LONGEST_NUMBER:
            self._number = max(self._number, int(number))

    def new(self, base: str) -> str:
        """A name like another one that nobody has yet."""
        while True:
            self._number += 1
            name = f"{base}{MARK}{self._number}"
            if name not in self._taken:
                return name
