# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.robot.locate import shared_directory
from surefoot.servos.motors.settings import MotorSettings
from surefoot.settings import read_settings


@pytest.mark.parametrize("path", sorted((shared_directory() / "config" / "motors").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_file_is_read_and_says_something(path: object) -> None:
    assert read_settings(MotorSettings, path) != MotorSettings()  # type: ignore[arg-type]
