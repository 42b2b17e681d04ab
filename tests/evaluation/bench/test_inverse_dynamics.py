# SPDX-License-Identifier: Apache-2.0
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import SurefootError, UnknownNameError
from surefoot.evaluation.bench import inverse_dynamics
from surefoot.evaluation.bench.inverse_dynamics import BATCHES, COMPILED, bench_inverse_dynamics, standing
from surefoot.evaluation.bench.peer_process import PlacoPeer
from surefoot.robot.model import RobotModel


def test_every_controller_is_timed_on_the_same_ticks_and_solves_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inverse_dynamics, "placo_python", lambda: None)
    result = bench_inverse_dynamics("hyq", ("two_stage_qp", "whole_body_qp"), ticks=30)
    assert set(result.tick_us) == {COMPILED, "two_stage_qp", "whole_body_qp"}
    for name, times in result.tick_us.items():
        assert (times.n, result.solved[name]) == (30, 30)
        assert 0.0 < times.median_us <= times.p99_us
    assert result.peer is None
    assert result.ratio == {}
    assert set(result.batch_us) == set(BATCHES)


def test_an_unknown_controller_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"two_stage_qb.*did you mean 'two_stage_qp'"):
        bench_inverse_dynamics("hyq", ("two_stage_qb",), ticks=1)


def test_states_are_disturbed_but_for_the_first(hyq: RobotModel) -> None:
    plan, states = standing(hyq, 50, 3)
    np.testing.assert_array_equal(states["joint_position"][0].ravel(), hyq.stand_joint_position)
    assert np.abs(states["joint_position"][1:] - states["joint_position"][0]).max() > 1e-3
    np.testing.assert_array_equal(plan["load"], np.ones((1, 4)))
    np.testing.assert_array_equal(standing(hyq, 50, 3)[1]["joint_position"], states["joint_position"])


def interpreter(folder: Path, script: str) -> Path:
    """An "interpreter" that runs the given lines, whatever it is asked to run."""
    path = folder / "python"
    path.write_text(f"#!{sys.executable}\n" + textwrap.dedent(script))
    path.chmod(0o755)
    return path


def test_a_peer_answers_between_what_its_library_prints(tmp_path: Path) -> None:
    python = interpreter(
        tmp_path,
        """
        import json, sys
        print("a banner")
        print("ready", flush=True)
        for line in sys.stdin:
            begin, end = map(int, line.split())
            print("chatter")
            print(json.dumps({"seconds": [0.5] * (end - begin), "solved": end - begin - 1}), flush=True)
        """,
    )
    with PlacoPeer(python, "<robot/>", {"friction": 0.6}) as peer:
        seconds, solved = peer.times(3, 7)
    np.testing.assert_array_equal(seconds, [0.5] * 4)
    assert solved == 3


def test_a_peer_that_breaks_down_says_why(tmp_path: Path) -> None:
    python = interpreter(tmp_path, "import sys; sys.exit('no such joint')")
    with pytest.raises(SurefootError, match="Placo ended without an answer: no such joint"):
        PlacoPeer(python, "<robot/>", {})
