# SPDX-License-Identifier: Apache-2.0
"""Node: sensor data in, the state of the robot with its covariance out."""

import numpy as np
from geometry_msgs.msg import Quaternion, QuaternionStamped
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Imu, JointState
from surefoot_msgs.msg import FootForces
from surefoot_msgs.msg import RobotState as RobotStateMessage
from tf2_msgs.msg import TFMessage

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.refusals import Refusal
from surefoot.estimation.sensor_gate import RawFeet, RawImu, RawJoints, SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.common import quaternion_of, seconds_of, stamp_of
from surefoot.nodes.conversions.odometry import odometry_of_state, transform_of_odometry
from surefoot.nodes.conversions.state import message_of_state
from surefoot.nodes.freshness import Freshness
from surefoot.nodes.join import Tick, TickJoin
from surefoot.robot.leg_kinematics import feet_in_odom
from surefoot.robot.locate import shared_directory
from surefoot.robot.state import RobotState
from surefoot.robot.tree import leg_tree
from surefoot.rotation import rotation_matrix
from surefoot.settings import read_settings

ODOMETRY_EVERY = 5
"""Ticks between two messages of /odom and of the transform."""


class StateEstimatorNode(SurefootNode):
    """Topics: /joint_states, /imu, /foot_forces in; /robot_state, /base_attitude, /odom, /tf out."""

    def __init__(self) -> None:
        super().__init__("state_estimator")
        description = self.model.description
        settings = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
        self._gate = SensorGate(description, settings.gate)
        self._estimator = StateEstimator(description, self.model, settings)
        StateEstimator(description, self.model, settings).warm_up()
        self._trees = np.array([leg_tree(self.model)])
        timeout = settings.validity.sensor_timeout
        self._imu_freshness, self._feet_freshness = Freshness(timeout), Freshness(timeout)
        self._state: RobotState | None = None
        self._count = 0
        self._states = self.create_publisher(RobotStateMessage, "/robot_state", quality.command(self.lockstep))
        self._attitudes = self.create_publisher(QuaternionStamped, "/base_attitude", quality.command(self.lockstep))
        self._transforms = self.create_publisher(TFMessage, "/tf", QoSProfile(depth=10))
        self._odometry = self.create_publisher(Odometry, "/odom", QoSProfile(depth=1))
        topics = {"/joint_states": JointState, "/imu": Imu}
        if description.sensors.foot_force is not None:
            topics["/foot_forces"] = FootForces
        join = TickJoin(topics, "/joint_states", self.lockstep, self.timed(self._tick))
        for topic, kind in topics.items():
            self.create_subscription(kind, topic, join.receiver(topic), quality.sensor(self.lockstep))

    def health(self) -> dict[str, str]:
        """How often each kind of sample was refused."""
        counts = self._gate.refusals.counts | self._estimator.refusals.counts
        return {f"refused_{kind}": str(count) for kind, count in sorted(counts.items())}

    def _tick(self, tick: Tick) -> None:
        joints, imu, feet = tick["/joint_states"], tick["/imu"], tick.get("/foot_forces")
        if imu is None:
            self.fault("no_imu", "joint states come, but nothing was heard on /imu")
            return
        time = seconds_of(joints.header.stamp)
        if not self._imu_freshness.check(time, imu):
            self.fault("imu_silent", f"joint states come, but nothing new on /imu for {self._imu_freshness.age(time):.3f} s")
            self._leave_out(time)
            return
        if not self._feet_freshness.check(time, feet):
            feet = None
        rate, force = imu.angular_velocity, imu.linear_acceleration
        sample = self._gate.admit(
            time,
            RawJoints(joints.name, joints.position, joints.velocity, joints.effort),
            RawImu((rate.x, rate.y, rate.z), (force.x, force.y, force.z)),
            None if feet is None else RawFeet(feet.foot_names, [(f.x, f.y, f.z) for f in feet.forces]),
        )
        if isinstance(sample, Refusal):
            if sample.kind != "stamp_repeated":  # a second copy does no harm; it is counted all the same
                self.fault(f"refused_{sample.kind}", sample.words)
            self._leave_out(time)
            return
        self._state = self._estimator.update(sample)
        self._publish(time)

    def _leave_out(self, time: float) -> None:
        """A tick without a sample that can be used: the last state goes out, declared invalid once it is too old."""
        self._state = self._estimator.silent(time) or self._state
        self._publish(time)

    def _publish(self, time: float) -> None:
        state = self._state
        if state is None:
            # One message a tick, so that nobody waits for a state that cannot come.
            empty = RobotStateMessage(valid=False, invalid_reason="no sample that can be used came yet")
            empty.header.stamp = stamp_of(time)
            self._states.publish(empty)
            self._publish_attitude(empty)
            return
        position, velocity = np.empty((4, 3)), np.empty((4, 3))
        feet_in_odom(
            self._trees, state.base_position, rotation_matrix(state.base_quaternion), state.base_linear_velocity,
            state.base_angular_velocity, state.joint_position.reshape(4, 3), state.joint_velocity.reshape(4, 3), position, velocity,
        )  # fmt: skip
        message = message_of_state(state, self.model.description, position, velocity, float("nan"))
        # A sample that was refused leaves the last state, but the tick is this one.
        message.header.stamp = stamp_of(time)
        self._states.publish(message)
        self._publish_attitude(message)
        self._count += 1
        if self._count % ODOMETRY_EVERY == 0:
            odometry = odometry_of_state(message)
            self._odometry.publish(odometry)
            self._transforms.publish(TFMessage(transforms=[transform_of_odometry(odometry)]))

    def _publish_attitude(self, message: RobotStateMessage) -> None:
        """The attitude alone, for the servo bridge; a quaternion of zeros where it is not known."""
        attitude = QuaternionStamped(header=message.header)
        attitude.quaternion = quaternion_of(message.base_orientation) if message.valid else Quaternion(w=0.0)
        self._attitudes.publish(attitude)


def main() -> None:
    """Entry point."""
    run(StateEstimatorNode)


if __name__ == "__main__":
    main()
