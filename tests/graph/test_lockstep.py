# SPDX-License-Identifier: Apache-2.0
"""Through the launcher, in lockstep: one seed is one run, whatever the load, and everything that is promised is said."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import QuaternionStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState, Joy
from surefoot_msgs.msg import FootForces, GaitStatus, MotionPlan, OperatorCommand, RobotMode, RobotState, ServoCommand, Verdict
from tf2_msgs.msg import TFMessage

from surefoot.bringup.command import node_names
from surefoot.evaluation.run import FILE_NAME, Run, read_run
from surefoot.recording.reader import Bag
from surefoot.recording.stamps import stamp_of

pytestmark = pytest.mark.timeout(400)

KINDS = {
    "/joint_states": JointState, "/imu": Imu, "/foot_forces": FootForces, "/ground_truth": Odometry, "/odom": Odometry,
    "/robot_state": RobotState, "/motion_plan": MotionPlan, "/servo_command": ServoCommand, "/joint_command": ServoCommand,
    "/robot_mode": RobotMode, "/operator_command": OperatorCommand, "/joy": Joy, "/gait_status": GaitStatus, "/verdict": Verdict,
    "/diagnostics": DiagnosticArray, "/base_attitude": QuaternionStamped, "/tf": TFMessage,
}  # fmt: skip
FRAMES = {
    "/imu": "imu_link", "/foot_forces": "base_link", "/ground_truth": "world", "/odom": "odom", "/robot_state": "odom",
    "/motion_plan": "odom", "/base_attitude": "odom",
}  # fmt: skip
OF_A_TICK = (
    "/robot_state", "/base_attitude", "/motion_plan", "/servo_command", "/joint_command", "/robot_mode", "/operator_command", "/joy",
)  # fmt: skip
NODES = set(node_names()) - {"gamepad", "keyboard", "markers", "path_follower", "replayer", "view"}
"""Of a played story that is recorded: its pad is scripted."""

END, PERIOD = 6.6, 0.004


@dataclass
class Played:
    """What came of a run."""

    run: Run
    heard: dict[str, list[Any]]
    types: dict[str, list[str]]
    bag: Path


def play(graph: Any, story: Path, seed: int, end: float = END, *arguments: str) -> Run:
    """Play the short story, by default to its end."""
    process = graph.launch(f"story:={story}", f"seed:={seed}", f"duration:={end}", f"record_directory:={graph.folder}", *arguments)
    assert process.ends() == 0, process.output
    assert graph.alive() == []
    assert end < END or "ACCEPTED" in process.output, process.output
    return read_run(graph.folder / FILE_NAME)


@pytest.fixture(scope="module")
def first(new_graph: Callable[[], Any], short_story: Path) -> Played:
    """A run with seed 7 that is listened to and recorded."""
    graph = new_graph()
    ear = graph.ear()
    heard = {topic: ear.hear(kind, topic) for topic, kind in KINDS.items()}
    bag = graph.folder / "bag"
    run = play(graph, short_story, 7, END, "record:=true", f"bag:={bag}")
    return Played(run, heard, dict(ear.node.get_topic_names_and_types()), bag)


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Somebody else wants every core."""
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    yield
    for process in busy:
        process.kill()
        process.wait()


def test_the_robot_stood_up_and_walked(first: Played) -> None:
    run = first.run
    assert run.ticks_without_command == 0
    assert len(run.time) == round((END - run.time[0]) / PERIOD)
    assert run.base_position[-1, 2] == pytest.approx(0.6, abs=0.05)
    assert run.base_position[-1, 0] > 0.2
    assert np.isfinite(run.command_latency).all()
    # Lying there the servos are asked for nothing; standing, for about where they are.
    assert np.isnan(run.joint_target[0]).all()
    walking = slice(-100, None)
    assert np.nanmax(np.abs(run.joint_position - run.joint_target)[walking]) < 0.3
    # A leg that swings faster than its joint may is asked for nothing for a tick or two.
    assert np.isnan(run.joint_target[walking]).mean() < 0.01


@pytest.mark.usefixtures("busy_machine")
def test_the_same_seed_is_the_same_run_under_load(first: Played, graph: Any, short_story: Path) -> None:
    again = play(graph, short_story, 7)
    assert again.trajectory_sha256 == first.run.trajectory_sha256
    np.testing.assert_array_equal(again.base_position, first.run.base_position)


def test_another_seed_is_another_run(first: Played, graph: Any, short_story: Path) -> None:
    other = play(graph, short_story, 8, end=1.2)
    assert other.trajectory_sha256 != first.run.trajectory_sha256
    assert not np.array_equal(other.joint_position, first.run.joint_position[: len(other.time)])


def test_a_robot_whose_joints_are_heard_late_starts_as_well(graph: Any, short_story: Path) -> None:
    run = play(graph, short_story, 7, 0.4, "robot:=links")
    assert run.ticks_without_command == 0
    assert len(run.time) == round((0.4 - run.time[0]) / run.period)


def test_every_topic_speaks_with_the_promised_type_and_frame(first: Played) -> None:
    for topic, kind in KINDS.items():
        assert first.heard[topic], topic
        package = kind.__module__.split(".", maxsplit=1)[0]
        assert first.types[topic] == [f"{package}/msg/{kind.__name__}"]
    for topic, frame in FRAMES.items():
        assert {message.header.frame_id for message in first.heard[topic] if not _silent(message)} == {frame}, topic
    assert {message.child_frame_id for message in first.heard["/odom"]} == {"base_link"}
    transforms = [transform for message in first.heard["/tf"] for transform in message.transforms]
    assert {(transform.header.frame_id, transform.child_frame_id) for transform in transforms} == {("odom", "base_link")}


