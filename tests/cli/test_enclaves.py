# SPDX-License-Identifier: Apache-2.0
"""A node that a command starts is in its enclave, as one that a launch file starts is."""

import sys
from types import SimpleNamespace

import pytest

from surefoot.cli.app import main
from surefoot.security import enclave_of


@pytest.mark.parametrize(("words", "node"), [(["bag", "record"], "recorder"), (["drive"], "keyboard"), (["view"], "view")])
def test_commands_that_are_nodes_are_in_their_enclave(words: list[str], node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    monkeypatch.setattr(sys, "argv", ["surefoot"])
    monkeypatch.setattr("surefoot.cli.drive.Terminal", lambda: SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(f"surefoot.nodes.{node}.main", lambda: found.append(enclave_of(sys.argv)))
    assert main(words) == 0
    assert found == [f"/surefoot/{node}"]
