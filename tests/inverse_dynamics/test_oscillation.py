# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.oscillation import OscillationMonitor
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import RobotModel

PERIOD = 0.004
LIMIT = np.full(12, 100.0)


def after(monitor: OscillationMonitor, torques: np.ndarray) -> OscillationMonitor:
    for torque in torques:
        monitor.update(torque)
    return monitor


def wave(frequency: float, amplitude: float, seconds: float = 4.0) -> np.ndarray:
    """A torque of 50 N m on every joint with a wave on joint 7, (n, 12)."""
    time = np.arange(0.0, seconds, PERIOD)
    torques = np.full((len(time), 12), 50.0)
    torques[:, 7] += amplitude * np.sin(2.0 * np.pi * frequency * time)
    return torques


def test_a_steady_torque_has_no_power() -> None:
    monitor = after(OscillationMonitor(LIMIT, PERIOD), wave(1.0, 0.0))
    np.testing.assert_allclose(monitor.power, 0.0, atol=1e-12)
    assert not monitor.oscillating


def test_a_fast_wave_has_the_power_of_a_wave_and_a_slow_one_none() -> None:
    fast = after(OscillationMonitor(LIMIT, PERIOD), wave(60.0, 20.0))
    assert fast.power[7] == pytest.approx(20.0**2 / 2.0, rel=0.1)
    assert fast.oscillating
    np.testing.assert_allclose(np.delete(fast.power, 7), 0.0, atol=1e-9)
    slow = after(OscillationMonitor(LIMIT, PERIOD), wave(2.0, 60.0))
    assert slow.power[7] < 1.0
    assert not slow.oscillating


def test_it_forgets() -> None:
    monitor = after(OscillationMonitor(LIMIT, PERIOD), np.vstack((wave(60.0, 20.0), wave(1.0, 0.0))))
    assert not monitor.oscillating
    monitor.update(np.full(12, np.nan))
    assert np.isfinite(monitor.power).all()


def test_a_trot_does_not_oscillate_and_too_stiff_gains_do(hyq: RobotModel) -> None:
    loud = []
    for factor in (1.0, 40.0):
        gains = hyq.description.control
        stiff = gains.model_copy(
            update={"base_velocity_gain": (12.0 * factor,) * 3, "base_rate_gain": tuple(factor * rate for rate in gains.base_rate_gain)}
        )
        loop = ClosedLoop(hyq, 1, perfect_sensors=True, controller=ReferenceController(hyq, stiff, "whole_body_qp"))
        loop.run(0.3)
        loop.change_gait("trot")
        loop.run(1.0, (0.2, 0.0, 0.0))
        monitor = OscillationMonitor(hyq.effort_limit, loop.robot.period)
        loud.append(after(monitor, np.array([sample.joint_effort for sample in loop.course.truth])).oscillating)
    assert loud == [False, True]


@pytest.mark.parametrize("values", [{"cutoff": 125.0}, {"cutoff": 0.0}, {"window": 0.0}, {"allowed": -1.0}])
def test_numbers_that_cannot_work_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match="oscillation monitor"):
        OscillationMonitor(LIMIT, PERIOD, **values)
