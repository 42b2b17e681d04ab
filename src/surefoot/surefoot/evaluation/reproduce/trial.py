# SPDX-License-Identifier: Apache-2.0
"""One robot, one controller, one ground, one task: how well the joints follow, how the torques jump, how right the predicted forces are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.evaluation.reproduce.contenders import Contender
from surefoot.evaluation.reproduce.grounds import Ground
from surefoot.evaluation.reproduce.tasks import Task
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.desired import Attitude, leg_inverses
from surefoot.inverse_dynamics.guarded import GuardedController
from surefoot.inverse_dynamics.joint_pid import planned_joint_velocity
from surefoot.inverse_dynamics.joint_targets import joint_targets
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]

STANDING = 0.5
"""s before the task begins; nothing is measured there."""


@dataclass(frozen=True)
class Measured:
    """What one trial gave; means are over joints and over the ticks of the task until its end or the fall.

    Attributes:
        contender, ground, task, seed: which trial.
        seconds: of the task, until its end or the fall.
        fell: whether the base came down to half of its height.
        position_error, velocity_error: mean |planned - measured| of a joint, rad and rad/s [Table 3].
        torque_rate, torque: mean |change| and mean |value| of the torque of a joint, N m/s and N m [Table 4].
        force_error, relative_force_error: mean |predicted - real| of the sum of normal forces, N, and over the mean real sum [Table 5];
            NaN where none are predicted.
        median_relative_force_error: the same with medians, which a landing foot's impact does not move.
        held, without_answer: ticks at which an earlier answer stood in, and at which there was none.
        path: of the base, every tenth tick, (n, 2), m.
        joint_error: Euclidean norm of the joint position errors, every tenth tick, (n,), rad.
    """

    contender: str
    ground: str
    task: str
    seed: int
    seconds: float
    fell: bool
    position_error: float
    velocity_error: float
    torque_rate: float
    torque: float
    force_error: float
    relative_force_error: float
    median_relative_force_error: float
    held: int
    without_answer: int
    path: list[list[float]]
    joint_error: list[float]


class _Recorder:
    """A `Controller` that passes the plan of a task on to another one, and notes what it answers."""

    def __init__(self, model: RobotModel, controller: Controller, task: Task) -> None:
        self._model, self._controller, self._task = model, controller, task
        self.begun: float | None = None
        self.position_error: list[Array] = []
        self.velocity_error: list[Array] = []
        self.predicted: list[float] = []

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        plan = plan.copy()
        if self.begun is not None:
            self._task.adapt(plan, float(state["time"]) - self.begun)
        result = self._controller.control(terms, plan, state, dt)
        if self.begun is not None:
            attitude, inverses = Attitude.of(plan, state), leg_inverses(terms)
            position, _ = joint_targets(self._model, attitude, inverses, plan, state, terms, np.zeros(12), dt)
            velocity = planned_joint_velocity(self._model, attitude, inverses, plan)
            self.position_error.append(position - state["joint_position"].ravel())
            self.velocity_error.append(velocity - state["joint_velocity"].ravel())
            self.predicted.append(float(np.einsum("li,li->", result.force, plan["normal"])))
        return result


def run_trial(model: RobotModel, contender: Contender, ground: Ground, task: Task, seconds: float, seed: int) -> Measured:
    """Run one trial; the policy knows the true state and the true friction.

    Args:
        model: the robot.
        contender: that drives it.
        ground: under it.
        task: that it is asked for after it stood for a moment.
        seconds: of the task.
        seed: of the ground.
    """
    guard = GuardedController(model, contender.make(model))
    recorder = _Recorder(model, guard, task)
    physics = ground.physics(model, seed)
    loop = ClosedLoop(model, seed, friction=ground.friction, controller=ReferenceController(model, controller=recorder), physics=physics)
    torque, load, path = [], [], []

    def go(time: float, measure: bool) -> None:
        for _ in range(round(time / physics.period)):
            command = task.command(loop.robot.truth()) if measure else np.zeros(3)
            loop.run(physics.period, (float(command[0]), float(command[1]), float(command[2])))
            truth = loop.course.truth[-1]
            if measure:
                torque.append(truth.joint_effort)
                load.append(float(physics.foot_forces()[:, 2].sum()))
                path.append(truth.base_position[:2])
            if loop.fallen:
                return

    go(STANDING, measure=False)
    failures, held = loop.failures, guard.held
    if not loop.fallen:
        recorder.begun = loop.robot.truth().time
        if task.gait != "stand":
            loop.change_gait(task.gait)
        go(seconds, measure=True)
    if not recorder.position_error:
        return _nothing(contender, ground, task, seed)
    error, efforts = np.array(recorder.position_error), np.array(torque)
    predicted, real = np.array(recorder.predicted), np.array(load)
    # A predicted force acts over the tick that follows; ticks without an answer predict nothing.
    compared = np.isfinite(predicted) if contender.predicts else np.zeros(len(predicted), np.bool_)
    missed = np.abs(predicted - real)[compared]
    return Measured(
        contender.name, ground.name, type(task).__name__, seed, len(efforts) * physics.period, loop.fallen,
        position_error=float(np.abs(error).mean()),
        velocity_error=float(np.abs(recorder.velocity_error).mean()),
        torque_rate=float(np.abs(np.diff(efforts, axis=0)).mean() / physics.period) if len(efforts) > 1 else np.nan,
        torque=float(np.abs(efforts).mean()),
        force_error=float(missed.mean()) if len(missed) else np.nan,
        relative_force_error=float(missed.mean() / real[compared].mean()) if len(missed) else np.nan,
        median_relative_force_error=float(np.median(missed) / np.median(real[compared])) if len(missed) else np.nan,
        held=guard.held - held,
        without_answer=loop.failures - failures,
        path=np.array(path)[::10].round(5).tolist(),
        joint_error=np.linalg.norm(error, axis=1)[::10].round(6).tolist(),
    )  # fmt: skip


def _nothing(contender: Contender, ground: Ground, task: Task, seed: int) -> Measured:
    nan = float("nan")
    return Measured(contender.name, ground.name, type(task).__name__, seed, 0.0, True, nan, nan, nan, nan, nan, nan, nan, 0, 0, [], [])
