# SPDX-License-Identifier: Apache-2.0
"""Names for gaits that somebody made: a verdict names a gait, so no two of them may share one."""

from collections.abc import Collection

MARK = " #"
"""Before the number in such a name."""


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
        self._asked: set[str] = set()
        self._number = 0

    def asked(self, name: str) -> None:
        """A gait of this name is asked for, by whomever."""
        self._asked.add(name)

    def new(self, base: str) -> str:
        """A name like another one that nobody has yet."""
        while True:
            self._number += 1
            name = f"{base}{MARK}{self._number}"
            if name not in self._taken and name not in self._asked:
                return name
