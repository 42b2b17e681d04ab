# SPDX-License-Identifier: Apache-2.0
"""Which stamps may be believed: late ones within the window, none that were used already, and a clock that jumps only if it stays there."""

import math
from dataclasses import dataclass, field

from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.start_stamps import two_clocks

GUESTS = ("pose", "magnetic_field")
"""Sensors that are not the robot's own. Anybody may send what they say, with any clock: they never move that of the robot."""

EARLY = 2.0
"""Ticks."""


@dataclass
class StampGate:
    """Watches the stamps of all sensors.

    A single stamp far from all others is a broken message; the second one in a row from the same sensor says that the sensors were silent,
    or that the clock has jumped.

    Attributes:
        refusals: where refused stamps are counted; kinds are not_finite, stamp_jumped, stamp_out_of_time and
            stamp_too_old.
        gap: how far after the newest stamp one is believed at once, s; believed too early, it would make all others too old.
        early: how far after the newest stamp of the robot's own sensors that of a guest may be, s; what was sampled together does not come
            together.
        jump: distance from the newest stamp at which the clock has jumped, s; up to that the sensors were silent.
    """

    refusals: Refusals
    gap: float
    jump: float
    early: float = 0.0
    _suspect: dict[str, float] = field(default_factory=dict)
    _jumped: tuple[str, float] = ("", 0.0)

    def check(self, sensor: str, time: float, newest: float) -> Refusal | bool:
        """Look at one stamp.

        Args:
            sensor: who stamped it.
            time: s.
            newest: the newest stamp of all sensors, s.

        Returns:
            False if nothing speaks against it, True if the clock has jumped and everything starts again with it, or the refusal.
        """
        if not math.isfinite(time):
            return self.refusals.add("not_finite", f"the stamp of {sensor} is {time}")
        distance = time - newest
        if -self.jump <= distance <= self.gap:
            self._suspect.pop(sensor, None)
            return False
        before = self._suspect.get(sensor)
        self._suspect[sensor] = time
        if before is not None and 0.0 < time - before <= self.jump:
            self._suspect.clear()
            return abs(distance) > self.jump
        where = "after" if distance > 0.0 else "before"
        words = f"stamp {time:.6f} s of {sensor} is {abs(distance):.3f} s {where} the newest one"
        return self.refusals.add("stamp_jumped", f"{words}: one such stamp is not believed, two in a row are")

    def words_of_jump(self, sensor: str, distance: float) -> str:
        """What happened when the stamps of a sensor jumped by a distance from the newest one, s.

        A clock that is set takes all sensors along. Where one sensor leads back to where another has led away from, there are two.
        """
        (other, before), self._jumped = self._jumped, (sensor, distance)
        if other and other != sensor and abs(distance + before) <= self.jump:
            return two_clocks(sensor, other, distance, self.gap)
        return f"no sensor data came for {distance:.2f} s" if distance > 0.0 else f"the clock went back by {-distance:.2f} s"

    def of_a_guest(self, sensor: str, time: float, newest: float) -> Refusal | None:
        """Look at a stamp of a sensor that is not the robot's own: however it is stamped, it never moves the clock.

        Args:
            newest: the newest stamp of the robot's own sensors, s; minus infinity before any, when there is nothing to hold it against.
        """
        if time - newest <= self.early or newest == -math.inf:
            return None
        words = f"stamp {time:.6f} s of {sensor} is {time - newest:.3f} s after the newest one of the robot's own sensors"
        return self.refusals.add("stamp_out_of_time", f"{words}: synchronise the clock of its sender with theirs")

    def too_old(self, sensor: str, time: float, base: float) -> Refusal:
        """Refuse a stamp that is older than the window reaches."""
        return self.refusals.add("stamp_too_old", f"stamp {time:.6f} s of {sensor} is not newer than {base:.6f} s, where the window begins")


@dataclass
class RefusedRun:
    """Samples of one sensor that were refused one after the other.

    Attributes:
        first, last: stamps of the first and of the last one, s.
        count: how many there were.
        words: why the last one was refused.
    """

    first: float
    last: float
    count: int
    words: str


@dataclass
class RefusedRuns:
    """Notices sensors that speak all the time, but of which nothing can be used.

    Attributes:
        longest: for which a sensor may say nothing else, s.
        most: samples in a row, for a sensor whose stamps stand still.
    """

    longest: float
    most: int
    _runs: dict[str, RefusedRun] = field(default_factory=dict)

    def refused(self, sensor: str, time: float, words: str) -> None:
        """A sample with this stamp, s, was refused; stamps that are no later than the last begin a new span."""
        run = self._runs.get(sensor)
        if run is None:
            run = self._runs[sensor] = RefusedRun(time, time, 0, words)
        elif not time > run.last:
            run.first = time
        run.last, run.words = time, words
        run.count += 1

    def used(self, sensor: str) -> None:
        """A sample was used."""
        self._runs.pop(sensor, None)

    def clear(self) -> None:
        """Forget all runs."""
        self._runs.clear()

    def complaint(self, sensor: str) -> str:
        """Why nothing of what a sensor says can be used, if that has been so for longer than it may; else empty."""
        run = self._runs.get(sensor)
        if run is None or (run.last - run.first < self.longest and run.count < self.most):
            return ""
        return f"the last {run.count} samples of {sensor} were refused: {run.words}"

    def gone_back(self, sensors: tuple[str, ...], newest: float) -> float:
        """By how much the clock has gone back and stayed there, by what all of these sensors say; 0 if it has not.

        Args:
            sensors: names.
            newest: the newest stamp that was used, s.
        """
        runs = [self._runs.get(sensor) for sensor in sensors]
        if not all(run is not None and run.last - run.first >= self.longest for run in runs):
            return 0.0
        return max(0.0, newest - max(run.last for run in runs if run is not None))
