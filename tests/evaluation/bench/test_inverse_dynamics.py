# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.evaluation.bench.inverse_dynamics import bench_inverse_dynamics


def test_three_things_are_timed_on_the_same_ticks() -> None:
    result = bench_inverse_dynamics("hyq", ticks=5)
    assert (result.peer.n, result.compiled.n, result.reference.n) == (5, 5, 5)
    assert min(result.peer.median_us, result.compiled.median_us, result.reference.median_us) > 0.0
    assert result.compiled_over_peer == pytest.approx(result.compiled.median_us / result.peer.median_us)
    assert "pinocchio" in result.peer_name
