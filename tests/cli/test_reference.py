# SPDX-License-Identifier: Apache-2.0
"""The page of all parameters is what the code declares, and the nodes declare what it says."""

import ast
from pathlib import Path

import pytest

from surefoot.bringup.command import node_names
from surefoot.cli.app import main
from surefoot.cli.graph_names import FILES
from surefoot.cli.reference import parameter_reference
from surefoot.nodes.parameters import NODES, NodeParameters
from surefoot.robot.locate import shared_directory

NODE_FILES = Path(__file__).parents[2] / "src" / "surefoot" / "surefoot" / "nodes"


def test_the_page_is_that_of_the_code() -> None:
    page = shared_directory() / "docs" / "parameters.md"
    assert page.read_text(encoding="utf-8") == parameter_reference(), "run: ./surefoot reference --to docs/parameters.md"


def test_it_is_written_where_it_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reference", "--to", str(tmp_path / "page.md")]) == 0
    assert main(["reference"]) == 0
    assert capsys.readouterr().out == (tmp_path / "page.md").read_text(encoding="utf-8") == parameter_reference()


def test_every_node_is_described() -> None:
    assert set(NODES) == set(node_names())
    page = parameter_reference()
    for name, kind in NODES.items():
        own = set(kind.model_fields) - set(NodeParameters.model_fields)
        assert (f"\n## {name}\n" in page) == bool(own)
        assert all(f"| `{field}` | " in page for field in own)
    assert all(f"### config/{file}" in page for files in FILES.values() for file, _ in files)


@pytest.mark.parametrize("name", sorted(NODES))
def test_every_parameter_has_a_meaning(name: str) -> None:
    assert all(field.description for field in NODES[name].model_fields.values())


@pytest.mark.parametrize("name", sorted(NODES))
def test_a_node_declares_what_is_described_and_nothing_else(name: str) -> None:
    tree = ast.parse((NODE_FILES / f"{name}.py").read_text())
    calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)]
    declared = [ast.unparse(call.args[0]) for call in calls if call.func.attr == "declared"]  # type: ignore[attr-defined]
    assert declared == ([] if NODES[name] is NodeParameters else [NODES[name].__name__])
    assert not [call for call in calls if call.func.attr == "declare_parameter"]  # type: ignore[attr-defined]
