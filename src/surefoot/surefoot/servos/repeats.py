# SPDX-License-Identifier: Apache-2.0
"""Sources that say the same to the last digit, with new stamps, while a balanced robot moves; the gate "frozen" trips on what is found."""

from surefoot.robot.command import JointCommand
from surefoot.robot.frozen import Array, FrozenWatch
from surefoot.servos.estimate import Estimate
from surefoot.servos.intake import StateIntake
from surefoot.servos.settings import BridgeSettings

_Source = tuple[str, FrozenWatch, float, object, Array, str]


class Repeats:
    """Holds joint state, attitude and command against each other.

    Joints move when their targets do, and the base and the torques when joints do.

    Args:
        settings: of the bridge.
    """

    def __init__(self, settings: BridgeSettings) -> None:
        self._limit = settings.stale_after
        self._joints, self._attitude, self._command = (FrozenWatch(settings.stale_after, settings.frozen_motion) for _ in range(3))

    def problem(self, state: StateIntake, estimate: Estimate, command: JointCommand | None) -> str:
        """Who repeats itself, since when, and what moved; empty where nobody does.

        Args:
            state: of the joints.
            estimate: what is known of the attitude.
            command: of the balance controller, that the servos follow; None while nobody balances the robot, and nobody is asked.
        """
        if command is None:
            for watch in (self._joints, self._attitude, self._command):
                watch.reset()
            return ""
        measured, targets = state.joint_position, command.position
        joints = b"".join((measured.tobytes(), state.joint_velocity.tobytes(), state.joint_effort.tobytes()))
        sources: list[_Source] = [("joint state", self._joints, state.time or 0.0, joints, targets, "a target")]
        if estimate.attitude is not None:
            sources.append(("attitude", self._attitude, estimate.time, estimate.attitude, measured, "a joint"))
        # A torque is worked out of what is measured. One who commands positions alone may mean to stay.
        if command.effort.any():
            told = b"".join((targets.tobytes(), command.velocity.tobytes(), command.effort.tobytes()))
            sources.append(("command", self._command, command.time, told, measured, "a joint"))
        for who, watch, time, said, witness, what in sources:
            if watch.look(time, said, witness):
                return (
                    f"{who}: the same to the last digit for {time - watch.since:.3f} s, limit {self._limit:.3f} s, "
                    f"while {what} moved by {watch.moved:.3f} rad"
                )
        return ""
