# SPDX-License-Identifier: Apache-2.0
"""What tests of several rooms share."""

import pytest

from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel


@pytest.fixture(scope="session")
def hyq() -> RobotModel:
    return load_robot("hyq")


@pytest.fixture(scope="session")
def links() -> RobotModel:
    return load_robot("links")
