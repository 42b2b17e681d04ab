# SPDX-License-Identifier: Apache-2.0
"""Node: sensor data in, the state of the robot with its covariance out."""

import math

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped, Quaternion, QuaternionStamped
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Imu, JointState, MagneticField
from surefoot_msgs.msg import FootForces, ServoCommand
from surefoot_msgs.msg import RobotState as RobotStateMessage
from tf2_msgs.msg import TFMessage

from surefoot.errors import SensorError
from surefoot.estimation.absolute_gate import AbsoluteGate, RawField, RawPose
from surefoot.estimation.choice import estimator_of
from surefoot.estimation.imu_words import FrameDoubts
from surefoot.estimation.planar.estimator import PlanarEstimator
from surefoot.estimation.refusals import Refusal
from surefoot.estimation.sensor_gate import RawFeet, RawImu, RawJoints, SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import Measurement
from surefoot.estimation.warm_up import warm_up
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.command import CommandReader
from surefoot.nodes.conversions.common import ODOM, quaternion_of, seconds_of, stamp_of
from surefoot.nodes.conversions.odometry import odometry_of_state, transform_of_odometry
from surefoot.nodes.conversions.state import message_of_state
from surefoot.nodes.join import Tick, TickJoin
from surefoot.robot.leg_kinematics import feet_in_odom
from surefoot.robot.locate import shared_directory
from surefoot.robot.tree import leg_tree
from surefoot.rotation import rotation_matrix
from surefoot.settings import read_settings

ODOMETRY_EVERY = 5
"""Ticks between two messages of /odom and of the transform."""

SILENCE_LOOK = 0.25
"""Of the time after which the joints are silent: how often is looked for that, and so by how much later it is said at most."""

ABSOLUTE = {"/pose": PoseWithCovarianceStamped, "/magnetic_field": MagneticField}
"""What may come from outside, if there is anything: it is heard whenever it comes, and counts for the time of its stamp."""


