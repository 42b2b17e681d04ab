# SPDX-License-Identifier: Apache-2.0
"""A replay beside its recording."""

from surefoot.recording.outputs import OutputCheck, Part, TopicVerdict

MILLISECOND = 1_000_000


def check(recorded: dict[int, list[str]], replayed: dict[int, list[str]], stamped: bool = True) -> TopicVerdict:
    one = OutputCheck("/t", stamped, lambda then, now: () if then == now else (Part("x", then, now),))
    for stamp, values in recorded.items():
        for value in values:
            one.recorded(stamp * MILLISECOND, value)
    for stamp, values in replayed.items():
        for value in values:
            one.replayed(stamp * MILLISECOND, value)
    return one.verdict()


TICKS = {stamp: [f"m{stamp}"] for stamp in range(0, 1000, 4)}


def test_the_same_is_identical() -> None:
    verdict = check(TICKS, TICKS)
    assert verdict.identical
    assert verdict.same == 250


def test_nothing_is_not_identical() -> None:
    assert not check({}, {}).identical
    assert not check({}, TICKS).identical


def test_the_first_that_parts_is_named_whatever_the_order() -> None:
    other = TICKS | {400: ["x400"], 800: ["x800"]}
    verdict = check(TICKS, dict(sorted(other.items(), reverse=True)))
    assert (verdict.different, verdict.first, verdict.parts) == (2, 400 * MILLISECOND, (Part("x", "m400", "x400"),))


def test_one_that_is_missing_or_added_parts_them() -> None:
    missing = check(TICKS, {stamp: values for stamp, values in TICKS.items() if stamp != 40})
    assert (missing.missing, missing.first, missing.identical) == (1, 40 * MILLISECOND, False)
    added = check(TICKS, TICKS | {42: ["new"]})
    assert (added.added, added.first, added.identical) == (1, 42 * MILLISECOND, False)


def test_the_recording_may_end_in_the_middle_of_a_tick() -> None:
    assert check(TICKS, {stamp: values for stamp, values in TICKS.items() if stamp < 990}).identical
    assert check(TICKS, TICKS | {1000: ["later"], 1004: ["later still"]}).identical


def test_several_of_one_stamp_meet_in_their_order() -> None:
    assert check({0: ["a", "b"]}, {0: ["a", "b"]}).identical
    assert check({0: ["a", "b"]}, {0: ["b", "a"]}).different == 2


def test_without_stamps_they_meet_by_number() -> None:
    assert check({0: ["a", "b", "c"]}, {0: ["a", "b", "c"]}, stamped=False).identical
    assert check({0: ["a", "b", "c"]}, {0: ["a", "c"]}, stamped=False).first == 1
