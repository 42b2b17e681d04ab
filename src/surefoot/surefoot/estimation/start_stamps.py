# SPDX-License-Identifier: Apache-2.0
"""How the stamps of the sensors go before the start: what there is to say of sensors that are silent, rare, or on another clock."""

NEEDED = ("imu", "joints")
"""Sensors without which nothing can be said."""

ASKED = {"imu": "its driver, its topic, /imu, and what the log says of refused samples",
         "joints": "the motors' driver, its topic, /joint_states, and what the log says of refused samples"}  # fmt: skip
"""Where to look for a sensor that is not heard."""


class StartStamps:
    """Notes when each of the needed sensors spoke, by its own stamps."""

    def __init__(self, longest_gap: float) -> None:
        """Args:
        longest_gap: between two samples of a sensor, and between the stamps of two sensors, s.
        """
        self._longest = longest_gap
        self._last: dict[str, float] = {}
        self._steps = dict.fromkeys(NEEDED, 0.0)
        self._waited = dict.fromkeys(NEEDED, 0.0)

    def note(self, sensor: str, time: float) -> None:
        """A sample came with this stamp, s, later than the last of its sensor."""
        step = self._steps[sensor] = time - self._last.get(sensor, time)
        self._last[sensor] = time
        for other in NEEDED:
            # By the stamps of those who speak: how late somebody is stamped says nothing about whether he does.
            self._waited[other] = 0.0 if other == sensor else self._waited[other] + step

    @property
    def lacks(self) -> str:
        """What a start needs and the stamps do not show, with its value, the limit and the way out; empty if they show it."""
        return "; ".join([words for sensor in NEEDED if (words := self._silent(sensor) or self._rare(sensor))]) or self._two_clocks()

    def _silent(self, sensor: str) -> str:
        waited = self._waited[sensor]
        # One that comes too rarely is silent for a while each time.
        if waited <= max(self._longest, 1.5 * self._steps[sensor]):
            return ""
        others = " and ".join(other for other in NEEDED if other != sensor)
        which = "nothing" if sensor not in self._last else "nothing new"
        words = f"{which} came from {sensor} that can be used, while {others} came for {waited:.2f} s, more than {self._longest:g} s"
        return f"{words}: look at {ASKED[sensor]}"

    def _rare(self, sensor: str) -> str:
        step = self._steps[sensor]
        if step <= self._longest:
            return ""
        words = f"samples of {sensor} are {1e3 * step:.0f} ms apart, and at most {1e3 * self._longest:.0f} ms is asked"
        return f"{words}: let its driver send more often, or see what keeps its messages"

    def _two_clocks(self) -> str:
        if len(self._last) < len(NEEDED):
            return ""
        apart = self._last["imu"] - self._last["joints"]
        return "" if abs(apart) <= self._longest else two_clocks("imu", "joints", apart, self._longest)


def two_clocks(one: str, other: str, apart: float, limit: float) -> str:
    """Words for two sensors whose stamps are that far apart, s, with the way out."""
    which = "after" if apart > 0.0 else "before"
    words = f"stamps of {one} are {abs(apart):.3f} s {which} those of {other}, and at most {limit:g} s is asked"
    return f"{words}: they have two clocks; let one clock stamp both, or synchronise the two"
