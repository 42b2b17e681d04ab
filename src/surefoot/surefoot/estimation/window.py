# SPDX-License-Identifier: Apache-2.0
"""A window of measurements in the order of their own times, replayed from a frozen base.

Each instant at which something was measured has a slot, and each slot the memory of the filter after it. A measurement that comes late
goes into the slot of its own time, and everything from there on is computed again [Levashov 2012, section 4.2]. What has been in the
window for its whole length is frozen: the oldest memory is the base, and no slot before it is kept.
"""

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.flat import flat

Records = NDArray[np.void]


class ReplayWindow:
    """Slots and memories of any filter. The filter itself replays `memories[begin + dirty ...]`; nothing here knows what is in them.

    Attributes:
        slots, memories: records; those from `begin` to `end` count, the one at `begin` is the frozen base.
        begin, end: range of the records in use; empty before `start`.
        first_dirty: index of the first memory that does not answer to its slot; `end` if all do.
    """

    def __init__(self, slot_type: np.dtype[np.void], memory_type: np.dtype[np.void], duration: float, capacity: int = 256) -> None:
        """Args:
        slot_type: record with a float field `time`, s.
        memory_type: record of the filter.
        duration: for which a measurement may be late, s.
        capacity: slots at once; when there are more, the oldest are frozen early.
        """
        self.slots, self.memories = np.zeros(capacity, slot_type), np.zeros(capacity, memory_type)
        self._times, self._slot_numbers = self.slots["time"], flat(self.slots)
        self._duration = duration
        self.begin = self.end = self.first_dirty = 0

    def start(self, time: float, memory: Records) -> int:
        """Begin with a memory (1,) at a time, s. Returns the index of its slot, the base."""
        self.begin, self.end, self.first_dirty = 0, 1, 1
        self.slots[0], self.memories[0] = np.zeros(1, self.slots.dtype)[0], memory[0]
        self._times[0] = time
        return 0

    @property
    def base_time(self) -> float:
        """Time of the frozen base, s."""
        return float(self._times.item(self.begin))

    @property
    def newest_time(self) -> float:
        """Time of the last slot, s."""
        return float(self._times.item(self.end - 1))

    def find(self, time: float) -> int | None:
        """Index of the slot of a time, s; None if there is none."""
        index = self._place(time)
        return index if index < self.end and self._times.item(index) == time else None

    def insert(self, time: float) -> int | None:
        """Make the slot of a time, s, that has none yet: a copy of the one before it, from which the filter has to clear what was measured.

        Returns:
            Its index; None if the time is frozen.
        """
        index = self._place(time)
        if self.end == len(self.slots):
            index -= self._make_room()
        if index <= self.begin:
            return None
        if index < self.end:
            self.slots[index + 1 : self.end + 1] = self.slots[index : self.end].copy()
        self._slot_numbers[index] = self._slot_numbers[index - 1]
        self._times[index] = time
        self.end += 1
        self.mark(index)
        return index

    def _place(self, time: float) -> int:
        """Index of the first slot that is not before a time."""
        # What is new, or as new as the newest, is almost all that comes.
        newest: float = self._times.item(self.end - 1)
        if time >= newest:
            return self.end - 1 if time == newest else self.end
        return self.begin + int(self._times[self.begin : self.end].searchsorted(time))

    def mark(self, index: int) -> None:
        """Say that the slot at an index has changed."""
        self.first_dirty = max(self.begin + 1, min(self.first_dirty, index))

    def clear_after(self, time: float, column: int) -> None:
        """Zero a number, as of a measurement that was none, in all slots after a time, s, that are not frozen."""
        first = max(self.begin + 1, self.begin + int(self._times[self.begin : self.end].searchsorted(time, side="right")))
        if self._slot_numbers[first : self.end, column].any():
            self._slot_numbers[first : self.end, column] = 0.0
            self.mark(first)

    def truncate(self, end: int) -> None:
        """Drop the slots from an index on."""
        self.end = end
        self.first_dirty = min(self.first_dirty, end)

    def freeze(self, can_be_base: NDArray[np.bool_] | None = None) -> None:
        """Give up the slots that are older than the window. Every memory has to answer to its slot.

        Args:
            can_be_base: of each slot from `begin` to `end`, whether nothing that is still to come can change what it means; all if None.
        """
        old = int(self._times[self.begin : self.end].searchsorted(self._times.item(self.end - 1) - self._duration, side="right"))
        if can_be_base is not None:
            while old > 1 and not can_be_base[old - 1]:
                old -= 1
        self.begin += max(0, old - 1)

    @property
    def full(self) -> bool:
        """Whether the next new slot may freeze old ones before their time: every memory has to answer to its slot by then."""
        return self.end == len(self.slots)

    def _make_room(self) -> int:
        """Move what counts to the front; where nothing is free, freeze the oldest half. Returns by how much indices fell."""
        if self.begin == 0:
            self.begin = len(self.slots) // 2
        shift, count = self.begin, self.end - self.begin
        self.slots[:count] = self.slots[shift : self.end].copy()
        self.memories[:count] = self.memories[shift : self.end].copy()
        self.begin, self.end, self.first_dirty = 0, count, max(1, self.first_dirty - shift)
        return shift
