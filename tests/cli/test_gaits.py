# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.cli.app import main


def test_each_gait_is_listed_with_what_it_is_and_with_what_the_validator_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gaits", "--robot", "links"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for expected in ("low_pace │ pace", "waypoint_trot │ trot", "refused", "LF of links would be 0.1762 m long at rest"):
        assert expected in text


def test_there_is_a_picture_of_the_gaits_and_one_of_each_parameter(tmp_path: Path) -> None:
    assert main(["gaits", "--pictures", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} >= {"patterns.png", "period.png", "velocity_feedback.png"}
