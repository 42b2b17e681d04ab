# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.teleop.layout import layout_names, read_layout
from surefoot.teleop.pad import PadReader
from surefoot.teleop.writer import pad_message

NAMES = layout_names(Path(__file__).parents[2] / "config" / "gamepads")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_again(config: Path, name: str) -> None:
    layout = read_layout(config / "gamepads", name)
    for button in layout.buttons:
        message = pad_message(layout, {}, {button})
        reader = PadReader(layout)
        assert reader.read(*message).pressed == {button}
        assert reader.fits(len(message.axes), len(message.buttons))
    for axis in layout.axes:
        state = PadReader(layout).read(*pad_message(layout, {axis: 1.0}, set()))
        assert {key: value for key, value in state.axes.items() if value} == {axis: 1.0}
