# SPDX-License-Identifier: Apache-2.0
from surefoot.evaluation.bench.decision import bench_decision
from surefoot.traces.decision.settings import DecisionSettings

QUICK = DecisionSettings(
    particles=1, most_particles=7, accept_at=0.6, confidence=0.5, horizon=0.2, shortest_horizon=0.2, blend_cycles=(0.0,)
)


def test_a_verdict_is_timed_and_says_what_it_was() -> None:
    result = bench_decision("hyq", seeds=1, workers=1, settings=QUICK.model_copy(update={"most_particles": 4}))
    assert (result.candidates, len(result.verdicts)) == (4, 1)
    verdict = result.verdicts[0]
    # One survivor of one proves nothing.
    assert not verdict.accepted
    assert "is not vouched for" in verdict.reason
    assert (verdict.rounds, verdict.particles, result.particles_used) == (1, 4, 4)
    assert verdict.particle_seconds > 4 * 0.2
    assert result.median_s == result.p95_s == verdict.seconds
