# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.teleop.layout import PadLayout, read_layout

CONFIG = Path(__file__).parents[2] / "config"


@pytest.fixture(scope="session")
def config() -> Path:
    return CONFIG


@pytest.fixture(scope="session")
def xbox() -> PadLayout:
    return read_layout(CONFIG / "gamepads", "xbox")


@pytest.fixture(scope="session")
def ps4() -> PadLayout:
    return read_layout(CONFIG / "gamepads", "ps4")
