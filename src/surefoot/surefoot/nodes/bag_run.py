# SPDX-License-Identifier: Apache-2.0
"""A bag as a run: the same files as a simulator leaves, so that whoever reads those reads bags as well.

What the robot did is what it believed: poses are those of the estimator, forces those that were measured.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import deserialize_message
from surefoot_msgs.msg import GaitStatus, MotionPlan, RobotMode, ServoCommand, Verdict
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SurefootError
from surefoot.evaluation import run as runs
from surefoot.evaluation import story as stories
from surefoot.evaluation.run import Run
from surefoot.evaluation.story import Event, StoryWriter
from surefoot.nodes.bag_story import DECISIONS
from surefoot.nodes.bag_types import of_another_type
from surefoot.nodes.conversions.command import CommandReader
from surefoot.nodes.conversions.page import PageReader
from surefoot.nodes.conversions.state import StateReader
from surefoot.nodes.replay.session import recorded_parameters
from surefoot.nodes.teller import Teller
from surefoot.recording.errors import BagError
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.stamps import stamp_of
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.teleop.script import Step, find_story, read_story
from surefoot.viewer.tracking import Tracking

SENSED = "/joint_states"
"""Whose samples begin a tick."""


class BagRun:
    """Reads all of a bag once.

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
        named = robot or next((str(values["robot"]) for values in parameters.values() if "robot" in values), "hyq")
        model = load_robot(named)
        self.story: list[Event] = []
        teller = Teller(_script(parameters), self.story.append, lambda _: None)
        self._states: list[RobotState] = []
        self._wanted: dict[int, np.ndarray] = {}
        self._planned: dict[int, np.ndarray] = {}
        self._sensed_at: dict[int, int] = {}
        self._answered_at: dict[int, int] = {}
        states, commands, plans = StateReader(model.description), CommandReader(model.description), PageReader(model.description)

        def hear_command(message: ServoCommand) -> None:
            command = commands.read(message)
            if command is not None:
                self._wanted[_nanoseconds(message)] = command.position

        def hear_plan(message: MotionPlan) -> None:
            plan = plans.plan(message)
            if plan is not None:
                self._planned[_nanoseconds(message)] = plan.base_position

        hearers: dict[str, tuple[Any, Callable[[Any], Any]]] = {
            "/robot_state": (RobotStateMessage, lambda message: self._states.append(states.read(message))),
            "/joint_command": (ServoCommand, hear_command),
            "/motion_plan": (MotionPlan, hear_plan),
            "/robot_mode": (RobotMode, teller.hear_mode),
            "/gait_status": (GaitStatus, teller.hear_status),
            "/verdict": (Verdict, teller.hear_verdict),
            "/diagnostics": (DiagnosticArray, teller.hear_diagnostics),
        }
        left_out = of_another_type(bag, {topic: kind for topic, (kind, _) in hearers.items()}, "/robot_state")
        for topic in left_out:
            del hearers[topic]
        for message in bag.messages({*hearers, SENSED}):
            if message.topic in (SENSED, "/joint_command"):
                at = self._sensed_at if message.topic == SENSED else self._answered_at
                at.setdefault(stamp_of(message.data), message.publish_time)
            if message.topic not in hearers:
                continue
            kind, hear = hearers[message.topic]
            try:
                hear(deserialize_message(message.data, kind))
            except SurefootError:
                self.refused += 1
        self.story += teller.health.values()
        self.story.sort(key=lambda event: event.time)
        unread = [f"{self.refused} messages cannot be read, and are left out"] if self.refused else []
        self.problems = (*bag.problems, *left_out.values(), *unread)
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
        # A robot that was started again begins another run: the last one is what is looked at.
        states: list[RobotState] = []
        for state in self._states:
            if states and state.time <= states[-1].time:
                if state.time < states[-1].time - 1.0:
                    states = [state]
                continue
            states.append(state)
        if not states:
            raise BagError(f"{self._bag.path} has no /robot_state that can be read, so there is no run in it")
        self._states = states
        times = np.array([state.time for state in states])
        ticks = np.round(times * SECOND).astype(np.int64)
        latency = [(self._answered_at.get(tick, math.nan) - self._sensed_at.get(tick, math.nan)) / SECOND for tick in ticks.tolist()]
        simulator = parameters.get("simulator", {})
        return Run(
            robot=robot,
            world=str(simulator.get("world", "")) or "unknown ground",
            seed=int(simulator.get("seed", 0)),
            period=float(np.median(np.diff(times))) if len(times) > 1 else 1.0 / model.description.control.rate,
            trajectory_sha256="",
            ticks_without_command=sum(tick in self._sensed_at and tick not in self._answered_at for tick in ticks.tolist()),
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
            wall_seconds=self._bag.seconds,
        )

    def _tracking(self) -> Tracking:
        nothing = {12: np.full(12, math.nan), 3: np.full(3, math.nan)}
        ticks = [round(time * SECOND) for time in self.run.time.tolist()]
        wanted = np.array([self._wanted.get(tick, nothing[12]) for tick in ticks])
        planned = np.array([self._planned.get(tick, nothing[3]) for tick in ticks])
        return Tracking(self.run.time, self.run.joint_position - wanted, self.run.base_position - planned)


def _script(parameters: dict[str, dict[str, Any]]) -> tuple[Step, ...]:
    """Of the gamepad that was scripted, where its story is to be found."""
    story = str(parameters.get("scripted_pad", {}).get("story", ""))
    if not story:
        return ()
    try:
        return read_story(find_story(story)).steps
    except SurefootError:
        return ()


def _nanoseconds(message: Any) -> int:
    return int(message.header.stamp.sec) * SECOND + int(message.header.stamp.nanosec)


def _stack(states: list[RobotState], name: str) -> np.ndarray:
    return np.array([getattr(state, name) for state in states], dtype=np.float64)
