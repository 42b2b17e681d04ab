# SPDX-License-Identifier: Apache-2.0
from surefoot.teleop.gait_names import GaitNames


def test_no_name_is_given_twice_nor_one_that_is_kept_or_was_asked_for() -> None:
    kept = ["trot #1"]
    names = GaitNames(kept)
    names.asked("trot #2")
    assert names.new("trot") == "trot #3"
    kept.append("walk #4")  # kept meanwhile
    assert [names.new("walk"), names.new("trot")] == ["walk #5", "trot #6"]


def test_names_that_others_make_up_are_no_burden() -> None:
    names = GaitNames()
    for made_up in ("trot #", "trot #x", "#7", "trot #-3", "trot #²", "trot #" + "9" * 5000):
        names.asked(made_up)
    assert names.new("trot") == "trot #1"
