# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np

from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.cloud.uncertainty import Uncertainty
from surefoot.traces.findings.events import EVENT, MADE, STRIKES
from surefoot.traces.findings.explain import explanation, warm_up
from surefoot.traces.outcome import DIVERGED, FAILED, INCONSISTENT, SURVIVED, Outcomes
from surefoot.traces.tracer import Tracer


def outcomes(verdict: list[int], final: np.ndarray, events: list[tuple[int, int, int, int, int]]) -> Outcomes:
    count = len(verdict)
    path = np.zeros((count, 101, 7), np.float32)
    path[:, :, 3], path[:, -1, 0] = 1.0, final
    names = tuple("" if one == SURVIVED else "roll" for one in verdict)
    times = np.where(np.array(verdict) == FAILED, 0.8, np.nan)
    feet = np.zeros((count, 101, 4), bool)
    return Outcomes(np.arange(count), np.array(verdict), names, times, path, feet, 0.01, 20, 1.0, events=np.array(events, EVENT))


def parameters(count: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    return {f"link_mass {i}": random.normal(size=count) for i in range(60)}


def test_failures_with_a_reason() -> None:
    verdict = [FAILED] * 9 + [SURVIVED] * 51
    strikes = [(i, 50, STRIKES, 8, 0) for i in range(8)]
    whole = outcomes(verdict, 0.01 * np.random.default_rng(1).normal(size=60), strikes + [(i, 60, MADE, 8, 0) for i in range(60)])
    draws = parameters(60) | {"friction": np.concatenate((np.linspace(0.2, 0.3, 7), (0.6, 0.7), np.linspace(0.32, 0.8, 51)))}
    assert explanation(whole, draws) == (
        "7 of 9 failures have friction under 0.31; so have 0 of 51 survivors",
        "0.30 s after the change RF foot runs into the ground: 8 of 8 traces with it fail, 1 of 52 without",
    )


def test_where_the_numbers_say_nothing_nothing_is_said() -> None:
    random = np.random.default_rng(2)
    for verdict in ([SURVIVED] * 60, [FAILED] * 60, list(np.where(random.random(60) < 0.2, FAILED, SURVIVED))):
        assert explanation(outcomes(verdict, 0.01 * random.normal(size=60), []), parameters(60)) == ()
    assert explanation(outcomes([SURVIVED] * 60, np.zeros(60), []), {}) == ()


def test_outcomes_that_part() -> None:
    draws = parameters(40)
    behind = draws["link_mass 3"] > np.sort(draws["link_mass 3"])[-13]
    final = np.where(behind, -0.2, 0.0) + 0.005 * np.random.default_rng(3).normal(size=40)
    threshold = np.sort(draws["link_mass 3"])[-13:-11].mean()
    assert explanation(outcomes([SURVIVED] * 40, final, []), draws) == (
        "the traces that go on to the end part into two groups, 12 and 28, 0.20 m apart along the heading",
        f"12 of 12 traces of the smaller group have link mass 3 over {threshold:.3g}; so have 0 of 28 traces of the other",
    )


def test_traces_that_nobody_ran_are_left_out() -> None:
    verdict = [FAILED] * 9 + [SURVIVED] * 31 + [FAILED] * 20
    friction = np.concatenate((np.linspace(0.2, 0.3, 9), np.linspace(0.32, 0.8, 31), np.full(20, np.nan)))
    draws = {name: np.where(np.arange(60) < 40, values, np.nan) for name, values in parameters(60).items()} | {"friction": friction}
    said = explanation(outcomes(verdict, np.zeros(60), []), draws)
    assert said == ("9 of 9 failures have friction under 0.31; so have 0 of 31 survivors",)
    assert explanation(outcomes([], np.zeros(0), []), {"friction": np.zeros(0)}) == ()


def test_what_is_no_verdict_on_the_change_is_counted_apart() -> None:
    whole = outcomes([SURVIVED] * 17 + [FAILED, INCONSISTENT, INCONSISTENT], np.zeros(20), [])
    whole = replace(whole, violated=(*whole.violated[:17], DIVERGED, *whole.violated[18:]))
    assert explanation(whole, parameters(20)) == (
        "1 trace of 20 broke down in the simulation's own numbers; none counts as a success",
        "2 traces of 20 began where no robot can be; the model is at fault, none counts as a success",
    )


def test_a_gallop_on_ground_that_may_be_ice(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    """A walk that becomes a gallop: where friction is low, it fails."""
    warm_up()
    ground = TerrainBelief(name="ice?", friction_mean=0.25, friction_standard_deviation=0.15, friction_minimum=0.03, friction_maximum=0.8)
    rehearsal = walk.rehearsal(walk.on(ground, "gallop"), uncertainty, horizon=1.5)
    found = tracer.trace(rehearsal, walk.candidate(), np.arange(48))
    assert len(found.parameters["friction"]) == 48
    first, *_ = explanation(found, found.parameters)
    assert "failures have friction under" in first
