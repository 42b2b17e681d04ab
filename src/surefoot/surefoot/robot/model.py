# SPDX-License-Identifier: Apache-2.0
"""The robot's dynamics and kinematics: the one door behind which pinocchio lives.

Pinocchio moves the floating base in body axes; the library's generalized velocity is
u = [velocity of the base origin in odom (3); angular velocity in odom (3); joint velocities (12)]. With R = odom_from_base,
pinocchio's velocity is v = X u with X = blkdiag(R^T, R^T, 1) (velocity_map, which also sorts the joints into the URDF's order), and its
acceleration is v' = X u' + X' u, where X' u = [R^T (v_base x w); 0; 0] (frame_acceleration). So M = X^T M_p X, h = X^T (M_p X' u + h_p).
"""

import math
from typing import NamedTuple

import numpy as np
import pinocchio
from numpy.typing import NDArray

from surefoot.errors import RobotDescriptionError
from surefoot.robot.bodies import AttachedFrame, Body, JointAxis
from surefoot.robot.collisions import collision_shapes
from surefoot.robot.description import JOINTS_PER_LEG, LEG_NAMES, RobotDescription
from surefoot.robot.spatial import cross, rotation_from_quaternion
from surefoot.robot.state import RobotState

Array = NDArray[np.float64]

GRAVITY = 9.81
"""Standard gravity of the library, m/s^2, downwards."""

_ALIGNED = pinocchio.LOCAL_WORLD_ALIGNED
_WORLD = pinocchio.Convention.WORLD

_LEVERS = np.ravel_multi_index((np.arange(4)[:, np.newaxis], (1, 2, 0), (5, 3, 4)), (4, 3, 18))
"""Where foot Jacobians (4, 3, 18) hold the levers from the base origin to the feet, (4, 3): a turning base moves the feet by w x lever."""


class RigidBodyTerms(NamedTuple):
    """What inverse dynamics needs at one instant: mass_matrix u' + bias = S^T torque + sum of foot_jacobians^T force.

    Attributes:
        mass_matrix: (18, 18).
        bias: Coriolis, centrifugal and gravity terms, (18,), N and N m.
        foot_jacobians: of the foot centres in odom axes, (4, 3, 18).
        foot_positions: in odom, (4, 3), m.
        foot_velocities: in odom, (4, 3), m/s.
        foot_bias_accelerations: acceleration of the foot centres at u' = 0, in odom, (4, 3), m/s^2.
    """

    mass_matrix: Array
    bias: Array
    foot_jacobians: Array
    foot_positions: Array
    foot_velocities: Array
    foot_bias_accelerations: Array


class FootRotationTerms(NamedTuple):
    """How the links that carry the feet turn.

    Attributes:
        jacobians: of their angular velocities in odom axes, (4, 3, 18).
        velocities: in odom axes, (4, 3), rad/s.
        bias_accelerations: angular accelerations at u' = 0, in odom axes, (4, 3), rad/s^2.
        odom_from_link: (4, 3, 3).
    """

    jacobians: Array
    velocities: Array
    bias_accelerations: Array
    odom_from_link: Array


class JointDynamics(NamedTuple):
    """The joints' rows of the equations of motion, in the order of the description.

    Attributes:
        mass_matrix: (12, 12), rotors included.
        bias: Coriolis, centrifugal and gravity torques, (12,), N m.
    """

    mass_matrix: Array
    bias: Array


