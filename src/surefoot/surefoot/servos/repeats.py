# SPDX-License-Identifier: Apache-2.0
"""Sources that say the same to the last digit, with new stamps, while a robot is moved; the gate "frozen" trips on what is found."""

import numpy as np

from surefoot.robot.command import JointCommand
from surefoot.robot.frozen import NOTHING, Array, FrozenWatch
from surefoot.servos.attitude import Attitude
from surefoot.servos.estimate import Estimate
from surefoot.servos.gates import BALANCE, UNDER_TORQUE
from surefoot.servos.intake import StateIntake
from surefoot.servos.modes import Mode
from surefoot.servos.posture import PostureTrajectory
from surefoot.servos.settings import BridgeSettings


class Repeats:
    """Holds joint state, attitude and command against each other.

    Joints move when their targets do, and the base and the torques when joints do. Who was found to repeat itself is listened to on, also
    while nothing moves any more, until it has said something else.

    Args:
        settings: of the bridge.

    Attributes:
        problem: who repeats itself, since when, and what moved; empty where nobody does.
    """

    def __init__(self, settings: BridgeSettings) -> None:
        self._joints, self._attitude = _Source("joint state", "a target", settings), _Source("attitude", "a joint", settings)
        self._command = _Source("command", "a joint", settings)
        self.restart()

    def restart(self) -> None:
        """Forget all: the clock began anew."""
        for source in (self._joints, self._attitude, self._command):
            source.restart()
        self.problem, self._lives = "", False
        self._leader: object = None
        self._first: Attitude | None = None

    def look(
        self, mode: Mode, state: StateIntake, estimate: Estimate, *, followed: JointCommand | None, posture: PostureTrajectory | None,
        at: float, said: JointCommand | None, answered: bool,
    ) -> None:  # fmt: skip
        """Take in what was heard up to a tick.

        Args:
            mode: in it.
            state: of the joints.
            estimate: what is known of the attitude.
            followed: the command of the balance controller that the servos follow where it balances the robot.
            posture: that they follow where there is none.
            at: time on its clock, s.
            said: command that came in this tick, followed or not.
            answered: whether the balance controller spoke in this tick, if only without a command.
        """
        moved = mode in UNDER_TORQUE
        followed = followed if mode in BALANCE else None
        # Where another leads, targets leap and no joint does: that is no witness.
        leader = posture if followed is None else None
        if leader is not self._leader:
            self._leader = leader
            for source in (self._joints, self._attitude, self._command):
                source.begin()
        targets = None
        if followed is not None:
            targets = followed.position
        elif moved and posture is not None:
            targets = posture.at(at)[0]
        if state.time is not None:
            numbers = b"".join((state.joint_position.tobytes(), state.joint_velocity.tobytes(), state.joint_effort.tobytes()))
            self._joints.take(state.time, numbers, targets)
        if estimate.attitude is not None:
            # On a stand the base rests while the legs move. Where there is no noise either, as in simulation, it never says anything else.
            self._first = self._first or estimate.attitude
            self._lives = self._lives or estimate.attitude != self._first
            rests = followed is None and not (moved and self._lives)
            self._attitude.take(estimate.time, estimate.attitude, None if rests else state.joint_position)
        word = said if followed is None else followed
        # A torque is worked out of what is measured. One who commands positions alone may mean to stay.
        if word is not None and np.any(word.effort):
            told = b"".join(np.asarray(part).tobytes() for part in (word.position, word.velocity, word.effort))
            self._command.take(word.time, told, None if followed is None else state.joint_position)
        elif word is not None or answered:
            self._command.restart()
        self.problem = self._joints.problem or self._attitude.problem or self._command.problem


class _Source:
    """One of them; what is its witness in words."""

    def __init__(self, who: str, what: str, settings: BridgeSettings) -> None:
        self._who, self._what, self._limit = who, what, settings.stale_after
        self._watch = FrozenWatch(settings.stale_after, settings.frozen_motion)
        self.restart()

    def restart(self) -> None:
        self._watch.reset()
        self._time, self._witness = 0.0, NOTHING

    def begin(self) -> None:
        """Forget what was said; not of one who was found to repeat himself."""
        if not self._watch.frozen:
            self.restart()

    def take(self, time: float, said: object, witness: Array | None) -> None:
        """Take in a word, its stamp in s, and the witness of it; None where nothing moves."""
        if witness is None and not self._watch.frozen:
            self.restart()
            return
        self._time, self._witness = time, self._witness if witness is None else witness
        self._watch.look(time, said, self._witness)

    @property
    def problem(self) -> str:
        watch = self._watch
        if not watch.frozen:
            return ""
        return (
            f"{self._who}: the same to the last digit for {self._time - watch.since:.3f} s, limit {self._limit:.3f} s, "
            f"while {self._what} moved by {watch.moved:.3f} rad"
        )
