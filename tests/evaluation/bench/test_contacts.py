# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.evaluation.bench.contacts import GROWTH_FROM, LAWS, bench_contacts, growth


def test_every_law_answers_on_every_number_of_contacts() -> None:
    result = bench_contacts("hyq", ticks=2, points_per_foot=(1, 4))
    assert set(result.curves) == set(result.under_1ms) == set(result.cold_under_1ms) == set(result.growth) == set(LAWS)
    for curve in result.curves.values():
        assert [cost.contacts for cost in curve] == [4, 16]
        assert all((cost.warm.n, cost.answered, cost.repaired) == (2, 2, 0) for cost in curve)
        assert all(0.0 < cost.warm.median_us <= cost.warm.p99_us for cost in curve)
    assert set(result.under_1ms.values()) <= {0, 4, 16}


def test_what_is_far_too_slow_is_not_asked_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.evaluation.bench.contacts.GIVEN_UP", 0.0)
    result = bench_contacts("hyq", ticks=1, points_per_foot=(1, 2), laws={"no_slip_lcp": LAWS["no_slip_lcp"]})
    assert [cost.contacts for cost in result.curves["no_slip_lcp"]] == [4]
    assert math.isnan(result.growth["no_slip_lcp"])


def test_growth_is_the_exponent() -> None:
    numbers = [GROWTH_FROM * factor for factor in (1, 2, 4)]
    assert growth([(number, 3.0 * number**1.5) for number in numbers]) == pytest.approx(1.5)
    assert growth([(1, 1e9), *((number, 2.0 * number) for number in numbers)]) == pytest.approx(1.0)
    assert np.isnan(growth([(GROWTH_FROM, 1.0)]))
