# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.law import FAILED, SOLVED
from surefoot.inverse_dynamics.sensed_contact import SensedContact


@pytest.mark.parametrize("delay", [1, 2])
def test_forces_come_late(multibody, delay: int) -> None:
    law = SensedContact(delay)
    problem = multibody(np.eye(4), (0.0, 0.0, 9.81, 0.0), np.eye(3, 4), [(0.0, 0.0, 1.0)], actuated=(3,), acceleration=(2.0,))
    for tick in range(6):
        law.sense(np.array([[0.0, 0.0, float(tick)]]))
        answer = law(problem)
        if tick + 1 < delay:
            assert answer.status == FAILED
            continue
        assert answer.status == SOLVED
        np.testing.assert_allclose(answer.force, (0.0, 0.0, tick + 1 - delay))
        np.testing.assert_allclose(answer.acceleration, (0.0, 0.0, tick + 1 - delay - 9.81, 2.0))
        np.testing.assert_allclose(answer.torque, (2.0,))
    law.reset()
    assert law(problem).status == FAILED


def test_contacts_are_some_of_the_sensed_points(multibody) -> None:
    law = SensedContact()
    problem = multibody(np.eye(3), np.zeros(3), np.eye(3), [(0.0, 0.0, 1.0)])
    law.sense(np.arange(12.0).reshape(4, 3))
    np.testing.assert_allclose(law(problem, None, np.array([2])).force, (6.0, 7.0, 8.0))
    assert law(problem, None, np.array([4])).status == FAILED
    assert law(problem, None, np.array([0, 1])).status == FAILED


def test_what_was_not_measured_yet_cannot_be_sensed() -> None:
    with pytest.raises(ConfigurationError, match="cannot be sensed 0 ticks late"):
        SensedContact(0)
