# SPDX-License-Identifier: Apache-2.0
"""Random states and plans, wild enough to reach every branch of the law."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.gait.records import PLAN, STATE
from surefoot.robot.model import RobotModel

Draw = Callable[[int, int], tuple[np.ndarray, np.ndarray]]


@pytest.fixture(scope="session")
def draw(hyq: RobotModel) -> Draw:
    """(count, seed) -> PLAN and STATE records: 0 to 4 loaded feet, friction 0.05 to 1, tilted normals, some knees near singular."""

    def records(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        random = np.random.default_rng(seed)
        plan, state = np.zeros(count, PLAN), np.zeros(count, STATE)
        tilt = random.normal(size=(count, 3)) * (0.2, 0.2, 1.5)
        state["base_position"] = (0.0, 0.0, 0.6) + 0.2 * random.normal(size=(count, 3))
        state["base_quaternion"] = Rotation.from_euler("xyz", tilt).as_quat()
        state["base_velocity"] = 0.3 * random.normal(size=(count, 3))
        state["base_rate"] = 0.5 * random.normal(size=(count, 3))
        joints = (hyq.stand_joint_position + 0.3 * random.normal(size=(count, 12))).reshape(count, 4, 3)
        stretched = random.random((count, 4)) < 0.08
        straight = 0.02 * random.normal(size=(count, 4)) * (random.random((count, 4)) < 0.8)
        joints[:, :, 2] = np.where(stretched, straight, joints[:, :, 2])
        state["joint_position"], state["joint_velocity"] = joints, 0.8 * random.normal(size=(count, 4, 3))
        plan["base_position"] = state["base_position"] + 0.05 * random.normal(size=(count, 3))
        plan["base_roll_pitch_yaw"] = tilt + 0.1 * random.normal(size=(count, 3))
        plan["base_velocity"] = 0.3 * random.normal(size=(count, 3))
        plan["base_acceleration"] = 2.0 * random.normal(size=(count, 3))
        plan["base_rate"] = 0.3 * random.normal(size=(count, 3))
        for i in range(count):
            feet = Rotation.from_quat(state["base_quaternion"][i]).apply(hyq.feet_in_base(joints[i].ravel()))
            plan["foot_position"][i] = feet + state["base_position"][i] + 0.03 * random.normal(size=(4, 3))
        plan["foot_velocity"] = 0.5 * random.normal(size=(count, 4, 3))
        plan["foot_acceleration"] = 5.0 * random.normal(size=(count, 4, 3))
        loaded = random.random((count, 4)) < random.choice([0.0, 0.5, 0.75, 1.0, 1.0], size=(count, 1))
        plan["load"] = loaded * np.where(random.random((count, 4)) < 0.6, 1.0, random.random((count, 4)))
        normals = np.array([0.0, 0.0, 1.0]) + 0.2 * random.normal(size=(count, 4, 3)) * (random.random((count, 1, 1)) < 0.5)
        plan["normal"] = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
        plan["friction"] = random.uniform(0.05, 1.0, size=(count, 4))
        return plan, state

    return records
