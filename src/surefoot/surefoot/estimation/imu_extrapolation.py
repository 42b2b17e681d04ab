# SPDX-License-Identifier: Apache-2.0
"""The IMU extrapolated beyond its last sample: the force goes back to its mean, the rate walks, and legs tell how far they got.

In a trot the force swings about its mean within some hundredths of a second, so a sample that is held soon says less than the mean
does. By its samples it is taken for the process that forgets with a time constant [Ornstein 1930],

    d force = (mean - force) / forgotten_in dt + root(unrest) dW,

in each axis of the base: variance about the mean unrest * forgotten_in / 2, of which a low-pass with time constant t leaves over the part
t / (t + forgotten_in). The two variances, both seen, give both numbers.

A robot that walks does the same in every step: its force jumps where legs come down, and where they are swung, and hardly changes in
between. So for each part of the time since a foot was last lifted off it is learned how many times its mean the unrest is there. Said to
be the same all the time, it is too much for most of a step, and far too little for the jumps. Where no foot is lifted off for longer than
the parts are long, it stays what it is at the end of the last one: learned from steps that took so long, and the mean while there was none.

What the force does on its own after the last sample is an error that lasts, and is for the filter what the accelerometer's bias is: legs
that have spoken since correct it, and it is forgotten with the rest. The angular velocity changes more smoothly, and walks: a bias of the
gyroscope, but for the rate about the vertical, of which legs say nothing while the robot moves (legs.py). That adds to the yaw what it
adds, and to the speeds of the feet as noise. Nothing of all this stays: once the next sample has come, what was held is computed anew
from the memory before.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, GYROSCOPE_BIAS, ORIENTATION, PHASES, POSITION, VELOCITY, ZEROS
from surefoot.stack_arrays import stack_vector

Array = NDArray[np.float64]

DRIFT, MEAN_SHARE, REST_SHARE, FORCE, SPEED, BOTH = 5, 0, 1, 2, 3, 4
"""Rows of what a held step does in each axis: mean share of a deviation during it, what is left of it at the end over that mean; variance
that the force and its sum get, and their covariance."""

PHASE = 0.01
"""Length of a part of a step, s, as steps are not alike to the millisecond. Between parts the share of the unrest is interpolated."""

STEPS_REMEMBERED = 5.0
"""Over so many steps a share is averaged."""


@compiled
def begin_force(state: Any, force: Array) -> None:
    """Begin with a first sample (3,), m/s^2."""
    for i in range(3):
        state.slow_force[i] = state.mean_force[i] = force[i]
        state.force_spread[i] = state.force_unrest[i] = 0.0
        for k in range(PHASES):
            state.unrest_share[k, i] = 1.0


@compiled
def note_force(state: Any, parameters: Any, force: Array, span: float) -> None:
    """See by a sample (3,), m/s^2, how far the force swings; `span` is the time since the last one, s."""
    learn, follow = span / (parameters.walk_memory + span), span / (parameters.force_time + span)
    phase = _phase(state, state.time - 0.5 * span)
    first = min(int(phase), PHASES - 2)
    later = (phase - first) * span
    now, whole = span - later, STEPS_REMEMBERED * PHASE
    for i in range(3):
        swing, jump = force[i] - state.mean_force[i], force[i] - state.slow_force[i]
        state.mean_force[i] += learn * swing
        state.slow_force[i] += follow * jump
        state.force_spread[i] += learn * (swing * swing - state.force_spread[i])
        # Of what was not followed yet, to that about a low-pass that was: as span becomes small it is the same.
        seen = (1.0 - follow) * jump * jump
        # What a robot shows that has only just begun to walk is not measured by how it stood.
        mean = max(state.force_unrest[i], 0.25 * parameters.force_time * parameters.least_force_walk)
        # What comes later than the last part is not of it: a robot that stands would teach it standing.
        if phase < PHASES - 1.0 and mean > 0.0:
            share, times = state.unrest_share, seen / mean
            share[first, i] += now / (whole + now) * (times - share[first, i])
            share[first + 1, i] += later / (whole + later) * (times - share[first + 1, i])
        state.force_unrest[i] += learn * (seen - state.force_unrest[i])


@compiled
def let_force_go_back(state: Any, parameters: Any, step: float, held_for: float, force: Array, drift: Array) -> None:
    """Move the force that is held, and the bias that legs have told since, by a step, in place.

    Args:
        state: record of FILTER_STATE.
        parameters: record of FILTER_PARAMETERS.
        step: s.
        held_for: for how long it has been held at the beginning of the step, s.
        force: output, mean over the step without the bias, (3,), m/s^2.
        drift: output, (5, 3), in the axes of the base.
    """
    forgotten_in, unrest, times = stack_vector(3), stack_vector(3), stack_vector(3)
    for i in range(3):
        if held_for == 0.0:
            state.settled_bias[i] = state.accelerometer_bias[i]
        forgotten_in[i] = parameters.walk_memory
        if state.force_unrest[i] > 0.0:
            by_samples = parameters.force_time * (state.force_spread[i] / state.force_unrest[i] - 1.0)
            forgotten_in[i] = min(max(by_samples, parameters.force_time), parameters.walk_memory)
        unrest[i] = 2.0 * state.force_spread[i] / forgotten_in[i]
        left = math.exp(-step / forgotten_in[i])
        share = (1.0 - left) * forgotten_in[i] / step
        away, told = state.specific_force[i] - state.mean_force[i], state.accelerometer_bias[i] - state.settled_bias[i]
        force[i] = state.mean_force[i] + share * away - (state.settled_bias[i] + share * told)
        state.specific_force[i] = state.mean_force[i] + left * away
        state.accelerometer_bias[i] = state.settled_bias[i] + left * told
        drift[MEAN_SHARE, i], drift[REST_SHARE, i] = share, left / share
        drift[FORCE, i] = drift[SPEED, i] = drift[BOTH, i] = 0.0
    pieces = max(1, math.ceil(step / PHASE))
    piece = step / pieces
    for k in range(pieces):
        _unrest_share(state, state.time + (k + 0.5) * piece, times)
        for i in range(3):
            parts = piece / forgotten_in[i]
            left, walk = math.exp(-parts), max(times[i] * unrest[i], parameters.least_force_walk)
            gone, way = 1.0 - left, forgotten_in[i] * (1.0 - left)
            # What the force has got before goes on, less what is forgotten of it, and carries the sum along.
            drift[SPEED, i] += way * (2.0 * drift[BOTH, i] + way * drift[FORCE, i])
            drift[SPEED, i] += walk * forgotten_in[i] ** 3 * (parts - 2.0 * gone + 0.5 * (1.0 - left * left))
            drift[BOTH, i] = left * (drift[BOTH, i] + way * drift[FORCE, i]) + 0.5 * walk * way * way
            drift[FORCE, i] = left * left * drift[FORCE, i] + 0.5 * walk * forgotten_in[i] * (1.0 - left * left)


@compiled
def _phase(state: Any, time: float) -> float:
    """Where in a step a time is, s, in parts of one; what is later counts as the end of the last part."""
    return float(min(max((time - state.step_begun) / PHASE, 0.0), PHASES - 1.0))


@compiled
def _unrest_share(state: Any, time: float, times: Array) -> None:
    """How many times its mean the unrest of the force is at a time, s, in each axis, by the steps before; `times` (3,) is the output."""
    phase = _phase(state, time)
    first = min(int(phase), PHASES - 2)
    later = phase - first
    for i in range(3):
        times[i] = (1.0 - later) * state.unrest_share[first, i] + later * state.unrest_share[first + 1, i]


@compiled
def scale_force_error(state: Any, share: Array) -> None:
    """Let of the accelerometer's error only a share (3,) be left, and of what the zeros have done to it."""
    covariance, effect = state.covariance, state.zero_effect
    for i in range(3):
        at = ACCELEROMETER_BIAS + i
        for column in range(ERRORS):
            covariance[at, column] *= share[i]
        for row in range(ERRORS):
            covariance[row, at] *= share[i]
        for column in range(ZEROS):
            effect[at, column] *= share[i]


