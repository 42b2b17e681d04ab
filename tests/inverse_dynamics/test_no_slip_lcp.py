# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.inverse_dynamics.law import RELAXED, SOLVED
from surefoot.inverse_dynamics.no_slip_lcp import no_slip_lcp
from surefoot.robot.model import GRAVITY

MASS = 4.8


def box_on_three_feet(order: list[int], raised: float, moment: float) -> MultibodyContactProblem:
    """A box whose weight is over the line between two feet, beside which the third one is, raised; the moment lifts or lowers that one."""
    feet = np.array(((0.1, 0.1, -0.12), (-0.1, -0.1, -0.12), (0.1, -0.1, raised - 0.12)))[order]
    jacobian = np.zeros((9, 6))
    for place, (x, y, z) in enumerate(feet):
        jacobian[3 * place : 3 * place + 3] = np.hstack((np.eye(3), np.array(((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)))))
    bias = np.array((0.0, 0.0, MASS * GRAVITY, moment, moment, 0.0))
    return MultibodyContactProblem(
        mass_matrix=np.diag((MASS, MASS, MASS, 0.03, 0.05, 0.06)), bias=bias, velocity=np.zeros(6), actuated=np.empty(0, np.int64),
        acceleration=np.empty(0), effort_limit=np.empty(0), jacobian=jacobian, jacobian_rate=np.zeros(9),
        normals=np.tile((0.0, 0.0, 1.0), (3, 1)), friction=np.full(3, np.inf), gaps=np.zeros(3), step=0.02,
    )  # fmt: skip


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [0, 2, 1]])
@pytest.mark.parametrize("moment", [1e-3, 0.05])
def test_a_foot_that_opens_out_of_the_plane_of_the_others_wedges_nothing(order: list[int], moment: float) -> None:
    answer = no_slip_lcp(box_on_three_feet(order, 5e-4, moment))
    # It says that it lets something slip by a little.
    assert answer.status == RELAXED
    # All tangents held, half a millimetre of height would keep the box upright by 9400 N along the ground, and one foot bear it all.
    assert np.abs(answer.force).max() < 0.6 * MASS * GRAVITY
    load = answer.force[2::3][np.argsort(order)]
    np.testing.assert_allclose(load, (0.5 * MASS * GRAVITY, 0.5 * MASS * GRAVITY, 0.0), atol=0.1)


def test_feet_that_all_press_are_held_as_before() -> None:
    answer = no_slip_lcp(box_on_three_feet([0, 1, 2], 5e-4, -0.05))
    assert answer.status == SOLVED
    assert answer.force[8] > 0.1
    np.testing.assert_allclose(answer.acceleration, 0.0, atol=1e-6)


def test_feet_that_differ_by_centimetres_are_held_by_all_their_tangents() -> None:
    answer = no_slip_lcp(box_on_three_feet([0, 1, 2], 0.05, 0.05))
    assert answer.status == SOLVED
    np.testing.assert_allclose(answer.acceleration, 0.0, atol=1e-6)
