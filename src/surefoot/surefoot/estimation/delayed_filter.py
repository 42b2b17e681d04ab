# SPDX-License-Identifier: Apache-2.0
"""An extended Kalman filter of any model in whole steps, whose sensors may be late by any number of them [Levashov 2012, section 4.2].

The equations as printed subtract the innovation and take the measurement's Jacobian at the posterior; here the sign is plus and the
Jacobian is taken at the prediction, with which the filter equals a Kalman filter on the state augmented by its own past.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SensorError
from surefoot.estimation.window import ReplayWindow

Array = NDArray[np.float64]


class Linearised(NamedTuple):
    """A value and its derivative by the state."""

    value: Array
    jacobian: Array


class Process(Protocol):
    """What moves: n states, k inputs, and modes in which it moves differently."""

    state_size: int
    input_size: int

    def advance(self, state: Array, control: Array, mode: int) -> Linearised:
        """State (n,) after one step from a state (n,) under an input (k,), and its Jacobian (n, n)."""
        ...

    def noise(self, mode: int) -> Array:
        """Covariance that one step adds, (n, n)."""
        ...


class Sensor(Protocol):
    """What sees the state."""

    size: int

    def expect(self, state: Array, mode: int) -> Linearised:
        """What it reads at a state, (m,), and its Jacobian (m, n)."""
        ...

    def noise(self) -> Array:
        """Covariance of a reading, (m, m)."""
        ...


class DelayedFilter:
    """Keeps a window of steps: inputs, modes and readings, each at the step to which it belongs.

    A reading that is lost is simply not there. The input and the mode of a step are those in force from that step on; what is read at a
    step is read in the mode that led to it.
    """

    def __init__(self, process: Process, sensors: Mapping[str, Sensor], longest_delay: int, mean: Array, covariance: Array) -> None:
        """Args:
        process: that moves.
        sensors: by name.
        longest_delay: of a reading, in steps.
        mean, covariance: at step 0, (n,) and (n, n).
        """
        self._process, self._sensors = process, dict(sensors)
        n = process.state_size
        readings = [(f"has_{name}", np.float64) for name in sensors] + [(name, np.float64, (s.size,)) for name, s in sensors.items()]
        modes = [("mode", np.int64), ("mode_before", np.int64)]
        slot = np.dtype([("time", np.float64), ("control", np.float64, (process.input_size,)), *modes, *readings])
        memory = np.dtype([("mean", np.float64, (n,)), ("covariance", np.float64, (n, n))])
        self._window = ReplayWindow(slot, memory, longest_delay, capacity=4 * (longest_delay + 2))
        first = np.zeros(1, memory)
        first["mean"], first["covariance"] = mean, covariance
        self._window.start(0.0, first)

    @property
    def step(self) -> int:
        """The newest step."""
        return round(self._window.newest_time)

    def advance(self, control: Array, mode: int = 0) -> None:
        """Go on by one step: `control` (k,) and `mode` are in force from the newest step to the next."""
        window = self._window
        self.estimate()
        # Only here: whoever asks for an estimate in between may still hear what is as late as allowed.
        window.freeze()
        slot = window.slots[window.end - 1]
        slot["control"], slot["mode"] = control, mode
        index = window.insert(window.newest_time + 1.0)
        assert index is not None
        window.slots["mode"][index] = window.slots["mode_before"][index] = mode
        for name in self._sensors:
            window.slots[f"has_{name}"][index] = 0.0

    def measure(self, sensor: str, step: int, reading: Array) -> None:
        """Take in what a sensor read at a step.

        Raises:
            SensorError: the step is not in the window, or the reading is not finite.
        """
        index = self._window.find(float(step))
        if index is None or index == self._window.begin:
            raise SensorError(f"step {step} of '{sensor}' is outside of the window, which begins after {self._window.base_time:g}")
        if not np.isfinite(reading).all():
            raise SensorError(f"the reading of '{sensor}' at step {step} is {reading}")
        slot = self._window.slots[index]
        slot[sensor], slot[f"has_{sensor}"] = reading, 1.0
        self._window.mark(index)

    def estimate(self) -> tuple[Array, Array]:
        """Mean (n,) and covariance (n, n) at the newest step by everything that came."""
        window = self._window
        for index in range(window.first_dirty, window.end):
            mean, covariance = self._step(window.memories[index - 1], window.slots[index - 1], window.slots[index])
            window.memories["mean"][index], window.memories["covariance"][index] = mean, covariance
        window.first_dirty = window.end
        last = window.memories[window.end - 1]
        return last["mean"].copy(), last["covariance"].copy()

    def ahead(self, control: Array, mode: int = 0) -> tuple[Array, Array]:
        """Mean and covariance one step after the newest, by a guess of the input (k,) that is in force meanwhile."""
        mean, covariance = self.estimate()
        moved = self._process.advance(mean, control, mode)
        return moved.value, moved.jacobian @ covariance @ moved.jacobian.T + self._process.noise(mode)

    def _step(self, memory: np.void, before: np.void, slot: np.void) -> tuple[Array, Array]:
        mode = int(before["mode"])
        moved = self._process.advance(memory["mean"], before["control"], mode)
        mean, covariance = moved.value, moved.jacobian @ memory["covariance"] @ moved.jacobian.T + self._process.noise(mode)
        heard = [name for name in self._sensors if slot[f"has_{name}"] > 0.0]
        if heard:
            expected = [self._sensors[name].expect(mean, int(slot["mode_before"])) for name in heard]
            seen = np.vstack([one.jacobian for one in expected])
            innovation = np.concatenate([slot[name] - one.value for name, one in zip(heard, expected, strict=True)])
            noise = np.zeros((len(innovation), len(innovation)))
            place = 0
            for name in heard:
                size = self._sensors[name].size
                noise[place : place + size, place : place + size] = self._sensors[name].noise()
                place += size
            gain = np.linalg.solve(seen @ covariance @ seen.T + noise, seen @ covariance).T
            mean = mean + gain @ innovation
            rest = np.eye(len(mean)) - gain @ seen
            covariance = rest @ covariance @ rest.T + gain @ noise @ gain.T
        return mean, covariance