@compiled
def add_drift(state: Any, rotation: Array, drift: Array, step: float) -> None:
    """Let the force drift for a step, s: what it has added to the velocity it has added to the position for half of it.

    Args:
        state: record of FILTER_STATE, whose covariance changes.
        rotation: odom_from_base in the middle of the step, (3, 3).
        drift: (5, 3).
    """
    covariance, half = state.covariance, 0.5 * step
    for axis in range(3):
        at = ACCELEROMETER_BIAS + axis
        covariance[at, at] += drift[FORCE, axis]
        for i in range(3):
            # A force that is larger than what is held is a bias that is smaller.
            both = -rotation[i, axis] * drift[BOTH, axis]
            covariance[VELOCITY + i, at] += both
            covariance[at, VELOCITY + i] += both
            covariance[POSITION + i, at] += half * both
            covariance[at, POSITION + i] += half * both
            for j in range(3):
                speed = rotation[i, axis] * rotation[j, axis] * drift[SPEED, axis]
                covariance[VELOCITY + i, VELOCITY + j] += speed
                covariance[POSITION + i, VELOCITY + j] += half * speed
                covariance[VELOCITY + i, POSITION + j] += half * speed
                covariance[POSITION + i, POSITION + j] += half * half * speed


@compiled
def let_rate_walk(state: Any, rotation: Array, held_for: float, step: float) -> None:
    """Let the angular velocity walk away from its last sample for a step.

    Args:
        state: record of FILTER_STATE, whose covariance changes.
        rotation: odom_from_base in the middle of the step, (3, 3).
        held_for: for how long it has been held at the beginning of the step, s.
        step: s.
    """
    covariance, vertical = state.covariance, rotation[2]
    for axis in range(3):
        variance = step * state.rate_walk[axis]
        for m in range(3):
            # By the axis about which the base turns, less its part about the vertical.
            level_m = (1.0 if m == axis else 0.0) - vertical[m] * vertical[axis]
            for n in range(3):
                level_n = (1.0 if n == axis else 0.0) - vertical[n] * vertical[axis]
                covariance[GYROSCOPE_BIAS + m, GYROSCOPE_BIAS + n] += variance * level_m * level_n
            for i in range(2):
                both = -0.5 * step * variance * rotation[i, axis] * level_m
                covariance[ORIENTATION + i, GYROSCOPE_BIAS + m] += both
                covariance[GYROSCOPE_BIAS + m, ORIENTATION + i] += both
        for i in range(2):
            for j in range(2):
                covariance[ORIENTATION + i, ORIENTATION + j] += step * step * variance / 3.0 * rotation[i, axis] * rotation[j, axis]
    yaw = ((held_for + step) ** 3 - held_for**3) / 3.0 * vertical_walk(state)
    covariance[ORIENTATION + 2, ORIENTATION + 2] += yaw


@compiled
def vertical_walk(state: Any) -> float:
    """How fast the variance of the rate about the vertical grows while a sample is held, (rad/s)^2/s."""
    total = 0.0
    for axis in range(3):
        total += state.rotation[2, axis] ** 2 * state.rate_walk[axis]
    return total
