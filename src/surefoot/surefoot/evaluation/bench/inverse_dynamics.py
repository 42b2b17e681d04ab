# SPDX-License-Identifier: Apache-2.0
"""How long a tick of each controller takes: a robot that stands on four feet, rigid-body terms and torque limits included.

The peer is Placo's dynamics solver with the same robot, states, contacts, friction and torque limits. All take turns in blocks, so that
they meet the same machine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pinocchio
from numpy.typing import NDArray

from surefoot.evaluation.bench.peer_process import PlacoPeer, placo_python
from surefoot.evaluation.bench.sample import Machine, Times, this_machine, times_of
from surefoot.gait.records import STATE
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.locomotion.compiled import policy
from surefoot.locomotion.compiled.records import CONTROL, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.locomotion.policy import standing_plan
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

COMPILED = "compiled two_stage_qp"
BLOCK = 25
"""Ticks in a row of one controller before the next has its turn."""
FRICTION = 0.6
BATCHES = (1, 10, 100, 1000)


@dataclass(frozen=True)
class Peer:
    """Whom the ratios are over.

    Attributes:
        name: with version.
        times: of its ticks.
        solved: how many ticks it found a solution for.
    """

    name: str
    times: Times
    solved: int


@dataclass(frozen=True)
class InverseDynamicsResult:
    """What `bench id` reports.

    Attributes:
        tick_us: by name of the controller.
        solved: how many ticks each found an unrelaxed solution for.
        peer: Placo; None where it is not installed.
        terms: mass matrix, bias and foot Jacobians by pinocchio alone, a floor under everything that uses it.
        ratio: medians over that of the peer, by name; empty without it.
        batch_us: processor time of the compiled form per particle, by size of the batch.
    """

    robot: str
    machine: Machine
    ticks: int
    tick_us: dict[str, Times]
    solved: dict[str, int]
    peer: Peer | None
    terms: Times
    ratio: dict[str, float]
    batch_us: dict[int, float]


def bench_inverse_dynamics(robot: str, controllers: Sequence[str], ticks: int = 2000, seed: int = 0) -> InverseDynamicsResult:
    """Time one tick after another on disturbed states of a stand.

    Args:
        robot: name or path.
        controllers: names of the readable forms.
        ticks: measured of each.
        seed: of the disturbances.

    Raises:
        UnknownNameError: there is no such controller.
    """
    machine, model = this_machine(), load_robot(robot)
    plan, states = standing(model, ticks + 1, seed)
    period = 1.0 / model.description.control.rate
    laws: dict[str, Callable[[int], int]] = {COMPILED: _compiled(model, plan, states, period)}
    for name in controllers:
        controller = ReferenceController(model, controller=name)
        laws[name] = lambda k, controller=controller: controller.tick(plan[0], states[k], period).status  # type: ignore[misc]
    seconds = {name: np.zeros(ticks) for name in laws}
    solved = dict.fromkeys(laws, 0)
    terms, terms_seconds = _terms(model, states), np.zeros(ticks)
    for law in (*laws.values(), terms):
        law(0)
    python = placo_python()
    placo_seconds, placo_solved = np.zeros(ticks), 0
    peer = None if python is None else PlacoPeer(python, model.urdf, _work(model, states))
    try:
        for begin in range(0, ticks, BLOCK):
            block = range(begin, min(begin + BLOCK, ticks))
            for name, law in laws.items():
                for k in block:
                    start = perf_counter()
                    status = law(k + 1)
                    seconds[name][k] = perf_counter() - start
                    solved[name] += status == 0
            for k in block:
                start = perf_counter()
                terms(k + 1)
                terms_seconds[k] = perf_counter() - start
            if peer is not None:
                placo_seconds[begin : block.stop], count = peer.times(begin + 1, block.stop + 1)
                placo_solved += count
    finally:
        if peer is not None:
            peer.__exit__()
    times = {name: times_of(row) for name, row in seconds.items()}
    answer = None if peer is None else Peer("Placo 0.10.2, C++", times_of(placo_seconds), placo_solved)
    return InverseDynamicsResult(
        robot=model.description.name,
        machine=machine,
        ticks=ticks,
        tick_us=times,
        solved=solved,
        peer=answer,
        terms=times_of(terms_seconds),
        ratio={} if answer is None else {name: row.median_us / answer.times.median_us for name, row in times.items()},
        batch_us=_batches(model, plan, states, period),
    )


def standing(model: RobotModel, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A PLAN record in an array of one that holds the stand pose on four feet, and STATE records around it; the first is undisturbed."""
    random, neutral = np.random.default_rng(seed), model.neutral()
    plan, states = standing_plan(), np.zeros(count, STATE)
    plan["base_position"] = states["base_position"] = neutral.base_position
    states["base_quaternion"], states["joint_position"] = neutral.base_quaternion, neutral.joint_position.reshape(4, 3)
    states["joint_position"][1:] += 1e-2 * random.normal(size=(count - 1, 4, 3))
    states["joint_velocity"][1:] = 1e-2 * random.normal(size=(count - 1, 4, 3))
    plan["foot_position"] = model.feet_in_base(neutral.joint_position) + neutral.base_position
    plan["friction"] = FRICTION
    return plan, states