class RobotModel:
    """A quadruped with arrays in the order of its description, whatever the order of its URDF.

    Attributes:
        description: what it was built from.
        warnings: what the checks of the URDF found worth saying.
        joint_names: (12), leg by leg in the order of LEG_NAMES.
        position_lower, position_upper: joint limits, (12,), rad.
        velocity_limit: (12,), rad/s.
        effort_limit: (12,), N m.
        stand_joint_position, lie_joint_position: poses of the description, (12,), rad.
        hip_in_base: origins of the abduction joints, (4, 3), m.
        total_mass: kg.
    """

    def __init__(self, description: RobotDescription, urdf: str, warnings: tuple[str, ...] = ()) -> None:
        """Build the model.

        Args:
            description: the robot's YAML, read.
            urdf: the URDF's text, xacro already processed and checked by urdf_checks.check_urdf.
            warnings: of those checks, carried along.

        Raises:
            RobotDescriptionError: the URDF cannot be read, or lacks the base, a joint or a foot.
        """
        self.description = description
        self.urdf = urdf
        self.warnings = warnings
        self.joint_names = description.joint_names
        try:
            self._model = pinocchio.buildModelFromXML(urdf, pinocchio.JointModelFreeFlyer())
        except (ValueError, RuntimeError) as error:
            raise RobotDescriptionError(f"the URDF of '{description.name}' cannot be read: {error}") from error
        self._model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
        self._joints = [self._joint(name) for name in self.joint_names]
        self._feet = [self._foot(name) for name in description.foot_names]
        self._data = self._model.createData()
        for joint in self._joints:
            self._model.armature[self._model.joints[joint].idx_v] = description.servos.armature
        base = self._model.frames[self._frame(description.base)]
        if base.parentJoint != 1:
            raise RobotDescriptionError(f"base '{description.base}' is not fixed to the root of the URDF")
        self._carry(base.placement.copy())
        self._joint_columns = np.array([self._model.joints[joint].idx_v for joint in self._joints])
        self._velocity_map = np.zeros((self._model.nv, 18))
        self._velocity_map[self._joint_columns, np.arange(6, 18)] = 1.0
        self._neutral = np.array(pinocchio.neutral(self._model))
        self._position_columns = np.array([self._model.joints[joint].idx_q for joint in self._joints])
        self.position_lower = _frozen(self._model.lowerPositionLimit[self._position_columns])
        self.position_upper = _frozen(self._model.upperPositionLimit[self._position_columns])
        self.velocity_limit = self._limits(self._model.velocityLimit[self._joint_columns], description.velocity_limits, "velocity_limits")
        self.effort_limit = self._limits(self._model.effortLimit[self._joint_columns], description.effort_limits, "effort_limits")
        self.stand_joint_position = _frozen([angle for leg in LEG_NAMES for angle in description.legs[leg].stand])  # type: ignore[index]
        self.lie_joint_position = _frozen([angle for leg in LEG_NAMES for angle in description.legs[leg].lie])  # type: ignore[index]
        self.hip_in_base = _frozen([self._model.jointPlacements[joint].translation for joint in self._joints[::JOINTS_PER_LEG]])
        self.total_mass = float(pinocchio.computeTotalMass(self._model))

    def rigid_body_terms(
        self,
        base_position: Array,
        base_quaternion: Array,
        joint_position: Array,
        base_linear_velocity: Array,
        base_angular_velocity: Array,
        joint_velocity: Array,
    ) -> RigidBodyTerms:
        """Mass matrix, bias and foot kinematics in the library's generalized velocity.

        Args:
            base_position: base origin in odom, (3,), m.
            base_quaternion: odom_from_base, (4,), x y z w; normalised here.
            joint_position: (12,), rad.
            base_linear_velocity: of the base origin in odom axes, (3,), m/s.
            base_angular_velocity: in odom axes, (3,), rad/s.
            joint_velocity: (12,), rad/s.
        """
        model, data = self._model, self._data
        configuration, odom_from_base = self._configuration(base_position, base_quaternion, joint_position)
        velocity_map = self._velocity_map.copy()
        velocity_map[:3, :3] = velocity_map[3:6, 3:6] = odom_from_base.T
        generalized_velocity = np.concatenate((base_linear_velocity, base_angular_velocity, joint_velocity))
        velocity, frame_acceleration = velocity_map.dot(generalized_velocity), np.zeros(len(velocity_map))
        cross(velocity[:3], velocity[3:6], frame_acceleration[:3])

        bias = pinocchio.rnea(model, data, configuration, velocity, frame_acceleration)
        pinocchio.forwardKinematics(model, data, configuration, velocity, frame_acceleration)
        rows, accelerations = np.empty((12 + len(velocity), len(velocity))), np.empty((4, 3))
        # In axes of the world it leaves the joints' Jacobians for those of the feet.
        rows[12:] = pinocchio.crba(model, data, configuration, _WORLD)
        for leg, foot in enumerate(self._feet):
            rows[3 * leg : 3 * leg + 3] = pinocchio.getFrameJacobian(model, data, foot, _ALIGNED)[:3]
            accelerations[leg] = pinocchio.getFrameClassicalAcceleration(model, data, foot, _ALIGNED).linear
        rows = rows.dot(velocity_map)
        force_map = velocity_map.T
        return RigidBodyTerms(
            force_map.dot(rows[12:]),
            force_map.dot(bias),
            rows[:12].reshape(4, 3, 18),
            rows.ravel()[_LEVERS] + base_position,
            rows[:12].dot(generalized_velocity).reshape(4, 3),
            accelerations,
        )

    def foot_rotation_terms(
        self, base_quaternion: Array, joint_position: Array, base_angular_velocity: Array, joint_velocity: Array
    ) -> FootRotationTerms:
        """What rigid_body_terms leaves out of a foot, since a point does not turn; arguments as there."""
        model, data = self._model, self._data
        configuration, odom_from_base = self._configuration(np.zeros(3), base_quaternion, joint_position)
        velocity_map = self._velocity_map.copy()
        velocity_map[:3, :3] = velocity_map[3:6, 3:6] = odom_from_base.T
        generalized_velocity = np.concatenate((np.zeros(3), base_angular_velocity, joint_velocity))
        velocity = velocity_map @ generalized_velocity
        pinocchio.forwardKinematics(model, data, configuration, velocity, np.zeros(len(velocity)))
        pinocchio.computeJointJacobians(model, data, configuration)
        jacobians, accelerations, rotations = np.empty((4, 3, 18)), np.empty((4, 3)), np.empty((4, 3, 3))
        for leg, foot in enumerate(self._feet):
            rotations[leg] = pinocchio.updateFramePlacement(model, data, foot).rotation
            jacobians[leg] = pinocchio.getFrameJacobian(model, data, foot, _ALIGNED)[3:] @ velocity_map
            accelerations[leg] = pinocchio.getFrameClassicalAcceleration(model, data, foot, _ALIGNED).angular
        return FootRotationTerms(jacobians, jacobians @ generalized_velocity, accelerations, rotations)

    def joint_dynamics(
        self, base_quaternion: Array, base_angular_velocity: Array, joint_position: Array, joint_velocity: Array
    ) -> JointDynamics:
        """What the joints need to move under a base that does not accelerate; arguments as in `rigid_body_terms`."""
        configuration, odom_from_base = self._configuration(np.zeros(3), base_quaternion, joint_position)
        velocity = np.zeros(self._model.nv)
        velocity[3:6] = odom_from_base.T @ base_angular_velocity
        velocity[self._joint_columns] = joint_velocity
        columns = self._joint_columns
        mass = pinocchio.crba(self._model, self._data, configuration)[np.ix_(columns, columns)]
        return JointDynamics(mass, pinocchio.nonLinearEffects(self._model, self._data, configuration, velocity)[columns])

    def feet_in_base(self, joint_position: Array) -> Array:
        """Foot centres in the base frame, (4, 3), m, for joint angles (12,), rad."""
        configuration, _ = self._configuration(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), joint_position)
        pinocchio.forwardKinematics(self._model, self._data, configuration)
        return np.array([pinocchio.updateFramePlacement(self._model, self._data, foot).translation for foot in self._feet])

    def foot_jacobians_in_base(self, joint_position: Array) -> Array:
        """Velocity of each foot in the base frame by its own leg's joint velocities, (4, 3, 3), m/rad, for joint angles (12,), rad."""
        configuration, _ = self._configuration(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), joint_position)
        pinocchio.computeJointJacobians(self._model, self._data, configuration)
        return np.array([self._foot_and_jacobian(leg)[1] for leg in range(4)])

    def foot_and_jacobian_in_base(self, leg: int, leg_position: Array) -> tuple[Array, Array]:
        """One foot in the base frame.

        Args:
            leg: index in the order of LEG_NAMES.
            leg_position: joint angles of this leg, (3,), rad.

        Returns:
            Foot centre, (3,), m; its velocity by the leg's joint velocities, (3, 3), m/rad.
        """
        joint_position = self.stand_joint_position.copy()
        joint_position[JOINTS_PER_LEG * leg : JOINTS_PER_LEG * (leg + 1)] = leg_position
        configuration, _ = self._configuration(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), joint_position)
        pinocchio.computeJointJacobians(self._model, self._data, configuration)
        return self._foot_and_jacobian(leg)

    def centre_of_mass(self, base_position: Array, base_quaternion: Array, joint_position: Array) -> Array:
        """Centre of mass of the whole robot in odom, (3,), m. Arguments as in rigid_body_terms."""
        configuration, _ = self._configuration(base_position, base_quaternion, joint_position)
        return np.array(pinocchio.centerOfMass(self._model, self._data, configuration))

    def neutral(self) -> RobotState:
        """The robot at rest in its stand pose, at the origin of odom on flat ground."""
        zero, joints = np.zeros(3), self.stand_joint_position.copy()
        position = np.array([0.0, 0.0, self.description.stand_height])
        return RobotState(0.0, position, np.array([0.0, 0.0, 0.0, 1.0]), zero, zero.copy(), joints, np.zeros(12))

    def bodies(self) -> tuple[Body, ...]:
        """Base first, then leg by leg from the hip outwards; fixed links are merged into what carries them."""
        shapes = collision_shapes(self.urdf)
        numbers = [1, *self._joints]
        names = {number: self.description.base if number == 1 else self._link_at(number) for number in numbers}
        result = []
        for index, number in enumerate(numbers):
            parent = self._model.parents[number]
            placement = self._model.jointPlacements[number]
            inertia = self._model.inertias[number]
            collisions = []
            for frame in self._model.frames:
                if frame.type == pinocchio.BODY and frame.parentJoint == number:
                    link = frame.placement
                    collisions += [shape.moved(link.rotation, link.translation) for shape in shapes.get(frame.name, ())]
            result.append(
                Body(
                    names[number],
                    None if number == 1 else names[parent],
                    np.eye(3) if number == 1 else placement.rotation.copy(),
                    np.zeros(3) if number == 1 else placement.translation.copy(),
                    float(inertia.mass),
                    inertia.lever.copy(),
                    inertia.inertia.copy(),
                    None if number == 1 else self._axis(index - 1),
                    tuple(collisions),
                )
            )
        return tuple(result)

    def attached_frame(self, name: str) -> AttachedFrame:
        """Where the centre of a foot or the link of a sensor is fixed. Raises RobotDescriptionError if the URDF has no such link."""
        feet = dict(zip(self.description.foot_names, self._feet, strict=True))
        frame = self._model.frames[feet[name] if name in feet else self._frame(name)]
        number = frame.parentJoint
        body = self.description.base if number == 1 else self._link_at(number)
        return AttachedFrame(name, body, frame.placement.rotation.copy(), frame.placement.translation.copy())

    def _configuration(self, position: Array, quaternion: Array, joints: Array) -> tuple[Array, Array]:
        """Pinocchio's configuration and the rotation odom_from_base, (3, 3)."""
        configuration, odom_from_base = self._neutral.copy(), np.empty((3, 3))
        configuration[self._position_columns] = joints
        configuration[:3] = position
        configuration[3:7] = unit = quaternion / math.sqrt(quaternion.dot(quaternion))
        rotation_from_quaternion(unit, odom_from_base)
        return configuration, odom_from_base

    def _carry(self, root_from_base: pinocchio.SE3) -> None:
        """Let the floating joint carry the base link, which may sit off the URDF's root."""
        model = self._model
        model.inertias[1] = root_from_base.actInv(model.inertias[1])
        for joint in range(2, model.njoints):
            if model.parents[joint] == 1:
                model.jointPlacements[joint] = root_from_base.actInv(model.jointPlacements[joint])
        for frame in model.frames:
            if frame.parentJoint == 1:
                frame.placement = root_from_base.actInv(frame.placement)

    def _foot_and_jacobian(self, leg: int) -> tuple[Array, Array]:
        foot = pinocchio.updateFramePlacement(self._model, self._data, self._feet[leg]).translation.copy()
        jacobian = pinocchio.getFrameJacobian(self._model, self._data, self._feet[leg], _ALIGNED)
        return foot, jacobian[:3, self._joint_columns[JOINTS_PER_LEG * leg : JOINTS_PER_LEG * (leg + 1)]]

    def _joint(self, name: str) -> int:
        if not self._model.existJointName(name):
            raise RobotDescriptionError(f"joint '{name}' of '{self.description.name}' is not a moving joint of its URDF")
        return int(self._model.getJointId(name))

    def _frame(self, name: str) -> int:
        if not self._model.existFrame(name, pinocchio.BODY):
            raise RobotDescriptionError(f"link '{name}' of '{self.description.name}' is not in its URDF")
        return int(self._model.getFrameId(name, pinocchio.BODY))

    def _foot(self, name: str) -> int:
        """A frame at the centre of a foot."""
        link = self._frame(name)
        frame, centre = self._model.frames[link], pinocchio.SE3(np.eye(3), np.array(self.description.foot_centre_in_link))
        return int(
            self._model.addFrame(
                pinocchio.Frame(f"{name} centre", frame.parentJoint, link, frame.placement * centre, pinocchio.OP_FRAME), False
            )
        )

    def _link_at(self, joint: int) -> str:
        frames = self._model.frames
        candidates = (frame for frame in frames if frame.type == pinocchio.BODY and frame.parentJoint == joint)
        return str(next(candidates).name)

    def _axis(self, index: int) -> JointAxis:
        joint = self._model.joints[self._joints[index]]
        joint_data = joint.createData()
        joint.calc(joint_data, np.zeros(joint.nq))
        axis = np.array(joint_data.S).reshape(-1)[3:]
        return JointAxis(
            self.joint_names[index],
            axis,
            float(self.position_lower[index]),
            float(self.position_upper[index]),
            float(self.velocity_limit[index]),
            float(self.effort_limit[index]),
        )

    def _limits(self, from_urdf: Array, overrides: dict[str, float], key: str) -> Array:
        limits = np.array(from_urdf)
        for name, value in overrides.items():
            if name not in self.joint_names:
                raise RobotDescriptionError(
                    f"{key}: '{name}' is not a joint of '{self.description.name}'; use {', '.join(self.joint_names)}"
                )
            limits[self.joint_names.index(name)] = value
        return _frozen(limits)


def _frozen(values: object) -> Array:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
