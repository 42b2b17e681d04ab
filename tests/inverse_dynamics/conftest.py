# SPDX-License-Identifier: Apache-2.0
"""A robot that stands, flat or on a slope, with a plan to go on standing."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.gait.records import PLAN, STATE
from surefoot.inverse_dynamics.contact_problem import ContactProblem, contact_problem
from surefoot.robot.model import RigidBodyTerms, RobotModel

Stand = Callable[..., tuple[np.ndarray, np.ndarray]]


@pytest.fixture(scope="session")
def stand(hyq: RobotModel) -> Stand:
    """(slope, friction, loads) -> PLAN and STATE arrays of one; slope in rad about y, so that downhill is +x."""

    def records(slope: float = 0.0, friction: float = 0.6, loads: tuple[float, ...] = (1.0,) * 4) -> tuple[np.ndarray, np.ndarray]:
        plan, state, neutral = np.zeros(1, PLAN), np.zeros(1, STATE), hyq.neutral()
        turn = Rotation.from_euler("y", slope)
        state["base_position"] = plan["base_position"] = turn.apply(neutral.base_position)
        state["base_quaternion"] = turn.as_quat()
        state["joint_position"] = neutral.joint_position.reshape(4, 3)
        plan["base_roll_pitch_yaw"] = (0.0, slope, 0.0)
        plan["foot_position"] = turn.apply(hyq.feet_in_base(neutral.joint_position) + neutral.base_position)
        plan["load"], plan["friction"], plan["normal"] = loads, friction, turn.apply([0.0, 0.0, 1.0])
        return plan, state

    return records


@pytest.fixture(scope="session")
def terms_of(hyq: RobotModel) -> Callable[[np.void], RigidBodyTerms]:
    """The rigid-body terms of hyq in a STATE record."""
    return lambda state: hyq.rigid_body_terms(
        state["base_position"],
        state["base_quaternion"],
        state["joint_position"].ravel(),
        state["base_velocity"],
        state["base_rate"],
        state["joint_velocity"].ravel(),
    )


@pytest.fixture(scope="session")
def perturbed(stand: Stand) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """A seed -> PLAN and STATE records of a robot that moves near its stand pose on 1 to 4 feet."""

    def records(seed: int) -> tuple[np.ndarray, np.ndarray]:
        random = np.random.default_rng(seed)
        loads = random.permutation([1.0] * (1 + seed % 4) + [0.0] * (3 - seed % 4))
        plan, state = stand(friction=random.uniform(0.3, 1.0), loads=tuple(loads))
        state["joint_position"] += 0.15 * random.normal(size=(4, 3))
        state["joint_velocity"] = 0.3 * random.normal(size=(4, 3))
        state["base_velocity"], state["base_rate"] = 0.1 * random.normal(size=3), 0.1 * random.normal(size=3)
        state["base_quaternion"] = Rotation.from_euler("xyz", 0.05 * random.normal(size=3)).as_quat()
        plan["foot_velocity"] = 0.2 * random.normal(size=(4, 3))
        return plan, state

    return records


@pytest.fixture(scope="session")
def reordered() -> Callable[[ContactProblem, RigidBodyTerms, np.void, list[int]], ContactProblem]:
    """The contact problem of a plan with its contacts in another order, or some of them more than once."""

    def problem(contacts: ContactProblem, terms: RigidBodyTerms, plan: np.void, order: list[int]) -> ContactProblem:
        parts = [contact_problem(terms, single, 1200.0) for single in _one_foot_each(plan, contacts.legs[order])]
        size = 3 * len(order)
        rows = np.zeros((6 * len(order), size))
        for place, part in enumerate(parts):
            rows[6 * place : 6 * place + 6, 3 * place : 3 * place + 3] = part.rows
        jacobian = np.vstack([part.jacobian for part in parts])
        vectors, lengths, _ = np.linalg.svd(jacobian[:, :6])
        return contacts._replace(
            legs=contacts.legs[order],
            jacobian=jacobian,
            normals=np.vstack([part.normals for part in parts]),
            friction=np.concatenate([part.friction for part in parts]),
            velocity=np.concatenate([part.velocity for part in parts]),
            bias_acceleration=np.concatenate([part.bias_acceleration for part in parts]),
            acceleration=np.concatenate([part.acceleration for part in parts]),
            internal=vectors[:, np.count_nonzero(lengths > 1e-9 * lengths[0]) :],
            rows=rows,
            bounds=np.concatenate([part.bounds for part in parts]),
        )

    return problem


def _one_foot_each(plan: np.void, legs: np.ndarray) -> list[np.void]:
    plans = []
    for leg in legs:
        single = plan.copy()
        single["load"] = np.where(np.arange(4) == leg, plan["load"], 0.0)
        plans.append(single)
    return plans


@pytest.fixture(scope="session")
def multibody() -> Callable[..., MultibodyContactProblem]:
    """(mass_matrix, bias, jacobian, normals, ...) -> a problem at rest, passive and on touching contacts unless told otherwise."""

    def problem(
        mass_matrix, bias, jacobian, normals, *, actuated=(), acceleration=(), friction=0.5, gaps=0.0, velocity=0.0, rate=0.0, step=0.001
    ) -> MultibodyContactProblem:
        size, contacts = len(bias), len(normals)
        return MultibodyContactProblem(
            mass_matrix=np.array(mass_matrix, dtype=float),
            bias=np.array(bias, dtype=float),
            velocity=np.broadcast_to(np.array(velocity, dtype=float), size).copy(),
            actuated=np.array(actuated, dtype=np.int64),
            acceleration=np.array(acceleration, dtype=float),
            effort_limit=np.full(len(actuated), np.inf),
            jacobian=np.array(jacobian, dtype=float).reshape(3 * contacts, size),
            jacobian_rate=np.broadcast_to(np.array(rate, dtype=float), 3 * contacts).copy(),
            normals=np.array(normals, dtype=float).reshape(contacts, 3),
            friction=np.broadcast_to(np.array(friction, dtype=float), contacts).copy(),
            gaps=np.broadcast_to(np.array(gaps, dtype=float), contacts).copy(),
            step=step,
        )

    return problem


@pytest.fixture(scope="session")
def random_multibody() -> Callable[[int], MultibodyContactProblem]:
    """A seed -> a multi-body of 2 to 13 coordinates on up to 6 contacts: duplicates, dependent ones, gaps and friction 0 to infinity."""

    def problem(seed: int) -> MultibodyContactProblem:
        random = np.random.default_rng(seed)
        size, contacts = int(random.integers(2, 14)), int(random.integers(0, 7))
        actuators = int(random.integers(0, size)) if random.random() < 0.9 else size
        root = random.normal(size=(size, size))
        jacobian, normals = random.normal(size=(3 * contacts, size)), random.normal(size=(contacts, 3))
        if contacts >= 2 and random.random() < 0.3:
            jacobian[3:6] = jacobian[:3]
        if contacts >= 3 and random.random() < 0.3:
            jacobian[6:9] = 0.5 * (jacobian[:3] + jacobian[3:6])
        if random.random() < 0.4:
            normals[:] = (0.0, 0.0, 1.0)
        gaps = random.uniform(0.0, 1e-3, contacts) * random.choice([1.0, 100.0], contacts)
        return MultibodyContactProblem(
            mass_matrix=0.3 * root @ root.T + np.diag(random.uniform(0.1, 3.0, size)),
            bias=20.0 * random.normal(size=size),
            velocity=random.normal(size=size) * random.choice([0.0, 0.01, 0.5]),
            actuated=np.sort(random.permutation(size)[:actuators]),
            acceleration=5.0 * random.normal(size=actuators),
            effort_limit=np.full(actuators, np.inf),
            jacobian=jacobian,
            # A rate outside of what the coordinates can do would belong to no motion at all.
            jacobian_rate=jacobian @ random.normal(size=size),
            normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
            friction=random.choice([0.0, 0.2, 0.7, 1.5, np.inf], contacts),
            gaps=np.where(random.random(contacts) < 0.7, 0.0, gaps),
            step=0.002,
        )

    return problem
