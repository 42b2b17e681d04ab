# SPDX-License-Identifier: Apache-2.0
"""The SDL library, and its names for what a gamepad has. The rest of the package imports nothing of SDL."""

import importlib
import warnings
from typing import Any

from surefoot.errors import ConfigurationError
from surefoot.teleop.layout import PadLayout

BUTTONS = (
    "a", "b", "x", "y", "back", "guide", "start", "left_stick", "right_stick", "left_bumper", "right_bumper", "dpad_up", "dpad_down",
    "dpad_left", "dpad_right", "misc", "paddle_1", "paddle_2", "paddle_3", "paddle_4", "touchpad",
)  # fmt: skip
"""In the order of SDL_GameControllerButton."""

AXES = ("left_x", "left_y", "right_x", "right_y", "left_trigger", "right_trigger")
"""In the order of SDL_GameControllerAxis. SDL counts right and down as positive; ours are left and up [REP-103]."""

KINDS = {1: "xbox_360", 2: "xbox_one", 3: "ps3", 4: "ps4", 5: "switch_pro", 7: "ps5"}
"""SDL_GameControllerType of the kinds that a layout can list."""

FULL = 32767.0

HINTS = {
    "SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS": "1",  # there is no window
    "SDL_NO_SIGNAL_HANDLERS": "1",  # Ctrl-C is ours
    "SDL_GAMECONTROLLER_USE_BUTTON_LABELS": "1",  # the button that is called B, wherever it lies
}


def load_sdl() -> Any:
    """The module sdl2, started for gamepads.

    Raises:
        ConfigurationError: it, or the library that it binds, is not there or does not start.
    """
    try:
        with warnings.catch_warnings():
            # It tells where it found its library.
            warnings.simplefilter("ignore")
            sdl = importlib.import_module("sdl2")
    except ImportError as error:
        raise ConfigurationError(
            "the gamepad node needs PySDL2 and SDL 2: pip install pysdl2==0.9.17 pysdl2-dll==2.32.10. "
            f"Without them, drive by ROS's joy_node or by `surefoot drive` ({error})"
        ) from error
    for name, value in HINTS.items():
        sdl.SDL_SetHint(name.encode(), value.encode())
    if sdl.SDL_Init(sdl.SDL_INIT_GAMECONTROLLER) != 0:
        raise ConfigurationError(f"SDL does not start: {sdl.SDL_GetError().decode()}")
    return sdl


def names_of(layout: PadLayout) -> dict[str, str]:
    """What SDL calls each axis and button of a layout; without those that SDL does not have.

    Raises:
        ConfigurationError: an action or a direction of driving is on something that SDL does not have.
    """
    names = {name: layout.sdl.get(name, name) for name in (*layout.axes, *layout.buttons)}
    known = {name: sdl for name, sdl in names.items() if sdl in (AXES if name in layout.axes else (*BUTTONS, *AXES))}
    missing = sorted({*layout.driving.values(), *layout.actions.values()} - set(known))
    if missing:
        raise ConfigurationError(f"layout '{layout.title}': SDL has no {', '.join(missing)}; say under 'sdl' what it calls them")
    return known
