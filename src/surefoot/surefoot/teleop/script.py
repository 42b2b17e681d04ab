# SPDX-License-Identifier: Apache-2.0
"""A scripted gamepad: a person with a pad, written down as a story."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.locate import find_configuration
from surefoot.settings import Settings, read_settings
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.writer import PadMessage, pad_message

NotNegative = Annotated[float, Field(ge=0.0)]
Deflection = Annotated[float, Field(ge=-1.0, le=1.0)]


class Step(Settings):
    """What the person does at one moment. Buttons by the name of their action or their own, axes likewise."""

    at: NotNegative
    """s since the start of the story"""
    says: str = ""
    """What the person does, in words."""
    press: tuple[str, ...] = ()
    """Buttons pushed and let go again."""
    hold: tuple[str, ...] = ()
    """Buttons held from here on."""
    release: tuple[str, ...] = ()
    axes: dict[str, Deflection] = Field(default_factory=dict)
    """Deflection beyond the dead zone: sticks -1 to 1, triggers 0 to 1."""
    over: NotNegative = 0.0
    """Time that the axes take to get there, s."""


class Story(Settings):
    """A whole story.

    Raises:
        ConfigurationError: on reading, for steps out of order or after the end.
    """

    title: str
    end: Annotated[float, Field(gt=0.0)]
    """s"""
    press_time: Annotated[float, Field(ge=0.05, le=2.0)] = 0.2
    """How long a pressed button is down, s; several messages long."""
    steps: tuple[Step, ...]

    @model_validator(mode="after")
    def _order(self) -> Self:
        times = [step.at for step in self.steps]
        for before, after in pairwise(times):
            if after < before:
                raise ValueError(f"the step at {after} s comes after the one at {before} s; write them in order")
        if times and times[-1] > self.end:
            raise ValueError(f"the step at {times[-1]} s lies after the end at {self.end} s")
        return self


class ScriptedPad:
    """Plays a story on a pad of a given layout."""

    def __init__(self, story: Story, layout: PadLayout) -> None:
        """Check the story against the layout.

        Raises:
            ConfigurationError: naming every step that presses what the pad does not have, holds what is held or releases what is not.
        """
        self.story, self._layout = story, layout
        self._down: list[tuple[str, float, float]] = []
        self._moves: dict[str, list[tuple[float, float, float]]] = {}
        problems: list[str] = []
        held: dict[str, float] = {}
        for step in story.steps:
            try:
                self._take(step, held, problems)
            except UnknownNameError as error:
                problems.append(f"step at {step.at} s: {error}")
        if problems:
            raise ConfigurationError(f"story '{story.title}': " + "; ".join(problems))
        self._down += [(button, since, float("inf")) for button, since in held.items()]

    def at(self, time: float) -> PadMessage:
        """The message at a time since the start, s."""
        axes = {name: self._outside_dead_zone(self.deflection(name, time)) for name in self._layout.axes}
        return pad_message(self._layout, axes, {button for button, since, until in self._down if since <= time < until})

    def deflection(self, axis: str, time: float) -> float:
        """What the layout's reader will make of an axis (by its own name) at a time, -1 to 1."""
        value = 0.0
        moves = self._moves.get(axis, [])
        ends = [*(start for start, _, _ in moves[1:]), float("inf")]
        for (start, target, over), end in zip(moves, ends, strict=False):
            if time < start:
                break
            part = 1.0 if over <= 0.0 else min(1.0, (min(time, end) - start) / over)
            value += part * (target - value)
        return value

    def said(self, after: float, until: float) -> tuple[str, ...]:
        """What the person does after one time and up to another, both in s since the start."""
        return tuple(step.says for step in self.story.steps if step.says and after < step.at <= until)

    def _take(self, step: Step, held: dict[str, float], problems: list[str]) -> None:
        layout, where = self._layout, f"step at {step.at} s"
        for name in step.press:
            button = layout.button_name(name)
            if button in held:
                problems.append(f"{where}: presses '{name}', which is held since {held[button]} s")
            self._down.append((button, step.at, step.at + self.story.press_time))
        for name in step.release:
            button = layout.button_name(name)
            if button not in held:
                problems.append(f"{where}: releases '{name}', which is not held")
            else:
                self._down.append((button, held.pop(button), step.at))
        for name in step.hold:
            button = layout.button_name(name)
            if button in held:
                problems.append(f"{where}: holds '{name}', which is held since {held[button]} s")
            held[button] = step.at
        for name, value in step.axes.items():
            axis = layout.axis_name(name)
            if layout.axes[axis].one_sided and value < 0.0:
                problems.append(f"{where}: axis '{name}' is a trigger and reads 0 to 1, not {value}")
            self._moves.setdefault(axis, []).append((step.at, value, step.over))

    def _outside_dead_zone(self, value: float) -> float:
        zone = self._layout.dead_zone
        if value == 0.0:
            return 0.0
        return (zone + abs(value) * (1.0 - zone)) * (1.0 if value > 0.0 else -1.0)


def read_story(path: Path) -> Story:
    """Read a story. Raises ConfigurationError naming every unknown, missing and out-of-range key."""
    return read_settings(Story, path)


def find_story(name_or_path: str) -> Path:
    """A story in config/stories, or a path. Raises UnknownNameError, with the names that would be right."""
    return find_configuration("story", "stories", name_or_path)
