# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.estimation.planar.body import PlanarBody
from surefoot.estimation.planar.sensors import PLACE_ROWS, RATE_ROWS, BaseInPlane, BaseSensor, Encoders

STATE = np.array([0.1, 0.02, -0.1, 0.3, -0.7, -0.4, 0.6, 0.05, -0.02, 0.7, -1.0, 2.0, 0.5, -3.0])


def test_its_jacobian_is_that_of_differences(body: PlanarBody) -> None:
    base, step = BaseInPlane(body), 1e-6
    exact = base.at(STATE).jacobian
    for k in range(14):
        change = step * np.eye(14)[k]
        difference = (base.at(STATE + change).value - base.at(STATE - change).value) / (2.0 * step)
        np.testing.assert_allclose(exact[:, k], difference, atol=1e-7)


def test_the_velocity_is_how_fast_the_place_changes(body: PlanarBody) -> None:
    base, step = BaseInPlane(body), 1e-6
    moved = STATE.copy()
    moved[:7] += step * STATE[7:]
    np.testing.assert_allclose((base.at(moved).value[:3] - base.at(STATE).value[:3]) / step, base.at(STATE).value[3:], atol=1e-5)


def test_sensors_see_their_part_of_it(body: PlanarBody) -> None:
    base = BaseInPlane(body)
    pose, gyroscope = BaseSensor(base, PLACE_ROWS, (0.1, 0.2, 0.3)), BaseSensor(base, RATE_ROWS[2:], (0.4,))
    assert (pose.size, gyroscope.size, Encoders(0.5).size) == (3, 1, 4)
    np.testing.assert_array_equal(pose.expect(STATE, 0).value, base.at(STATE).value[:3])
    assert gyroscope.expect(STATE, 0).value.item() == STATE[9]
    np.testing.assert_array_equal(Encoders(0.5).expect(STATE, 0).value, STATE[3:7])
    np.testing.assert_allclose(pose.noise(), np.diag([0.01, 0.04, 0.09]))
