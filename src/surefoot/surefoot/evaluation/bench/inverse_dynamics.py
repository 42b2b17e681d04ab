# SPDX-License-Identifier: Apache-2.0
"""How long a tick of inverse dynamics takes: both forms of the law, and the terms alone by pinocchio, on the same states."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio
from numpy.typing import NDArray

from surefoot.evaluation.bench.sample import Machine, Times, this_machine, times_of
from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.locomotion.policy import Controlling, state_record
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState

Array = NDArray[np.float64]


@dataclass(frozen=True)
class InverseDynamicsResult:
    """What `bench id` reports; ratios are of medians.

    Attributes:
        peer: what was measured beside: mass matrix, bias and foot Jacobians, without a contact solve.
        compiled: a tick of the compiled law from Python, from records to a command.
        reference: a tick of the readable law on pinocchio and quadprog.
    """

    robot: str
    machine: Machine
    peer_name: str
    peer: Times
    compiled: Times
    reference: Times
    compiled_over_peer: float
    reference_over_peer: float


def bench_inverse_dynamics(robot: str, ticks: int = 2000) -> InverseDynamicsResult:
    """Time one tick after another on the states of a trot; the three take turns, so that they meet the same machine.

    Args:
        robot: name or path.
        ticks: measured.
    """
    machine, model = this_machine(), load_robot(robot)
    plans, states = trotting(model, ticks)
    compiled, reference = Controlling(model), ReferenceController(model)
    period = 1.0 / model.description.control.rate
    records = [state_record(state) for state in states]
    peer = _peer(model)
    work: tuple[Callable[[int], Any], ...] = (
        lambda i: peer(states[i]),
        lambda i: compiled.tick(plans[i], states[i]),
        lambda i: reference.tick(plans[i][0], records[i][0], period),
    )
    for task in work:
        task(0)
    seconds = np.zeros((len(work), ticks))
    for i in range(ticks):
        for k, task in enumerate(work):
            begin = time.perf_counter()
            task(i)
            seconds[k, i] = time.perf_counter() - begin
    floor, fast, plain = (times_of(row) for row in seconds)
    return InverseDynamicsResult(
        robot=model.description.name,
        machine=machine,
        peer_name=f"pinocchio {pinocchio.__version__}: crba + nonLinearEffects + foot Jacobians",
        peer=floor,
        compiled=fast,
        reference=plain,
        compiled_over_peer=fast.median_us / floor.median_us,
        reference_over_peer=plain.median_us / floor.median_us,
    )


def trotting(model: RobotModel, ticks: int) -> tuple[list[np.ndarray], list[RobotState]]:
    """PLAN records and states of a trot with perfect sensors."""
    loop, plans = ClosedLoop(model, 0, perfect_sensors=True), []
    speed = speeds_of(model)["trot"]
    loop.run(0.2)
    loop.change_gait("trot")
    begin = len(loop.course.estimate)
    for _ in range(ticks):
        loop.run(loop.robot.period, (speed, 0.0, 0.0))
        plans.append(loop.planning.plan_record.copy())
    return plans, loop.course.estimate[begin:]


def _peer(model: RobotModel) -> Callable[[RobotState], None]:
    """Pinocchio as anybody would call it, on the same URDF; this is a peer, so it does not go through the door of `robot`."""
    plain = pinocchio.buildModelFromXML(model.urdf, pinocchio.JointModelFreeFlyer())
    data = plain.createData()
    columns = [plain.joints[plain.getJointId(name)].idx_q for name in model.joint_names]
    speeds = [plain.joints[plain.getJointId(name)].idx_v for name in model.joint_names]
    feet = [plain.getFrameId(name, pinocchio.BODY) for name in model.description.foot_names]
    q, v = pinocchio.neutral(plain), np.zeros(plain.nv)

    def terms(state: RobotState) -> None:
        q[:3], q[3:7], q[columns] = state.base_position, state.base_quaternion, state.joint_position
        v[:3], v[3:6], v[speeds] = state.base_linear_velocity, state.base_angular_velocity, state.joint_velocity
        pinocchio.crba(plain, data, q)
        pinocchio.nonLinearEffects(plain, data, q, v)
        pinocchio.computeJointJacobians(plain, data, q)
        for foot in feet:
            pinocchio.getFrameJacobian(plain, data, foot, pinocchio.LOCAL_WORLD_ALIGNED)

    return terms
