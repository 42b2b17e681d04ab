# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.errors import ConfigurationError
from surefoot.servos.settings import BridgeSettings
from surefoot.settings import check_settings, read_settings

CONFIG = Path(__file__).parents[2] / "config" / "servo_bridge.yaml"


def test_the_file_says_every_setting() -> None:
    settings = read_settings(BridgeSettings, CONFIG)
    assert settings == BridgeSettings()
    assert {line.split(":")[0] for line in CONFIG.read_text().splitlines() if line[0].isalpha()} == set(BridgeSettings.model_fields)


def test_unknown_keys_and_values_out_of_range_are_named_at_once() -> None:  # case 134
    with pytest.raises(ConfigurationError, match=r"stale_after.*stale_afterr: unknown key"):
        check_settings(BridgeSettings, {"stale_after": -1, "stale_afterr": 1}, "bridge")


def test_an_integer_is_a_number() -> None:  # case 132
    assert check_settings(BridgeSettings, {"blend_time": 1}, "bridge").blend_time == 1.0
