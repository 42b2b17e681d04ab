# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.servos.overruns import EFFORT, FOLLOWING, NONE, POSITION, POWER, VELOCITY, Overruns

ZERO, NO_TARGET = np.zeros(2), np.full(2, np.nan)


class Watched:
    def __init__(self, power: float) -> None:
        limit = np.array([[2.0, 2.0], [10.0, 20.0], [50.0, 50.0], [power, power], [0.2, 0.2]])
        self.overruns = Overruns(("a", "b"), np.array([0.0, 1.0]), limit, np.array([0.1, 0.1, 0.1, 0.1, 0.5]))
        self.reset = self.overruns.reset

    def look(
        self, time: float, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray, target: np.ndarray = NO_TARGET
    ) -> tuple[int, str]:
        return self.overruns.look(time, position, velocity, effort, target)


def made(power: float = 1000.0) -> Watched:
    return Watched(power)


def test_a_joint_that_does_not_do_what_it_is_told_has_a_patience_of_its_own() -> None:
    watched, away = made(), np.array([0.0, 0.3])
    assert watched.look(0.0, away, ZERO, ZERO, ZERO)[0] == NONE
    assert watched.look(0.4, away, ZERO, ZERO, ZERO)[0] == NONE
    assert watched.look(0.5, away, ZERO, ZERO, ZERO) == (FOLLOWING, "b is 0.3 rad from its target, limit 0.2, since 0.000 s")
    assert watched.look(0.6, away, ZERO, ZERO)[0] == NONE


def test_only_what_lasts_counts_and_the_worst_is_named_with_since_when() -> None:
    watched = made()
    for time, velocity in ((1.0, (11.0, 50.0)), (1.05, (-11.0, 1.0)), (1.08, (11.0, 50.0))):
        assert watched.look(time, ZERO, np.array(velocity), ZERO) == (NONE, "")
    assert watched.look(1.11, ZERO, np.array([11.0, 50.0]), ZERO) == (VELOCITY, "a 11 rad/s, limit 10, since 1.000 s")
    assert watched.look(1.2, ZERO, np.array([11.0, -50.0]), ZERO) == (VELOCITY, "b -50 rad/s, limit 20, since 1.080 s")
    assert watched.look(1.3, ZERO, np.array([np.nan, 1.0]), ZERO)[0] == NONE
    assert watched.look(1.4, ZERO, np.array([99.0, 1.0]), ZERO)[0] == NONE
    watched.reset()
    assert watched.look(1.6, ZERO, np.array([99.0, 1.0]), ZERO)[0] == NONE


def test_the_first_quantity_is_said() -> None:
    watched = made()
    beyond = np.array([0.0, 3.5]), np.array([0.0, 30.0]), np.array([0.0, 60.0])
    watched.look(0.0, *beyond)
    assert watched.look(0.1, *beyond) == (POSITION, "b is at 3.5 rad, allowed are -1 to 3, since 0.000 s")
    assert watched.look(0.2, ZERO, *beyond[1:])[0] == VELOCITY
    assert watched.look(0.3, ZERO, ZERO, beyond[2]) == (EFFORT, "b 60 N m, limit 50, since 0.000 s")


def test_power_is_that_of_all_joints_that_drive() -> None:
    watched = made(power=300.0)
    velocity, effort = np.array([8.0, -10.0]), np.array([30.0, 20.0])
    watched.look(0.0, ZERO, velocity, effort)
    assert watched.look(1.0, ZERO, velocity, effort)[0] == NONE, "what brakes puts out nothing"
    watched.look(2.0, ZERO, velocity, np.array([30.0, -20.0]))
    found = watched.look(3.0, ZERO, velocity, np.array([30.0, -20.0]))
    assert found == (POWER, "440 W, most of it from a (240 W), limit 300, since 2.000 s")
