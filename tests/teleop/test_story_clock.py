# SPDX-License-Identifier: Apache-2.0
"""A story beside robots that are ready at once, late, or never."""

from collections.abc import Callable

import pytest

from surefoot.settings import check_settings
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.pad import PadReader
from surefoot.teleop.script import ScriptedPad, Story
from surefoot.teleop.story_clock import ARM, STAND, StoryClock

TICK = 0.004
STEPS = [{"at": 1.0, "press": ["arm"]}, {"at": 2.0, "press": ["stand"]}, {"at": 5.0, "press": ["walk"]}]


class Robot:
    """Takes ARM and STAND from the times on that it is given, and refuses them before.

    Args:
        hears: s from which on it takes ARM.
        stands: s from which on it stands up.
        says: whether it says that STAND waits.
    """

    def __init__(self, hears: float = 0.0, stands: float = 0.0, says: bool = True) -> None:
        self._hears, self._stands, self._says = hears, stands, says
        self.lacks, self.refused = ARM, 0

    def waits(self, time: float) -> bool:
        return self._says and self.lacks == STAND and time < self._stands

    def take(self, time: float, action: str) -> None:
        ready = {ARM: self._hears, STAND: self._stands}
        if action != self.lacks:
            return
        if time < ready[action]:
            self.refused += 1
        else:
            self.lacks = STAND if action == ARM else ""


@pytest.fixture
def play(xbox: PadLayout) -> Callable[..., list[tuple[float, str]]]:
    """Plays STEPS to a robot; gives time and action of each press."""

    def presses(robot: Robot, begins: float = 0.0, ends: float = 20.0) -> list[tuple[float, str]]:
        story = check_settings(Story, {"title": "test", "end": 10.0, "steps": STEPS}, "story")
        script, clock, reader = ScriptedPad(story, xbox), StoryClock(story), PadReader(xbox)
        actions = {button: action for action, button in xbox.actions.items()}
        found: list[tuple[float, str]] = []
        before: frozenset[str] = frozenset()
        for tick in range(round(begins / TICK), round(ends / TICK)):
            time = tick * TICK
            now = reader.read(*script.at(clock.at(time, robot.lacks, robot.waits(time)))).pressed
            for button in now - before:
                found.append((time, actions[button]))
                robot.take(time, actions[button])
            before = now
        return found

    return presses


def test_a_robot_that_is_ready_is_told_everything_at_its_time(play: Callable[..., list[tuple[float, str]]]) -> None:
    assert play(Robot()) == [(pytest.approx(1.0), "arm"), (pytest.approx(2.0), "stand"), (pytest.approx(5.0), "walk")]


def test_the_story_waits_while_standing_up_waits(play: Callable[..., list[tuple[float, str]]]) -> None:
    robot = Robot(stands=7.5)
    assert play(robot) == [
        (pytest.approx(1.0), "arm"), (pytest.approx(7.5, abs=2 * TICK), "stand"), (pytest.approx(10.5, abs=3 * TICK), "walk"),
    ]  # fmt: skip
    assert robot.refused == 0


def test_a_press_that_changed_nothing_is_made_again(play: Callable[..., list[tuple[float, str]]]) -> None:
    robot = Robot(hears=3.2, stands=6.0, says=False)
    *early, (stood, last), (walked, end) = play(robot)
    assert robot.refused == len(early) - 1 > 4
    assert [action for _, action in early] == sorted(action for _, action in early)
    assert (last, end) == ("stand", "walk")
    assert 6.0 <= stood < 6.6
    assert walked - stood == pytest.approx(3.0, abs=3 * TICK)


def test_who_comes_late_begins_with_arming(play: Callable[..., list[tuple[float, str]]]) -> None:
    times, actions = zip(*play(Robot(), begins=6.0), strict=True)
    assert actions == ("arm", "stand", "walk")
    assert times == pytest.approx((6.0, 7.0, 10.0), abs=3 * TICK)


def test_a_robot_that_loses_its_torque_later_is_left_alone(play: Callable[..., list[tuple[float, str]]]) -> None:
    class Restarted(Robot):
        def waits(self, time: float) -> bool:
            self.lacks = ARM if time > 8.0 else self.lacks
            return False

    assert [action for _, action in play(Restarted())] == ["arm", "stand", "walk"]
