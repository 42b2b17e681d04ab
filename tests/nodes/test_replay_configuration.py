# SPDX-License-Identifier: Apache-2.0
"""Other values in files of config/, for a replay only."""

from pathlib import Path

import pytest

from surefoot.errors import ConfigurationError
from surefoot.nodes.replay.configuration import changed_files, read_sweep
from surefoot.settings import Settings, read_settings


class Inner(Settings):
    low: float
    high: float


class Outer(Settings):
    inner: Inner
    name: str


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.yaml"
    path.write_text("inner: {low: 1.0, high: 2.0}\nname: as written\n")
    return path


def test_what_is_named_changes_and_the_rest_stays(file: Path) -> None:
    with changed_files({"numbers.yaml": {"inner": {"high": 3.0}}}):
        changed = read_settings(Outer, file)
    assert (changed.inner.low, changed.inner.high, changed.name) == (1.0, 3.0, "as written")
    assert read_settings(Outer, file).inner.high == 2.0


def test_an_unknown_key_is_refused_as_in_the_file(file: Path) -> None:
    changes = {"numbers.yaml": {"inner": {"middle": 3.0}}}
    with pytest.raises(ConfigurationError, match=r"inner\.middle: unknown key"), changed_files(changes):
        read_settings(Outer, file)
    assert read_settings(Outer, file).inner.high == 2.0


def test_a_change_that_nobody_sees_is_named(file: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"other\.yaml"), changed_files({"other.yaml": {"a": 1}}):
        read_settings(Outer, file)


def test_a_sweep_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "sweep.yaml"
    other = "{parameters: {gait_planner: {particles: 8}}, files: {estimator.yaml: {a: 1}}}"
    path.write_text(f"configurations:\n  as_it_is: {{}}\n  other: {other}\n")
    assert list(read_sweep(path).configurations) == ["as_it_is", "other"]
    path.write_text("configurations: {}\n")
    with pytest.raises(ConfigurationError, match="configurations"):
        read_sweep(path)
    path.write_text("configurations: {a: {parameter: {}}}\n")
    with pytest.raises(ConfigurationError, match="parameter: unknown key"):
        read_sweep(path)
