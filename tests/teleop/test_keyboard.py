# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.teleop.driving import STILL
from surefoot.teleop.keyboard import DRIVING, FIRST_HOLD, HELP, PRESSES, KeyboardPad
from surefoot.teleop.layout import PadLayout, read_layout
from surefoot.teleop.operator import Operator, OperatorRequest, OperatorWish
from surefoot.teleop.pad import PadReader
from surefoot.teleop.settings import OperatorSettings
from surefoot.teleop.writer import GONE


@pytest.fixture(scope="module")
def layout(config: Path) -> PadLayout:
    return read_layout(config / "gamepads", "keyboard")


class Typist:
    """Somebody at a keyboard that repeats at 25 Hz after half a second; the node and the operator tick at 50 Hz."""

    def __init__(self, layout: PadLayout) -> None:
        self.pad = KeyboardPad(layout)
        self.operator = Operator(layout, OperatorSettings())
        self.time = 0.0
        self.wishes: list[OperatorWish] = []

    def wait(self, seconds: float) -> list[OperatorWish]:
        wishes = []
        for _ in range(round(seconds * 50)):
            self.time += 0.02
            self.operator.pad_message(self.time, *self.pad.message(self.time))
            wishes.append(self.operator.tick(self.time, armed=True))
        return wishes

    def type(self, *keys: str) -> list[OperatorRequest]:
        for key in keys:
            assert self.pad.key(self.time, key)
        return [wish.request for wish in self.wait(0.25 * len(keys)) if wish.request]

    def hold(self, key: str, seconds: float) -> list[OperatorWish]:
        self.pad.key(self.time, key)
        wishes = self.wait(min(seconds, 0.5))
        for _ in range(round((seconds - 0.5) * 25)):
            self.pad.key(self.time, key)
            wishes += self.wait(0.04)
        return wishes


@pytest.fixture
def typist(layout: PadLayout) -> Typist:
    typist = Typist(layout)
    typist.wait(0.1)
    return typist


def test_every_key_means_something_that_the_layout_has(layout: PadLayout) -> None:
    assert set(PRESSES.values()) | {"dead_man"} == set(layout.buttons)
    assert not set(PRESSES) & set(DRIVING)
    words = HELP.replace("SPACE", " ").split()
    for key in (*DRIVING, *PRESSES):
        assert key in words or key.upper() in words or key in (" ", "1", "2", "3", "4", "up", "down", "left", "right")


def test_the_same_actions_as_on_a_pad(typist: Typist) -> None:
    assert typist.type("m", "t", "v", "g") == [OperatorRequest.ARM, OperatorRequest.STAND, OperatorRequest.WALK, OperatorRequest.SIT]
    typist.wait(0.5)
    assert [*typist.type("v"), *typist.wait(0.5), *typist.type("v")].count(OperatorRequest.WALK) == 2
    assert typist.type("v", "t", "v") == [OperatorRequest.STAND, OperatorRequest.WALK]
    typist.type("2", "b")
    wish = typist.wait(0.02)[-1]
    assert (wish.gait, wish.gait_request_id, wish.ground) == ("trot", 1, "ice")
    assert typist.type(" ") == [OperatorRequest.STOP]


@pytest.mark.parametrize("key", sorted(set(DRIVING) - {"x"}))
def test_a_key_drives_while_it_repeats_and_no_longer(typist: Typist, key: str) -> None:
    wishes = typist.hold(key, 2.0)
    assert all(wish.present for wish in wishes[1:])
    wanted = {name: -value if name == "roll" else value for name, value in DRIVING[key].items()}
    for name, value in (*wishes[-1].twist._asdict().items(), *wishes[-1].posture._asdict().items()):
        assert (value > 0) - (value < 0) == wanted.get(name, 0.0), name
    after = typist.wait(1.0)
    assert [wish.present for wish in after].count(True) <= 11  # 0.2 s
    assert after[-1].twist == STILL
    assert after[-1].posture == after[20].posture


def test_one_tap_ends_too(typist: Typist) -> None:
    typist.pad.key(typist.time, "w")
    present = [wish.present for wish in typist.wait(2.0)]
    assert 0.55 <= present.count(True) / 50 <= 0.65


@pytest.mark.parametrize("seconds", [1.0, 2.0, 5.0])
def test_a_press_key_that_is_held_is_one_press(typist: Typist, seconds: float) -> None:
    asked = [wish.request for wish in (*typist.hold("v", seconds), *typist.wait(6.0)) if wish.request]
    assert asked == [OperatorRequest.WALK]
    assert typist.type("v") == [OperatorRequest.WALK]


@pytest.mark.parametrize("key", sorted(PRESSES))
def test_no_press_outlives_its_key_by_half_a_second(typist: Typist, key: str) -> None:
    typist.hold(key, 2.0)
    end, late = typist.time, []
    down = False
    for _ in range(300):
        typist.time += 0.02
        before, down = down, any(typist.pad.message(typist.time).buttons)
        late += [typist.time - end] if down and not before else []
    assert all(delay <= 0.5 for delay in late)


