# SPDX-License-Identifier: Apache-2.0
from surefoot.evaluation.bench.decision import bench_decision


def test_a_verdict_is_timed_and_says_what_it_was() -> None:
    result = bench_decision("hyq", seeds=1, workers=1, particles=1, horizon=0.2)
    assert (result.candidates, len(result.verdicts)) == (4, 1)
    verdict = result.verdicts[0]
    # One survivor of one proves nothing.
    assert not verdict.accepted
    assert "is not vouched for" in verdict.reason
    assert verdict.particle_seconds > 4 * 0.2
    assert result.median_s == result.worst_s == verdict.seconds
