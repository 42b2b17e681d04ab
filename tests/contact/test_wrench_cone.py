# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from scipy.optimize import linprog

from surefoot.contact.wrench_cone import ROWS_PER_WRENCH, YAW_ROWS, Sole, wrench_cone
from surefoot.errors import ConfigurationError
from surefoot.rotation import rotation_matrix

SOLE, FRICTION = Sole(0.12, 0.05), 0.7
ENOUGH = 1e9


def inside(wrench: np.ndarray, frame: np.ndarray, sole: Sole = SOLE, largest: float = ENOUGH) -> float:
    rows, bounds = wrench_cone(frame, FRICTION, largest, sole)
    return float((rows @ wrench - bounds).min())


def corner_forces_exist(wrench: np.ndarray, frame: np.ndarray) -> bool:
    """Whether forces in square pyramids at the four corners add up to a wrench."""
    normal, along, across = frame
    columns = []
    mu = FRICTION / np.sqrt(2.0)
    for i in (1.0, -1.0):
        for j in (1.0, -1.0):
            corner = i * SOLE.half_length * along + j * SOLE.half_width * across
            for k in (1.0, -1.0):
                for m in (1.0, -1.0):
                    edge = normal + mu * (k * along + m * across)
                    columns.append(np.concatenate((edge, np.cross(corner, edge))))
    return bool(linprog(np.zeros(16), A_eq=np.array(columns).T, b_eq=wrench, bounds=(0.0, None)).status == 0)


def frames(random: np.random.Generator) -> np.ndarray:
    quaternion = random.normal(size=4)
    return rotation_matrix(quaternion / np.linalg.norm(quaternion))


def test_it_is_what_the_corners_can_add_up_to() -> None:
    random, seen = np.random.default_rng(0), []
    scale = np.array([0.3, 0.3, 1.0, 0.03, 0.07, 0.05])
    for _ in range(400):
        frame = frames(random)
        local = 100.0 * scale * random.uniform((-1, -1, 0.4, -1, -1, -1), 1.0)
        axes = frame[[1, 2, 0]]
        wrench = np.concatenate((axes.T @ local[:3], axes.T @ local[3:]))
        margin = inside(wrench, frame)
        if abs(margin) > 1e-6:
            seen.append(margin > 0.0)
            assert corner_forces_exist(wrench, frame) is seen[-1]
    assert 0.2 < np.mean(seen) < 0.8


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_a_foot_does_not_turn_beyond_its_friction_unless_nobody_minds(turn: float) -> None:
    frame = np.eye(3)[[2, 0, 1]]
    bound = FRICTION / np.sqrt(2.0) * (SOLE.half_length + SOLE.half_width) * 100.0
    for share, fine in ((0.99, True), (1.01, False)):
        wrench = np.array((0.0, 0.0, 100.0, 0.0, 0.0, turn * share * bound))
        assert (inside(wrench, frame) >= 0.0) is fine
        assert inside(wrench, frame, Sole(0.12, 0.05, bounds_yaw=False)) >= 0.0
    assert len(wrench_cone(frame, FRICTION, ENOUGH, SOLE)[0]) == ROWS_PER_WRENCH + YAW_ROWS


def test_the_normal_force_is_bounded() -> None:
    frame = np.eye(3)[[2, 0, 1]]
    assert inside(np.array((0.0, 0.0, 101.0, 0.0, 0.0, 0.0)), frame, largest=100.0) == pytest.approx(-1.0)


@pytest.mark.parametrize("sides", [(0.0, 0.05), (0.12, np.nan), (0.12, -0.1)])
def test_a_sole_has_two_sides(sides: tuple[float, float]) -> None:
    with pytest.raises(ConfigurationError, match="of the sole is"):
        Sole(*sides)
