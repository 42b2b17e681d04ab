# SPDX-License-Identifier: Apache-2.0
"""Gamepad layouts: which number of a Joy message is which axis or button, and what the buttons do. One YAML file a layout."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from surefoot.errors import UnknownNameError
from surefoot.settings import Settings, read_settings

Index = Annotated[int, Field(ge=0)]

ACTIONS = ("stop", "arm", "dead_man", "stand", "sit", "walk", "ground_next", "ground_previous")
"""What a layout must put on buttons. Actions gait_1, gait_2, … may follow; the operator's settings name their gaits."""

DRIVING_AXES = ("forward", "strafe", "turn")
"""What a layout must put on axes; positive is forward, left, counter-clockwise (REP-103)."""

ALWAYS = ("stop", "arm", "dead_man", "walk")
"""Actions that keep their buttons while the tuning page is open."""

OPTIONAL_ACTIONS = ("level", "accept")
"""What a layout may put on buttons beside: level takes the posture back to that of the gait, accept takes up a counter-offer."""


class PostureAxes(Settings):
    """Axes that raise, lean and turn the body. They may be those of driving, which rest meanwhile."""

    hold: str = ""
    """Axis (a trigger) or button that has to be held for it; empty: the axes are for nothing else."""
    height: str
    roll: str
    """Positive leans to the left."""
    pitch: str
    """Positive bends the nose down."""
    yaw: str


class PageButtons(Settings):
    """Buttons of the page on which the running gait is tuned. They may be those of other actions, which rest while it is open."""

    enter: Annotated[tuple[str, ...], Field(min_length=1)]
    """Buttons that, held together, open and close the page."""
    next: str
    previous: str
    """Choose a parameter."""
    more: str
    less: str
    """Change it."""
    take: str
    """Ask for the edited gait."""
    undo: str
    save: str
    """Keep the gait that runs: names are offered; next, previous, more and less go through them, save and take keep it, undo does not."""

    @property
    def presses(self) -> dict[str, str]:
        """Button of each action of the page."""
        return {action: getattr(self, action) for action in ("next", "previous", "more", "less", "take", "undo", "save")}


class AxisMapping(Settings):
    """One axis of the message."""

    index: Index
    rest: float = 0.0
    """Raw value of the untouched axis."""
    full: float = 1.0
    """Raw value at the end that counts as +1."""
    one_sided: bool = False
    """A trigger: from 0 at rest to 1. Otherwise a stick, from -1 to 1."""

    @model_validator(mode="after")
    def _room(self) -> Self:
        if self.rest == self.full:
            raise ValueError(f"rest and full are both {self.rest}; they must differ")
        return self


