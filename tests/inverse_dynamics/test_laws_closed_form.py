# SPDX-License-Identifier: Apache-2.0
"""Cases that can be worked out by hand, for every contact law of multi-bodies; they fix the signs."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.inverse_dynamics.coulomb_lcp import CoulombLcp, coulomb_lcp
from surefoot.inverse_dynamics.inverse_contact import InverseContact
from surefoot.inverse_dynamics.law import RELAXED, SOLVED
from surefoot.inverse_dynamics.multibody_two_stage import MultibodyTwoStage, two_stage_qp, two_stage_qp_no_slip
from surefoot.inverse_dynamics.no_slip_lcp import no_slip_lcp
from surefoot.inverse_dynamics.orthogonal_decomposition import orthogonal_decomposition

inverse_contact = InverseContact(softness=1e-6)
COMPLEMENTARY = {"coulomb_lcp": coulomb_lcp, "coulomb_lcp_near": CoulombLcp(stays_near=True)}
CONVEX = {"two_stage_qp": two_stage_qp, "two_stage_qp_8": MultibodyTwoStage(edges=8), "inverse_contact": inverse_contact}
COULOMB = COMPLEMENTARY | CONVEX
UNILATERAL = COULOMB | {"no_slip_lcp": no_slip_lcp, "two_stage_qp_no_slip": two_stage_qp_no_slip}
ALL = UNILATERAL | {"orthogonal_decomposition": orthogonal_decomposition}

GRAVITY = 9.81
UP = (0.0, 0.0, 1.0)
SOFT = 3e-4
"""Relative: what the contacts of inverse_contact give."""


def named(laws: dict) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("law", laws.values(), ids=laws.keys())


def close(actual, expected, size: float = 1.0) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=SOFT * size)


@named(ALL)
def test_a_mass_on_the_ground(law, multibody) -> None:
    answer = law(multibody(2.0 * np.eye(3), (0.0, 0.0, 2.0 * GRAVITY), np.eye(3), [UP]))
    assert answer.status == SOLVED
    assert not answer.repaired
    close(answer.force, (0.0, 0.0, 2.0 * GRAVITY), 20.0)
    close(answer.acceleration, np.zeros(3), GRAVITY)
    assert answer.torque.shape == (0,)


def on_slope(multibody, angle: float, friction: float):
    """A mass of 2 kg at rest; downhill is +x."""
    normal = (np.sin(angle), 0.0, np.cos(angle))
    return multibody(2.0 * np.eye(3), (0.0, 0.0, 2.0 * GRAVITY), np.eye(3), [normal], friction=friction)


@named(ALL)
def test_a_mass_on_a_slope_below_the_friction_angle_stays(law, multibody) -> None:
    answer = law(on_slope(multibody, np.arctan(0.5) - 0.01, 0.5))
    assert answer.status == SOLVED
    close(answer.force, (0.0, 0.0, 2.0 * GRAVITY), 20.0)
    close(answer.acceleration, np.zeros(3), GRAVITY)


@named(COULOMB)
def test_a_mass_on_a_slope_above_the_friction_angle_slides(law, multibody) -> None:
    angle, friction, weight = 0.7, 0.5, 2.0 * GRAVITY
    answer = law(on_slope(multibody, angle, friction))
    assert answer.status == SOLVED
    sine, cosine = np.sin(angle), np.cos(angle)
    load = weight * cosine
    if law in CONVEX.values():
        # Without complementarity the load grows with the slip that it brakes: the point of the cone nearest to what would hold the mass.
        load = weight * (cosine + friction * sine) / (1.0 + friction**2)
    normal, uphill = np.array((sine, 0.0, cosine)), np.array((-cosine, 0.0, sine))
    close(answer.force, load * (normal + friction * uphill), 20.0)
    downhill = -(answer.acceleration @ uphill)
    close(downhill, GRAVITY * sine - friction * load / 2.0, GRAVITY)
    if law in COMPLEMENTARY.values():
        close(answer.acceleration @ normal, 0.0, GRAVITY)


@named({"no_slip_lcp": no_slip_lcp, "two_stage_qp_no_slip": two_stage_qp_no_slip, "orthogonal_decomposition": orthogonal_decomposition})
def test_what_cannot_slip_stays_on_any_slope(law, multibody) -> None:
    answer = law(on_slope(multibody, 1.2, 0.0))
    assert answer.status == SOLVED
    close(answer.force, (0.0, 0.0, 2.0 * GRAVITY), 20.0)
    close(answer.acceleration, np.zeros(3), GRAVITY)


def two_link_leg(multibody, hip: float, knee: float, contact: bool = True):
    """A body that can move up and forward, its leg of two massless links with masses at knee and foot; angles from straight down, rad."""
    length, masses = 0.4, (10.0, 1.5, 0.5)
    shank = hip + knee
    thigh_column, shank_column = length * np.array((np.cos(hip), np.sin(hip))), length * np.array((np.cos(shank), np.sin(shank)))
    body = np.hstack((np.eye(2), np.zeros((2, 2))))
    at_knee = np.column_stack((np.eye(2), thigh_column, np.zeros(2)))
    at_foot = np.column_stack((np.eye(2), thigh_column + shank_column, shank_column))
    points = tuple(zip(masses, (body, at_knee, at_foot), strict=True))
    mass_matrix = sum(mass * part.T @ part for mass, part in points)
    bias = sum(mass * GRAVITY * part[1] for mass, part in points)
    foot = np.zeros((3, 4))
    foot[[0, 2]] = at_foot
    jacobian, normals = (foot, [UP]) if contact else (np.zeros((0, 4)), np.zeros((0, 3)))
    return multibody(mass_matrix, bias, jacobian, normals, actuated=(2, 3), acceleration=(0.0, 0.0))


@named(ALL)
def test_a_two_link_leg_stands(law, multibody) -> None:
    hip, knee = 0.5, -1.1
    answer = law(two_link_leg(multibody, hip, knee))
    assert answer.status == SOLVED
    weight = 12.0 * GRAVITY
    # Across the plane of the leg nothing moves, and a force there is nobody's business.
    close(answer.force[[0, 2]], (0.0, weight), weight)
    on_shank, on_thigh = 0.4 * np.sin(hip + knee), 0.4 * np.sin(hip)
    knee_torque = (0.5 * GRAVITY - weight) * on_shank
    hip_torque = knee_torque + (2.0 * GRAVITY - weight) * on_thigh
    close(answer.torque, (hip_torque, knee_torque), weight)


@named(ALL)
def test_a_straight_leg_stands_without_torque(law, multibody) -> None:
    answer = law(two_link_leg(multibody, 0.0, 0.0))
    assert answer.status == SOLVED
    close(answer.force, (0.0, 0.0, 12.0 * GRAVITY), 100.0)
    close(answer.torque, (0.0, 0.0), 100.0)


@named(ALL)
def test_without_contact_a_leg_falls(law, multibody) -> None:
    answer = law(two_link_leg(multibody, 0.5, -1.1, contact=False))
    assert answer.status == SOLVED
    close(answer.acceleration, (0.0, -GRAVITY, 0.0, 0.0))
    close(answer.torque, (0.0, 0.0))
    assert answer.force.shape == (0,)


def gripper(multibody, push: float, friction: float = 0.4):
    """Two fingers of 0.3 kg, moved along x, with a free box of 2 kg and 0.2 m between them."""
    inertia = np.diag((2.0, 2.0, 2.0, 0.02, 0.03, 0.04, 0.3, 0.3))
    jacobian = np.zeros((6, 8))
    for contact, (side, finger) in enumerate(((-0.1, 6), (0.1, 7))):
        rows = jacobian[3 * contact : 3 * contact + 3]
        rows[:, :3] = np.eye(3)
        rows[:, 3:6] = ((0.0, 0.0, 0.0), (0.0, 0.0, side), (0.0, -side, 0.0))
        rows[0, finger] = -1.0
    bias = np.array((0.0, 0.0, 2.0 * GRAVITY, 0.0, 0.0, 0.0, 0.0, 0.0))
    normals = [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]
    return multibody(inertia, bias, jacobian, normals, actuated=(6, 7), acceleration=(push, push), friction=friction)


@named({name: law for name, law in ALL.items() if law not in COMPLEMENTARY.values()})
@pytest.mark.parametrize("push", [0.0, 3.0])
def test_two_fingers_hold_and_push_a_box(law, multibody, push: float) -> None:
    answer = law(gripper(multibody, push))
    # Glued fingers share the push: the one in front pulls.
    assert answer.status == (RELAXED if law is orthogonal_decomposition and push else SOLVED)
    weight = 2.0 * GRAVITY
    left, right = answer.force.reshape(2, 3)
    close(left[2], 0.5 * weight, weight)
    close(right[2], 0.5 * weight, weight)
    close(left[0] + right[0], 2.0 * push, weight)
    # Fingers press on the box and the box on them: that is what their motors hold against, and what moves the fingers comes on top.
    close(answer.torque, (left[0] + 0.3 * push, right[0] + 0.3 * push), weight)
    close(answer.torque.sum(), 2.6 * push, weight)
    close(answer.acceleration, (push, 0.0, 0.0, 0.0, 0.0, 0.0, push, push), GRAVITY)
    if law in COULOMB.values():
        assert min(left[0], -right[0]) >= 0.5 * weight / 0.4 - SOFT * weight


def test_with_complementarity_fingers_need_not_squeeze(multibody) -> None:
    problem = gripper(multibody, 0.0)
    dropped = coulomb_lcp(problem)
    assert dropped.status == SOLVED
    np.testing.assert_allclose(dropped.acceleration[2], -GRAVITY, atol=1e-6)
    # Among many answers, the one that is looked for near a squeeze squeezes.
    squeezed = two_stage_qp(problem)
    near = CoulombLcp(stays_near=True)(problem, squeezed)
    assert near.status == SOLVED
    assert near.torque[0] > 1.0
    assert np.linalg.norm(near.torque - squeezed.torque) < np.linalg.norm(dropped.torque - squeezed.torque)


@named({"two_stage_qp": two_stage_qp, "two_stage_qp_8": MultibodyTwoStage(edges=8)})
def test_fingers_squeeze_no_more_than_friction_needs(law, multibody) -> None:
    squeeze = GRAVITY / 0.4
    answer = law(gripper(multibody, 0.0))
    np.testing.assert_allclose(answer.torque, (squeeze, -squeeze), rtol=1e-6)
    # Pushed along, the finger behind has to give the box its acceleration; friction needs the other to press as much as before.
    answer = law(gripper(multibody, 3.0))
    np.testing.assert_allclose(answer.torque, (squeeze + 6.0 + 0.9, -squeeze + 0.9), rtol=1e-6)


@named({"two_stage_qp_no_slip": two_stage_qp_no_slip, "orthogonal_decomposition": orthogonal_decomposition})
def test_fingers_that_cannot_slip_need_not_squeeze(law, multibody) -> None:
    np.testing.assert_allclose(law(gripper(multibody, 0.0)).torque, (0.0, 0.0), atol=1e-5)


@named(COULOMB)
def test_a_smooth_box_falls_through_fingers(law, multibody) -> None:
    answer = law(gripper(multibody, 0.0, friction=0.0))
    assert answer.status == SOLVED
    close(answer.acceleration[2], -GRAVITY, GRAVITY)
    close(answer.force.reshape(2, 3)[:, 1:], np.zeros((2, 2)))


def table(multibody, push: float, friction):
    """A box of 10 kg on two feet in front and one behind, pushed along +x at its centre, 0.2 m above the ground."""
    corners = np.array([(0.5, 0.5, -0.2), (0.5, -0.5, -0.2), (-0.5, 0.0, -0.2)])
    blocks = [np.hstack((np.eye(3), -np.array(((0, -z, y), (z, 0, -x), (-y, x, 0))))) for x, y, z in corners]
    inertia = np.diag((10.0, 10.0, 10.0, 1.0, 1.0, 1.5))
    return multibody(inertia, (-push, 0.0, 10.0 * GRAVITY, 0.0, 0.0, 0.0), np.vstack(blocks), [UP] * 3, friction=friction)


@named(COULOMB)
def test_half_on_ice_the_other_feet_hold(law, multibody) -> None:
    weight = 10.0 * GRAVITY
    answer = law(table(multibody, 0.2 * weight, (0.8, 0.8, 0.0)))
    assert answer.status == SOLVED
    feet = answer.force.reshape(3, 3)
    close(feet.sum(axis=0), (-0.2 * weight, 0.0, weight), weight)
    close(feet[2, :2], np.zeros(2))
    close(feet[:2, 0], (-0.1 * weight,) * 2, weight)
    close(answer.acceleration, np.zeros(6), GRAVITY)
    # The push tips the box forward: half of the weight and what its lever of 0.2 m makes over the length of 1 m.
    close(feet[:2, 2], (0.5 * (0.5 + 0.2 * 0.2) * weight,) * 2, weight)


@named(COMPLEMENTARY)
def test_on_ice_alone_a_push_slides(law, multibody) -> None:
    answer = law(table(multibody, 20.0, 0.0))
    assert answer.status == SOLVED
    close(answer.acceleration, (2.0, 0.0, 0.0, 0.0, 0.0, 0.0), GRAVITY)


@named(UNILATERAL)
@pytest.mark.parametrize(("speed", "end"), [(-0.5, -0.5 - 0.001 * GRAVITY), (-3.0, -1.0), (2.0, 2.0 - 0.001 * GRAVITY)])
def test_a_contact_is_anticipated(law, multibody, speed: float, end: float) -> None:
    problem = multibody(2.0 * np.eye(3), (0.0, 0.0, 2.0 * GRAVITY), np.eye(3), [UP], gaps=0.001, velocity=(0.0, 0.0, speed))
    answer = law(problem)
    assert answer.status == SOLVED
    after = speed + 0.001 * answer.acceleration[2]
    close(after, end, 3.0)
    if end != -1.0:
        close(answer.force, np.zeros(3))


@named({"no_slip_lcp": no_slip_lcp, "two_stage_qp_no_slip": two_stage_qp_no_slip})
def test_legs_cannot_be_splayed_without_slip(law, multibody) -> None:
    mass_matrix = np.diag((5.0, 5.0, 5.0, 0.0, 0.0)) + 0.1 * np.eye(5)
    jacobian = np.zeros((6, 5))
    jacobian[:3, :3] = jacobian[3:, :3] = np.eye(3)
    jacobian[0, 3] = jacobian[3, 4] = 1.0
    bias = (0.0, 0.0, 5.0 * GRAVITY, 0.0, 0.0)
    problem = multibody(mass_matrix, bias, jacobian, [UP, UP], actuated=(3, 4), acceleration=(1.0, 3.0))
    answer = law(problem)
    assert answer.status == SOLVED
    assert answer.repaired
    # Both feet stand still if both legs move alike: the nearest such accelerations are their mean.
    np.testing.assert_allclose(answer.acceleration, (-2.0, 0.0, 0.0, 2.0, 2.0), atol=1e-5)
    assert not law(replace(problem, acceleration=np.array((2.0, 2.0)))).repaired


@named({name: law for name, law in UNILATERAL.items() if law is not inverse_contact})
def test_a_finger_cannot_be_moved_into_a_wall(law, multibody) -> None:
    column = np.array(((1.0,), (0.0,), (0.0,)))
    problem = multibody(np.eye(1), (0.0,), column, [(1.0, 0.0, 0.0)], actuated=(0,), acceleration=(-4.0,))
    answer = law(problem)
    assert answer.status == SOLVED
    assert answer.repaired
    np.testing.assert_allclose(answer.acceleration, (0.0,), atol=1e-6)
    away = law(replace(problem, acceleration=np.array((4.0,))))
    assert not away.repaired
    np.testing.assert_allclose(away.torque, (4.0,), atol=1e-6)


def test_glued_feet_that_would_leave_the_ground_pull(multibody) -> None:
    answer = orthogonal_decomposition(multibody(np.eye(3), (0.0, 0.0, -5.0), np.eye(3), [UP]))
    assert answer.status == RELAXED
    np.testing.assert_allclose(answer.force, (0.0, 0.0, -5.0), atol=1e-9)


@named(ALL)
def test_torques_beyond_their_limits_are_said_and_not_clamped(law, multibody) -> None:
    leg = two_link_leg(multibody, 0.5, -1.1)
    free = law(leg)
    bound = law(replace(leg, effort_limit=np.full(2, 1.0)))
    assert bound.status == RELAXED
    np.testing.assert_allclose(bound.torque, free.torque, atol=1e-6)
