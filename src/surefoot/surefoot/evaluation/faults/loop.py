# SPDX-License-Identifier: Apache-2.0
"""The whole stack in one process and in lockstep: every part acts on what has reached it, as on a robot, and every way can fail."""

from dataclasses import replace
from typing import Any

import numpy as np

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.sensor_gate import RawFeet, RawImu, RawJoints, SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.evaluation.faults.taps import Letter, Tap
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.state_watch import StateWatch
from surefoot.locomotion.control import SelectedControl
from surefoot.locomotion.policy import Planning, ScheduledChange
from surefoot.robot.activity import Activity
from surefoot.robot.command import JointCommand
from surefoot.robot.description import RobotDescription
from surefoot.robot.frozen import SAMPLE_HOLD, FrozenWatch
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState, SensorSample
from surefoot.servos.attitude import attitude_of
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.footing import Footing
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request
from surefoot.servos.output import BridgeOutput
from surefoot.servos.settings import bridge_settings
from surefoot.settings import read_settings
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import World

SERVO_TIMEOUT = 0.1
"""s without a command after which the robot's own servos damp, as in the simulator node."""

FRICTION = 0.6
INTERFACES = (
    "joint_states", "imu", "foot_forces", "base_attitude", "robot_state", "motion_plan", "servo_command", "operator_command",
    "joint_command",
)  # fmt: skip


def interfaces_of(description: RobotDescription) -> tuple[str, ...]:
    """Those of a robot: one without sensors in its feet says nothing of them, and what is not said cannot fail."""
    return tuple(name for name in INTERFACES if name != "foot_forces" or description.sensors.foot_force is not None)


def _spoil(body: Any, generator: np.random.Generator) -> Any:
    """The same with numbers that are none, wherever there are numbers."""
    if isinstance(body, np.ndarray) and body.dtype.names:
        spoilt = body.copy()
        for name in spoilt.dtype.names or ():
            if spoilt[name].dtype.kind == "f":
                spoilt[name] = np.nan
        return spoilt
    if isinstance(body, np.ndarray):
        return generator.choice(np.array((np.nan, np.inf, -np.inf, 1e300)), body.shape)
    if isinstance(body, dict):
        return {key: _spoil(value, generator) for key, value in body.items()}
    return int(generator.integers(100, 255)) if isinstance(body, int) else body


def _falsify(body: Any) -> Any:
    """The same, sound and wrong: every number of the first array a quarter more, and a bit; of a plan, where the base is to be."""
    if isinstance(body, np.ndarray) and body.dtype.names:
        wrong = body.copy()
        wrong["base_position"] = 1.25 * wrong["base_position"] + 0.05
        return wrong
    if isinstance(body, np.ndarray):
        return 1.25 * body + 0.05
    if isinstance(body, dict):
        first = next((key for key, value in body.items() if isinstance(value, np.ndarray)), "")
        return body | ({first: _falsify(body[first])} if first else {key: 77 for key, value in body.items() if isinstance(value, int)})
    return body


