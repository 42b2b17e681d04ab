# SPDX-License-Identifier: Apache-2.0
"""Pads that exist in SDL only, in the process that plugs them in. Needs PySDL2."""

from typing import Any

from surefoot.teleop.sdl import AXES, BUTTONS, load_sdl

XBOX, PS4, PS5, SWITCH_PRO = (0x045E, 0x02EA), (0x054C, 0x09CC), (0x054C, 0x0CE6), (0x057E, 0x2009)
F310, F710, NOBODY = (0x046D, 0xC21D), (0x046D, 0xC21F), (0x1234, 0x5678)


class VirtualPad:
    """A pad with everything that SDL has a name for."""

    def __init__(self, usb: tuple[int, int], name: str = "virtual") -> None:
        self._sdl = load_sdl()
        self._usb, self._name = usb, name
        self._joystick: Any = None
        self.plug()

    def plug(self) -> None:
        """Plug it in, at rest."""
        sdl = self._sdl
        description = sdl.SDL_VirtualJoystickDesc()
        description.version, description.type = sdl.SDL_VIRTUAL_JOYSTICK_DESC_VERSION, sdl.SDL_JOYSTICK_TYPE_GAMECONTROLLER
        description.naxes, description.nbuttons = len(AXES), len(BUTTONS)
        description.vendor_id, description.product_id = self._usb
        description.name = self._name.encode()
        index = sdl.SDL_JoystickAttachVirtualEx(description)
        assert index >= 0, sdl.SDL_GetError()
        self._joystick = sdl.SDL_JoystickOpen(index)
        for axis, name in enumerate(AXES):
            sdl.SDL_JoystickSetVirtualAxis(self._joystick, axis, -32768 if name.endswith("trigger") else 0)

    def unplug(self) -> None:
        """Pull it out, if it is in."""
        sdl = self._sdl
        if self._joystick is None:
            return
        instance = sdl.SDL_JoystickInstanceID(self._joystick)
        sdl.SDL_JoystickClose(self._joystick)
        self._joystick = None
        for index in range(sdl.SDL_NumJoysticks()):
            if sdl.SDL_JoystickGetDeviceInstanceID(index) == instance:
                sdl.SDL_JoystickDetachVirtual(index)

    def button(self, name: str, down: bool) -> None:
        """Push a button of SDL's name, or let it go."""
        self._sdl.SDL_JoystickSetVirtualButton(self._joystick, BUTTONS.index(name), int(down))

    def axis(self, name: str, raw: int) -> None:
        """Move an axis of SDL's name to a raw value; up and left are negative, triggers rest at -32768."""
        self._sdl.SDL_JoystickSetVirtualAxis(self._joystick, AXES.index(name), raw)