class ButtonMapping(Settings):
    """One button: a number in the buttons of the message, or the end of an axis (D-pads are axes for some drivers)."""

    index: Index | None = None
    axis: Index | None = None
    value: float = 1.0
    """Raw value of the axis when pressed; more than half of it counts."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.index is None) == (self.axis is None):
            raise ValueError("give either index (of a button) or axis, not both and not neither")
        if self.value == 0.0:
            raise ValueError("value must differ from 0, where an untouched axis rests")
        return self


class PadLayout(Settings):
    """A gamepad as one driver reports it.

    Raises:
        ConfigurationError: on reading: a missing action, an action on a button that does not exist, two actions on one button.
    """

    title: str
    """For people: which pad with which driver."""
    axis_count: Index | None = None
    """Length of axes in its messages; none: varies."""
    button_count: Index | None = None
    dead_zone: Annotated[float, Field(ge=0.0, lt=0.9)] = 0.05
    """Part of the way around rest that reads as 0."""
    axes: dict[str, AxisMapping]
    buttons: dict[str, ButtonMapping]
    driving: dict[str, str]
    """Name of the axis of each of DRIVING_AXES."""
    actions: dict[str, str]
    """Name of the button of each action."""
    page: PageButtons | None = None
    """Of the tuning page; none: this pad has no way in."""
    posture: PostureAxes | None = None
    """Of carrying the body; none: this pad leaves that to the gait."""
    usb: tuple[Annotated[str, Field(pattern="^[0-9a-f]{4}:[0-9a-f]{4}$")], ...] = ()
    """USB vendor and product of the pads of this layout, as lsusb shows them."""
    kinds: tuple[Literal["xbox_360", "xbox_one", "ps3", "ps4", "ps5", "switch_pro"], ...] = ()
    """Kinds of pads, as SDL tells them apart, that are of this layout unless another one lists their USB numbers."""
    sdl: dict[str, str] = Field(default_factory=dict)
    """What SDL calls an axis or a button of ours, where it is not the same name."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        problems = [f"actions.{action}: missing" for action in ACTIONS if action not in self.actions]
        problems += [f"driving.{axis}: missing" for axis in DRIVING_AXES if axis not in self.driving]
        problems += [
            f"actions.{a}: unknown action" for a in self.actions if a not in (*ACTIONS, *OPTIONAL_ACTIONS) and not a.startswith("gait_")
        ]
        problems += [f"driving.{a}: unknown, driving is {', '.join(DRIVING_AXES)}" for a in self.driving if a not in DRIVING_AXES]
        problems += [f"actions.{a}: no button '{b}'" for a, b in self.actions.items() if b not in self.buttons]
        problems += [f"driving.{a}: no axis '{b}'" for a, b in self.driving.items() if b not in self.axes]
        for name, owners in self._shared_buttons().items():
            problems.append(f"button '{name}' is asked to do {', '.join(owners)}; one button, one action")
        problems += self._page_problems()
        if self.posture is not None:
            hold, *axes = self.posture.model_dump().values()
            problems += [f"posture: no axis '{axis}'" for axis in axes if axis not in self.axes]
            if hold and hold not in self.axes and hold not in self.buttons:
                problems.append(f"posture.hold: no axis or button '{hold}'")
            if not hold and set(axes) & set(self.driving.values()):
                problems.append("posture: axes that drive need a 'hold'")
        for clash in sorted(set(self.axes) & set(self.buttons)):
            problems.append(f"'{clash}' is both an axis and a button")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _page_problems(self) -> list[str]:
        if self.page is None:
            return []
        kept = {self.actions.get(action) for action in ALWAYS}
        taken = self.page.presses
        problems = [f"page: no button '{button}'" for button in (*self.page.enter, *taken.values()) if button not in self.buttons]
        problems += [f"page.{action}: '{button}' is needed at any time" for action, button in taken.items() if button in kept]
        problems += [f"page.enter: '{button}' has an action already" for button in self.page.enter if button in self.actions.values()]
        if len(set(taken.values())) < len(taken):
            problems.append("page: one button, one action")
        return problems

    def _shared_buttons(self) -> dict[str, list[str]]:
        owners: dict[str, list[str]] = {}
        for action, button in self.actions.items():
            owners.setdefault(button, []).append(action)
        return {button: names for button, names in owners.items() if len(names) > 1}

    def button_name(self, name: str) -> str:
        """The button that an action, or the button itself, is on. Raises UnknownNameError."""
        button = self.actions.get(name, name)
        if button not in self.buttons:
            raise UnknownNameError("action or button", name, (*self.actions, *self.buttons))
        return button

    def axis_name(self, name: str) -> str:
        """The axis that a direction of driving, or the axis itself, is on. Raises UnknownNameError."""
        axis = self.driving.get(name, name)
        if axis not in self.axes:
            raise UnknownNameError("axis", name, (*self.driving, *self.axes))
        return axis


def layout_names(directory: Path) -> list[str]:
    """Names of the layouts in a directory."""
    return sorted(path.stem for path in directory.glob("*.yaml"))


def read_layouts(directory: Path) -> dict[str, PadLayout]:
    """Every layout of a directory by name. Raises ConfigurationError for one that is incomplete."""
    return {name: read_layout(directory, name) for name in layout_names(directory)}


def read_layout(directory: Path, name: str) -> PadLayout:
    """Read a layout by name.

    Raises:
        UnknownNameError: naming the known ones and how to add one.
        ConfigurationError: the file is no complete layout.
    """
    if name not in layout_names(directory):
        hint = (
            f"To add one, copy the nearest to {directory / (name + '.yaml')} and put in the numbers that the topic joy shows as you press."
        )
        raise UnknownNameError("gamepad layout", name, layout_names(directory), hint)
    return read_settings(PadLayout, directory / f"{name}.yaml")
