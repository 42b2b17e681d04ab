# SPDX-License-Identifier: Apache-2.0
"""One simulated robot: physics, servos and sensors, advanced by one control period at a time."""

from collections import deque
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.motors.drive import Motors
from surefoot.servos.motors.settings import GearSettings, MotorSettings
from surefoot.simulation.mujoco_model import SHARP, build_model
from surefoot.simulation.sensors import SensorModel, TrueSample
from surefoot.terrain.world import World

Array = NDArray[np.float64]

GAINS = ("stiffness", "damping")
ASKED = ("position", "velocity", "effort", *GAINS)


@dataclass(frozen=True)
class GroundTruth:
    """What really happens, for comparison only.

    Attributes:
        time: s.
        base_position: in the world, (3,), m.
        base_quaternion: world_from_base, x y z w, (4,).
        base_linear_velocity, base_angular_velocity: in the axes of the world, (3,), m/s and rad/s.
        joint_position, joint_velocity, joint_effort: (12,), rad, rad/s, N m.
        foot_load: normal force of the ground on each foot, (4,), N.
        body_contact: whether anything but a foot touches the ground.
    """

    time: float
    base_position: Array
    base_quaternion: Array
    base_linear_velocity: Array
    base_angular_velocity: Array
    joint_position: Array
    joint_velocity: Array
    joint_effort: Array
    foot_load: Array
    body_contact: bool


