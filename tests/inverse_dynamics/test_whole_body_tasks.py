# SPDX-License-Identifier: Apache-2.0
"""Each task alone: what it wants is what moves, and by its damping."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.inverse_dynamics.desired import Attitude
from surefoot.inverse_dynamics.whole_body_qp import WholeBodyController
from surefoot.inverse_dynamics.whole_body_tasks import (
    AngularMomentum,
    BasePose,
    CentreOfMass,
    JointPosture,
    SwingFeet,
    Tick,
    centre_of_mass_offset,
    generalized_velocity,
)
from surefoot.robot.model import RobotModel

PERIOD = 0.004


@pytest.fixture
def tick(perturbed, terms_of):  # type: ignore[no-untyped-def]
    """A seed -> Tick of a robot that moves."""

    def make(seed: int) -> Tick:
        plan, state = perturbed(seed)
        return Tick(terms_of(state[0]), plan[0], state[0], Attitude.of(plan[0], state[0]))

    return make


def moved(state: np.void, velocity: np.ndarray, time: float) -> np.void:
    """A STATE record a moment later, at a constant generalized velocity."""
    later = state.copy()
    later["base_position"] += time * velocity[:3]
    later["base_quaternion"] = (Rotation.from_rotvec(time * velocity[3:6]) * Rotation.from_quat(state["base_quaternion"])).as_quat()
    later["joint_position"] += time * velocity[6:].reshape(4, 3)
    return later


def test_the_centre_of_mass_is_in_the_mass_matrix(hyq: RobotModel, tick) -> None:
    for seed in range(5):
        now = tick(seed)
        state = now.state
        expected = hyq.centre_of_mass(state["base_position"], state["base_quaternion"], state["joint_position"].ravel())
        np.testing.assert_allclose(state["base_position"] + centre_of_mass_offset(now.terms), expected, atol=1e-9)


def test_rows_of_the_centre_of_mass_are_its_acceleration(hyq: RobotModel, tick, terms_of) -> None:
    step = 1e-5
    gains = hyq.description.control
    for seed in range(5):
        now = tick(seed)
        acceleration = np.random.default_rng(seed).normal(size=18)
        task = CentreOfMass(gains, np.zeros(3)).rows(now)
        velocity = generalized_velocity(now.state)
        centres = []
        for time in (-step, 0.0, step):
            # Half the acceleration on top of the velocity gives the position to second order.
            later = moved(now.state, velocity + 0.5 * time * acceleration, time)
            centres.append(hyq.centre_of_mass(later["base_position"], later["base_quaternion"], later["joint_position"].ravel()))
        measured = (centres[2] - 2.0 * centres[1] + centres[0]) / step**2
        wanted_base = np.multiply(gains.base_position_gain, now.plan["base_position"] - centres[1])
        wanted_base += np.multiply(gains.base_velocity_gain, now.plan["base_velocity"] - (centres[2] - centres[0]) / (2.0 * step))
        wanted_base += now.plan["base_acceleration"]
        np.testing.assert_allclose(task.jacobian @ acceleration - task.acceleration, measured - wanted_base, atol=2e-4)


def test_angular_momentum_rows_are_its_rate(tick, terms_of) -> None:
    step = 1e-6

    def momentum(state: np.void) -> np.ndarray:
        terms = terms_of(state)
        whole = terms.mass_matrix[:6] @ generalized_velocity(state)
        return whole[3:] - np.cross(centre_of_mass_offset(terms), whole[:3])

    for seed in range(5):
        now = tick(seed)
        task = AngularMomentum(damping=0.0).rows(now)
        acceleration = np.random.default_rng(seed).normal(size=18)
        ends = []
        for time in (-step, step):
            later = moved(now.state, generalized_velocity(now.state), time)
            later["base_velocity"] += time * acceleration[:3]
            later["base_rate"] += time * acceleration[3:6]
            later["joint_velocity"] += time * acceleration[6:].reshape(4, 3)
            ends.append(momentum(later))
        rate = (ends[1] - ends[0]) / (2.0 * step)
        scale = 1.0 / np.sqrt(now.terms.mass_matrix[4, 4] * now.terms.mass_matrix[0, 0])
        np.testing.assert_allclose(task.jacobian @ acceleration - task.acceleration, scale * rate, atol=1e-4)


def test_a_task_of_no_weight_is_no_task(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand(loads=(0.0, 1.0, 1.0, 1.0))
    plan["foot_position"][0, 0, 2] += 0.05
    gains, posture = hyq.description.control, JointPosture(hyq.stand_joint_position)
    terms = terms_of(state[0])

    def answer(*tasks) -> np.ndarray:  # type: ignore[no-untyped-def]
        return WholeBodyController(hyq, gains, tasks).control(terms, plan[0], state[0], PERIOD).joint_acceleration

    without = answer(BasePose(gains), posture)
    np.testing.assert_allclose(answer(BasePose(gains), SwingFeet(gains, weight=0.0), posture), without, atol=1e-6)
    assert np.abs(answer(BasePose(gains), SwingFeet(gains), posture) - without).max() > 1.0


def test_base_height_settles_by_its_damping_ratio(hyq: RobotModel, stand, terms_of) -> None:
    gains = hyq.description.control
    controller = WholeBodyController(hyq, gains)
    stiffness, damping = gains.base_position_gain[2], gains.base_velocity_gain[2]
    plan, state = stand()
    for error, speed in ((0.01, 0.0), (0.0, -0.05), (0.005, 0.02)):
        state["base_velocity"] = (0.0, 0.0, speed)
        plan["base_position"][0, 2] = state["base_position"][0, 2] + error
        feet = terms_of(state[0]).foot_jacobians.reshape(-1, 18)
        # The feet stay on the ground: the legs move with the base.
        state["joint_velocity"] = -np.linalg.solve(feet[:, 6:], feet[:, 2] * speed).reshape(4, 3)
        result = controller.control(terms_of(state[0]), plan[0], state[0], PERIOD)
        assert result.base_acceleration[2] == pytest.approx(stiffness * error - damping * speed, abs=2e-3)


def test_a_posture_alone_moves_the_joints_in_flight(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand(loads=(0.0,) * 4)
    state["joint_position"] += 0.1
    controller = WholeBodyController(hyq, hyq.description.control, [JointPosture(hyq.stand_joint_position, 100.0, 20.0, weight=1.0)])
    result = controller.control(terms_of(state[0]), plan[0], state[0], PERIOD)
    np.testing.assert_allclose(result.joint_acceleration, -10.0, rtol=1e-2)
