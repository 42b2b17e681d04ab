# SPDX-License-Identifier: Apache-2.0
"""One robot, one controller, one ground, one task: how well the joints follow, how the torques jump, how right the predicted forces are."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.evaluation.reproduce.contenders import Contender
from surefoot.evaluation.reproduce.grounds import Ground
from surefoot.evaluation.reproduce.tasks import Task, distance_from_lines
from surefoot.inverse_dynamics.anticipation import anticipate_contacts
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.desired import Attitude, leg_inverses
from surefoot.inverse_dynamics.guarded import GuardedController
from surefoot.inverse_dynamics.joint_pid import planned_joint_velocity
from surefoot.inverse_dynamics.joint_targets import joint_targets
from surefoot.inverse_dynamics.law import RELAXED, SOLVED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import RigidBodyTerms, RobotModel
from surefoot.simulation.physics import Physics

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
        position_error, velocity_error: mean distance of a joint from where the plan has it, rad and rad/s [Table 3]. Positions are those of
            one Newton step from the measured ones, at most 0.3 rad, inside the limits of the joints: a robot that goes down errs by more.
        torque_rate, torque: mean |change| and mean |value| of the torque of a joint, N m/s and N m [Table 4].
        force_error, relative_force_error: mean |predicted - real| of the sum of normal forces, N, and over the mean real sum [Table 5];
            NaN where none are predicted.
        median_relative_force_error: the same with medians, which a landing foot's impact does not move.
        held, without_answer: ticks at which an earlier answer stood in, and at which there was none.
        centre_of_mass_path: in the transverse plane, every tenth tick, (n, 2), m.
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
    centre_of_mass_path: list[list[float]]
    joint_error: list[float]

    @property
    def off_the_lines(self) -> float:
        """Mean distance of the centre of mass from the straight lines between the waypoints, m; NaN without a path."""
        path = np.array(self.centre_of_mass_path)
        return float(distance_from_lines(path).mean()) if len(path) else float("nan")


class _Note(NamedTuple):
    """What is seen of one tick: joint errors, (12,), and the predicted sum of normal forces, N; NaN where nothing is predicted."""

    position_error: Array
    velocity_error: Array
    predicted: float


_NO_NOTE = _Note(np.full(12, np.nan), np.full(12, np.nan), np.nan)


class _Recorder:
    """A `Controller` that passes the plan of a task on to another one, and notes what it answers.

    On matched ground the plan has the contacts of level ground at height 0, whatever its timetable says, and feet keep their directions
    over a tick: where the time stepping has none, the acceleration J'u of a foot on its way round its joints is a percent of the weight.
    """

    def __init__(self, model: RobotModel, controller: Controller, task: Task, is_matched: bool) -> None:
        self._model, self._controller, self._task, self._matched = model, controller, task, is_matched
        self.begun: float | None = None
        self.note = _NO_NOTE

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        plan = plan.copy()
        if self.begun is not None:
            self._task.adapt(plan, float(state["time"]) - self.begun)
        if self._matched:
            terms = terms._replace(foot_bias_accelerations=np.zeros((4, 3)))
            gaps = terms.foot_positions[:, 2] - self._model.description.foot_radius
            anticipate_contacts(plan, terms, gaps, self._model.description.control.contact_velocity_gain, dt)
            # The source bounds no load. A foot that lands may otherwise push by 7 N down and, where friction is infinite, without end along
            # the ground, which is how it would turn the base: a robot that misses such a foot by a tick is thrown over.
            plan["load"][plan["load"] > 0.0] = 1.0
        result = self._controller.control(terms, plan, state, dt)
        attitude, inverses = Attitude.of(plan, state), leg_inverses(terms)
        position, _ = joint_targets(self._model, attitude, inverses, plan, state, terms, np.zeros(12), dt)
        velocity = planned_joint_velocity(self._model, attitude, inverses, plan)
        # An answer that is held was made for another tick.
        predicted = float(np.einsum("li,li->", result.force, plan["normal"])) if result.status in (SOLVED, RELAXED) else np.nan
        self.note = _Note(position - state["joint_position"].ravel(), velocity - state["joint_velocity"].ravel(), predicted)
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
    model = ground.robot(model)
    guard = GuardedController(model, contender.make(model))
    recorder = _Recorder(model, guard, task, ground.is_matched)
    physics = ground.physics(model, seed)
    controller = ReferenceController(model, controller=recorder)
    loop = ClosedLoop(model, seed, friction=ground.friction, controller=controller, physics=physics, limited=False)
    notes: list[_Note] = []
    torque, load, path = [], [], []

    def go(time: float, measure: bool) -> None:
        for _ in range(round(time / physics.period)):
            command = task.command(loop.robot.truth()) if measure else np.zeros(3)
            recorder.note = _NO_NOTE
            loop.run(physics.period, (float(command[0]), float(command[1]), float(command[2])))
            if measure:
                truth = loop.course.truth[-1]
                notes.append(recorder.note)
                torque.append(truth.joint_effort)
                load.append(float(physics.foot_forces()[:, 2].sum()))
                path.append(model.centre_of_mass(truth.base_position, truth.base_quaternion, truth.joint_position)[:2])
            if loop.fallen:
                return

    go(STANDING, measure=False)
    failures, held = loop.failures, guard.held
    if not loop.fallen:
        recorder.begun = loop.robot.truth().time
        if task.gait != "stand":
            loop.change_gait(task.gait)
        go(seconds, measure=True)
    if not notes:
        return _nothing(contender, ground, task, seed)
    error, efforts = np.array([note.position_error for note in notes]), np.array(torque)
    predicted = np.array([note.predicted if contender.predicts else np.nan for note in notes])
    missed, real = compared(predicted, np.array(load), physics)
    return Measured(
        contender.name, ground.name, type(task).__name__, seed, len(efforts) * physics.period, loop.fallen,
        position_error=float(np.nanmean(np.abs(error))),
        velocity_error=float(np.nanmean(np.abs([note.velocity_error for note in notes]))),
        torque_rate=float(np.abs(np.diff(efforts, axis=0)).mean() / physics.period) if len(efforts) > 1 else np.nan,
        torque=float(np.abs(efforts).mean()),
        force_error=float(missed.mean()) if len(missed) else np.nan,
        relative_force_error=float(missed.mean() / real.mean()) if len(missed) else np.nan,
        median_relative_force_error=float(np.median(missed) / np.median(real)) if len(missed) and np.median(real) > 0.0 else np.nan,
        held=guard.held - held,
        without_answer=loop.failures - failures,
        centre_of_mass_path=np.array(path)[::10].round(5).tolist(),
        joint_error=np.linalg.norm(error, axis=1)[::10].round(6).tolist(),
    )  # fmt: skip


def compared(predicted: Array, load: Array, physics: Physics) -> tuple[Array, Array]:
    """How far predictions miss the forces that their commands act under, and those forces, for the ticks that have both, N.

    Args:
        predicted: at each tick, NaN where nothing is, (n,).
        load: at the end of the control period that follows each tick, (n,).
        physics: its command delay says by how many periods a command comes late.
    """
    late = int(physics.command_delay / physics.period + 1e-9)
    predicted, load = predicted[: len(predicted) - late], load[late:]
    known = np.isfinite(predicted)
    return np.abs(predicted - load)[known], load[known]


def _nothing(contender: Contender, ground: Ground, task: Task, seed: int) -> Measured:
    nan = float("nan")
    return Measured(contender.name, ground.name, type(task).__name__, seed, 0.0, True, nan, nan, nan, nan, nan, nan, nan, 0, 0, [], [])
