# SPDX-License-Identifier: Apache-2.0
import re

import pytest
from pydantic import ValidationError

from surefoot.traces.cloud.ranges import BELIEVED_CONTACT, Choice, Spread


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"origin": "a ruler"}, "sigma: missing; a truncated_normal distribution is as wide as its sigma says"),
        ({"half_width": 0.1, "sigma": 0.1, "origin": "a ruler"}, "half_width: 0.1 says nothing about a truncated_normal distribution"),
        ({"distribution": "uniform", "sigma": 0.1, "origin": "a ruler"}, "half_width: missing"),
        ({"distribution": "uniform", "half_width": 0.1, "truncation": 2.0, "origin": "a ruler"}, "truncation: 2 says nothing about"),
        ({"distribution": "normal", "sigma": 0.1, "origin": "a ruler"}, "distribution"),
        ({"sigma": -0.1, "origin": "a ruler"}, "greater than or equal to 0"),
        ({"sigma": float("nan"), "origin": "a ruler"}, "a finite number"),
        ({"sigma": 0.1}, "origin\n  Field required"),
        ({"sigma": 0.1, "origin": ""}, "at least 3 characters"),
        ({"sigma": 0.1, "orgin": "a ruler", "origin": "a ruler"}, "Extra inputs"),
    ],
)  # fmt: skip
def test_a_spread_that_is_none_is_refused_by_name(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        Spread.model_validate(values)


def test_a_spread_reaches_as_far_as_its_truncation() -> None:
    assert Spread(sigma=0.1, origin="a ruler").reach(3.0) == pytest.approx(0.3)
    assert Spread(sigma=0.1, truncation=2.0, origin="a ruler").reach(3.0) == pytest.approx(0.2)
    assert Spread(distribution="uniform", half_width=0.1, origin="a ruler").reach(3.0) == pytest.approx(0.1)


def test_spreads_are_scaled_whatever_they_are() -> None:
    assert Spread(sigma=0.1, truncation=2.0, origin="a ruler").scaled(2.0) == Spread(sigma=0.2, truncation=2.0, origin="a ruler")
    even = Spread(distribution="uniform", half_width=0.1, origin="a ruler")
    assert even.scaled(0.5) == Spread(distribution="uniform", half_width=0.05, origin="a ruler")
    assert even.scaled(0.0).reach(3.0) == 0.0


def test_a_choice_without_spread_is_what_is_believed() -> None:
    choice = Choice(choices=("pyramidal", "elliptic_soft"), origin="two simulators")
    assert choice.scaled(2.0) == choice
    assert choice.scaled(0.0).choices == (BELIEVED_CONTACT,)


@pytest.mark.parametrize("choices", [(), ("elliptic", "elliptic"), ("round",)])
def test_a_choice_between_nothing_is_refused(choices: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError, match="choices"):
        Choice.model_validate({"choices": choices, "origin": "two simulators"})
