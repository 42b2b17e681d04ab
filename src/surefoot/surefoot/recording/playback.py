# SPDX-License-Identifier: Apache-2.0
"""How far a bag has been played: speed, pause, step, seek, loop."""

import math

from surefoot.errors import ConfigurationError


class Playback:
    """Turns the time of the wall into the time of a bag. Times of the bag in ns, of the wall in s.

    Args:
        start, end: of the bag.
        speed: times real time; infinite: as fast as it goes.
        loop: begin again at the end.
        paused: wait for the first word.

    Attributes:
        loop: see there.
        jumps: how often time went elsewhere than on: whoever remembers anything has to forget it.
    """

    def __init__(self, start: int, end: int, speed: float = 1.0, loop: bool = False, paused: bool = False) -> None:
        self.start, self.end = start, max(start, end)
        self.loop, self.jumps = loop, 0
        self._speed, self._paused = _checked(speed), paused
        self._position = float(start)
        self._looked_at: float | None = None

    @property
    def position(self) -> int:
        """Up to which the bag is to be played."""
        return round(self._position)

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    @property
    def speed(self) -> float:
        """Times real time."""
        return self._speed

    def look(self, wall: float) -> int:
        """The position now. At the end it is where the bag ends, or, looping, the beginning again.

        Args:
            wall: time, s; it does not go back.
        """
        elapsed = 0.0 if self._looked_at is None else wall - self._looked_at
        self._looked_at = wall
        if self._paused:
            return self.position
        if self._position >= self.end:
            if self.loop:
                self.seek(self.start)
            return self.position
        further = elapsed * self._speed * 1e9 if math.isfinite(self._speed) else math.inf
        self._position = min(float(self.end), self._position + further)
        return self.position

    def pause(self, paused: bool = True) -> None:
        """Let time stand still, or go on."""
        self._paused = paused

    def set_speed(self, speed: float) -> None:
        """Another speed from now on. Raises ConfigurationError for what is none."""
        self._speed = _checked(speed)

    def step_to(self, position: int) -> None:
        """Go on by a step and stand still there."""
        self._position, self._paused = float(min(max(position, self._position), self.end)), True

    def seek(self, position: int) -> None:
        """Go elsewhere: within the bag, whatever was asked for."""
        self._position = float(min(max(position, self.start), self.end))
        self.jumps += 1


def _checked(speed: float) -> float:
    if not speed > 0.0:
        raise ConfigurationError(f"a bag is played at a speed over 0, not {speed:g}; to hold it, pause it")
    return speed
