# SPDX-License-Identifier: Apache-2.0
"""A gamepad through SDL: found by its layout, lost when it is unplugged, and found again when the same one is back."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from surefoot.errors import UnknownNameError
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.sdl import AXES, BUTTONS, FULL, KINDS, load_sdl, names_of
from surefoot.teleop.writer import GONE, PadMessage, pad_message

ANY = ""
"""Name for: whichever layout the pad is of."""

NOT_THE_SAME = "gamepad '{}' is not used: it is not the one that was lost. Start the gamepad node again to use it"


class Device(NamedTuple):
    """What SDL says about a pad that is plugged in.

    Attributes:
        place: in the list of SDL now.
        name: for people.
        usb: vendor and product.
        kind: one of KINDS, or empty.
        identity: the same for the same pad whenever it is plugged in, and for others of its make; those, serial numbers tell apart.
        mapped: whether SDL knows what its buttons are.
    """

    place: int
    name: str
    usb: str
    kind: str
    identity: str
    mapped: bool


def layout_of(device: Device, layouts: Mapping[str, PadLayout], wanted: str = ANY) -> str:
    """Name of the layout of a pad; empty if it has none, or not the wanted one.

    A layout that lists no pads takes any that SDL knows, but only where it is the wanted one.
    """
    by_usb = [name for name, layout in layouts.items() if device.usb in layout.usb]
    by_kind = [name for name, layout in layouts.items() if device.kind and device.kind in layout.kinds]
    found = (by_usb or by_kind or [""])[0]
    if wanted and wanted != found:
        return wanted if device.mapped and not (layouts[wanted].usb or layouts[wanted].kinds) else ""
    return found if device.mapped else ""


def refusal(device: Device, layouts: Mapping[str, PadLayout], wanted: str = ANY) -> str:
    """Why a pad that has no layout is not taken, and how to have it taken, in words."""
    what = f"gamepad '{device.name}' ({device.usb}) is refused"
    if not device.mapped:
        return (
            f"{what}: SDL does not know its buttons. Give it a line of SDL's controller database in the variable "
            "SDL_GAMECONTROLLERCONFIG, and its number to a layout in config/gamepads"
        )
    other = layout_of(device, layouts)
    if wanted and other:
        return f"{what}: its layout is '{other}', and the chosen one is '{wanted}'. Start with layout:={other}"
    return (
        f"{what}: no layout in config/gamepads is said to be its. If one has the same buttons, add '{device.usb}' to its 'usb'; "
        "otherwise copy game_controller.yaml under a new name, add it there, and look that stop and dead_man are where you want them"
    )


class SdlPad:
    """The one pad that drives: the first known one that is found. While it is away no other takes its place.

    Attributes:
        layout_name: of the pad; empty while none was ever found.
        device: the pad, None while there is none.
    """

    def __init__(self, layouts: Mapping[str, PadLayout], wanted: str = ANY) -> None:
        """Start SDL and take the first pad that is known, now or once it is plugged in.

        Args:
            layouts: by name.
            wanted: the layout that the pad must have; ANY: one of them.

        Raises:
            UnknownNameError: there is no such layout.
            ConfigurationError: SDL is not there, or a layout names what SDL does not have.
        """
        if wanted and wanted not in layouts:
            raise UnknownNameError("gamepad layout", wanted, layouts)
        # A layout without pads may be none of a gamepad, as that of the keyboard.
        listed = {name: layout for name, layout in layouts.items() if layout.usb or layout.kinds or name == wanted}
        self._names = {name: names_of(layout) for name, layout in listed.items()}
        self._layouts, self._wanted = dict(layouts), wanted
        self._sdl: Any = load_sdl()
        self.layout_name = ""
        self.device: Device | None = None
        self._pad: Any = None
        self._instance = -1
        self._identity = self._serial = ""
        self._state: dict[str, float] = {}
        self._seen: set[int] = set()
        self._notices: list[str] = []
        for index in range(self._sdl.SDL_NumJoysticks()):
            self._look_at(index)

    def poll(self) -> list[PadMessage]:
        """One message for each button that went down or up since the last call, one for whatever axes did since; GONE for unplugging."""
        sdl = self._sdl
        event, clicks = sdl.SDL_Event(), (sdl.SDL_CONTROLLERBUTTONDOWN, sdl.SDL_CONTROLLERBUTTONUP)
        messages: list[PadMessage] = []
        moved = False
        while sdl.SDL_PollEvent(event):
            if event.type == sdl.SDL_JOYDEVICEADDED:
                self._look_at(event.jdevice.which)
                moved = moved or self.device is not None
            elif event.type == sdl.SDL_CONTROLLERDEVICEREMOVED and event.cdevice.which == self._instance:
                self._lose()
                messages.append(GONE)
                moved = False
            elif event.type == sdl.SDL_CONTROLLERAXISMOTION and event.caxis.which == self._instance:
                self._state[AXES[event.caxis.axis]] = _deflection(event.caxis.axis, event.caxis.value)
                moved = True
            elif event.type in clicks and event.cbutton.which == self._instance and event.cbutton.button < len(BUTTONS):
                self._state[BUTTONS[event.cbutton.button]] = float(event.cbutton.state)
                messages.append(self._message())
                moved = False
        return [*messages, self._message()] if moved else messages

    def message(self) -> PadMessage:
        """The pad as it is now; GONE while there is none."""
        return GONE if self.device is None else self._message()

    def take_notices(self) -> tuple[str, ...]:
        """What is worth telling, each once."""
        notices, self._notices = tuple(self._notices), []
        return notices

    def rumble(self, strength: float, seconds: float) -> bool:
        """Shake it, strength 0 to 1; whether it can."""
        if self._pad is None:
            return False
        power = int(max(0.0, min(1.0, strength)) * 0xFFFF)
        return bool(self._sdl.SDL_GameControllerRumble(self._pad, power, power, int(1000 * seconds)) == 0)

    def close(self) -> None:
        """Let the pad go."""
        if self._pad is not None:
            self._lose()
        self._sdl.SDL_QuitSubSystem(self._sdl.SDL_INIT_GAMECONTROLLER)

    def _message(self) -> PadMessage:
        layout, names = self._layouts[self.layout_name], self._names[self.layout_name]
        values = {name: self._state.get(sdl, 0.0) for name, sdl in names.items()}
        axes = {name: values[name] for name in layout.axes if name in values}
        return pad_message(layout, axes, {name for name in layout.buttons if values.get(name, 0.0) > 0.5})

    def _look_at(self, index: int) -> None:
        """Take a pad that was plugged in, or say why not; each time that it is plugged in, once."""
        instance = self._sdl.SDL_JoystickGetDeviceInstanceID(index)
        if instance in self._seen:
            return
        self._seen.add(instance)
        device = self._describe(index)
        layout = layout_of(device, self._layouts, self._wanted)
        if not layout:
            self._notices.append(refusal(device, self._layouts, self._wanted))
        elif self.device is not None:
            self._notices.append(f"gamepad '{device.name}' is not used: '{self.device.name}' drives")
        elif self._identity and device.identity != self._identity:
            self._notices.append(NOT_THE_SAME.format(device.name))
        else:
            self._open(device, layout)

    def _open(self, device: Device, layout: str) -> None:
        sdl = self._sdl
        pad = sdl.SDL_GameControllerOpen(device.place)
        if not pad:
            self._notices.append(f"gamepad '{device.name}' cannot be opened: {sdl.SDL_GetError().decode()}")
            return
        serial = (sdl.SDL_GameControllerGetSerial(pad) or b"").decode(errors="replace")
        if self._identity and serial != self._serial:
            sdl.SDL_GameControllerClose(pad)
            self._notices.append(NOT_THE_SAME.format(device.name))
            return
        self._serial = serial
        back = " is back; press arm to drive with it again" if self._identity else ""
        self._pad, self.device, self.layout_name, self._identity = pad, device, layout, device.identity
        self._instance = sdl.SDL_JoystickInstanceID(sdl.SDL_GameControllerGetJoystick(pad))
        self._state = {name: float(sdl.SDL_GameControllerGetButton(pad, number)) for number, name in enumerate(BUTTONS)}
        self._state |= {name: _deflection(number, sdl.SDL_GameControllerGetAxis(pad, number)) for number, name in enumerate(AXES)}
        actions = self._layouts[layout].actions
        where = ", ".join(f"{action} on {actions[action]}" for action in ("stop", "arm", "dead_man", "walk"))
        self._notices.append(f"gamepad '{device.name}' ({device.usb}){back or f', layout {layout}: {where}'}")

    def _lose(self) -> None:
        name = "" if self.device is None else self.device.name
        self._sdl.SDL_GameControllerClose(self._pad)
        self._pad, self.device, self._instance, self._state = None, None, -1, {}
        self._notices.append(f"gamepad '{name}' is gone: nobody drives; plug the same one in again, or start the gamepad node again")

    def _describe(self, index: int) -> Device:
        sdl = self._sdl
        mapped = bool(sdl.SDL_IsGameController(index))
        name = (sdl.SDL_JoystickNameForIndex(index) or b"nameless").decode(errors="replace")
        usb = f"{sdl.SDL_JoystickGetDeviceVendor(index):04x}:{sdl.SDL_JoystickGetDeviceProduct(index):04x}"
        kind = KINDS.get(sdl.SDL_GameControllerTypeForIndex(index), "") if mapped else ""
        identity = bytes(sdl.SDL_JoystickGetDeviceGUID(index).data).hex()
        return Device(index, name, usb, kind, identity, mapped)


def _deflection(axis: int, raw: int) -> float:
    """Of an SDL axis: sticks -1 to 1, up and left positive; triggers 0 to 1."""
    value = max(-1.0, min(1.0, raw / FULL))
    return max(0.0, value) if AXES[axis].endswith("trigger") else -value
