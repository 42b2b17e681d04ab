# SPDX-License-Identifier: Apache-2.0
"""What tests of several rooms share."""

import os
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from guard import start_guard

from surefoot.evaluation.run import Run
from surefoot.evaluation.story import Event, StoryWriter, read_story
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.ros_domain import domain_number

GUARD = start_guard()

# Tests side by side must not hear each other. A file of tests with a domain of its own keeps it.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
if WORKER:
    os.environ["ROS_DOMAIN_ID"] = str((domain_number() + 1 + int(WORKER.removeprefix("gw"))) % 100 + 1)

# No test asserts a time, and a busy machine is no failure.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session")
def hyq() -> RobotModel:
    return load_robot("hyq")


@pytest.fixture(scope="session")
def links() -> RobotModel:
    return load_robot("links")


@dataclass
class ToldRun:
    """A run without a simulator, in which every step of the story happened, as arrays and events that a test may spoil."""

    columns: dict[str, np.ndarray]
    events: list[Event]

    def run(self) -> Run:
        return Run(
            robot="hyq", world="flat", seed=7, period=0.01, trajectory_sha256="ab" * 32, ticks_without_command=2, wall_seconds=80.0,
            **self.columns,
        )  # fmt: skip

    def during(self, start: float, end: float) -> np.ndarray:
        return (self.columns["time"] >= start) & (self.columns["time"] < end)

    def write(self, directory: Path) -> None:
        self.run().write(directory / "run.npz")
        with StoryWriter(directory / "story.jsonl") as story:
            for event in self.events:
                story.write(event)


STORY = """
{"kind": "mode", "time": 0.0, "mode": "OFF", "reason": "started"}
{"kind": "said", "time": 1.0, "text": "arms it"}
{"kind": "mode", "time": 1.0, "mode": "DAMPING"}
{"kind": "mode", "time": 2.0, "mode": "STANDING_UP"}
{"kind": "mode", "time": 4.0, "mode": "READY"}
{"kind": "mode", "time": 5.0, "mode": "WALKING"}
{"kind": "gait", "time": 5.0, "gait": "walk", "state": "IDLE", "request_id": 0, "reason": "", "switch_time": NaN}
{"kind": "command", "time": 5.0, "forward": 0.3, "left": 0.0, "turn": 0.0}
{"kind": "request", "time": 10.0, "request_id": 1, "gait": "trot", "from": "walk", "ground": "dry"}
{"kind": "gait", "time": 10.0, "gait": "walk", "state": "REHEARSING", "request_id": 1}
{"kind": "score", "time": 10.5, "request_id": 1, "transition_point": 0.0, "particles": 16, "survived": 15, "failed": 1, "unfinished": 0,
 "score": 0.9375, "lower_bound": 0.68}
{"kind": "verdict", "time": 11.0, "request_id": 1, "gait_from": "walk", "gait_to": "trot", "accepted": true, "chosen": 2, "reason": "good",
 "scores": [
 {"request_id": 1, "transition_point": 0.0, "particles": 16, "survived": 15, "failed": 1, "unfinished": 0, "score": 0.9375,
  "lower_bound": 0.68, "violated": {"roll": 1}},
 {"transition_point": 0.25, "particles": 16, "survived": 14, "failed": 2, "unfinished": 0, "score": 0.875, "lower_bound": 0.6},
 {"transition_point": 0.5, "particles": 16, "survived": 16, "failed": 0, "unfinished": 0, "score": 1.0, "lower_bound": 0.77},
 {"transition_point": 0.75, "particles": 16, "survived": 15, "failed": 1, "unfinished": 0, "score": 0.9375, "lower_bound": 0.68}
 ], "particles_used": 64, "particle_seconds": 190.0, "wall_seconds": 1.7, "record": "decision_1.json"}
{"kind": "gait", "time": 11.0, "gait": "walk", "state": "SCHEDULED", "request_id": 1, "switch_time": 11.5}
{"kind": "gait", "time": 11.5, "gait": "trot", "state": "COMMITTED", "request_id": 1, "switch_time": 11.5}
{"kind": "request", "time": 20.0, "request_id": 2, "gait": "pace", "from": "trot", "ground": "ice"}
{"kind": "verdict", "time": 21.0, "request_id": 2, "gait_from": "trot", "gait_to": "pace", "accepted": false, "chosen": -1,
 "reason": "0 of 16 survive", "scores": [
 {"request_id": 2, "transition_point": 0.0, "particles": 16, "survived": 0, "failed": 16, "unfinished": 0, "score": 0.0, "lower_bound": 0.0}
 ], "particles_used": 16, "particle_seconds": 9.0, "wall_seconds": 0.4, "record": ""}
{"kind": "gait", "time": 21.0, "gait": "trot", "state": "VETOED", "request_id": 2, "reason": "0 of 16 survive"}
{"kind": "command", "time": 26.0, "forward": 0.0, "left": 0.0, "turn": 0.0}
{"kind": "mode", "time": 28.0, "mode": "READY"}
{"kind": "gait", "time": 28.2, "gait": "stand", "state": "IDLE", "request_id": 2}
{"kind": "mode", "time": 29.0, "mode": "SITTING_DOWN"}
{"kind": "mode", "time": 31.0, "mode": "SITTING"}
{"kind": "diagnostics", "time": 32.0, "node": "inverse_dynamics", "values": {"tick_us_p50": "180.5", "tick_us_p99": "300"}}
"""


@pytest.fixture
def told_run(hyq: RobotModel, tmp_path: Path) -> ToldRun:
    time = np.arange(0.0, 32.0, 0.01)
    count = len(time)
    share_up = np.interp(time, (2.0, 4.0, 29.0, 31.0), (0.0, 1.0, 1.0, 0.0))
    speed = 0.3 * ((time >= 5.2) & (time < 26.2))
    load = np.full((count, 4), 213.0)
    walking, trotting = (time >= 5.0) & (time < 11.5), (time >= 11.5) & (time < 26.0)
    for leg, (first, second) in enumerate(((0.25, 0.25), (0.75, 0.75), (0.0, 0.75), (0.5, 0.25))):
        load[walking & (((time / 0.8 - first) % 1.0) < 0.25), leg] = 0.0
        load[trotting & (((time / 0.5 - second) % 1.0) < 0.4), leg] = 0.0
    columns = {
        "time": time,
        "base_position": np.column_stack((np.cumsum(speed) * 0.01, np.zeros(count), 0.14 + 0.46 * share_up)),
        "base_quaternion": np.tile((0.0, 0.0, 0.0, 1.0), (count, 1)),
        "base_linear_velocity": np.column_stack((speed, np.zeros((count, 2)))),
        "base_angular_velocity": np.zeros((count, 3)),
        "joint_position": hyq.lie_joint_position + share_up[:, None] * (hyq.stand_joint_position - hyq.lie_joint_position),
        "joint_velocity": np.zeros((count, 12)),
        "joint_effort": np.full((count, 12), 30.0),
        "foot_load": load,
        "body_contact": share_up < 0.1,
        "command_latency": np.where(np.arange(count) % 50 == 0, 0.012, 0.002),
    }
    path = tmp_path / "told_story.jsonl"
    path.write_text(STORY.strip().replace("\n ", " ") + "\n")
    return ToldRun(columns, read_story(path))
