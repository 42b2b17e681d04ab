# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.inverse_dynamics.contact_problem import contact_problem


@pytest.mark.parametrize(
    ("loads", "internal"),
    [((0.0,) * 4, 0), ((0, 1.0, 0, 0), 0), ((1.0, 0, 0, 1.0), 1), ((1.0, 1.0, 1.0, 0), 3), ((1.0,) * 4, 6)],
)
def test_internal_forces_put_no_wrench_on_the_base(stand, terms_of, loads: tuple[float, ...], internal: int) -> None:
    plan, state = stand(loads=loads)
    contacts = contact_problem(terms_of(state[0]), plan[0], 1200.0)
    assert contacts.internal.shape == (3 * np.count_nonzero(loads), internal)
    np.testing.assert_allclose(contacts.wrench_map @ contacts.internal, 0.0, atol=1e-12)
    np.testing.assert_allclose(contacts.internal.T @ contacts.internal, np.eye(internal), atol=1e-12)


def test_the_wrench_is_force_and_moment_about_the_base_origin(stand, terms_of) -> None:
    plan, state = stand(loads=(0, 0, 1.0, 0))
    terms = terms_of(state[0])
    force = np.array([3.0, -2.0, 100.0])
    wrench = contact_problem(terms, plan[0], 1200.0).wrench_map @ force
    lever = terms.foot_positions[2] - state["base_position"][0]
    np.testing.assert_allclose(wrench, np.concatenate((force, np.cross(lever, force))), atol=1e-10)


def test_loads_scale_the_bound(stand, terms_of) -> None:
    plan, state = stand(loads=(1.0, 0.25, 0.0, 0.0))
    contacts = contact_problem(terms_of(state[0]), plan[0], 1000.0)
    np.testing.assert_array_equal(contacts.legs, [0, 1])
    np.testing.assert_array_equal(contacts.bounds[[1, 7]], [-1000.0, -250.0])


@pytest.mark.parametrize(("places", "internal"), [([0, 0, 0, 0], 9), ([0, 0, 1, 1], 7), ([0, 1, 2, 2], 6), ([0, 1, 2, 3], 6)])
def test_feet_in_one_place_leave_more_internal_forces(stand, terms_of, places: list[int], internal: int) -> None:
    plan, state = stand()
    terms = terms_of(state[0])
    contacts = contact_problem(terms._replace(foot_jacobians=terms.foot_jacobians[places]), plan[0], 1200.0)
    assert contacts.internal.shape == (12, internal)
    np.testing.assert_allclose(contacts.wrench_map @ contacts.internal, 0.0, atol=1e-12)
    np.testing.assert_allclose(contacts.internal.T @ contacts.internal, np.eye(internal), atol=1e-12)