class StateEstimatorNode(SurefootNode):
    """Topics: /joint_states, /imu, /foot_forces, /pose, /magnetic_field in; /robot_state, /base_attitude, /odom, /tf out.

    With the planar process /joint_command may come in as well, where that goes by what the motors are asked for.
    """

    def __init__(self) -> None:
        super().__init__("state_estimator")
        description = self.model.description
        settings = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
        self._gate = SensorGate(self.model, settings.gate)
        self._imu_frames = FrameDoubts(description.sensors.imu_link)
        self._absolute_gate = AbsoluteGate(ODOM, description.sensors.imu_link, self._gate.refusals)
        self._estimator = estimator_of(self.model, settings)
        if settings.process == "spatial":
            warm_up(self.model, settings)
        self._trees = np.array([leg_tree(self.model)])
        self._timeout, self._lead = settings.validity.sensor_timeout, settings.window.lead
        self._count = 0
        self._last_stamp, self._last_heard = -math.inf, math.nan
        self._states = self.create_publisher(RobotStateMessage, "/robot_state", quality.command(self.lockstep))
        self._attitudes = self.create_publisher(QuaternionStamped, "/base_attitude", quality.command(self.lockstep))
        self._transforms = self.create_publisher(TFMessage, "/tf", QoSProfile(depth=10))
        self._odometry = self.create_publisher(Odometry, "/odom", QoSProfile(depth=1))
        topics = {"/joint_states": JointState, "/imu": Imu}
        if description.sensors.foot_force is not None:
            topics["/foot_forces"] = FootForces
        join = TickJoin(topics, "/joint_states", self.lockstep, self.timed(self._tick))
        for topic, kind in topics.items():
            receive = join.receiver(topic) if self.lockstep or topic == "/joint_states" else self._hear
            self.create_subscription(kind, topic, receive, quality.sensor(self.lockstep))
        if isinstance(self._estimator, PlanarEstimator) and settings.planar.input == "commands":
            self._commands = CommandReader(description)
            self.create_subscription(ServoCommand, "/joint_command", self._hear_command, quality.command(self.lockstep))
        for topic, kind in ABSOLUTE.items():
            self.create_subscription(kind, topic, self._hear, quality.INPUT)
        if not self.lockstep:
            self.create_timer(SILENCE_LOOK * self._timeout * self.slow_motion, self._speak_without_joints)

    def health(self) -> dict[str, str]:
        """How often each kind of sample was refused, and which sources of contact are silent or contradicted."""
        counts = self._gate.refusals.counts + self._estimator.refusals.counts
        return {f"refused_{kind}": str(count) for kind, count in sorted(counts.items())} | self._estimator.diagnostics

    def _tick(self, tick: Tick) -> None:
        """In lockstep all sensors of a tick together; running free the joints, while the others are taken in as they come."""
        time = seconds_of(tick["/joint_states"].header.stamp)
        for message in tick.values():
            if message is not None:
                self._hear(message)
        age = self._estimator.age("imu", time)
        if math.isinf(age):
            self.fault("no_imu", "joint states come, but nothing was heard on /imu that can be used")
        elif age > self._timeout:
            self.fault("imu_silent", f"joint states come, but nothing new on /imu for {age:.3f} s")
        self._last_stamp, self._last_heard = time, self.wall()
        self._publish(time)

    def _speak_without_joints(self) -> None:
        """The joints make the ticks; when they stop, who listens is still told how the robot is not known."""
        if math.isnan(self._last_heard) and math.isfinite(self._estimator.age("imu", 0.0)):
            self._last_heard = self.wall()  # From now on joints are missed.
        silent = self.wall() - self._last_heard
        if not silent > self._timeout:
            return
        if not math.isfinite(self._last_stamp):
            words = f"the IMU has been heard for {silent:.3f} s, but nothing on /joint_states"
            self.fault("no_joints", f"{words}: until the motors' driver speaks there, no state is told")
        else:
            self.fault("joints_silent", f"nothing new on /joint_states for {silent:.3f} s")
            self._publish(self._last_stamp + silent)

    def _hear(self, message: JointState | Imu | FootForces | PoseWithCovarianceStamped | MagneticField) -> None:
        """Take what one sensor says to the time at which it was sampled."""
        time = seconds_of(message.header.stamp)
        frame = message.header.frame_id
        measurement: Measurement | Refusal
        if isinstance(message, JointState):
            measurement = self._gate.admit_joints(time, RawJoints(message.name, message.position, message.velocity, message.effort))
        elif isinstance(message, Imu):
            if doubt := self._imu_frames.said(frame):
                self.fault("imu_frame", doubt)
            rate, force = message.angular_velocity, message.linear_acceleration
            covariances = message.angular_velocity_covariance, message.linear_acceleration_covariance
            measurement = self._gate.admit_imu(time, RawImu((rate.x, rate.y, rate.z), (force.x, force.y, force.z), *covariances))
        elif isinstance(message, PoseWithCovarianceStamped):
            place, turn = message.pose.pose.position, message.pose.pose.orientation
            raw = RawPose(frame, (place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w), message.pose.covariance)
            measurement = self._absolute_gate.admit_pose(time, raw)
        elif isinstance(message, MagneticField):
            field = message.magnetic_field
            raw_field = RawField(frame, (field.x, field.y, field.z), message.magnetic_field_covariance)
            measurement = self._absolute_gate.admit_field(time, raw_field)
        else:
            measurement = self._gate.admit_feet(time, RawFeet(message.foot_names, [(f.x, f.y, f.z) for f in message.forces]))
        started = self._estimator.started
        refusal = self._estimator.hear(measurement)
        if started and not self._estimator.started:
            self._gate.reset()
        if refusal is not None and refusal.kind != "stamp_repeated":  # a second copy does no harm; it is counted all the same
            self.fault(f"refused_{refusal.kind}", refusal.words)

    def _hear_command(self, message: ServoCommand) -> None:
        """Damping alone asks for no place."""
        assert isinstance(self._estimator, PlanarEstimator)
        try:
            command = self._commands.read(message)
        except SensorError as error:
            self.fault("refused_message", str(error))
            return
        if command is not None and not command.is_damping:
            self._estimator.command(seconds_of(message.header.stamp), command.position)

    def _publish(self, time: float) -> None:
        state = self._estimator.state(time)
        position, velocity = np.empty((4, 3)), np.empty((4, 3))
        feet_in_odom(
            self._trees, state.base_position, rotation_matrix(state.base_quaternion), state.base_linear_velocity,
            state.base_angular_velocity, state.joint_position.reshape(4, 3), state.joint_velocity.reshape(4, 3), position, velocity,
        )  # fmt: skip
        message = message_of_state(state, self.model.description, position, velocity)
        if self.lockstep:
            # Whoever waits for the answer to a tick knows it by the stamp of the tick.
            message.header.stamp = stamp_of(time)
        self._states.publish(message)
        self._publish_attitude(message)
        self._count += 1
        # Whoever asks tf where something is has to be refused while nobody knows: a transform cannot say that it is not valid.
        if self._count % ODOMETRY_EVERY == 0 and not self._estimator.attitude_problem:
            odometry = odometry_of_state(message, state.time + self._lead)
            self._odometry.publish(odometry)
            self._transforms.publish(TFMessage(transforms=[transform_of_odometry(odometry)]))

    def _publish_attitude(self, message: RobotStateMessage) -> None:
        """The attitude alone, for the servo bridge; a quaternion of zeros where it is not known."""
        attitude = QuaternionStamped(header=message.header)
        attitude.quaternion = Quaternion(w=0.0) if self._estimator.attitude_problem else quaternion_of(message.base_orientation)
        self._attitudes.publish(attitude)


def main() -> None:
    """Entry point."""
    run(StateEstimatorNode)


if __name__ == "__main__":
    main()
