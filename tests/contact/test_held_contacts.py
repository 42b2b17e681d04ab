# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.contact.complementarity import RAY, SOLVED
from surefoot.contact.held_contacts import press_held_contacts
from surefoot.contact.principal_pivoting import DEPENDENT


def test_held_contacts_do_not_slip_and_the_others_bear_no_tangential_force() -> None:
    random, loaded = np.random.default_rng(3), 0
    for _ in range(100):
        contacts, size = int(random.integers(1, 9)), int(random.integers(6, 9))
        whitened, held = random.normal(size=(3 * contacts, size)), np.zeros(contacts, np.bool_)
        held[: random.integers(0, 3)] = True
        free, floor, force = whitened @ random.normal(size=size), -random.uniform(0.0, 0.5, contacts), np.empty(3 * contacts)
        status, pivots, slip = press_held_contacts(whitened, free, floor, held, np.empty(0, np.int64), DEPENDENT, 1.0, force)
        assert status == SOLVED
        assert slip < 1e-9
        motion = free + whitened @ (whitened.T @ force)
        above, load = motion[::3] - floor, force[::3]
        assert load.min() >= 0.0
        assert above.min() > -1e-7
        assert np.abs(load * above).max() < 1e-6 * (1.0 + load.max())
        np.testing.assert_allclose(motion.reshape(-1, 3)[held, 1:], 0.0, atol=1e-8)
        np.testing.assert_array_equal(force.reshape(-1, 3)[~held, 1:], 0.0)
        loaded += bool(load.any())
        again = np.empty_like(force)
        assert press_held_contacts(whitened, free, floor, held, np.flatnonzero(load), DEPENDENT, 1.0, again)[:2] == (SOLVED, 0)
        np.testing.assert_allclose(again, force, atol=1e-8 * (1.0 + np.abs(force).max()))
        assert pivots >= np.count_nonzero(load)
    assert loaded > 50


def test_what_no_force_can_stop_is_said() -> None:
    none = np.empty(0, np.int64)
    falling = press_held_contacts(
        np.zeros((3, 1)), np.array([-1.0, 0.0, 0.0]), np.zeros(1), np.zeros(1, np.bool_), none, DEPENDENT, 1.0, np.empty(3)
    )
    assert falling[0] == RAY
    dragged = press_held_contacts(
        np.zeros((3, 1)), np.array([0.0, 2.0, 0.0]), np.zeros(1), np.ones(1, np.bool_), none, DEPENDENT, 1.0, np.empty(3)
    )
    assert dragged == (SOLVED, 0, 2.0)
