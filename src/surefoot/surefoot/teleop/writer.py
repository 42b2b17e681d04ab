# SPDX-License-Identifier: Apache-2.0
"""Axes and buttons by name turned into what a Joy message of a layout carries: the way back of `pad.PadReader`."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from surefoot.teleop.layout import PadLayout


class PadMessage(NamedTuple):
    """What a Joy message would carry."""

    axes: tuple[float, ...]
    buttons: tuple[int, ...]


GONE = PadMessage((), ())
"""What is sent in place of a pad that was unplugged, or whose terminal was closed: neither axes nor buttons."""


def pad_message(layout: PadLayout, axes: Mapping[str, float], pressed: Collection[str]) -> PadMessage:
    """The message of a pad.

    Args:
        layout: says the numbers.
        axes: deflections by name, before the dead zone: sticks -1 to 1, triggers 0 to 1; what is missing is at rest.
        pressed: names of the buttons that are down.
    """
    sources = layout.buttons.values()
    numbers = [mapping.index for mapping in layout.axes.values()] + [source.axis for source in sources if source.axis is not None]
    raw_axes = [0.0] * (layout.axis_count or 1 + max(numbers, default=-1))
    raw_buttons = [0] * (layout.button_count or 1 + max((s.index for s in sources if s.index is not None), default=-1))
    for name, mapping in layout.axes.items():
        raw_axes[mapping.index] = mapping.rest + axes.get(name, 0.0) * (mapping.full - mapping.rest)
    for name, source in layout.buttons.items():
        if name in pressed:
            if source.axis is not None:
                raw_axes[source.axis] = source.value
            elif source.index is not None:
                raw_buttons[source.index] = 1
    return PadMessage(tuple(raw_axes), tuple(raw_buttons))
