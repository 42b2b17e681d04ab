# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.traces.decision.admission import admit, needed_particle_seconds
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate

SETTINGS = DecisionSettings()
EIGHT = [Candidate(0.25 * (i % 4), 1.0, 0.4 * (i // 4)) for i in range(8)]


def test_the_time_of_the_source_is_the_time_of_its_rule() -> None:
    """Four candidates, four particles, four cores at the rate of the wall, 2 s of the new gait: far more than 0.3 s [section 4.3.3]."""
    settings = SETTINGS.model_copy(update={"accept_at": 0.01, "confidence": 0.5, "particles": 4})
    four = EIGHT[:4]
    assert needed_particle_seconds(four, settings, 0.4) == pytest.approx((4 * 4 + 1) * 2.4)
    assert admit(four, settings.model_copy(update={"shortest_horizon": 2.0}), rate=4.0, seconds=0.3, lead=0.4).refusal
    assert not admit(four, settings, rate=4.0, seconds=9.65, lead=0.4).refusal


def test_what_there_is_time_for_is_not_cut() -> None:
    admission = admit(EIGHT, SETTINGS, rate=150.0, seconds=4.0, lead=0.2)
    assert (admission.candidates, admission.settings, admission.remark, admission.refusal) == (tuple(range(8)), SETTINGS, "", "")


def test_the_less_time_there_is_the_more_is_cut_in_the_stated_order() -> None:
    wanted, all_seconds = SETTINGS.model_copy(update={"particles": 4}), (3.0, 1.4, 0.9, 0.8, 0.6, 0.3)
    cuts = [admit(EIGHT, wanted, rate=100.0, seconds=seconds, lead=0.2) for seconds in all_seconds]
    assert [(len(cut.candidates), cut.settings.particles, round(cut.settings.horizon, 1), bool(cut.refusal)) for cut in cuts] == [
        (8, 4, 2.0, False), (8, 2, 2.0, False), (4, 1, 2.0, False), (1, 1, 2.0, False), (1, 1, 1.6, False), (1, 1, 1.2, True),
    ]  # fmt: skip
    assert cuts[-2].remark == "cut to the time there is: first look with 1 of 4 particles, 1 of 8 candidates, 1.6 of 2.0 s"
    assert all(cut.needed <= 100.0 * seconds for cut, seconds in zip(cuts[:-1], all_seconds[:-1], strict=True))
    assert "no verdict can be there in 0.3 s: it takes" in cuts[-1].refusal


def test_a_setting_that_could_never_accept_is_refused() -> None:
    with pytest.raises(ValueError, match=r"most_particles: 42 can never vouch .* takes 43 particles"):
        DecisionSettings(most_particles=42)
    with pytest.raises(ValueError, match="shortest_horizon"):
        DecisionSettings(horizon=1.0)
    with pytest.raises(ValueError, match="at least one of each"):
        DecisionSettings(blend_cycles=())
