# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes, joined


def part(indices: list[int], verdict: list[int]) -> Outcomes:
    names = {SURVIVED: "", FAILED: "roll", UNFINISHED: "keeps its speed"}
    count = len(indices)
    path = np.zeros((count, 3, 7), np.float32) + np.array(indices, dtype=np.float32)[:, None, None]
    times = np.where(np.array(verdict) == FAILED, 0.1 * np.array(indices), np.nan)
    return Outcomes(
        np.array(indices), np.array(verdict), tuple(names[v] for v in verdict), times, path, np.zeros((count, 3, 4), bool), 0.004, 1, 0.5
    )


def test_parts_are_joined_in_the_order_of_the_particles() -> None:
    whole = joined([part([4, 1], [FAILED, SURVIVED]), part([0, 3, 2], [SURVIVED, UNFINISHED, FAILED])])
    assert whole.indices.tolist() == [0, 1, 2, 3, 4]
    assert whole.verdict.tolist() == [SURVIVED, SURVIVED, FAILED, UNFINISHED, FAILED]
    assert whole.violated == ("", "", "roll", "keeps its speed", "roll")
    assert np.nan_to_num(whole.failure_time, nan=-1.0).tolist() == [-1.0, -1.0, 0.2, -1.0, 0.4]
    assert whole.base_path[:, 0, 0].tolist() == [0, 1, 2, 3, 4]
    assert whole.particle_seconds == 1.0