class FaultLoop:
    """One robot.

    Args:
        model: the robot.
        seed: of its sensors and of what is drawn in faults.

    Attributes:
        taps: the ways between the parts, by name of the topic.
        time: s.
        output: what the bridge said last.
        request: of the operator, for the next tick.
        twist: that the operator wants, (3,).
    """

    def __init__(self, model: RobotModel, seed: int) -> None:
        self.model, description = model, model.description
        self.limits = JointLimits.of(model)
        self.robot = SimulatedRobot(model, World(), seed)
        settings = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
        self._estimator_settings, self._estimates = settings, True
        self.start_estimator()
        self.gaits, self._planning = gaits_of(model), Planning(model, gaits_of(model), planner_settings())
        self._control = SelectedControl(model)
        self.settings = bridge_settings()
        self._bridge = ServoBridge(description, self.limits, self.settings, Footing(model, self.settings))
        self.taps = {name: Tap(_spoil, _falsify, seed + place) for place, name in enumerate(INTERFACES)}
        self.time, self.request, self.twist = 0.0, int(Request.NONE), np.zeros(3)
        self.output: BridgeOutput | None = None
        self._feet = description.sensors.foot_force is not None
        self._watch, self._plans = StateWatch(), FrozenWatch(SAMPLE_HOLD)
        self._started = False
        self._state: RobotState | None = None
        self._activity, self._mode = Activity.INACTIVE, Mode.OFF
        self._commanded: JointCommand | None = None
        self._commanded_at = 0.0
        one = np.ones(12)
        self._stiffness, self._damping = description.servos.stiffness * one, description.servos.damping * one
        self.refused: dict[str, int] = {}

    def change_gait(self, name: str, delay: float, blend_time: float = 0.0) -> None:
        """Have the gait changed after some time, s, without asking anybody."""
        self._planning.schedule(ScheduledChange(self.gaits[name], self.time + delay, 0.0, blend_time))

    def start_estimator(self) -> None:
        """Have it start anew: it knows nothing of what was before."""
        description, settings = self.model.description, self._estimator_settings
        self._gate, self._estimator = SensorGate(self.model, settings.gate), StateEstimator(description, self.model, settings)
        self._estimates = True

    def end_estimator(self) -> None:
        """Nobody hears sensors and nobody says a state until it is started again; the bridge hears the joints."""
        self._estimates = False

    def step(self) -> BridgeOutput:
        """One control period."""
        sample, stamps = self.robot.sense()
        self.time = stamps.joints
        names = self.model.description.joint_names
        heard: list[Letter] = []
        joints = {"position": sample.joint_position, "velocity": sample.joint_velocity, "effort": sample.joint_effort}
        for letter in self._carry("imu", stamps.imu, {"force": sample.specific_force_imu, "rate": sample.angular_velocity_imu}):
            self._take(self._gate.admit_imu(letter.stamp, RawImu(letter.body["rate"], letter.body["force"])))
        if self._feet:
            for letter in self._carry("foot_forces", stamps.foot_forces, {"force": sample.foot_force}):
                self._take(self._gate.admit_feet(letter.stamp, RawFeet(self.model.description.foot_names, letter.body["force"])))
        attitude: Letter | None = None
        commands: list[Letter] = []
        for letter in self._carry("joint_states", stamps.joints, joints):
            heard.append(letter)
            body = letter.body
            self._take(self._gate.admit_joints(letter.stamp, RawJoints(names, body["position"], body["velocity"], body["effort"])))
            if not self._estimates:
                continue
            state = self._estimator.state(letter.stamp)
            quaternion = np.zeros(4) if self._estimator.attitude_problem else state.base_quaternion
            for word in self._carry("base_attitude", letter.stamp, {"quaternion": quaternion}):
                attitude = word
            commands += self._think(state)
        self.output = self._gate_of_motors(heard, attitude, commands)
        return self.output

    def _carry(self, interface: str, stamp: float, body: Any) -> list[Letter]:
        return self.taps[interface].send(self.time, Letter(stamp, body))

    def _take(self, measurement: Any) -> None:
        if not self._estimates:
            return
        refusal = self._estimator.hear(measurement)
        if refusal is not None:
            self.refused[refusal.kind] = self.refused.get(refusal.kind, 0) + 1

    def _think(self, state: RobotState) -> list[Letter]:
        """Planner and controller, on what of a state reaches them."""
        commands: list[Letter] = []
        told = {"position": state.base_position, "quaternion": state.base_quaternion, "joints": state.joint_position}
        for letter in self._carry("robot_state", state.time, told | {"whole": state}):
            read, moving = self._read_state(letter.body), bool(self._planning.plan_record["moving"][0])
            news = self._watch.look(letter.stamp, state.contact_probability, read, standing=self._mode == Mode.READY, moving=moving)
            self._state = news if news is not None and news.valid else None
            for word in self._carry("motion_plan", letter.stamp, self._planned()):
                commands += self._controlled(word)
        return commands

    def _read_state(self, body: dict[str, Any]) -> RobotState | None:
        """What a reader of the message makes of it: numbers that are none are refused."""
        values = [body[name] for name in ("position", "quaternion", "joints")]
        if not all(np.isfinite(value).all() and np.abs(value).max() < 1e6 for value in values):
            self.refused["robot_state"] = self.refused.get("robot_state", 0) + 1
            return None
        state: RobotState = body["whole"]
        return replace(state, base_position=values[0], base_quaternion=values[1] / np.linalg.norm(values[1]), joint_position=values[2])

    def _planned(self) -> dict[str, Any]:
        if self._watch.odometry_reset:
            self._started = False
        if self._watch.suspended:
            self._started = False
            return {"record": None, "activity": Activity.HELD}
        if self._state is None or self._mode not in (Mode.READY, Mode.WALKING):
            self._started = False
            return {"record": None, "activity": Activity.INACTIVE}
        if not self._started:
            self._planning.start(self._state)
            self._started = True
        self._planning.tick(self._state, self.twist if self._mode == Mode.WALKING else np.zeros(3), FRICTION)
        moving = self._planning.gait.name != "stand" or self._planning.blending
        return {"record": self._planning.plan_record.copy(), "activity": Activity.MOVING if moving else Activity.STANDING}

    def _controlled(self, word: Letter) -> list[Letter]:
        record, self._activity = word.body["record"], word.body["activity"]
        # A word without a command in it still says that the controller lives.
        if record is None or self._state is None:
            return self._carry("servo_command", word.stamp, {})
        if self._plans.look(word.stamp, record.tobytes(), moving=self._activity == Activity.MOVING):
            return self._carry("servo_command", word.stamp, {})
        control = self._control.tick(record, self._state)
        if not control.usable:
            return self._carry("servo_command", word.stamp, {})
        body = {
            "position": np.array(control.position), "velocity": np.array(control.velocity), "effort": np.array(control.effort),
            "stiffness": self._stiffness, "damping": self._damping,
        }  # fmt: skip
        return self._carry("servo_command", self._state.time, body)

    def _gate_of_motors(self, heard: list[Letter], attitude: Letter | None, commands: list[Letter]) -> BridgeOutput:
        nothing = np.full(3, np.nan)
        sample = None
        if heard:
            body = heard[-1].body
            sample = SensorSample(
                heard[-1].stamp, body["position"], body["velocity"], body["effort"], nothing, nothing, np.full((4, 3), np.nan)
            )
        command, answered = None, None
        for letter in commands:
            answered = letter.stamp
            command = JointCommand(letter.stamp, **letter.body) if letter.body else command
        operator, request = False, 0
        for letter in self._carry("operator_command", self.time, {"request": self.request}):
            operator, request = True, letter.body["request"]
        self.request = int(Request.NONE)
        known = attitude is not None and bool(np.any(attitude.body["quaternion"]))
        output = self._bridge.tick(
            self.time,
            sample=sample,
            command=command,
            answered=answered,
            request=request,
            attitude=attitude_of(attitude.body["quaternion"]) if known and attitude is not None else None,
            attitude_stamp=attitude.stamp if attitude is not None else None,
            planner_activity=int(self._activity),
            operator=operator,
            estimate_problem="" if attitude is None or known else "the state estimator says that it does not know the attitude",
        )
        self._mode = output.mode
        self._drive(output)
        return output

    def _drive(self, output: BridgeOutput) -> None:
        made = output.command
        body = {name: getattr(made, name) for name in ("position", "velocity", "effort", "stiffness", "damping")}
        for letter in self._carry("joint_command", made.time, body):
            if all(np.isfinite(values).all() and np.abs(values).max() < 1e9 for values in letter.body.values()):
                self._commanded, self._commanded_at = JointCommand(letter.stamp, **letter.body), self.time
        if self._commanded is not None and self.time - self._commanded_at > SERVO_TIMEOUT:
            self._commanded = JointCommand.damped(self.time, made.position, self.model.description.servos.safe_damping)
        self.robot.step(self._commanded)
