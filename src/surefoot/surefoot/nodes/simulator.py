# SPDX-License-Identifier: Apache-2.0
"""Node: a simulated robot in the place of a real one."""

import hashlib
import time
from pathlib import Path

import numpy as np
from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Imu, JointState
from surefoot_msgs.msg import FootForces, GaitStatus, ServoCommand

from surefoot.errors import SensorError
from surefoot.evaluation.run import FILE_NAME, Run
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, finish, run
from surefoot.nodes.conversions.command import CommandReader
from surefoot.nodes.conversions.common import point_of, quaternion_of, seconds_of, stamp_of, vector_of
from surefoot.nodes.parameters import SimulatorParameters
from surefoot.robot.command import JointCommand
from surefoot.robot.locate import find_configuration
from surefoot.rotation import rotation_matrix
from surefoot.servos.motors.settings import MotorSettings
from surefoot.settings import read_settings
from surefoot.simulation.robot import GroundTruth, SimulatedRobot
from surefoot.terrain.world import find_world, read_world

TRUTH_EVERY = 5
"""Ticks between two messages of the ground truth."""

SERVO_TIMEOUT = 0.1
"""Simulated time without a new command after which the servos themselves go to damping, s."""


NO_TARGET = np.full(12, np.nan)
"""Of joints that are asked for no position."""

LATENCIES_AWAITED = LATELY = 250
"""Samples whose command is waited for when measuring latency; older ones have none."""


