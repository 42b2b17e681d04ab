# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import pytest

from surefoot.evaluation.bench.walk import Trial, bench_walk, run_trial, seeded_world, summary

GOOD = Trial(gait="trot", seed=0, commanded=0.2, speed=0.21, roll=0.05, pitch=0.06, fell=False, failures=0)


@pytest.mark.parametrize("change", [{"speed": 0.17}, {"speed": 0.23}, {"roll": 0.15}, {"pitch": 0.2}, {"fell": True}])
def test_a_run_is_good_only_if_it_holds_everything(change: dict[str, float]) -> None:
    assert GOOD.good
    assert not replace(GOOD, **change).good


def test_the_summary_counts_falls_and_shows_the_worst_of_the_others() -> None:
    result = summary([GOOD, replace(GOOD, speed=0.19, pitch=0.1), replace(GOOD, speed=0.0, roll=3.0, fell=True)])
    assert (result.falls, result.good.k, result.good.n) == (1, 2, 3)
    assert result.mean_speed == pytest.approx(0.2)
    assert result.worst_speed_error == pytest.approx(0.05)
    assert (result.worst_roll, result.worst_pitch) == (0.05, 0.1)


def test_a_rough_world_has_other_bumps_for_each_seed() -> None:
    grounds = [seeded_world("rough", seed) for seed in (0, 1)]
    assert [ground.relief.seed for ground in grounds if ground.relief] == [0, 1]
    assert seeded_world("flat", 1).relief is None
    # Without noise the ground is all that a seed changes.
    rough = [run_trial("hyq", "trot", 0.3, seed, 2.0, perfect_sensors=True, world="rough") for seed in (0, 1)]
    assert rough[0].pitch != rough[1].pitch
    assert not any(trial.fell for trial in rough)


def test_a_trial_is_the_same_in_another_process() -> None:
    result = bench_walk("hyq", seeds=1, seconds=0.1, processes=1, speeds={"trot": 0.3})
    assert result.trials == (run_trial("hyq", "trot", 0.3, 0, 0.1),)
    assert result.gaits[0].commanded == 0.3
