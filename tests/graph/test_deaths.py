# SPDX-License-Identifier: Apache-2.0
"""Nodes that die: they are named, the robot goes to damping, and nothing stays behind."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from surefoot_msgs.msg import GaitRequest, GaitStatus, RobotMode, ServoCommand

from surefoot.nodes import quality
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.faults.processes import run_processes
from surefoot.robot.model import RobotModel
from surefoot.servos.estimate import HELD

pytestmark = pytest.mark.timeout(400)

LOOP = ("state_estimator", "gait_planner", "inverse_dynamics", "servo_bridge", "teleop")


@pytest.mark.parametrize("victim", ["inverse_dynamics", "servo_bridge"])
def test_the_launcher_names_the_dead_and_ends_everything(
    graph: Any, ear: Any, hyq: RobotModel, short_story: Path, wait_until: Callable[..., Any], victim: str
) -> None:
    commands = ear.hear(ServoCommand, "/joint_command")
    launcher = graph.launch(f"story:={short_story}")
    launcher.says("READY: pose reached")
    dead = graph.process_of(victim)
    dead.kill()
    assert launcher.ends() == 128 + signal.SIGKILL
    assert f"{victim} (process {dead.pid}) was ended by SIGKILL" in launcher.output
    blamed = [line for line in launcher.output.splitlines() if "was ended by" in line]
    assert all(f"{victim} (process {dead.pid})" in line for line in blamed), blamed
    # What to look at comes last.
    assert "which ended everything" in blamed[-1]
    assert f"{victim} | " in launcher.output.splitlines()[-1]
    wait_until(lambda: graph.alive() == [])
    if victim != "servo_bridge":
        assert commands[-1].source == "servo_bridge: ended"
        assert set(commands[-1].stiffness) == {0.0}
        assert set(commands[-1].damping) == {hyq.description.servos.safe_damping}


CELLS = (("imu", "burst", "standing"), ("state_estimator", "killed", "standing"), ("inverse_dynamics", "killed", "standing"))
WITHIN = 400.0
"""s after which it says what it waits for: well before the limit of the whole test, which says nothing."""


@pytest.mark.timeout(WITHIN + 90.0)
def test_cells_of_the_fault_matrix_between_processes(graph: Any) -> None:
    """On one graph, and last what it does not survive; all cells are run by `surefoot faults run --processes`.

    Each cell holds that a fault lasts for as long as it is watched and that its damping is the safe one. The robot stands on without an
    estimator, and under balance control again once another one has been started: only then the next cell begins.
    """
    matrix = run_processes(domain=graph.domain, only=CELLS, within=WITHIN)
    cells = matrix.cells
    assert matrix.outcome == "passed", (matrix.ended, [cell.failed or cell.not_run for cell in cells])
    assert [cell.mode for cell in cells] == ["READY", "READY", "FAULT"]
    assert HELD in cells[1].reason
    assert cells[-1].reason.startswith("command stale")
    assert cells[-1].reaction is not None
    assert 0.0 < cells[-1].reaction <= 0.15


def test_running_free_the_bridge_notices_when_the_robot_itself_falls_silent(
    graph: Any, ear: Any, wait_until: Callable[..., Any], tmp_path: Path
) -> None:
    modes = ear.hear(RobotMode, "/robot_mode")
    # Until the balance controller has warmed up, STAND is refused: a person tells it again.
    story = tmp_path / "told_again.yaml"
    told = "".join(f"  - {{at: {2.0 * k}, press: [{'stand' if k % 2 else 'arm'}]}}\n" for k in range(1, 60))
    story.write_text(f"title: told again\nend: 200.0\nsteps:\n{told}", encoding="utf-8")
    for name in LOOP:
        graph.node(name, lockstep=False)
    graph.node("scripted_pad", lockstep=False, story=str(story))
    simulator = graph.node("simulator", lockstep=False)
    wait_until(lambda: modes and modes[-1].mode == RobotMode.STANDING_UP)
    simulator.signal(signal.SIGKILL)
    wait_until(lambda: modes[-1].mode == RobotMode.FAULT)
    assert modes[-1].reason.startswith("joint state stale"), modes[-1].reason


def idle(process: Any) -> bool:
    """Whether a worker has started and waits for work."""
    before = process.cpu_times().user
    time.sleep(1.0)
    return process.status() == "sleeping" and process.cpu_times().user - before < 0.02 and before > 0.5


def test_a_rehearsal_that_dies_is_a_veto_and_the_gait_is_kept(
    graph: Any, ear: Any, short_story: Path, wait_until: Callable[..., Any]
) -> None:
    modes = ear.hear(RobotMode, "/robot_mode", quality.command(True))
    statuses = ear.hear(GaitStatus, "/gait_status", quality.EVENT)
    requests = ear.speak(GaitRequest, "/gait_request")
    trace = graph.node("particle_trace", workers=8)
    wait_until(lambda: len(trace.children()) == 8)
    wait_until(lambda: all(idle(worker) for worker in trace.children()))
    for name in LOOP:
        # Two particles of each that are lost are a veto; after one there would be another look.
        parameters = {"gait_planner": {"deadline": 8.0, "particles": 2}, "teleop": {"pad_lockstep": True}}.get(name, {})
        graph.node(name, **parameters)
    graph.node("scripted_pad", story=short_story)
    graph.node("simulator")
    wait_until(lambda: modes and modes[-1].mode == RobotMode.READY, lambda: str(modes[-1:]))

    def vetoed_by(end: Callable[[], None]) -> str:
        """The reason of the veto, when something ends during a rehearsal."""
        wait_until(lambda: statuses[-1].request_state == GaitStatus.REHEARSING)
        end()
        wait_until(lambda: statuses[-1].request_state != GaitStatus.REHEARSING)
        assert statuses[-1].request_state == GaitStatus.VETOED, statuses[-1]
        assert statuses[-1].gait == "stand"
        return str(statuses[-1].reason)

    # Workers that are stopped hold their jobs, so that all of these are lost at once.
    workers = trace.children()
    for worker in workers:
        worker.suspend()

    def end_workers() -> None:
        time.sleep(0.5)
        for worker in workers:
            worker.kill()

    reason = vetoed_by(end_workers)
    assert "worker died" in reason, reason
    wait_until(lambda: len(trace.children()) == 8)
    requests.publish(GaitRequest(id=1, gait="walk"))
    assert vetoed_by(lambda: trace.signal(signal.SIGKILL)) == "no verdict within 8 s"

    then = seconds_of(modes[-1].header.stamp)
    wait_until(lambda: seconds_of(modes[-1].header.stamp) > then + 0.3)
    assert modes[-1].mode == RobotMode.WALKING
