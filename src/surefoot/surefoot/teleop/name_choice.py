# SPDX-License-Identifier: Apache-2.0
"""A name for a gait that is kept, chosen with the few buttons of a gamepad: names are offered, nothing has to be typed."""

from collections.abc import Callable, Mapping

from surefoot.gait.library import GaitLibrary
from surefoot.gait.parameters import Gait
from surefoot.teleop.gait_names import base_name
from surefoot.teleop.gait_values import PARAMETERS

MOST_WORDS = 2
"""In one name, for the largest of the changes."""


def changes_of(gait: Gait, base: Gait) -> tuple[str, ...]:
    """What a gait has other than the one it was made from, a word for each number, the one that is most steps away first."""
    steps = {one: (one.value(gait) - one.value(base)) / one.step(base) for one in PARAMETERS}
    words = [one.words[0] if by > 0.0 else one.words[1] for one, by in sorted(steps.items(), key=lambda item: -abs(item[1])) if by != 0.0]
    return tuple(dict.fromkeys(words))


def names_to_keep(gait: Gait, library: GaitLibrary, kept: Mapping[str, Gait]) -> tuple[str, ...]:
    """Names that a gait may be kept under, the most telling first, such as trot_quick_high.

    None of them is taken, except the last where the gait was made from one that is kept: that one may be replaced.

    Args:
        gait: to keep.
        library: the gaits that come with the robot, whose names cannot be had.
        kept: gaits that a person keeps, by name.

    Returns:
        None for a gait that is kept as it is already, or comes with the robot.
    """
    stem = base_name(gait.name)
    base = library[stem] if stem in library else kept.get(stem)
    if base is None:
        # Somebody gave it a name.
        return (_free(stem, library, kept),)
    if gait.model_copy(update={"name": base.name}) == base:
        return ()
    words = tuple(word for word in changes_of(gait, base) if word not in stem.split("_"))[:MOST_WORDS]
    told = ["_".join((stem, *words))] if words else []
    names = [_free(name, library, kept) for name in dict.fromkeys((*told, *(f"{stem}_{word}" for word in words), f"{stem}_mine"))]
    return (*names, stem) if stem in kept else tuple(names)


def _free(name: str, library: GaitLibrary, kept: Mapping[str, Gait]) -> str:
    """A name, with the smallest number behind it that makes it one that nobody has."""
    number, free = 1, name
    while free in library or free in kept:
        number += 1
        free = f"{name}_{number}"
    return free


Names = Callable[[Gait], tuple[str, ...]]
"""Names that a gait may be kept under, the most wanted first; none: there is nothing to keep."""


class NameChoice:
    """The names that are offered for one gait, one of them chosen.

    Attributes:
        gait: that is to be kept.
    """

    def __init__(self, gait: Gait, names: tuple[str, ...]) -> None:
        """Begin with the first of at least one name."""
        self.gait, self._names, self._chosen = gait, names, 0

    @property
    def named(self) -> Gait:
        """The gait under the chosen name."""
        return self.gait.model_copy(update={"name": self._names[self._chosen]})

    def turn(self, by: int) -> None:
        """Choose another one; after the last comes the first."""
        self._chosen = (self._chosen + by) % len(self._names)

    def line(self) -> str:
        """The chosen name and what can be done, as text."""
        which = f"name {self._chosen + 1} of {len(self._names)}; " if len(self._names) > 1 else ""
        others = "next, previous: another name; " if len(self._names) > 1 else ""
        return f"keep {self.gait.name} as '{self.named.name}'? {which}save: yes; {others}undo: no"