class SimulatorNode(SurefootNode):
    """Topics: /joint_command in; /joint_states, /imu, /foot_forces, /ground_truth out."""

    def __init__(self) -> None:
        super().__init__("simulator")
        given = self.declared(SimulatorParameters)
        self._world, self._duration = given.world, given.duration
        self._directory, self._patience = given.record_directory, given.patience
        settings = read_settings(MotorSettings, find_configuration("motors", "motors", given.motors)) if given.motors else None
        self._robot = SimulatedRobot(self.model, read_world(find_world(self._world)), self.seed, motors=settings)
        description = self.model.description
        self._names = list(description.joint_names)
        self._reader = CommandReader(description)
        self._has_foot_force = description.sensors.foot_force is not None
        self._joints = self.create_publisher(JointState, "/joint_states", quality.sensor(self.lockstep))
        self._imu = self.create_publisher(Imu, "/imu", quality.sensor(self.lockstep))
        self._feet = self.create_publisher(FootForces, "/foot_forces", quality.sensor(self.lockstep))
        self._truth = self.create_publisher(Odometry, "/ground_truth", QoSProfile(depth=1))
        self._command: JointCommand | None = None
        self._command_time = 0.0
        self._heard = False
        self._answered: float | None = None
        self._hash = hashlib.sha256()
        self._ticks_done = 0
        self._history: list[GroundTruth] = []
        self._targets: list[np.ndarray] = []
        self._latency: list[float] = []
        self._waiting: dict[int, tuple[int, float]] = {}
        self._tick_stamp = 0.0
        self._sent = time.perf_counter()
        self._rehearsing = False
        self._begun: float | None = None
        self._advance = self.timed(self._robot.step)
        self.create_subscription(ServoCommand, "/joint_command", self._take_command, quality.command(self.lockstep))
        if self.lockstep:
            self.create_subscription(GaitStatus, "/gait_status", self._hear_status, quality.EVENT)
            self.create_timer(min(0.2, self._patience), self._check_patience)
        else:
            self.create_timer(self.slow_motion * self._robot.period, self._run_free)
            self.create_timer(0.1, self._begin_free)
        while not self._robot.senses:
            # Ticks are told apart by their stamps.
            self._robot.step(None)
        self._publish()

    def _publish(self) -> None:
        """Send what the sensors say now."""
        sample, stamps = self._robot.sense()
        joints = JointState(
            name=self._names,
            position=sample.joint_position.tolist(),
            velocity=sample.joint_velocity.tolist(),
            effort=sample.joint_effort.tolist(),
        )
        joints.header.stamp = stamp_of(stamps.joints)
        imu = Imu(angular_velocity=vector_of(sample.angular_velocity_imu), linear_acceleration=vector_of(sample.specific_force_imu))
        imu.header.stamp, imu.header.frame_id = stamp_of(stamps.imu), self.model.description.sensors.imu_link
        # REP-145: an orientation that is not reported has a first covariance of -1.
        imu.orientation_covariance[0] = -1.0
        self._tick_stamp = stamps.joints
        self._sent = time.perf_counter()
        self._expect_answer(joints.header.stamp)
        if self._has_foot_force:
            feet = FootForces(foot_names=list(self.model.description.foot_names), forces=[vector_of(force) for force in sample.foot_force])
            feet.header.stamp, feet.header.frame_id = stamp_of(stamps.foot_forces), self.model.description.base
            self._feet.publish(feet)
        self._imu.publish(imu)
        self._joints.publish(joints)

    def _expect_answer(self, stamp: Time) -> None:
        """Note when a sample was sent, so that the latency of its command is measured from there, however late it comes."""
        if not self._directory:
            return
        while len(self._waiting) >= LATENCIES_AWAITED:
            del self._waiting[next(iter(self._waiting))]
        key, place = _nanoseconds(stamp), self._ticks_done
        self._waiting[key] = (place, self._sent)
        if len(self._latency) == place:
            self._latency.append(float("nan"))

    def _note_answer(self, stamp: Time) -> None:
        place, sent = self._waiting.pop(_nanoseconds(stamp), (-1, 0.0))
        if place >= 0:
            self._latency[place] = time.perf_counter() - sent

    def _hear_status(self, status: GaitStatus) -> None:
        self._rehearsing = status.request_state == GaitStatus.REHEARSING

    def _take_command(self, message: ServoCommand) -> None:
        stamp = seconds_of(message.header.stamp)
        if self.lockstep and (self._answered == self._tick_stamp or abs(stamp - self._tick_stamp) > 1e-6):
            self.fault("command_out_of_step", f"a command for {stamp:.3f} s came at {self._tick_stamp:.3f} s")
            return
        try:
            command = self._reader.read(message)
        except SensorError as error:
            self.fault("refused_message", str(error))
            return
        if command is not None and (problem := self._robot.problem(command)):
            self.fault("refused_command", f"in the command for {stamp:.3f} s {problem}")
            return
        self._command, self._command_time = command, self._robot.data.time
        self._heard = True
        self._note_answer(message.header.stamp)
        if self.lockstep:
            self._answered = self._tick_stamp
            self._step()

    def _run_free(self) -> None:
        if self._begun is not None:
            self._step()

    def _begin_free(self) -> None:
        """Until the first command comes, the graph is still starting: the robot lies there, and its time stands still."""
        if self._begun is None:
            if self._heard:
                self._step()
            else:
                self._publish()

    def _check_patience(self) -> None:
        # Until the first command comes, the graph is still starting.
        if self._begun is not None and not self._rehearsing and time.perf_counter() - self._sent > self._patience:
            self.fault("tick_without_command", f"no command for {self._tick_stamp:.3f} s within {self._patience:.0f} s")
            self._answered = self._tick_stamp
            self._step()

    def _step(self) -> None:
        """Advance one control period and say what the sensors see then."""
        if self._begun is None:
            self._begun = time.perf_counter()
        truth = self._robot.truth()
        self._ticks_done += 1
        if self._directory:
            self._history.append(truth)
        self._hash.update(truth.joint_position.tobytes())
        if self._ticks_done % TRUTH_EVERY == 0:
            self._publish_truth(truth)
        command = self._command
        if command is not None and self._robot.data.time - self._command_time > SERVO_TIMEOUT:
            command = JointCommand.damped(truth.time, truth.joint_position, self.model.description.servos.safe_damping)
        if self._directory:
            self._targets.append(NO_TARGET if command is None else np.where(command.stiffness > 0.0, command.position, np.nan))
        self._advance(command)
        if self._duration > 0.0 and self._robot.data.time >= self._duration - 1e-9:
            self._finish()
            return
        self._publish()

    def _publish_truth(self, truth: GroundTruth) -> None:
        message = Odometry(child_frame_id=self.model.description.base)
        message.header.stamp, message.header.frame_id = stamp_of(truth.time), "world"
        pose, twist = message.pose.pose, message.twist.twist
        pose.position, pose.orientation = point_of(truth.base_position), quaternion_of(truth.base_quaternion)
        base_from_world = rotation_matrix(truth.base_quaternion).T
        twist.linear = vector_of(base_from_world @ truth.base_linear_velocity)
        twist.angular = vector_of(base_from_world @ truth.base_angular_velocity)
        self._truth.publish(message)

    def health(self) -> dict[str, str]:
        """How long commands took lately, and how warm the motors are, where they are modelled."""
        recent = np.array(self._latency[-LATELY:])
        answered = recent[np.isfinite(recent)]
        times = {}
        if len(answered):
            median, high = 1e6 * np.percentile(answered, (50, 99))
            times = {"command_us_p50": f"{median:.1f}", "command_us_p99": f"{high:.1f}"}
        if self._robot.motors is None:
            return times
        hottest = int(np.argmax(self._robot.motors.temperature))
        return times | {"hottest_motor": f"{self._names[hottest]} {self._robot.motors.temperature[hottest]:.1f} degrees Celsius"}

    def at_end(self) -> None:
        """Write what happened."""
        if not self._directory or not self._history:
            return
        history = self._history
        latency = np.array(self._latency[: len(history)])
        columns = {
            name: np.array([getattr(truth, name) for truth in history])
            for name in (
                "time", "base_position", "base_quaternion", "base_linear_velocity", "base_angular_velocity", "joint_position",
                "joint_velocity", "joint_effort", "foot_load", "body_contact",
            )
        }  # fmt: skip
        Run(
            robot=self.get_parameter("robot").value,
            world=self._world,
            seed=self.seed,
            period=self._robot.period,
            trajectory_sha256=self._hash.hexdigest(),
            ticks_without_command=int(np.isnan(latency).sum()),
            command_latency=latency,
            joint_target=np.array(self._targets),
            wall_seconds=time.perf_counter() - (self._begun or time.perf_counter()),
            **columns,
        ).write(Path(self._directory) / FILE_NAME)

    def _finish(self) -> None:
        self.get_logger().info(f"{self._duration:g} s are simulated")
        finish()


def _nanoseconds(stamp: Time) -> int:
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def main() -> None:
    """Entry point."""
    run(SimulatorNode)


if __name__ == "__main__":
    main()
