# SPDX-License-Identifier: Apache-2.0
"""Distances against those of MuJoCo."""

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.traces.requirements.geometry import BOX, CYLINDER, SPHERE, capsule_to_box, capsule_to_capsule, point_to_box, support

FAR = 10.0


class Pair:
    """Two shapes in MuJoCo."""

    def __init__(self, first: str, second: str) -> None:
        bodies = "".join(f'<body><freejoint/><geom {shape}/></body>' for shape in (first, second))
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)

    def put(self, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Somewhere: positions, rotations and distance."""
        self.data.qpos[:] = random.normal(size=14)
        mujoco.mj_kinematics(self.model, self.data)
        return self.data.geom_xpos, self.data.geom_xmat, mujoco.mj_geomDistance(self.model, self.data, 0, 1, FAR, None)


def test_capsules() -> None:
    pair, random = Pair('type="capsule" size="0.1 0.4"', 'type="capsule" size="0.05 0.7"'), np.random.default_rng(0)
    for _ in range(2000):
        position, rotation, expected = pair.put(random)
        found = capsule_to_capsule(position[0], rotation[0], 2, 0.4, 0.1, position[1], rotation[1], 2, 0.7, 0.05)
        assert found == pytest.approx(expected, abs=1e-6)


def test_parallel_capsules() -> None:
    turn = np.eye(3).reshape(9)
    for along, expected in ((0.0, 0.3), (0.5, 0.3), (2.0, np.hypot(0.5, 1.0) - 0.2)):
        found = capsule_to_capsule(np.zeros(3), turn, 2, 0.5, 0.1, np.array((0.5, 0.0, along)), turn, 2, 0.5, 0.1)
        assert found == pytest.approx(expected)


def test_a_capsule_and_a_box() -> None:
    pair, random = Pair('type="capsule" size="0.1 0.4"', 'type="box" size="0.3 0.5 0.2"'), np.random.default_rng(1)
    half, apart = np.array((0.3, 0.5, 0.2)), 0
    for _ in range(2000):
        position, rotation, expected = pair.put(random)
        found = capsule_to_box(position[0], rotation[0], 2, 0.4, 0.1, position[1], rotation[1], half, FAR)
        if expected > 0.0:
            apart += 1
            assert expected - 1e-6 <= found <= expected + 3e-3
        else:
            assert found < 3e-3
    assert apart > 500


def test_points_and_boxes_inside_and_out() -> None:
    half, turn, centre = np.array((1.0, 2.0, 3.0)), np.eye(3).reshape(9), np.zeros(3)
    cases = (((4.0, 6.0, 0.0), 5.0, 0.0), ((0.0, 0.0, 5.0), 2.0, 1.0), ((0.0, 0.0, -4.0), 1.0, -1.0), ((0.5, 0.0, 0.0), -0.5, 0.0),
             ((0.0, 0.0, 2.9), -0.1, 1.0), ((4.0, 0.0, 7.0), 5.0, 0.8))  # fmt: skip
    for point, distance, upwards in cases:
        assert point_to_box(*point, centre, turn, half) == pytest.approx((distance, upwards))


def test_how_far_shapes_reach() -> None:
    random = np.random.default_rng(2)
    for kind, half, shape in (
        (SPHERE, (0.2, 0.2, 0.2), 'type="sphere" size="0.2"'),
        (CYLINDER, (0.2, 0.2, 0.6), 'type="cylinder" size="0.2 0.6"'),
        (BOX, (0.3, 0.5, 0.2), 'type="box" size="0.3 0.5 0.2"'),
    ):
        pair = Pair(shape, 'type="sphere" size="0.001"')
        for _ in range(200):
            _, rotation, _ = pair.put(random)
            direction = random.normal(size=3)
            direction /= np.linalg.norm(direction)
            found = support(kind, np.array(half), 2, rotation[0], *direction)
            own = rotation[0].reshape(3, 3).T @ direction
            if kind == SPHERE:
                expected = 0.2
            elif kind == CYLINDER:
                expected = 0.6 * abs(own[2]) + 0.2 * np.hypot(own[0], own[1])
            else:
                expected = np.abs(own) @ half
            assert found == pytest.approx(expected)