def _compiled(model: RobotModel, plan: np.ndarray, states: np.ndarray, period: float) -> Callable[[int], int]:
    tree, gains, alive = np.array([leg_tree(model)]), gains_record(model.description), np.ones(1, np.bool_)
    terms, control = np.zeros(1, TERMS), np.zeros(1, CONTROL)

    def law(k: int) -> int:
        policy.control(tree, gains, plan, states[k : k + 1], period, terms, control, alive)
        return int(control["status"][0])

    return law


def _batches(model: RobotModel, plan: np.ndarray, states: np.ndarray, period: float, repeats: int = 5) -> dict[int, float]:
    """Time per particle of one call for a whole batch, the fastest of a few, us."""
    tree, gains, terms = np.array([leg_tree(model)]), gains_record(model.description), np.zeros(1, TERMS)
    result = {}
    for size in BATCHES:
        batch, plans = np.resize(states[1:], size), np.repeat(plan, size)
        controls, alive = np.zeros(size, CONTROL), np.ones(size, np.bool_)
        best = np.inf
        for _ in range(repeats if size > 1 else 100):
            start = perf_counter()
            policy.control(tree, gains, plans, batch, period, terms, controls, alive)
            best = min(best, perf_counter() - start)
        result[size] = 1e6 * best / size
    return result


def _work(model: RobotModel, states: np.ndarray) -> dict[str, Any]:
    description = model.description
    return {
        "joint_names": np.array(model.joint_names),
        "foot_names": np.array(description.foot_names),
        "base": description.base,
        "friction": FRICTION,
        "base_position": states["base_position"],
        "base_quaternion": states["base_quaternion"],
        "joint_position": states["joint_position"].reshape(-1, 12),
        "joint_velocity": states["joint_velocity"].reshape(-1, 12),
    }


def _terms(model: RobotModel, states: np.ndarray) -> Callable[[int], None]:
    """Pinocchio as anybody would call it, on the same URDF; this is a peer, so it does not go through the door of `robot`."""
    plain = pinocchio.buildModelFromXML(model.urdf, pinocchio.JointModelFreeFlyer())
    data = plain.createData()
    columns = [plain.joints[plain.getJointId(name)].idx_q for name in model.joint_names]
    speeds = [plain.joints[plain.getJointId(name)].idx_v for name in model.joint_names]
    feet = [plain.getFrameId(name, pinocchio.BODY) for name in model.description.foot_names]
    q, v = pinocchio.neutral(plain), np.zeros(plain.nv)

    def terms(k: int) -> None:
        state = states[k]
        q[:3], q[3:7], q[columns] = state["base_position"], state["base_quaternion"], state["joint_position"].ravel()
        v[speeds] = state["joint_velocity"].ravel()
        pinocchio.crba(plain, data, q)
        pinocchio.nonLinearEffects(plain, data, q, v)
        pinocchio.computeJointJacobians(plain, data, q)
        for foot in feet:
            pinocchio.getFrameJacobian(plain, data, foot, pinocchio.LOCAL_WORLD_ALIGNED)

    return terms
