# SPDX-License-Identifier: Apache-2.0
import os

import numpy as np
import pytest

from surefoot.traces.findings.separation import FALSE_ALARM, FEWEST, columns, separation

CASES = int(os.environ.get("SUREFOOT_RANDOM_CASES", "200"))
PARAMETERS = 170


def cloud(random: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    return {f"parameter {i}": random.normal(size=count) for i in range(PARAMETERS)} | {"friction": random.uniform(0.2, 0.8, count)}


def test_what_makes_them_fail_is_named() -> None:
    random, named = np.random.default_rng(0), 0
    for _ in range(40):
        parameters = cloud(random, 60)
        failed = parameters["friction"] < 0.3
        # Not a law without exceptions.
        failed[random.integers(60)] ^= True
        if failed.sum() < 6:
            named += 1
            continue
        found = separation(parameters, failed)
        named += found is not None and found.parameter == "friction" and found.below and abs(found.threshold - 0.3) < 0.1
    assert named >= 38


def test_the_counts_are_those_of_the_groups() -> None:
    random = np.random.default_rng(1)
    parameters = cloud(random, 60)
    parameters["friction"] = np.concatenate((np.linspace(0.2, 0.3, 9), np.linspace(0.32, 0.8, 51)))
    failed = np.arange(60) < 9
    failed[[0, 1, 58]] = True, False, True
    found = separation(parameters, failed)
    assert found is not None
    assert (found.parameter, found.below, found.inside, found.group, found.others_inside, found.others) == ("friction", True, 8, 9, 1, 51)
    assert found.threshold == pytest.approx(0.31)
    assert found.chance <= FALSE_ALARM
    above = separation({"friction": -parameters["friction"]}, failed)
    assert above is not None
    assert (above.below, above.inside, above.others_inside) == (False, 8, 1)


def test_where_there_is_nothing_to_say_nothing_is_said() -> None:
    random, said = np.random.default_rng(2), 0
    for _ in range(CASES):
        count = int(random.integers(20, 80))
        failed = random.permutation(count) < random.integers(FEWEST, count // 2)
        said += separation(cloud(random, count), failed) is not None
    assert said <= CASES * FALSE_ALARM + 3.0 * np.sqrt(CASES * FALSE_ALARM)


def test_the_same_traces_get_the_same_answer() -> None:
    random = np.random.default_rng(3)
    parameters = cloud(random, 50)
    failed = parameters["parameter 7"] > 1.0
    assert separation(parameters, failed) == separation(parameters, failed) is not None


def test_too_few_and_what_does_not_vary() -> None:
    failed = np.arange(30) < 3
    assert separation({"friction": 1.0 * np.arange(30)}, failed) is None
    assert separation({"friction": np.zeros(30)}, np.arange(30) < 10) is None
    names, values = columns({"same": np.ones(4), "broken": np.array((1.0, np.nan, 2.0, 3.0)), "kind": np.array((0, 1, 0, 1))})
    assert names == ["kind"]
    assert values[:, 0].tolist() == [0.0, 1.0, 0.0, 1.0]


def test_values_that_are_equal_are_not_taken_apart() -> None:
    kind = np.repeat((0, 1), 15)
    found = separation({"contact model": kind}, np.arange(30) >= 15)
    assert found is not None
    assert (found.threshold, found.inside, found.others_inside) == (0.5, 15, 0)
