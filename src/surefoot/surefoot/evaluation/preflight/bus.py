# SPDX-License-Identifier: Apache-2.0
"""The servos, read over their bus; no command is written to them."""

import time
from collections.abc import Callable

import numpy as np

from surefoot.evaluation.preflight.checklist import Check, Outcome, check
from surefoot.evaluation.preflight.sensors import LOW_RATE
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import ServoBus

HOT = 60.0  # degrees Celsius, of a servo that has not worked yet


def bus(
    servos: ServoBus,
    model: RobotModel,
    seconds: float,
    now: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[Check, ...]:
    """Read a bus for some seconds, and say what its servos say of themselves.

    Args:
        servos: the bus, open.
        model: the believed robot.
        seconds: for which it is read.
        now, sleep: clock, s.
    """
    period, begin = 1.0 / model.description.control.rate, now()
    samples: list[SensorSample] = []
    while now() - begin < seconds:
        sample = servos.read()
        samples += [] if sample is None else [sample]
        sleep(period)
    health = servos.health()
    if not samples or health.problem:
        advice = "look at power, cable, port, baud rate and identities: `surefoot servos find`"
        return (Check("bus", Outcome.BAD, health.problem or "no servo answers", advice),)
    rate = len(samples) / (now() - begin)
    words = f"{rate:.0f} Hz of {1.0 / period:.0f} Hz"
    advice = "a higher baud rate, or a lower control rate in the robot's YAML"
    checks = [check("bus", rate > LOW_RATE / period, words, advice, Outcome.WARNING)]
    checks += [Check("servo", Outcome.BAD, fault, "mend it before the robot is armed") for fault in health.faults]
    checks += _limits(samples[-1], model)
    if np.isfinite(health.temperature).any():
        hottest = float(np.nanmax(health.temperature))
        checks.append(check("temperature", hottest < HOT, f"up to {hottest:.0f} degrees", "let the servos cool down", Outcome.WARNING))
    if np.isfinite(health.voltage).any():
        checks.append(Check("voltage", Outcome.GOOD, f"{np.nanmin(health.voltage):.1f} to {np.nanmax(health.voltage):.1f} V"))
    return tuple(checks)


def _limits(sample: SensorSample, model: RobotModel) -> list[Check]:
    outside = [
        f"{name} at {angle:.3f} rad, outside of {lower:.3f} to {upper:.3f}"
        for name, angle, lower, upper in zip(
            model.description.joint_names, sample.joint_position, model.position_lower, model.position_upper, strict=True
        )
        if not lower <= angle <= upper
    ]
    advice = "move the joint by hand, or correct its zero and sign in config/buses"
    return [Check("limits", Outcome.BAD, words, advice) for words in outside] or [Check("limits", Outcome.GOOD, "all joints within theirs")]