def test_what_is_typed_faster_than_it_can_be_pressed_is_dropped(layout: PadLayout) -> None:
    pad, pressed = KeyboardPad(layout), []
    for _ in range(10):
        for key in "tgvm1234":
            pad.key(0.0, key)
    for tick in range(300):
        pad.message(0.02 * tick)
        pressed.append(pad.status(0.0).endswith("-"))
    assert 20 <= pressed.count(False) <= 31  # 0.5 s and the last press


def test_the_arrows_of_the_page_repeat_while_they_are_held(layout: PadLayout) -> None:
    pad, presses, down = KeyboardPad(layout), 0, False
    for tick in range(150):
        if tick == 0 or (tick >= 25 and tick % 2 and tick < 100):
            pad.key(0.02 * tick, "right")
        before, down = down, any(pad.message(0.02 * tick).buttons)
        presses += down and not before
    assert 10 <= presses <= 16  # 1.5 s, each press down for 0.1 s


def test_stop_lets_go_of_everything(typist: Typist) -> None:
    typist.hold("w", 1.0)
    typist.pad.key(typist.time, "t")
    typist.pad.key(typist.time, " ")
    wishes = typist.wait(0.5)
    assert [wish.request for wish in wishes if wish.request] == [OperatorRequest.STOP]
    assert all(wish.twist == STILL for wish in wishes)


def test_the_stick_of_a_key_is_chosen(typist: Typist) -> None:
    assert typist.hold("w", 3.0)[-1].twist.forward == pytest.approx(0.25)
    for _ in range(9):
        typist.pad.key(typist.time, "r")
    assert typist.hold("w", 3.0)[-1].twist.forward == pytest.approx(0.5)
    assert "100%" in typist.pad.status(typist.time)


def test_a_closed_terminal_is_an_unplugged_pad(typist: Typist) -> None:
    typist.hold("w", 1.0)
    typist.operator.pad_message(typist.time, *GONE)
    wish = typist.operator.tick(typist.time + 0.01)
    assert (wish.present, wish.twist) == (False, STILL)


@given(st.lists(st.tuples(st.sampled_from([*DRIVING, *PRESSES, "r", "f", "?", "\t"]), st.floats(0.0, 1.0)), max_size=40))
def test_whatever_is_typed_silence_ends_it(layout: PadLayout, story: list[tuple[str, float]]) -> None:
    pad, time = KeyboardPad(layout), 0.0
    for key, pause in story:
        pad.key(time, key)
        time += pause
        message = pad.message(time)
        assert all(-1.0 <= value <= 1.0 for value in message.axes)
    for _ in range(200):
        time += 0.11
        message = pad.message(time)
    assert not any(message.axes)
    assert not any(message.buttons)


def test_a_program_that_was_held_up_does_not_take_late_keys_for_a_hand_that_let_go(layout: PadLayout, typist: Typist) -> None:
    reader = PadReader(layout)

    def holds(time: float) -> bool:
        return "dead_man" in reader.read(*typist.pad.message(time)).pressed

    typist.hold("w", 1.5)
    now = typist.time
    typist.pad.key(now, "w")
    assert holds(now)
    # 0.3 s without a tick, and the keys of that time come after it.
    assert holds(now + 0.3)
    typist.pad.key(now + 0.33, "w")
    assert holds(now + 0.33)
    # Held up again and again it does not drive on by itself.
    late = [round(0.33 + 0.14 * number, 3) for number in range(1, 10)]
    assert [after for after in late if holds(now + after)] == [after for after in late if after <= 0.33 + FIRST_HOLD]
    # Without being held up a key that is let go counts for 0.2 s.
    typist.time = now + 3.0
    typist.hold("w", 1.5)
    typist.pad.key(typist.time, "w")
    assert [holds(typist.time + 0.03 * number) for number in range(12)] == [True] * 7 + [False] * 5


def test_a_driving_key_that_comes_in_bursts_is_held_between_them_and_not_for_long_after(layout: PadLayout, typist: Typist) -> None:
    reader = PadReader(layout)

    def holds() -> bool:
        typist.time += 0.02
        return "dead_man" in reader.read(*typist.pad.message(typist.time)).pressed

    def come(apart: float) -> list[bool]:
        """A busy machine hands on two keys together, and nothing for a while."""
        for _ in range(2):
            assert typist.pad.key(typist.time, "w")
        return [holds() for _ in range(round(apart / 0.02))]

    typist.hold("w", 1.0)
    assert all(come(0.16))
    assert all(come(0.4))
    assert all(come(0.52))
    # However far apart they came: let go, it counts for no longer than the first one does.
    after = come(2.0)
    assert after.index(False) * 0.02 == pytest.approx(FIRST_HOLD, abs=0.05)
    assert not any(after[after.index(False) :])
    # The next time it is held it begins anew.
    typist.hold("w", 1.0)
    assert come(0.4).index(False) <= 11
