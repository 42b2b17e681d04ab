# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.cli.app import main
from surefoot.inverse_dynamics.selector import controller_names


def test_all_are_listed_and_one_is_proposed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["controllers", "--contacts", "4", "--friction", "0.8"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("compiled", *controller_names()))
    assert "proposed: two_stage_qp_no_slip (4 contacts, high friction" in said
    assert "joint_pid" in said


def test_slippery_ground_and_hardware_change_the_proposal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["controllers", "--contacts", "2", "--friction", "0.1"]) == 0
    assert "proposed: coulomb_lcp" in capsys.readouterr().out
    assert main(["controllers", "--contacts", "2", "--friction", "0.1", "--hardware"]) == 0
    assert "proposed: two_stage_qp (2 contacts, low friction; coulomb_lcp may not drive motors" in capsys.readouterr().out
