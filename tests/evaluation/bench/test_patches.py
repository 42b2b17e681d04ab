# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.evaluation.bench.patches import FootPatches, patch
from surefoot.robot.model import RobotModel


@pytest.fixture(scope="module")
def patches(hyq: RobotModel) -> FootPatches:
    return FootPatches(hyq, seed=1)


def test_points_lie_apart_on_the_disc() -> None:
    for points in (1, 2, 5, 16):
        places = patch(points, 0.02)
        assert np.linalg.norm(places, axis=1).max() <= 0.02 + 1e-12
        apart = np.linalg.norm(places[:, np.newaxis] - places, axis=2)[~np.eye(points, dtype=bool)]
        assert apart.min(initial=1.0) > 0.004


def test_contact_points_move_with_their_feet(hyq: RobotModel, patches: FootPatches) -> None:
    problem = patches.problem(4, 7)
    assert problem.jacobian.shape == (48, 18)
    # Turned about the vertical, the first foot's points lie where its Jacobian says, on the radius of the foot and level.
    turned = problem.jacobian[:12, 5].reshape(4, 3)
    places = np.column_stack((turned[:, 1], -turned[:, 0]))
    np.testing.assert_allclose(
        np.linalg.norm(places - places[0], axis=1), hyq.description.foot_radius * np.sqrt(np.arange(4) / 3), atol=1e-3
    )
    np.testing.assert_allclose(problem.jacobian[:, :3], np.tile(np.eye(3), (16, 1)), atol=1e-12)


@pytest.mark.parametrize("points", [1, 3, 16])
def test_the_motion_asked_for_brings_all_contacts_to_rest(patches: FootPatches, points: int) -> None:
    problem = patches.problem(points, 3)
    assert np.abs(problem.jacobian @ problem.velocity).max() > 1e-5 or points == 1
    held = np.zeros((12, 18))
    held[np.arange(12), problem.actuated] = 1.0
    wanted = np.concatenate((-problem.jacobian_rate - problem.jacobian @ problem.velocity / problem.step, problem.acceleration))
    found = np.linalg.lstsq(np.vstack((problem.jacobian, held)), wanted, rcond=None)[0]
    np.testing.assert_allclose(np.vstack((problem.jacobian, held)) @ found, wanted, atol=1e-7)
    np.testing.assert_array_equal(problem.jacobian, patches.problem(points, 3).jacobian)
