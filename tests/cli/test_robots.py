# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
import typer
import yaml
from typer.testing import CliRunner

from surefoot.cli import robots as commands
from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.locate import find_robot


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    app = typer.Typer()
    app.command()(commands.robots)
    app.command()(commands.check)
    return app


def test_list(app):
    result = CliRunner().invoke(app, ["robots"])
    assert result.exit_code == 0
    assert "86.77" in result.output
    assert "4.80" in result.output
    assert "go2" in result.output


def test_check(app):
    result = CliRunner().invoke(app, ["check", "hyq"])
    assert result.exit_code == 0
    assert "rh_kfe_joint" in result.output
    assert "can be used, 0 warnings" in result.output


def test_check_of_an_unknown_robot(app):
    result = CliRunner().invoke(app, ["check", "hyp"])
    assert isinstance(result.exception, UnknownNameError)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"gait_set": "mydog"}, "gait_set: unknown gait set 'mydog'"),
        ({"default_gait": "wlak"}, "default_gait: unknown gait 'wlak'; did you mean 'walk'?"),
    ],
)
def test_check_looks_up_the_gaits(app, tmp_path: Path, changes, words):
    """A robot that `launch` refuses is none that can be used."""
    values = yaml.safe_load(find_robot("hyq").read_text())
    urdf = str((find_robot("hyq").parent / values["urdf"]).resolve())
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(values | {"urdf": urdf} | changes))
    result = CliRunner().invoke(app, ["check", str(file)])
    assert isinstance(result.exception, ConfigurationError)
    assert words in str(result.exception)
