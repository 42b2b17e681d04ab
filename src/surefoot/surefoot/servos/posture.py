# SPDX-License-Identifier: Apache-2.0
"""Standing up and sitting down: smooth joint trajectories at bounded speed from wherever the joints are."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand
from surefoot.robot.description import ServoDescription
from surefoot.servos.attitude import Attitude, tilt_problem
from surefoot.servos.limits import JointLimits
from surefoot.servos.settings import BridgeSettings

Array = NDArray[np.float64]

PEAK_OVER_MEAN_SPEED = 1.875
"""Of a minimum-jerk motion from rest to rest."""


class PostureTrajectory:
    """Joint motion through poses, at rest at each of them; all joints start and end together.

    Each leg of the way is the minimum-jerk polynomial 10 s^3 - 15 s^4 + 6 s^5 [Flash, Hogan 1985].

    Attributes:
        goal: the last pose, (12,), rad.
        end: time at which it is asked for, s.
    """

    def __init__(self, time: float, poses: Sequence[Array], speed: float) -> None:
        """Plan.

        Args:
            time: start, s.
            poses: where the joints are now, then where they go, each (12,), rad.
            speed: bound on the speed of each joint, rad/s.
        """
        self._poses = [np.array(pose, dtype=float) for pose in poses]
        self._times = [time]
        for before, after in zip(self._poses, self._poses[1:], strict=False):
            self._times.append(self._times[-1] + PEAK_OVER_MEAN_SPEED * float(np.abs(after - before).max()) / speed)
        self.goal, self.end = self._poses[-1], self._times[-1]

    def at(self, time: float) -> tuple[Array, Array]:
        """Joint positions and velocities asked for at a time, (12,), rad and rad/s."""
        for start, end, before, after in zip(self._times, self._times[1:], self._poses, self._poses[1:], strict=False):
            if time < end:
                s = max(0.0, (time - start) / (end - start))
                way, rate = s**3 * (10.0 + s * (6.0 * s - 15.0)), 30.0 * (s * (1.0 - s)) ** 2 / (end - start)
                return before + way * (after - before), rate * (after - before)
        return self.goal.copy(), np.zeros_like(self.goal)

    def command(self, time: float, servos: ServoDescription, stamp: float) -> JointCommand:
        """What the servos are told at a time, s: to follow it by springs; with a stamp, s."""
        position, velocity = self.at(time)
        one = np.ones_like(position)
        return JointCommand(stamp, position, velocity, 0.0 * one, servos.posture_stiffness * one, servos.posture_damping * one)

    def reached(self, time: float, joint_position: Array, tolerance: float) -> bool:
        """Whether the trajectory is over and every measured joint ((12,), rad) is within tolerance (rad) of the goal."""
        return time >= self.end and bool((np.abs(joint_position - self.goal) <= tolerance).all())

    def stuck(self, time: float, joint_position: Array, joint_velocity: Array, settings: BridgeSettings) -> bool:
        """Whether the trajectory is over for blend_time, and the joints ((12,), rad, rad/s) rest elsewhere."""
        rests = bool((np.abs(joint_velocity) <= settings.max_start_joint_speed).all())
        return rests and time >= self.end + settings.blend_time and not self.reached(time, joint_position, settings.posture_tolerance)

    def overdue(self, time: float, joint_position: Array, limits: JointLimits, settings: BridgeSettings) -> str:
        """Which joint keeps the goal from being reached although the time for it is over; empty while there is time."""
        if time <= self.end + settings.posture_timeout or self.reached(time, joint_position, settings.posture_tolerance):
            return ""
        error = np.abs(joint_position - self.goal)
        worst = int(np.argmax(error))
        off, limit = error[worst], settings.posture_tolerance
        return f"{limits.names[worst]} is {off:.3f} rad off after {settings.posture_timeout:.1f} s, limit {limit:.3f} rad"


def stand_up(time: float, joint_position: Array, lie: Array, stand: Array, *, speed: float, lie_tolerance: float) -> PostureTrajectory:
    """From the measured pose to the stand pose, folding first unless the legs are folded already. Shapes (12,), rad, rad/s, s."""
    folded = bool((np.abs(joint_position - lie) <= lie_tolerance).all())
    return PostureTrajectory(time, [joint_position, stand] if folded else [joint_position, lie, stand], speed)


def sit_down(time: float, joint_position: Array, lie: Array, speed: float) -> PostureTrajectory:
    """From the measured pose to the lie pose."""
    return PostureTrajectory(time, [joint_position, lie], speed)


def held_where_it_is(time: float, joint_position: Array, last: JointCommand, stiffness: float) -> PostureTrajectory:
    """No motion: the pose at which springs (N m/rad) carry what the joints ((12,), rad) carry now by the last command."""
    torque = last.effort + last.stiffness * (last.position - joint_position)
    return PostureTrajectory(time, [joint_position + (torque / stiffness if stiffness > 0.0 else 0.0)], speed=np.inf)


def why_not_safe(
    joint_position: Array, joint_velocity: Array, attitude: Attitude | None, limits: JointLimits, settings: BridgeSettings
) -> str:
    """Why torque may not be given to a robot in this pose, in words with values and limits; empty if it may.

    Args:
        joint_position, joint_velocity: measured, (12,), rad and rad/s.
        attitude: of the base; None where it is not known.
    """
    if attitude is None:
        return "the attitude of the base is not known; wait for the state estimate"
    problems = []
    tilt = tilt_problem(attitude, settings.max_start_tilt, settings.max_start_tilt)
    if tilt:
        problems.append(f"the base is tilted ({tilt}); put the robot level")
    # A robot without torque lies with its weight on the stops of its joints, and stops give way.
    outside = limits.position_problem(joint_position, settings.overrun_margin)
    if outside:
        beyond = f"a joint is more than {settings.overrun_margin:g} rad (overrun_margin) outside its limits ({outside})"
        problems.append(f"{beyond}; move it back by hand or mend its calibration")
    fastest = int(np.argmax(np.abs(joint_velocity)))
    if not abs(joint_velocity[fastest]) <= settings.max_start_joint_speed:
        speed, limit = joint_velocity[fastest], settings.max_start_joint_speed
        problems.append(f"{limits.names[fastest]} moves at {speed:.2f} rad/s, limit {limit:.2f}; wait until it rests")
    return "; ".join(problems)