def _silent(message: Any) -> bool:
    """Before the first sample that can be used nothing is known, not even in which frame."""
    return isinstance(message, RobotState | QuaternionStamped) and not message.header.frame_id


def seconds(message: Any) -> float:
    return float(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)


def test_every_message_carries_the_time_of_the_physical_sample(first: Played) -> None:
    joints = sorted({seconds(message) for message in first.heard["/joint_states"]} - {0.0})
    phase = joints[0] % PERIOD
    for topic in OF_A_TICK:
        ends = [message for message in first.heard[topic] if getattr(message, "source", "") == "servo_bridge: ended"]
        stamps = np.array([seconds(message) for message in first.heard[topic] if message not in ends])
        stamps = stamps[stamps > 0.0]
        ticks = (stamps - phase) / PERIOD
        np.testing.assert_allclose(ticks, np.round(ticks), atol=1e-5, err_msg=topic)
        assert stamps.max() == pytest.approx(joints[-1], abs=2 * PERIOD)
        assert (np.diff(stamps) > 0.0).all(), topic
    for topic in ("/imu", "/foot_forces"):
        # Each sensor has a delay of its own, of a few milliseconds at most.
        stamps = np.array([seconds(message) for message in first.heard[topic]])
        assert abs(stamps[-1] - joints[-1]) < PERIOD, topic


def test_the_state_says_how_sure_it_is(first: Played) -> None:
    valid = [message for message in first.heard["/robot_state"] if message.valid]
    assert len(valid) > 100
    for message in valid[::50]:
        for covariance in (message.pose_covariance, message.twist_covariance):
            matrix = np.array(covariance).reshape(6, 6)
            np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
            assert (np.linalg.eigvalsh(matrix) > 0.0).all()
        assert min(message.joint_position_variance) > 0.0
        assert all(0.0 <= probability <= 1.0 for probability in message.foot_contact_probability)


def test_the_estimate_is_not_the_truth_but_near_it(first: Played) -> None:
    last = first.heard["/odom"][-1]
    truth = first.run.base_position[np.searchsorted(first.run.time, seconds(last))]
    estimate = np.array([getattr(last.pose.pose.position, axis) for axis in "xyz"])
    # Odometry drifts over the ground; the height does not.
    assert 0.0 < np.abs(estimate - truth)[:2].max() < 0.2
    assert np.abs(estimate - truth)[2] < 0.02


def test_every_node_reports_its_health(first: Played) -> None:
    last = {
        status.name: {pair.key: pair.value for pair in status.values} for array in first.heard["/diagnostics"] for status in array.status
    }
    assert set(last) >= NODES
    for values in last.values():
        assert {"rate_hz", "last_fault"} <= set(values)
    assert {name for name, values in last.items() if "tick_us_p50" in values} >= NODES - {"particle_trace", "narrator"}


def test_the_verdict_is_published_with_its_numbers(first: Played) -> None:
    verdict = first.heard["/verdict"][-1]
    assert verdict.accepted
    assert len(verdict.scores) == 8
    chosen = verdict.scores[verdict.chosen]
    assert chosen.survived + chosen.failed + chosen.unfinished == chosen.particles >= 16
    assert chosen.lower_bound >= verdict.accept_at
    assert verdict.reason
    states = [message.request_state for message in first.heard["/gait_status"]]
    # From a stand the change comes at the very tick at which the verdict is due: nobody sees it scheduled.
    assert [state for k, state in enumerate(states) if state not in states[:k]][-2:] == [GaitStatus.REHEARSING, GaitStatus.COMMITTED]
    assert first.heard["/gait_status"][-1].gait == "walk"


def test_everything_that_was_said_is_in_the_bag(first: Played) -> None:
    bag = Bag(first.bag)
    assert bag.problems == []
    for topic in (*OF_A_TICK, "/joint_states", "/imu", "/foot_forces"):
        stamps = [stamp_of(message.data) for message in bag.messages((topic,))]
        assert stamps == sorted(stamps), topic
        assert len(stamps) >= len(first.run.time), topic
    assert bag.counts["/verdict"] == 1
    assert {f"parameters/{node}.yaml" for node in NODES} <= set(bag.attachments)
    assert any(name.startswith("decisions/decision_") for name in bag.attachments)


def test_the_bag_through_the_code_that_made_it_gives_the_same_outputs_each_time(first: Played, graph: Any) -> None:
    nodes = "state_estimator,gait_planner,inverse_dynamics,servo_bridge,teleop"
    process = graph.run("-m", "surefoot", "replay", str(first.bag), "--nodes", nodes, "--expect", "same", "--times", "2", "--json")
    assert process.ends() == 0, process.output
    result = json.loads(process.output[process.output.index("{") :])
    assert result["identical"]
    assert len(set(result["hashes"])) == 1
    assert {topic["topic"] for topic in result["topics"]} == {
        "/robot_state", "/base_attitude", "/odom", "/tf", "/motion_plan", "/gait_status", "/verdict", "/controller", "/servo_command",
        "/joint_command", "/robot_mode", "/operator_command",
    }  # fmt: skip
    assert all(topic["same"] > 0 and topic["first"] is None for topic in result["topics"])


def test_another_configuration_gives_other_outputs_and_says_where_they_part(first: Played, graph: Any) -> None:
    changed = "inverse_dynamics.controller=joint_pid"
    process = graph.run("-m", "surefoot", "replay", str(first.bag), "--nodes", "inverse_dynamics", "--set", changed, "--expect", "same")
    assert process.ends() == 1, process.output
    assert "/servo_command" in process.output
    assert "compiled then, joint_pid now" in process.output
