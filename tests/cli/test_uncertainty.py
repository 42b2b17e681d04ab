# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from surefoot.cli.app import USAGE_ERROR, main


def test_a_cloud_is_shown_with_its_origins_and_its_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["uncertainty", "show"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for expected in (
        "±3 %", "1.83 kg", "tape measure: 1 mm on 0.35 m", "264 scalars: 211 for each particle, 53 more at each control tick",
        "of the 176 that Fig. 15 of [Zapolsky 2017] lists, 150 are drawn", "hyq does not feel 4 of foot_mass",
    ):  # fmt: skip
        assert expected in text


def test_another_cloud_of_another_robot_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["uncertainty", "show", "wide", "--robot", "go2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["persistent"], result["transient"], result["drawn"]) == (211, 53, 264)
    assert sum(row["scalars"] for row in result["parameters"]) == sum(result["groups"].values()) == result["drawn"] == result["spread"]
    assert result["source"]["drawn"] + sum(entry["scalars"] for entry in result["source"]["left_out"]) == result["source"]["named"]
    assert result["without_effect"][0]["parameter"] == "foot_force"
    assert all(row["origin"] for row in result["parameters"])


def test_a_cloud_that_there_is_not_is_refused_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["uncertainty", "show", "narrow"]) == USAGE_ERROR
    assert "default, links, wide" in " ".join(capsys.readouterr().err.split())
