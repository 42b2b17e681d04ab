# SPDX-License-Identifier: Apache-2.0
"""A Unitree robot that is not there: motors that follow what LowCmd says, and a LowState at each step."""

import numpy as np

from surefoot.robot.model import GRAVITY
from surefoot.servos.motors.joint import swing
from surefoot.servos.unitree.layout import LOW_STATE, MOTORS, NO_POSITION, Record, checksum_of

INERTIA, FRICTION, EFFORT, SPEED = 0.02, 0.3, 24.0, 30.0
"""Of each joint, kg m^2, N m s/rad; of each motor, N m, rad/s."""
LOSSES = (1.0, 0.0, 0.0)
"""Of torque with speed, and of an ideal gear."""
STEP = 5e-4
"""Of the integration, s."""
SILENCE = 0.05
"""s without a command after which the robot's own motors go to damping."""


class EmulatedUnitree:
    """Its motors swing freely, its base is level.

    Attributes:
        state: the LowState of the last step.
        refused: commands whose checksum was wrong.
        gone: motors that the robot itself cannot reach; they are counted up in the state.
        off: motors that do not take the mode that they are told.
    """

    def __init__(self, position: np.ndarray) -> None:
        """position: of the first motors, rad; all others are at zero."""
        self._position, self._velocity, self._torque = np.zeros(MOTORS), np.zeros(MOTORS), np.zeros(MOTORS)
        self._position[: len(position)] = position
        self._law, self._age = np.zeros((5, MOTORS)), np.inf
        self._mode = np.zeros(MOTORS, dtype=np.uint8)
        ends = np.full(MOTORS, 10.0)
        self._motor = np.array((np.full(MOTORS, EFFORT), np.full(MOTORS, SPEED), -ends, ends))
        self.state: Record = np.zeros((), dtype=LOW_STATE)
        self.refused, self.gone, self.off = 0, set[int](), set[int]()

    def step(self, command: Record | None, duration: float) -> Record:
        """Let some time pass, s, under a command that has come; gives the state after it."""
        self._age += duration
        if command is not None:
            if checksum_of(command) != int(command["crc"]):
                self.refused += 1
            else:
                motors = command["motor_cmd"]
                wanted = np.where(motors["q"] > 0.5 * NO_POSITION, 0.0, motors["q"])
                self._law = np.array((wanted, motors["dq"], motors["tau"], motors["kp"], motors["kd"]), dtype=np.float64)
                self._age = 0.0
                self._mode = motors["mode"].copy()
        if self._age > SILENCE:
            self._law = np.zeros((5, MOTORS))
            self._law[4] = 2.0
        steps = max(1, round(duration / STEP))
        swing(self._position, self._velocity, self._law, self._motor, LOSSES, INERTIA, FRICTION, duration, steps, self._torque)
        state = self.state
        motors = state["motor_state"]
        motors["q"], motors["dq"], motors["tau_est"], motors["temperature"] = self._position, self._velocity, self._torque, 35
        motors["mode"] = self._mode
        motors["mode"][list(self.off)] = 0
        for place in self.gone:
            motors["lost"][place] += 1
        state["imu_state"]["quaternion"], state["imu_state"]["accelerometer"] = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, GRAVITY)
        state["power_v"], state["tick"] = 28.5, state["tick"] + 1
        state["crc"] = checksum_of(state)
        return state
