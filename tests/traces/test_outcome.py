# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.traces.findings.events import EVENT, MADE
from surefoot.traces.outcome import DIVERGED, FAILED, INCONSISTENT, SURVIVED, UNFINISHED, Outcomes, joined


def part(indices: list[int], verdict: list[int]) -> Outcomes:
    names = {SURVIVED: "", FAILED: "roll", UNFINISHED: "keeps its speed", INCONSISTENT: "impossible start"}
    count = len(indices)
    path = np.zeros((count, 3, 7), np.float32) + np.array(indices, dtype=np.float32)[:, None, None]
    times = np.where(np.array(verdict) == FAILED, 0.1 * np.array(indices), np.nan)
    events = np.array([(index, tick, MADE, 4, 0) for index in indices for tick in range(index)], EVENT)
    return Outcomes(
        np.array(indices), np.array(verdict), tuple(names[v] for v in verdict), times, path, np.zeros((count, 3, 4), bool), 0.004, 1, 0.5,
        np.full((count, 19), 1.0 * np.array(indices)[:, None]), np.full((count, 18), 2.0 * np.array(indices)[:, None]), events=events,
    )  # fmt: skip


def test_parts_are_joined_in_the_order_of_the_particles() -> None:
    whole = joined([part([4, 1], [FAILED, SURVIVED]), part([0, 3, 2], [SURVIVED, UNFINISHED, FAILED])])
    assert whole.indices.tolist() == [0, 1, 2, 3, 4]
    assert whole.verdict.tolist() == [SURVIVED, SURVIVED, FAILED, UNFINISHED, FAILED]
    assert whole.violated == ("", "", "roll", "keeps its speed", "roll")
    assert np.nan_to_num(whole.failure_time, nan=-1.0).tolist() == [-1.0, -1.0, 0.2, -1.0, 0.4]
    assert whole.base_path[:, 0, 0].tolist() == [0, 1, 2, 3, 4]
    assert whole.end_position[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert whole.end_velocity[:, 17].tolist() == [0, 2, 4, 6, 8]
    assert whole.events["particle"].tolist() == [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
    assert [event.time for event in whole.events_of(3)] == [0.0, 0.004, 0.008]
    assert whole.particle_seconds == 1.0


def test_what_nobody_ran_has_no_end() -> None:
    whole = part([0, 1], [SURVIVED, FAILED])
    lost = Outcomes(
        whole.indices, whole.verdict, ("worker died", DIVERGED), whole.failure_time, whole.base_path, whole.foot_contact, 0.004, 1, 0.0
    )
    assert lost.end_position.shape == (2, 19)
    assert np.isnan(lost.end_velocity).all()
    assert len(lost.events) == 0
    assert lost.diverged.tolist() == [False, True]
