# SPDX-License-Identifier: Apache-2.0
"""`surefoot bench`: a table for people, JSON for machines."""

import json
from pathlib import Path

import pytest

from surefoot.cli.app import USAGE_ERROR, main
from surefoot.evaluation.bench import bridge, contacts


def test_help_lists_the_benchmarks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("walk", "id", "traces", "decision"))


def test_inverse_dynamics_as_a_table_a_page_and_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["bench", "--html", str(tmp_path / "id.html"), "id", "--ticks", "3", "--contact-ticks", "0"]) == 0
    page = (tmp_path / "id.html").read_text()
    assert "<h1>bench id</h1>" in page
    assert "<td>compiled two_stage_qp</td>" in page
    text = " ".join(capsys.readouterr().out.split())
    assert all(name in text for name in ("compiled two_stage_qp", "whole_body_qp", "floor"))
    assert main(["bench", "id", "--ticks", "3", "--contact-ticks", "0", "--controller", "two_stage_qp", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["robot"] == "hyq"
    assert set(result["tick_us"]) == {"compiled two_stage_qp", "two_stage_qp"}
    assert {"p50", "p99"} == set(result["tick_us"]["two_stage_qp"])
    assert {"peer", "ratio", "batch_us"} <= set(result)
    assert "contacts_us" not in result
    assert all({"operations", "p50", "p99"} == set(way) for way in result["setup"].values())


def test_the_number_of_contacts_as_tables_picture_and_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(contacts.bench_contacts, "__defaults__", (1, (1, 4), {"no_slip_lcp": contacts.LAWS["no_slip_lcp"]}, 0))
    html = tmp_path / "made" / "id.html"
    words = "--ticks", "1", "--controller", "two_stage_qp", "--contact-ticks", "1", "--report", str(tmp_path)
    asked = ["bench", "--html", str(html), "id", *words]
    assert main(asked) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert all(name in text for name in ("no_slip_lcp", "grows as", "contacts.png"))
    assert (tmp_path / "contacts.png").read_bytes().startswith(b"\x89PNG")
    page = html.read_text()
    assert "data:image/png;base64," in page
    html.unlink()
    assert main([*asked, "--json"]) == 0
    assert html.read_text().count("<h2>") == page.count("<h2>")
    result = json.loads(capsys.readouterr().out)
    assert set(result["contacts_under_1ms"]) == {"no_slip_lcp"}
    assert [cost["contacts"] for cost in result["contacts_us"]["no_slip_lcp"]] == [4, 16]
    assert result["contacts_growth"] == {"no_slip_lcp": None}


def test_each_command_writes_its_own_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    measured: list[bridge.BridgeResult] = []
    once = bridge.bench_bridge

    def bench(robot: str, ticks: int, cycles: int) -> bridge.BridgeResult:
        if not measured:
            measured.append(once(robot, ticks, cycles, ()))
            assert main(["bench", "bridge"]) == 0
            assert main(["bench", "--html", str(tmp_path / "inner.html"), "bridge"]) == 0
        return measured[0]

    monkeypatch.setattr(bridge, "bench_bridge", bench)
    assert main(["bench", "--html", str(tmp_path / "outer.html"), "bridge", "--ticks", "10", "--cycles", "10"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inner.html", "outer.html"]
    assert "<h1>bench bridge</h1>" in (tmp_path / "outer.html").read_text()


def test_an_unknown_robot_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "walk", "--robot", "hyk"]) == USAGE_ERROR
    assert "hyq" in capsys.readouterr().err