class SimulatedRobot:
    """A robot in MuJoCo with the servos and the sensors of its description.

    Args:
        model: the robot.
        world: its ground.
        seed: of sensor noise and biases.
        time_step: of the physics, s; the control period must be a whole number of steps.
        perfect_sensors: no noise, no bias, no delay.
        motors: what the motors can do; None: whatever is asked for, inside of their effort limits.

    Attributes:
        motors: that the servos are driven by; None: ideal ones.
    """

    def __init__(
        self,
        model: RobotModel,
        world: World,
        seed: int,
        time_step: float = 1e-3,
        perfect_sensors: bool = False,
        motors: MotorSettings | None = None,
    ) -> None:
        self.model = model
        description = model.description
        self.mujoco_model = build_model(model, world, time_step)
        self.data = mujoco.MjData(self.mujoco_model)
        names = description.joint_names
        self._positions = np.array([self.mujoco_model.joint(name).qposadr[0] for name in names])
        self._velocities = np.array([self.mujoco_model.joint(name).dofadr[0] for name in names])
        self._servos = np.array([self.mujoco_model.actuator(name).id for name in names])
        self._feet = np.array([self.mujoco_model.geom(name).id for name in description.foot_names])
        self._touch = np.array([self.mujoco_model.sensor(name).adr[0] for name in description.foot_names])
        self.period = 1.0 / description.control.rate
        self._steps = round(self.period / time_step)
        if abs(self._steps * time_step - self.period) > 1e-9:
            raise ValueError(f"the control period {self.period} s is not a whole number of time steps of {time_step} s")
        self._delay_steps = min(self._steps, round(description.control.command_delay / time_step))
        self.command_delay = self._delay_steps * time_step
        self._sensors = SensorModel(
            description, model.attached_frame(description.sensors.imu_link), seed, time_step, perfect_sensors
        )
        longest = self._sensors.longest_delay_steps + 1
        self._history: deque[TrueSample] = deque(maxlen=longest)
        self._command: JointCommand | None = None
        self._motor_settings = motors
        self._friction = self.mujoco_model.dof_frictionloss[self._velocities].copy()
        if motors is not None:
            self._put_behind(motors.gear, time_step)
        self.motors: Motors | None = None
        self.reset(model.lie_joint_position)

    def reset(self, joint_position: Array, height: float | None = None) -> None:
        """Put the robot at rest on the ground with its base level.

        Args:
            joint_position: (12,), rad.
            height: of the base origin, m; by default the lowest foot touches the ground.
        """
        mujoco.mj_resetData(self.mujoco_model, self.data)
        if height is None:
            height = self.model.description.foot_radius - float(self.model.feet_in_base(joint_position)[:, 2].min())
        self.data.qpos[:7] = (0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0)
        self.data.qpos[self._positions] = joint_position
        self._command = None
        if self._motor_settings is not None:
            self.motors = Motors(self._motor_settings, self.model.effort_limit, self.model.velocity_limit)
        self._apply(None)
        mujoco.mj_forward(self.mujoco_model, self.data)
        self._history.clear()
        self._remember()

    def _put_behind(self, gear: GearSettings, time_step: float) -> None:
        """Give the joints the rotors and the dry friction of their gears."""
        if any(gear.losses):
            self.mujoco_model.dof_solref[self._velocities, 0] = SHARP * time_step
        if gear.reflected_inertia is not None:
            self.mujoco_model.dof_armature[self._velocities] = gear.reflected_inertia
            mujoco.mj_setConst(self.mujoco_model, self.data)

    @staticmethod
    def problem(command: JointCommand) -> str:
        """Why no servo here can follow a command, in words; empty where it can.

        Physics make nothing of a number from 1e10 on (mjMAXVAL), and have no solution with servos that drive what they should brake.
        """
        values = {name: getattr(command, name) for name in ASKED}
        with np.errstate(over="ignore", invalid="ignore"):
            values["torque where joints are at 0 and at rest"] = _torque_at_zero(command)
        # Not the other way round: NaN is not below anything either.
        wrong = [name for name, value in values.items() if not (np.abs(value) < mujoco.mjMAXVAL).all()]
        wrong += [name for name in GAINS if (values[name] < 0.0).any()]
        return f"{wrong[0]} is {values[wrong[0]]}" if wrong else ""

    def _apply(self, command: JointCommand | None) -> None:
        """Hand a command to the servos; without one they are off."""
        zero = np.zeros(12)
        stiffness, damping = (zero, zero) if command is None else (command.stiffness, command.damping)
        self.mujoco_model.actuator_biasprm[self._servos, 1] = -stiffness
        self.mujoco_model.actuator_biasprm[self._servos, 2] = -damping
        self.data.ctrl[self._servos] = zero if command is None else _torque_at_zero(command)

    def step(self, command: JointCommand | None) -> None:
        """Advance one control period; the command takes effect after the command delay, the one before it until then."""
        for k in range(self._steps):
            if k == self._delay_steps:
                self._command = command
                self._apply(command)
            if self.motors is None:
                mujoco.mj_step(self.mujoco_model, self.data)
            else:
                self._step_with(self.motors)
            if self._steps - k <= self._history.maxlen:  # type: ignore[operator]
                self._remember()
        if self._delay_steps == self._steps:
            self._command = command
            self._apply(command)

    def _step_with(self, motors: Motors) -> None:
        """One step of the physics with motors that have no more torque than they have at their speed, behind gears with play and loss."""
        model, data, gear = self.mujoco_model, self.data, motors.settings.gear
        speed = data.qvel[self._velocities]
        most = motors.most(speed)
        model.actuator_forcerange[self._servos, 0], model.actuator_forcerange[self._servos, 1] = -most, most
        asked = data.ctrl[self._servos].copy()
        if motors.settings.backlash > 0.0 or any(gear.losses):
            stiffness, damping = -model.actuator_biasprm[self._servos, 1], -model.actuator_biasprm[self._servos, 2]
            held = stiffness * data.qpos[self._positions] + damping * speed
            passed = motors.passed(asked, held, stiffness)
            data.ctrl[self._servos] = passed
            if any(gear.losses):
                torque = np.clip(passed - held, -most, most)
                model.dof_frictionloss[self._velocities] = self._friction + motors.friction(torque, speed)
        mujoco.mj_step(model, data)
        data.ctrl[self._servos] = asked
        motors.warm(data.actuator_force[self._servos], model.opt.timestep)

    def _rotation(self) -> Array:
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, self.data.qpos[3:7])
        return rotation.reshape(3, 3)

    def _remember(self) -> None:
        """Keep what the sensors would see now."""
        rotation = self._rotation()
        self._history.append(
            TrueSample(
                time=float(self.data.time),
                joint_position=self.data.qpos[self._positions].copy(),
                joint_velocity=self.data.qvel[self._velocities].copy(),
                joint_effort=self.data.actuator_force[self._servos].copy(),
                angular_velocity_base=self.data.qvel[3:6].copy(),
                acceleration_in_world=self.data.qacc[:3].copy(),
                angular_acceleration_base=self.data.qacc[3:6].copy(),
                world_from_base=rotation,
                foot_force_base=self.foot_forces() @ rotation,
            )
        )

    def foot_forces(self) -> Array:
        """Force of the ground on each foot in the axes of the world, (4, 3), N."""
        forces, wrench = np.zeros((4, 3)), np.empty(6)
        for index in range(self.data.ncon):
            contact = self.data.contact[index]
            for foot, geom in enumerate(self._feet):
                if geom in (contact.geom1, contact.geom2):
                    mujoco.mj_contactForce(self.mujoco_model, self.data, index, wrench)
                    # The contact frame's first axis points from geom1 to geom2.
                    sign = 1.0 if geom == contact.geom2 else -1.0
                    forces[foot] += sign * (contact.frame.reshape(3, 3).T @ wrench[:3])
        return forces

    @property
    def senses(self) -> bool:
        """Whether each sensor has had the time that it takes to say its first word; from then on no two stamps of it are the same."""
        return len(self._history) == self._history.maxlen

    def sense(self) -> tuple[SensorSample, SensorModel.Stamps]:
        """What the sensors say now, and when each of them sampled."""
        return self._sensors.sample(self._history)

    def truth(self) -> GroundTruth:
        """What really is now."""
        w, x, y, z = self.data.qpos[3:7]
        body_contact = any(
            c.geom1 not in self._feet and c.geom2 not in self._feet for c in (self.data.contact[i] for i in range(self.data.ncon))
        )
        return GroundTruth(
            time=float(self.data.time),
            base_position=self.data.qpos[:3].copy(),
            base_quaternion=np.array([x, y, z, w]),
            base_linear_velocity=self.data.qvel[:3].copy(),
            base_angular_velocity=self._rotation() @ self.data.qvel[3:6],
            joint_position=self.data.qpos[self._positions].copy(),
            joint_velocity=self.data.qvel[self._velocities].copy(),
            joint_effort=self.data.actuator_force[self._servos].copy(),
            foot_load=self.data.sensordata[self._touch].copy(),
            body_contact=body_contact,
        )


def _torque_at_zero(command: JointCommand) -> Array:
    """What of a servo's torque does not depend on what it measures, (12,), N m."""
    return command.effort + command.stiffness * command.position + command.damping * command.velocity
