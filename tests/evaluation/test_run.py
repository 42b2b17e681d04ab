# SPDX-License-Identifier: Apache-2.0
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.run import Run, read_run


def test_what_is_written_is_read(told_run: Any, tmp_path: Path) -> None:
    run = told_run.run()
    run.write(tmp_path / "deep" / "run.npz")
    again = read_run(tmp_path / "deep" / "run.npz")
    for item in fields(Run):
        np.testing.assert_array_equal(getattr(again, item.name), getattr(run, item.name))
        assert type(getattr(again, item.name)) is type(getattr(run, item.name))
    assert list((tmp_path / "deep").iterdir()) == [tmp_path / "deep" / "run.npz"]


def test_a_run_of_before_has_no_targets(told_run: Any, tmp_path: Path) -> None:
    run, path = told_run.run(), tmp_path / "run.npz"
    run.write(path)
    with np.load(path) as stored:
        np.savez(path, **{name: stored[name] for name in stored.files if name not in ("joint_target", "wall_seconds")})
    again = read_run(path)
    assert again.joint_target.shape == again.joint_position.shape
    assert np.isnan(again.joint_target).all()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no such run: .*run\.npz.* such as report/run after \./surefoot demo, or a bag"):
        read_run(tmp_path / "run.npz")


@pytest.mark.parametrize("kept", [0, 10, 5000, -30])
def test_a_cut_file_is_refused(told_run: Any, tmp_path: Path, kept: int) -> None:
    path = tmp_path / "run.npz"
    told_run.run().write(path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ConfigurationError, match="is cut or is not a run"):
        read_run(path)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "run.npz", time=np.arange(3.0))
    with pytest.raises(ConfigurationError, match="base_position"):
        read_run(tmp_path / "run.npz")


def test_a_wrong_shape_is_said(told_run: Any) -> None:
    told_run.columns["foot_load"] = told_run.columns["foot_load"][:, :3]
    with pytest.raises(ConfigurationError, match=r"foot_load has shape \(3200, 3\); with 3200 times it must be \(3200, 4\)"):
        told_run.run()


def test_time_must_increase(told_run: Any) -> None:
    told_run.columns["time"][5] = told_run.columns["time"][4]
    with pytest.raises(ConfigurationError, match="time must increase"):
        told_run.run()
