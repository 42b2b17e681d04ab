# SPDX-License-Identifier: Apache-2.0

from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.bench.estimator_journal import EstimatorJournal
from surefoot.evaluation.estimator_runs import Track

RUN = {"robot": "hyq", "seconds": 3.0}


def track(seed: int, whole: bool = True) -> Track:
    generator = np.random.default_rng(seed)
    time, way, error = np.arange(5.0), generator.normal(size=5), generator.normal(size=(5, 9))
    if not whole:
        return Track(time, way, error)
    pose, twist = generator.normal(size=(2, 5, 6, 6))
    return Track(time, way, error, pose, twist, generator.normal(size=(5, 2, 2)), 0.25)


def same(one: Track, other: Track) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(one) if getattr(one, name) is not None)


def test_a_run_that_was_stopped_goes_on_from_what_is_kept(tmp_path: Path) -> None:
    journal = EstimatorJournal(tmp_path / "new", RUN)
    assert journal.done == {}
    journal.add("ours", 3, track(3))
    journal.add("plain", 0, track(0, whole=False))
    again = EstimatorJournal(tmp_path / "new", RUN)
    assert set(again.done) == {("ours", 3), ("plain", 0)}
    assert same(track(3), again.track("ours", 3))
    assert again.track("ours", 3).invalid == 0.25
    plain = again.track("plain", 0)
    assert same(track(0, whole=False), plain)
    assert plain.pose_covariance is None
    again.add("ours", 4, track(4))
    assert same(track(3), EstimatorJournal(tmp_path / "new", RUN).track("ours", 3))


def test_another_run_is_refused(tmp_path: Path) -> None:
    EstimatorJournal(tmp_path, RUN)
    with pytest.raises(ConfigurationError, match="seconds"):
        EstimatorJournal(tmp_path, RUN | {"seconds": 60.0})


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    journal = EstimatorJournal(None, RUN)
    journal.add("ours", 0, track(0))
    assert journal.done == {}
