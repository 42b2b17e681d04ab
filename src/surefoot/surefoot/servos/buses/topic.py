# SPDX-License-Identifier: Apache-2.0
"""Servos behind the topics of somebody else: which names they go by there, and which numbers go where. The node carries the messages.

Fits ros2_control's forward command controllers (one array for each interface), ros_gz (one number a topic for each joint) and drivers that
take a JointState.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from surefoot.errors import ConfigurationError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import Array
from surefoot.servos.intake import MOST_POSITION, MOST_VELOCITY
from surefoot.servos.joint_names import require_known_joints
from surefoot.servos.offenders import first_of
from surefoot.settings import Settings

Interface = Literal["position", "velocity", "effort", "stiffness", "damping", "torque"]
"""Rows of a command; 'torque' is the whole law at the state that was measured last, for servos that know no gains. Where no velocity is
measured, it is that of the last two positions; a joint of which too little is known, or not any more, gets no torque.

A 'position' without 'stiffness' beside it cannot be taken away again: see `TopicMap.values`."""


TOPIC_NAME = re.compile(r"~?/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*", re.ASCII)


class Output(Settings):
    """One stream of commands."""

    topic: str
    """With '{joint}' in it for messages of one number each."""
    message: Literal["array", "number", "joint_state"]
    """std_msgs/Float64MultiArray, std_msgs/Float64, or sensor_msgs/JointState."""
    interfaces: Annotated[list[Interface], Field(min_length=1)]
    """An array has all joints of the first, then all of the second, and so on; a JointState has position, velocity and effort."""
    joints: list[str] | None = None
    """By our names, in the order of the stream; none: all, in the order of the description."""

    @model_validator(mode="after")
    def _fits(self) -> "Output":
        if self.message == "number" and ("{joint}" not in self.topic or len(self.interfaces) != 1):
            raise ValueError("a message of one number needs '{joint}' in its topic and exactly one interface")
        if self.message == "joint_state" and not set(self.interfaces) <= {"position", "velocity", "effort", "torque"}:
            raise ValueError("a JointState carries position, velocity and effort (or torque) only")
        return self


class TopicSettings(Settings):
    """The topics of a foreign robot."""

    simulation: bool = False
    """Whether a simulation listens. Such a file is refused where motors move."""

    states: str = "/joint_states"
    """sensor_msgs/JointState; may come in pieces, as for one leg at a time."""
    complete_within: Annotated[float, Field(gt=0.0, le=0.5)] = 0.02
    """Pieces further apart than this, s, make no sample together."""
    stale_after: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """Age of a joint's state beyond which no torque is worked out from it, s."""
    joint_damping: Annotated[float, Field(ge=0.0)] = 0.0
    """Viscous friction that their joints have beyond ours, N m s/rad: the torque takes it away again. A simulator takes friction into its
    own step; a torque of the same size that comes a sample late would not damp a light joint but shake it."""
    most_damping: Annotated[float, Field(gt=0.0)] = math.inf
    """Damping of a command above this counts as this, N m s/rad: what a torque that comes a sample late can bear. See docs/in_gazebo.md."""
    names: dict[str, str] = Field(default_factory=dict)
    """Their names by ours, where they differ."""
    outputs: Annotated[list[Output], Field(min_length=1)]

    @model_validator(mode="after")
    def _brakes(self) -> "TopicSettings":
        if self.joint_damping and not self.simulation:
            raise ValueError(
                f"joint_damping: {self.joint_damping:g} N m s/rad are taken away from every torque, which drives what it should brake "
                "wherever the joints do not have it. It is for a simulation, and its file says so: simulation: true"
            )
        if math.isfinite(self.most_damping) and not self.simulation:
            raise ValueError(
                f"most_damping: {self.most_damping:g} N m s/rad is less than a fault may ask for, and a robot that is to be damped is not. "
                "It is for a simulation, and its file says so: simulation: true"
            )
        return self


SETTINGS: type[Settings] = TopicSettings


