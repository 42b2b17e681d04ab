# SPDX-License-Identifier: Apache-2.0
"""Which of several pads drives: the first that speaks, for as long as the program runs. Any other may stop the robot, no more.

Who presses stop does not ask to drive: with that alone a pad is not the first that speaks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from surefoot.teleop.layout import PadLayout
from surefoot.teleop.pad import PadReader
from surefoot.teleop.presses import PadWatch
from surefoot.teleop.settings import OperatorSettings


class PadSources:
    """Sorts messages by who sent them.

    A sender may name its layout; those that do not have the default one. Losing the pad that drives hands over to nobody.

    Attributes:
        watch: of the pad that drives, or is waited for.
        warnings: what is worth telling the operator, each once, in the order of its discovery.
        counters: pad troubles by name.
    """

    def __init__(
        self, default: PadLayout, settings: OperatorSettings, layouts: Mapping[str, PadLayout] | None = None, only: str = ""
    ) -> None:
        """Build.

        Args:
            default: layout of senders that name none.
            settings: times.
            layouts: those that a sender may name; a name that is not among them is none.
            only: name of the layout that may drive, which then is the default one as well; empty: any.
        """
        self._default, self._settings, self._layouts, self._only = default, settings, dict(layouts or {}), only
        self.warnings: list[str] = []
        self.counters: Counter[str] = Counter()
        self.watch = self._watch(default)
        self._driver: str | None = None
        self._others: dict[str, PadWatch] = {}
        self._stops: list[tuple[float, str]] = []

    def message(self, stamp: float, axes: Sequence[float], buttons: Sequence[int], origin: str = "", late: bool = False) -> None:
        """Take one message.

        Args:
            stamp: s.
            axes: raw.
            buttons: raw; neither axes nor buttons: that pad is gone.
            origin: what the sender names as its layout.
            late: too old to be obeyed, except a stop.
        """
        name = origin if origin in self._layouts else ""
        if self._driver is None and (axes or buttons) and self._may_drive(name) and not self._presses_stop(name, axes, buttons):
            self._driver = name
            if name and self._layouts[name] is not self.watch.reader.layout:
                self.watch = self._watch(self._layouts[name])
        drives = name == self._driver
        if not axes and not buttons:
            self._others.pop(name, None)
            if drives:
                self.counters["unplugged"] += 1
                self.watch.unplugged()
        elif drives and not late:
            self.watch.message(stamp, axes, buttons)
        else:
            self.counters["late" if drives else "of_another_pad"] += 1
            if not drives and self._driver is not None:
                self._warn(f"a pad of layout '{name or 'default'}' speaks, but another one drives: only its stop is obeyed")
            self._hear_stop(stamp, axes, buttons, name)

    def take_presses(self) -> list[tuple[float, str]]:
        """Presses since the last call: time of the message (s) and action, oldest first."""
        presses, self._stops = [*self.watch.take_presses(), *self._stops], []
        return presses

    def _may_drive(self, name: str) -> bool:
        return not self._only or name in ("", self._only)

    def _presses_stop(self, name: str, axes: Sequence[float], buttons: Sequence[int]) -> bool:
        layout = self._layouts.get(name, self._default)
        return layout.actions["stop"] in PadReader(layout).read(axes, buttons).pressed

    def _hear_stop(self, stamp: float, axes: Sequence[float], buttons: Sequence[int], name: str) -> None:
        if name not in self._others:
            self._others[name] = PadWatch(PadReader(self._layouts.get(name, self._default)), self._settings)
        other = self._others[name]
        other.message(stamp, axes, buttons)
        self._stops += [press for press in other.take_presses() if press[1] == "stop"]

    def _watch(self, layout: PadLayout) -> PadWatch:
        reader = PadReader(layout)
        reader.warnings, reader.counters = self.warnings, self.counters
        return PadWatch(reader, self._settings)

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)
