# SPDX-License-Identifier: Apache-2.0
"""Simulated robot, estimator and policy in one loop: the graph without its transport."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement, JointMeasurement
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.settings import PlannerSettings
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.locomotion.compiled.records import FAILED
from surefoot.locomotion.policy import Controlling, Planning, ScheduledChange, state_record
from surefoot.robot.command import JointCommand
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.rotation import rotation_matrix
from surefoot.servos.limiter import CommandLimiter
from surefoot.servos.limits import JointLimits
from surefoot.servos.settings import bridge_settings
from surefoot.settings import check_settings, read_settings, read_yaml
from surefoot.simulation.physics import Physics
from surefoot.simulation.robot import GroundTruth, SimulatedRobot
from surefoot.terrain.world import World

Array = NDArray[np.float64]


@dataclass
class Course:
    """What happened on the way, one entry a tick.

    Attributes:
        truth: what really was.
        estimate: what was believed.
        twist: yaw of the base from the heading, in which commands count, as planned, rad.
    """

    truth: list[GroundTruth] = field(default_factory=list)
    estimate: list[RobotState] = field(default_factory=list)
    twist: list[float] = field(default_factory=list)


def planner_settings(changes: Mapping[str, object] | None = None) -> PlannerSettings:
    """The settings of the planner, from config/gait_planner.yaml, with some other values. Raises ConfigurationError."""
    path = shared_directory() / "config" / "gait_planner.yaml"
    return check_settings(PlannerSettings, read_yaml(path) | dict(changes or {}), str(path))


class ClosedLoop:
    """A robot that stands from the start and walks by the policy.

    Args:
        model: the robot.
        seed: of sensor noise.
        world: the ground.
        friction: that the policy believes in, everywhere or at an x of odom, m.
        perfect_sensors: give the policy the truth instead of an estimate.
        time_step: of the physics, s.
        controller: that drives the robot; the compiled law if None.
        physics: another simulation of the robot, without sensors, in the place of MuJoCo's; world, seed, time step and
            sensors are not read then.
        settings: of the planner; those of config/gait_planner.yaml if None.
        limited: whether commands pass the limits of the servo bridge; with another physics they do not.
    """

    def __init__(
        self,
        model: RobotModel,
        seed: int,
        world: World | None = None,
        friction: float | Callable[[float], float] = 0.6,
        perfect_sensors: bool = False,
        time_step: float = 1e-3,
        controller: ReferenceController | None = None,
        physics: Physics | None = None,
        settings: PlannerSettings | None = None,
        limited: bool = True,
    ) -> None:
        self.model, self.gaits, self.friction = model, gaits_of(model), friction
        self._world = world or World()
        self._sensing: tuple[SimulatedRobot, StateEstimator] | None = None
        simulated: SimulatedRobot | None = None
        if physics is None:
            physics = simulated = SimulatedRobot(model, self._world, seed, time_step, perfect_sensors)
            if not perfect_sensors:
                estimation = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
                self._sensing = simulated, StateEstimator(model.description, model, estimation)
        self.robot: Physics = physics
        self.robot.reset(model.stand_joint_position)
        self.planning = Planning(model, self.gaits, settings or planner_settings())
        self.controlling = Controlling(model)
        self._controller = controller
        self.course = Course()
        self.failures = 0
        self.fallen = False
        self._started = False
        servos = model.description.servos
        self._limiter: CommandLimiter | None = None
        if simulated is not None and limited:
            self._limiter = CommandLimiter(JointLimits.of(model), bridge_settings())
        self._stiffness, self._damping = np.full(12, servos.stiffness), np.full(12, servos.damping)
        self._hold = JointCommand(
            0.0, model.stand_joint_position, np.zeros(12), np.zeros(12),
            np.full(12, servos.posture_stiffness), np.full(12, servos.posture_damping),
        )  # fmt: skip

    def change_gait(self, name: str, phase: float = 0.0) -> None:
        """Take up a gait at once, without asking anybody."""
        self.planning.schedule(ScheduledChange(self.gaits[name], self.robot.truth().time, phase))

    def state(self) -> RobotState:
        """The estimate at this tick."""
        if self._sensing is not None:
            robot, estimator = self._sensing
            sample, stamps = robot.sense()
            estimator.take(ImuMeasurement(stamps.imu, sample.angular_velocity_imu, sample.specific_force_imu))
            estimator.take(JointMeasurement(stamps.joints, sample.joint_position, sample.joint_velocity, sample.joint_effort))
            estimator.take(FootForceMeasurement(stamps.foot_forces, sample.foot_force))
            return estimator.state(stamps.joints)
        truth = self.robot.truth()
        contact = (truth.foot_load > self.model.description.control.foot_force_threshold).astype(float)
        return RobotState(
            truth.time, truth.base_position, truth.base_quaternion, truth.base_linear_velocity, truth.base_angular_velocity,
            truth.joint_position, truth.joint_velocity, contact_probability=contact, foot_force=self.robot.foot_forces(),
        )  # fmt: skip

    def run(self, seconds: float, command: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        """Go on for some time, or until the robot falls.

        Args:
            seconds: how long.
            command: wanted forward and left speed, m/s, and turn rate, rad/s.
        """
        wanted = np.array(command)
        for _ in range(round(seconds / self.robot.period)):
            state = self.state()
            answer = self._hold
            if state.valid:
                if not self._started:
                    self.planning.start(state)
                    self._started = True
                    if self._limiter is not None:
                        self._limiter.restart(state.time, state.joint_position)
                self.planning.tick(state, wanted, self._believed_friction(state))
                controlled = self._control(state)
                self.failures += controlled is None
                answer = self._limited(controlled or self._hold, state)
            self.robot.step(answer)
            truth = self.robot.truth()
            self.course.truth.append(truth)
            self.course.estimate.append(state)
            self.course.twist.append(float(self.planning.plan_record["base_twist"][0]))
            height = truth.base_position[2] - self._world.height_at(truth.base_position[0])
            if height < 0.5 * self.model.description.stand_height:
                self.fallen = True
                return

    def _believed_friction(self, state: RobotState) -> float | Array:
        if not callable(self.friction):
            return self.friction
        feet = self.model.feet_in_base(state.joint_position) @ rotation_matrix(state.base_quaternion).T + state.base_position
        return np.array([self.friction(x) for x in feet[:, 0].tolist()])

    def _limited(self, command: JointCommand, state: RobotState) -> JointCommand:
        """What the servo bridge lets through."""
        if self._limiter is None:
            return command
        return self._limiter.limit(state.time, command, state.joint_position, state.joint_velocity)

    def _control(self, state: RobotState) -> JointCommand | None:
        """The command of this tick, None where the controller has no answer."""
        plan = self.planning.plan_record
        if self._controller is not None:
            result = self._controller.tick(plan[0], state_record(state)[0], self.robot.period)
            status, position, velocity, effort = result.status, result.position, result.velocity, result.effort
        else:
            control = self.controlling.tick(plan, state)[0]
            status = int(control["status"])
            position, velocity, effort = (control[name].reshape(12) for name in ("position", "velocity", "effort"))
        return None if status == FAILED else JointCommand(state.time, position, velocity, effort, self._stiffness, self._damping)