def law_problem(said: set[Interface]) -> str:
    """Why a joint that is told these interfaces does not do what the bridge asks for; empty where it can."""
    if "torque" in said and said & {"effort", "stiffness", "damping"}:
        return "torque is the whole law; with a part of it beside, that part counts twice. Leave the others out"
    if "stiffness" in said and not {"position", "damping"} <= said:
        return "a stiffness pulls to the position, and swings without damping. Add both"
    if {"position", "damping"} <= said and not said & {"stiffness", "torque"}:
        return "a position that no stiffness is told with cannot be taken away when only damping is to be left. Add the stiffness"
    if not said & {"torque", "position"}:
        return "that holds no position, and a fault does not damp it. Use torque, which has the whole law in it, or add position"
    return ""


def topics_of(settings: TopicSettings, joint_names: Sequence[str]) -> tuple[str, ...]:
    """Every topic that a foreign robot has, for joints by our names."""
    theirs = {name: settings.names.get(name, name) for name in joint_names}
    told = [output.topic.format(joint=theirs[name]) for output in settings.outputs for name in output.joints or joint_names]
    return (settings.states, *dict.fromkeys(told))


def check(model: RobotModel, settings: Settings) -> None:
    """See `servos.buses`."""
    if isinstance(settings, TopicSettings):
        TopicMap(settings, model.description.joint_names, model.effort_limit)


