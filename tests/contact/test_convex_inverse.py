# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.contact.convex_inverse import SoftContacts, project_on_cones


def cost(contacts: SoftContacts, force: np.ndarray, acceleration: np.ndarray) -> float:
    softness = np.column_stack((contacts.normal, contacts.tangential, contacts.tangential)).ravel()
    return float(0.5 * force @ (softness * force) + force @ acceleration)


@pytest.mark.parametrize("ratio", [1.0, 0.1, 10.0])
def test_forces_are_the_minimum_also_where_softness_differs(ratio: float) -> None:
    random, beaten = np.random.default_rng(4), 0
    for _ in range(100):
        normal, friction = random.uniform(0.1, 2.0, 1), random.choice([0.0, 0.3, 1.2], 1)
        contacts, acceleration = SoftContacts(normal, ratio * normal, friction), random.normal(size=3)
        force = contacts.force(acceleration)
        assert np.hypot(force[1], force[2]) <= friction[0] * force[0] + 1e-12
        best = cost(contacts, force, acceleration)
        for _ in range(50):
            near = project_on_cones((force + random.normal(size=3) * 10.0 ** random.uniform(-4, 0)).reshape(1, 3), friction).ravel()
            assert cost(contacts, near, acceleration) >= best - 1e-12
        plain = project_on_cones((-acceleration / (normal * np.array([1.0, ratio, ratio]))).reshape(1, 3), friction).ravel()
        beaten += cost(contacts, plain, acceleration) > best + 1e-6
    # The projection as printed is no minimum unless softness is the same in all directions.
    assert (beaten > 0) == (ratio != 1.0)


def test_the_slope_is_that_of_the_forces() -> None:
    random = np.random.default_rng(6)
    contacts = SoftContacts(np.array([0.5, 1.0, 2.0]), np.array([1.0, 1.0, 0.5]), np.array([0.0, 0.4, 1.5]))
    for _ in range(50):
        acceleration, step = random.normal(size=9), 1e-6
        slopes = contacts.slope(acceleration)
        for axis in range(9):
            change = np.zeros(9)
            change[axis] = step
            difference = (contacts.force(acceleration + change) - contacts.force(acceleration - change)) / (2.0 * step)
            expected = np.zeros(9)
            contact = axis // 3
            expected[3 * contact : 3 * contact + 3] = -slopes[contact][:, axis % 3]
            np.testing.assert_allclose(difference, expected, atol=1e-4)
