# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.estimation.planar.body import pair_difference, planar_body
from surefoot.estimation.planar.process import PlanarProcess
from surefoot.estimation.planar.sensors import BaseInPlane
from surefoot.robot.load import load_robot

SPLAYED = {"a1": 1e-9, "go2": 1e-3, "hyq": 8e-3, "solo12": 3e-3}
"""m. Legs that stand a little apart are shorter seen from the side, by the cosine, but not where they swing forward."""


def moved(name: str, seed: int):
    """A robot, its planar body, twelve joints that are alike in pairs, and the planar state with the back foot in the origin."""
    model, generator = load_robot(name), np.random.default_rng(seed)
    body, joints = planar_body(model), model.stand_joint_position.reshape(4, 3).copy()
    joints[[0, 1], 1:] += generator.uniform(-0.4, 0.4, 2)
    joints[[2, 3], 1:] += generator.uniform(-0.4, 0.4, 2)
    state = np.zeros(14)
    state[2], state[3:7] = body.hip_line, body.joints(joints.ravel())
    return model, body, joints.ravel(), state


@pytest.mark.parametrize("name", SPLAYED)
@pytest.mark.parametrize("seed", range(3))
def test_the_chain_in_the_plane_is_that_of_the_robot(name: str, seed: int) -> None:
    model, body, joints, state = moved(name, seed)
    feet = model.feet_in_base(joints)[:, [0, 2]]
    back, front = feet[2:].mean(axis=0), feet[:2].mean(axis=0)
    np.testing.assert_allclose(BaseInPlane(body).at(state).value[:3], (*-back, 0.0), atol=SPLAYED[name])
    process = PlanarProcess(np.zeros((3, 14, 14)), links=body.links)
    np.testing.assert_allclose(process.feet(state)[1], front - back, atol=SPLAYED[name])


@pytest.mark.parametrize("name", SPLAYED)
@pytest.mark.parametrize("seed", range(3))
def test_it_weighs_as_much_and_in_the_same_place(name: str, seed: int) -> None:
    model, body, joints, state = moved(name, seed)
    mass = 2.0 * sum(body.links.mass[:2]) + body.links.mass[2]
    assert mass == pytest.approx(model.total_mass)
    base = np.array([0.0, 0.0, 0.0, 1.0])
    centre = model.centre_of_mass(np.zeros(3), base, joints)[0] - model.feet_in_base(joints)[2:, 0].mean()
    # The torque of gravity about the back foot turns a robot that is let go by so much.
    process = PlanarProcess(np.zeros((3, 14, 14)), links=body.links)
    weights = process._pinned[0].weights
    angles = state[2] + np.array([state[3] + state[4], state[3], -0.5 * np.pi, state[5], state[5] + state[6]]) + 0.5 * np.pi
    torque = (np.cos(angles) * weights[:, 0] - np.sin(angles) * weights[:, 1]).sum()
    # Front and back legs are taken to be alike.
    assert torque / (9.81 * mass) == pytest.approx(centre, abs=6e-3)


def test_legs_that_do_not_swing_in_the_plane_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"'LF_HFE' turns its link by -0\.97 .*use 'spatial'"):
        planar_body(load_robot("anymal_c"))


def test_how_far_the_legs_of_a_pair_are_apart() -> None:
    joints = np.zeros(12)
    joints[0] = 9.0  # The abduction is not looked at.
    assert pair_difference(joints) == 0.0
    joints[8] = -0.25
    assert pair_difference(joints) == 0.25
