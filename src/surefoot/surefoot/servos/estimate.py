# SPDX-License-Identifier: Apache-2.0
"""What the state estimator says, as far as the bridge hears it, and how long a robot that stands does without."""

import math

from surefoot.robot.activity import Activity
from surefoot.servos.attitude import Attitude
from surefoot.servos.modes import Mode
from surefoot.servos.settings import BridgeSettings

HELD = "held without an estimate"
"""In the reason of READY, while it is so."""
NO_PLAN = "the gait planner has no state to go by"


class Estimate:
    """The attitude, its age, and what is wrong with the estimate.

    A robot that stands on its feet needs no estimate to go on standing: springs in its joints hold it where it is. While it is blind, the
    bridge is those springs.

    Args:
        settings: of the bridge.

    Attributes:
        attitude: the last one that came; None before the first.
        time: when it was so, s.
        heard: when the estimator's newest word came, which may be that it does not know, s; None before the first.
        problem: why the estimator gives no attitude, as it says; empty where it does.
        blind_since: time from which on the robot is held without an estimate, s; None while it is not.
        why: it is held so; empty while it is not.
    """

    def __init__(self, settings: BridgeSettings) -> None:
        self._settings = settings
        self.attitude: Attitude | None = None
        self.time, self.problem, self.why = 0.0, "", ""
        self.heard: float | None = None
        self._word_time = -math.inf
        self.blind_since: float | None = None
        self._activity, self._stands = int(Activity.INACTIVE), False

    def take(self, now: float, attitude: Attitude | None, stamp: float | None = None) -> bool:
        """Take in the attitude, if one came in this tick.

        Args:
            now: s.
            attitude: of the base; None where none came, or one that is not known.
            stamp: when it was so, s; now where it does not say. Of a word that there is none to know, too.

        Returns:
            Whether it was refused: it is of the future, or older than the one before.
        """
        if attitude is None and stamp is None:
            return False
        time = now if stamp is None else stamp
        # Stated as what is right, so that a stamp that is no number is wrong.
        if not (time <= now + self._settings.stale_after and time >= self._word_time):
            return True
        if time > self._word_time:
            self.heard, self._word_time = now, time
        if attitude is not None:
            self.attitude, self.time, self.problem = attitude, time, ""
        return False

    def follow(self, activity: int, mode: Mode) -> None:
        """Take in whether the planner stands, by the activity of the newest motion plan, in the mode before the tick."""
        # A planner without a state says that it does nothing; its feet are where they were.
        stood = self._stands or mode not in (Mode.READY, Mode.WALKING)
        self._stands = activity == Activity.STANDING or (activity == Activity.INACTIVE and stood)
        self._activity = activity

    def complain(self, problem: str) -> None:
        """Take in why the estimator gives no attitude; empty where it says nothing of that."""
        self.problem = problem or self.problem

    def restart(self) -> None:
        """Forget the attitude, and since when there is none: the clock began anew."""
        self.attitude, self.time, self.heard, self._word_time = None, 0.0, None, -math.inf
        self.blind_since, self.why = None, ""

    @property
    def blind(self) -> bool:
        """Whether the robot stands, or sits down, without an estimate."""
        return self.blind_since is not None

    def age(self, now: float) -> float:
        """Of the attitude at a time, s; infinite before the first."""
        return math.inf if self.attitude is None else now - self.time

    def recent(self, now: float) -> Attitude | None:
        """The attitude at a time, s, where it may still be believed."""
        return self.attitude if now - self.time <= self._settings.attitude_missing_after else None

    def unknown(self, now: float) -> str:
        """Why `recent` has none at a time, s, in words; empty where it has one."""
        if self.recent(now) is not None:
            return ""
        age = self.age(now)
        return f"the newest one is {age:.3f} s old by its stamp" if math.isfinite(age) else "none has come"

    def look(self, now: float, mode: Mode, command_time: float | None, answered: bool) -> bool:
        """Whether the robot is held without an estimate from this tick on.

        Args:
            now: s.
            mode: in this tick.
            command_time: of the newest active command, s; None where the bridge holds the robot by itself already.
            answered: whether the balance controller speaks, with or without a command.
        """
        if mode not in (Mode.READY, Mode.SITTING_DOWN):
            self.blind_since, self.why = None, ""
        elif self.blind_since is None and mode == Mode.READY and self._stands and self._settings.estimate_hold > 0.0:
            self.why = self._lost(now, command_time, answered)
            if self.why:
                self.blind_since = now
                return True
        elif mode == Mode.READY and not self._unknown(self.age(now), self._settings.stale_after, answered):
            self.blind_since, self.why = None, ""
        return False

    def over(self, now: float) -> str:
        """In words, that the robot has been held without an estimate for as long as it may be; empty while it has not."""
        if self.blind_since is None or now - self.blind_since <= self._settings.estimate_hold:
            return ""
        return f"{self.why}; held for {now - self.blind_since:.3f} s, limit {self._settings.estimate_hold:.3f} s"

    @property
    def words(self) -> str:
        """What the reason of the mode says of it; empty while there is an estimate. The same as long as it lasts."""
        if self.blind_since is None:
            return ""
        return f"; {HELD} since {self.blind_since:.3f} s, for {self._settings.estimate_hold:g} s at most: {self.why}"

    def _lost(self, now: float, command_time: float | None, answered: bool) -> str:
        """Why there is nothing to balance by, at the moment at which a gate would trip on it."""
        age, settings = self.age(now), self._settings
        if age > settings.attitude_missing_after or (self.heard is not None and now - self.heard > settings.stale_after):
            return self._unknown(age, 0.0, answered)
        if command_time is None or now - command_time <= settings.stale_after:
            return ""
        # What a command is made of comes a little later here than the command says: half of its age tells the two causes apart.
        return self._unknown(age, 0.5 * settings.stale_after, answered)

    def _unknown(self, age: float, longest: float, answered: bool) -> str:
        """What is not known, in words; empty where all is."""
        if self.problem:
            return self.problem
        if age > longest:
            return f"attitude: none for {age:.3f} s" if math.isfinite(age) else "attitude: none has come"
        return NO_PLAN if answered and self._activity == Activity.INACTIVE else ""
