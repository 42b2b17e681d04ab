# SPDX-License-Identifier: Apache-2.0
"""A bag as a run: the same files as a simulator leaves, so that whoever reads those reads bags as well.

What the robot did is what it believed: poses are those of the estimator, forces those that were measured.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from surefoot_msgs.msg import GaitStatus, MotionPlan, RobotMode, ServoCommand, Verdict
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SurefootError
from surefoot.evaluation import run as runs
from surefoot.evaluation import story as stories
from surefoot.evaluation.run import Run
from surefoot.evaluation.story import Event, StoryWriter
from surefoot.nodes.bag_story import DECISIONS
from surefoot.nodes.bag_types import of_another_type, read, robot_of, unread
from surefoot.nodes.conversions.command import CommandReader
from surefoot.nodes.conversions.page import PageReader
from surefoot.nodes.conversions.state import StateReader
from surefoot.nodes.replay.session import recorded_parameters
from surefoot.nodes.teller import Teller
from surefoot.recording.errors import BagError
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.stamps import has_header, stamp_of
from surefoot.recording.timeline import CLOCK, with_run
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.teleop.script import Story, find_story, read_story
from surefoot.viewer.tracking import Tracking


class _Heard:
    """What was said since the robot was started. Times of samples, ns, are keys."""

    def __init__(self, story: Story | None, began: int) -> None:
        self.began = self.ended = began  # log times, ns
        self.story: list[Event] = []
        self.teller = Teller(story, self.story.append, lambda _: None)
        self.states: list[RobotState] = []
        self.wanted: dict[int, np.ndarray] = {}
        self.planned: dict[int, np.ndarray] = {}
        self.sensed_at: dict[int, int] = {}
        self.answered_at: dict[int, int] = {}


class BagRun:
    """Reads all of a bag once. Where the robot was started again meanwhile, its last run with a /robot_state is what is looked at.

    Args:
        bag: to read.
        robot: name or path; empty: the one that the bag names.

    Attributes:
        run: what the robot did, as it was estimated.
        story: what was said, asked and answered.
        tracking: how well it did what it was asked to.
        refused: messages that could not be read.
        problems: what of the bag is not in it, in words.

    Raises:
        BagError: there is no /robot_state in it that can be read.
        ConfigurationError, UnknownNameError: the robot is not known here.
    """

    def __init__(self, bag: Bag, robot: str = "") -> None:
        self._bag = bag
        self.refused = 0
        parameters = recorded_parameters(bag)
        named = robot_of(parameters, robot)
        model, story = load_robot(named), _told_story(parameters)
        states, commands, plans = StateReader(model.description), CommandReader(model.description), PageReader(model.description)

        def hear_command(heard: _Heard, message: ServoCommand) -> None:
            command = commands.read(message)
            if command is not None:
                heard.wanted[_nanoseconds(message)] = command.position

        def hear_plan(heard: _Heard, message: MotionPlan) -> None:
            plan = plans.plan(message)
            if plan is not None:
                heard.planned[_nanoseconds(message)] = plan.base_position

        hearers: dict[str, tuple[Any, Callable[[_Heard, Any], Any]]] = {
            "/robot_state": (RobotStateMessage, lambda heard, message: heard.states.append(states.read(message))),
            "/joint_command": (ServoCommand, hear_command),
            "/motion_plan": (MotionPlan, hear_plan),
            "/robot_mode": (RobotMode, lambda heard, message: heard.teller.hear_mode(message)),
            "/gait_status": (GaitStatus, lambda heard, message: heard.teller.hear_status(message)),
            "/verdict": (Verdict, lambda heard, message: heard.teller.hear_verdict(message)),
            "/diagnostics": (DiagnosticArray, lambda heard, message: heard.teller.hear_diagnostics(message)),
        }
        left_out = of_another_type(bag, {topic: kind for topic, (kind, _) in hearers.items()}, "/robot_state")
        for topic in left_out:
            del hearers[topic]
        stamped = {name for name, topic in bag.topics.items() if has_header(topic.definition)}
        runs = [_Heard(story, bag.start)]
        # Without samples, the estimates are the clock: they carry the time of theirs.
        clock = CLOCK if bag.counts.get(CLOCK) else "/robot_state"
        for number, message in with_run(bag.messages({*hearers, CLOCK}), clock, stamped):
            if number == len(runs):
                # Times come again, and what was said at one in the run before would be taken for an answer in this.
                runs.append(_Heard(story, message.log_time))
            heard = runs[-1]
            heard.ended = message.log_time
            if message.topic in (CLOCK, "/joint_command"):
                at = heard.sensed_at if message.topic == CLOCK else heard.answered_at
                at.setdefault(stamp_of(message.data), message.publish_time)
            if message.topic not in hearers:
                continue
            kind, hear = hearers[message.topic]
            try:
                hear(heard, read(kind, message.data))
            except SurefootError:
                self.refused += 1
        self._heard = next((run for run in reversed(runs) if run.states), runs[-1])
        self.story = sorted([*self._heard.story, *self._heard.teller.health.values()], key=lambda event: event.time)
        again = [f"there are {len(runs)} runs in it; only the last one that has a /robot_state is looked at"] if len(runs) > 1 else []
        self.problems = (*bag.problems, *left_out.values(), *unread(self.refused), *again)
        self.run = self._run(named, parameters, model)
        self.tracking = self._tracking()

    def write(self, folder: Path) -> None:
        """Write the files of a run: run.npz, story.jsonl and the decision records."""
        folder.mkdir(parents=True, exist_ok=True)
        self.run.write(folder / runs.FILE_NAME)
        with StoryWriter(folder / stories.FILE_NAME) as writer:
            for event in self.story:
                writer.write(event)
        for name, content in self._bag.attachments.items():
            if name.startswith(DECISIONS):
                (folder / Path(name).name).write_bytes(content)

    def _run(self, robot: str, parameters: dict[str, dict[str, Any]], model: RobotModel) -> Run:
        heard = self._heard
        states: list[RobotState] = []
        for state in heard.states:
            if not states or state.time > states[-1].time:
                states.append(state)
        if not states:
            raise BagError(f"{self._bag.path} has no /robot_state that can be read, so there is no run in it")
        times = np.array([state.time for state in states])
        ticks = np.round(times * SECOND).astype(np.int64)
        latency = [(heard.answered_at.get(tick, math.nan) - heard.sensed_at.get(tick, math.nan)) / SECOND for tick in ticks.tolist()]
        simulator = parameters.get("simulator", {})
        return Run(
            robot=robot,
            world=str(simulator.get("world", "")) or "unknown ground",
            seed=int(simulator.get("seed", 0)),
            period=float(np.median(np.diff(times))) if len(times) > 1 else 1.0 / model.description.control.rate,
            trajectory_sha256="",
            ticks_without_command=sum(tick in heard.sensed_at and tick not in heard.answered_at for tick in ticks.tolist()),
            time=times,
            base_position=_stack(states, "base_position"),
            base_quaternion=_stack(states, "base_quaternion"),
            base_linear_velocity=_stack(states, "base_linear_velocity"),
            base_angular_velocity=_stack(states, "base_angular_velocity"),
            joint_position=_stack(states, "joint_position"),
            joint_velocity=_stack(states, "joint_velocity"),
            joint_effort=_stack(states, "joint_effort"),
            foot_load=_stack(states, "foot_force")[:, :, 2],
            body_contact=np.zeros(len(states), np.bool_),
            command_latency=np.array(latency),
            joint_target=np.array([heard.wanted.get(tick, np.full(12, math.nan)) for tick in ticks.tolist()]),
            wall_seconds=(heard.ended - heard.began) / SECOND,
        )

    def _tracking(self) -> Tracking:
        ticks = [round(time * SECOND) for time in self.run.time.tolist()]
        planned = np.array([self._heard.planned.get(tick, np.full(3, math.nan)) for tick in ticks])
        return replace(Tracking.of(self.run), base_error=self.run.base_position - planned)


def _told_story(parameters: dict[str, dict[str, Any]]) -> Story | None:
    """Of the gamepad that was scripted, where its story is to be found."""
    story = str(parameters.get("scripted_pad", {}).get("story", ""))
    if not story:
        return None
    try:
        return read_story(find_story(story))
    except SurefootError:
        return None


def _nanoseconds(message: Any) -> int:
    return int(message.header.stamp.sec) * SECOND + int(message.header.stamp.nanosec)


def _stack(states: list[RobotState], name: str) -> np.ndarray:
    return np.array([getattr(state, name) for state in states], dtype=np.float64)
