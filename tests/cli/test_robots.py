# SPDX-License-Identifier: Apache-2.0
import pytest
import typer
from typer.testing import CliRunner

from surefoot.cli import robots as commands
from surefoot.errors import UnknownNameError


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