class TopicMap:
    """Names and numbers of one robot.

    Args:
        settings: see there.
        joint_names: in the order of the description.
        effort_limit: of the joints, (12,), N m. No torque that is worked out here is beyond it.

    Raises:
        ConfigurationError: a joint is unknown, doubled, without a command, or with one that is no whole law; a topic cannot be one.
    """

    def __init__(self, settings: TopicSettings, joint_names: Sequence[str], effort_limit: Array) -> None:
        self.settings, self._ours, self._effort_limit = settings, tuple(joint_names), effort_limit
        named = (joint for output in settings.outputs for joint in output.joints or ())
        require_known_joints((*settings.names, *named), self._ours)
        self.theirs = tuple(settings.names.get(name, name) for name in self._ours)
        if len(set(self.theirs)) != len(self.theirs):
            raise ConfigurationError(f"names of the bus file give two joints the same name: {', '.join(sorted(self.theirs))}")
        told = {name for output in settings.outputs for name in output.joints or self._ours}
        untold = [name for name in self._ours if name not in told]
        if untold:
            raise ConfigurationError(f"no output of the bus file has a command for {', '.join(untold)}")
        for topic in topics_of(settings, self._ours):
            if not TOPIC_NAME.fullmatch(topic):
                raise ConfigurationError(f"'{topic}' of the bus file is no name of a topic: letters, digits and _, with / between words")
        self._springs = np.zeros(len(self._ours), dtype=bool)
        for place, name in enumerate(self._ours):
            said = {one for output in settings.outputs if name in (output.joints or self._ours) for one in output.interfaces}
            if problem := law_problem(said):
                raise ConfigurationError(f"{name} is told {', '.join(sorted(said))} by the bus file: {problem}")
            self._springs[place] = not said.isdisjoint({"stiffness", "torque"})
        self._place = {name: place for place, name in enumerate(self.theirs)}
        self._position, self._velocity, self._effort = (np.full(len(self.theirs), np.nan) for _ in range(3))
        self._speed = np.full(len(self.theirs), np.nan)
        self._stamp = np.full(len(self.theirs), -np.inf)
        self._told, self._held = np.full(len(self.theirs), np.nan), np.full(len(self.theirs), np.nan)

    def names_one(self, names: Sequence[str]) -> bool:
        """Whether any of these is a joint of ours."""
        return not self._place.keys().isdisjoint(names)

    def take(
        self, stamp: float, names: Sequence[str], position: Sequence[float], velocity: Sequence[float], effort: Sequence[float]
    ) -> SensorSample | str | None:
        """Take one JointState: a sample once every joint is there, the reason where the message cannot be used, else None.

        Joints that are none of ours are left out; an empty velocity or effort is not measured. Where the stamp of a joint went back, by
        however little, the clock of the stamps may have: what was heard before it is forgotten, of all joints.
        """
        if len(set(names)) != len(names):
            return f"joint states name {', '.join(sorted({name for name in names if list(names).count(name) > 1}))} twice"
        for what, values in (("position", position), ("velocity", velocity), ("effort", effort)):
            if len(values) != len(names) and (what == "position" or len(values)):
                return f"joint states have {len(values)} of {what} for {len(names)} names"
        mine = [(self._place[name], place) for place, name in enumerate(names) if name in self._place]
        if any(stamp < self._stamp[ours] for ours, _ in mine):
            self.reset()
        for ours, place in mine:
            measured = velocity[place] if len(velocity) else np.nan
            if np.isfinite(measured):
                self._speed[ours] = measured
            elif stamp > self._stamp[ours]:
                difference = (position[place] - self._position[ours]) / (stamp - self._stamp[ours])
                self._speed[ours] = np.clip(difference, -MOST_VELOCITY, MOST_VELOCITY)
            self._stamp[ours], self._position[ours] = stamp, position[place]
            self._velocity[ours] = measured
            self._effort[ours] = effort[place] if len(effort) else np.nan
        newest = float(self._stamp.max())
        if not newest - float(self._stamp.min()) <= self.settings.complete_within:
            return None
        nothing = np.full(3, np.nan)
        return SensorSample(
            newest, self._position.copy(), self._velocity.copy(), self._effort.copy(), nothing, nothing, np.full((4, 3), np.nan)
        )

    def missing(self, now: float) -> str:
        """The first joint that has not been heard of within `complete_within` of now (s), in words, and how many more; empty for none."""
        late = [(name, now - stamp) for name, stamp in zip(self.theirs, self._stamp, strict=True)]
        return first_of(
            [
                f"{name} was heard {age:.3f} s ago" if np.isfinite(age) else f"{name} was never heard"
                for name, age in late
                if not age <= self.settings.complete_within
            ]
        )

    def values(self, command: JointCommand, now: float) -> Mapping[Interface, Array]:
        """Rows of a command by interface, (12,) each, in our order; to be asked once for each command, in their order.

        A joint that is told positions alone has no damping. Where a command asks for that, its goal is where it was measured when that
        began, and what it was told last until that is known. One that was told nothing yet goes on being told nothing: it is NaN.

        Args:
            command: see there.
            now: on the clock of the stamps, s.
        """
        damping = np.minimum(command.damping, self.settings.most_damping)
        feedback = command.stiffness * (command.position - self._position) + damping * (command.velocity - self._speed)
        feedback = feedback + self.settings.joint_damping * self._speed
        age = now - self._stamp
        # Pieces may come in any order; what is further ahead than that was stamped by another clock.
        fresh = (age >= -self.settings.complete_within) & (age <= self.settings.stale_after) & (np.abs(self._position) <= MOST_POSITION)
        known = fresh & (np.abs(self._speed) <= MOST_VELOCITY)
        return {
            "position": self._goal(command, np.where(fresh, self._position, np.nan)),
            "velocity": command.velocity,
            "effort": command.effort,
            "stiffness": command.stiffness,
            "damping": damping,
            # The state is newer than that for which the bridge bounded the torque.
            "torque": np.where(known, np.clip(command.effort + feedback, -self._effort_limit, self._effort_limit), 0.0),
        }

    def places(self, output: Output) -> list[int]:
        """Our places of the joints of an output, in its order."""
        return [self._ours.index(name) for name in output.joints or self._ours]

    def reset(self) -> None:
        """Forget what was heard: the clock of the stamps went back."""
        self._stamp[:] = -np.inf
        for row in (self._position, self._velocity, self._effort, self._speed):
            row[:] = np.nan

    def _goal(self, command: JointCommand, measured: Array) -> Array:
        """Where the joints are to go, (12,), rad; NaN where they are told nothing. measured: NaN where that is not known now."""
        if not command.is_damping:
            self._told = command.position.copy()
            self._held[:] = np.nan
            return self._told
        begins = np.isnan(self._held) & ~np.isnan(self._told)
        self._held = np.where(begins, measured, self._held)
        # With a stiffness of zero beside it, or the whole law, a position asks for nothing: the newest is the one to begin from.
        goal = np.where(self._springs, measured, self._held)
        self._told = np.where(np.isnan(goal), self._told, goal)
        return self._told
