# SPDX-License-Identifier: Apache-2.0
"""Robots, URDF texts and random states for the tests of the robot room."""

from collections.abc import Callable

import numpy as np
import pytest

from surefoot.robot.description import RobotDescription, read_robot
from surefoot.robot.load import load_robot
from surefoot.robot.locate import find_robot, find_urdf, read_urdf
from surefoot.robot.model import RobotModel

Motion = tuple[np.ndarray, ...]


@pytest.fixture(scope="session", params=["hyq", "links"])
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_robot(request.param)


@pytest.fixture(scope="session")
def hyq() -> RobotModel:
    return load_robot("hyq")


@pytest.fixture(scope="session")
def description() -> RobotDescription:
    return read_robot(find_robot("hyq"))


@pytest.fixture(scope="session")
def urdf(description: RobotDescription) -> str:
    return read_urdf(find_urdf(description, find_robot("hyq")), {})


@pytest.fixture
def random_motion() -> Callable[[RobotModel, int], Motion]:
    """Arguments of rigid_body_terms, drawn from a seed."""

    def draw(model: RobotModel, seed: int) -> Motion:
        random = np.random.default_rng(seed)
        quaternion = random.normal(size=4)
        return (
            random.normal(size=3),
            quaternion / np.linalg.norm(quaternion),
            random.uniform(model.position_lower, model.position_upper),
            random.normal(size=3),
            random.normal(size=3),
            3.0 * random.normal(size=12),
        )

    return draw
