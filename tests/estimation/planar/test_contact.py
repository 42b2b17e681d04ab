# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.estimation.planar.contact import PlanarContact
from surefoot.estimation.planar.process import DOUBLE_SUPPORT, PINNED_BACK, PINNED_FRONT


def followed(process, settings, stand, push, duration=1.0):
    """The modes of a robot that stands and then moves its joints by push(time), (4,); and its contact."""
    contact, state, modes = PlanarContact(process, settings.planar), np.zeros(14), []
    state[3:7] = stand
    state = process.moved(state, stand, DOUBLE_SUPPORT)
    for step in range(round(duration / 0.01)):
        control = stand + push(0.01 * step)
        modes.append(contact.look(state, control, step))
        state = process.moved(state, control, modes[-1])
    return modes, contact


def test_a_robot_that_rests_stands_on_both(process, planar_settings, stand) -> None:
    modes, contact = followed(process, planar_settings, stand, lambda _: np.zeros(4))
    assert set(modes) == {DOUBLE_SUPPORT}
    assert (contact.touchdowns, contact.liftoffs, contact.bounces) == (0, 0, 0)


def test_a_pair_that_is_pulled_up_leaves_the_ground_and_comes_down_again(process, planar_settings, stand) -> None:
    """In turn the front and the back: what is pulled up is not what is pinned."""
    for pulled, pinned in ((slice(2, 4), PINNED_BACK), (slice(0, 2), PINNED_FRONT)):
        def push(time: float, pulled: slice = pulled) -> np.ndarray:
            change = np.zeros(4)
            if 0.2 < time < 0.35:
                change[pulled] = -0.4, 0.8
            return change

        modes, contact = followed(process, planar_settings, stand, push)
        lifted = [step for step, mode in enumerate(modes) if mode != DOUBLE_SUPPORT]
        assert modes[lifted[0]] == pinned
        assert 20 <= lifted[0] <= 22
        assert modes[-1] == DOUBLE_SUPPORT
        assert contact.touchdowns == contact.liftoffs >= 1


def test_a_foot_that_leaves_at_once_after_it_came_down_has_bounced(process, planar_settings, stand) -> None:
    planar = planar_settings.planar.model_copy(update={"bounce_time": 10.0})
    twice = lambda time: np.array([0.0, 0.0, -0.4, 0.8]) * (0.2 < time < 0.3 or 0.6 < time < 0.7)  # noqa: E731
    _, contact = followed(process, planar_settings.model_copy(update={"planar": planar}), stand, twice)
    assert contact.bounces == contact.liftoffs - 1 >= 1
