# SPDX-License-Identifier: Apache-2.0
"""Whether a gait can be one, and what it really is."""

import math
import re

from surefoot.gait.parameters import Gait
from surefoot.gait.pattern import DESCRIPTION, Pattern, Support, classify, support
from surefoot.gait.report import GaitError, GaitReport
from surefoot.gait.robot_limits import check_robot, check_swing_times
from surefoot.gait.settings import PlannerSettings
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import GRAVITY, RobotModel

__all__ = ["GaitError", "GaitReport", "check_gait"]

_WALKS = frozenset({Pattern.LATERAL_SEQUENCE, Pattern.DIAGONAL_SEQUENCE})

WORDS = {
    "stand": frozenset({Pattern.STAND}),
    "crawl": _WALKS,
    "walk": _WALKS,
    "amble": frozenset({Pattern.LATERAL_SEQUENCE}),
    "trot": frozenset({Pattern.TROT}),
    "pace": frozenset({Pattern.PACE}),
    "canter": frozenset({Pattern.CANTER}),
    "gallop": frozenset({Pattern.TRANSVERSE_GALLOP, Pattern.ROTARY_GALLOP}),
    "bound": frozenset({Pattern.BOUND, Pattern.HALF_BOUND}),
    "pronk": frozenset({Pattern.PRONK}),
}
"""What the words in the name of a gait claim; of several, the last one counts."""

GROUNDED = {"stand": 4, "crawl": 3, "walk": 1, "walking": 1, "amble": 1}
"""How many feet these words claim to be on the ground at any time."""

FLYING = {"run", "running", "flying"}
"""Words that claim that at some time no foot is."""

LARGEST_DROP = 0.25
"""Of the base in mid-flight against its ends, in base heights: a longer flight is a jump, not a gait."""


def check_gait(
    gait: Gait,
    robot: RobotModel | None = None,
    speed: tuple[float, float, float] | None = None,
    planner: PlannerSettings | None = None,
) -> GaitReport:
    """Say what a gait is, and refuse what cannot be one [Zapolsky 2017, sections 9.2.2 and 9.2.3].

    Args:
        gait: its ranges have been checked when it was read.
        robot: to hold its reach, joint speeds and control rate against; none checks the gait alone.
        speed: forward and left, m/s, and turn, rad/s, at which to check; the largest of the gait if None. Each alone.
        planner: the planner that will run it; the default settings if None.

    Raises:
        GaitError: the gait cannot be one or the robot cannot do it; it names the parameter, its value and the limit.
    """
    ground, pattern = support(gait), classify(gait)
    _check_timetable(gait, ground.longest_flight)
    report = GaitReport(pattern, ground.minimum, ground.flight_fraction, warnings=_name_warnings(gait, pattern, ground))
    height = robot.description.stand_height if robot else gait.base_height
    shortest = float((planner or PlannerSettings()).record(height)["minimum_swing_time"][0])
    check_swing_times(gait, shortest, "the planner begins no shorter swing")
    return report if robot is None else check_robot(gait, robot, speed, report)


def _check_timetable(gait: Gait, longest_flight: float) -> None:
    speeds = {"max_forward_speed": gait.max_forward_speed, "max_strafe_speed": gait.max_strafe_speed, "max_turn_rate": gait.max_turn_rate}
    held = [leg for leg in LEG_NAMES if gait.duty_factor[leg] >= 1.0]
    for key, value in speeds.items():
        if held and value > 0.0:
            raise GaitError(gait.name, key, value, 0.0, f"must be 0, since {', '.join(held)} never leaves the ground (duty factor 1)")
    if held and gait.base_yaw != 0.0:
        feet = f"{', '.join(held)} never leaves the ground (duty factor 1)"
        reason = f"must be 0, since {feet} and cannot follow the base; turn the body by hand"
        raise GaitError(gait.name, "base_yaw", gait.base_yaw, 0.0, reason)
    if gait.moves and gait.step_height <= 0.0:
        raise GaitError(gait.name, "step_height", gait.step_height, 0.0, "must be above 0, or the feet drag over the ground")
    drop = GRAVITY * longest_flight**2 / 8.0
    if drop > LARGEST_DROP * gait.base_height:
        limit = math.sqrt(8.0 * LARGEST_DROP * gait.base_height / GRAVITY) / longest_flight * gait.period
        reason = f"leaves no foot on the ground for {longest_flight:.3g} s; at most {limit:.3g} s, or higher duty factors"
        raise GaitError(gait.name, "period", gait.period, limit, reason)


def _name_warnings(gait: Gait, pattern: Pattern, ground: Support) -> tuple[str, ...]:
    words = re.findall(r"[a-z]+", gait.name.lower())
    claims = [word for word in words if word in WORDS]
    grounded = max((word for word in words if word in GROUNDED), key=lambda word: GROUNDED[word], default="")
    flying = next((word for word in words if word in FLYING), "")
    share = f"{100 * ground.flight_fraction:.0f} %"
    warnings = []
    if claims and pattern not in WORDS[claims[-1]]:
        warnings.append(f"gait '{gait.name}' calls itself {_a(claims[-1])}, but {DESCRIPTION[pattern]} ({pattern}).")
    if grounded and ground.flight_fraction > 0.0:
        warnings.append(f"gait '{gait.name}' calls itself {_a(grounded)}, but no foot is on the ground for {share} of the period.")
    elif grounded and ground.minimum < GROUNDED[grounded]:
        warnings.append(f"gait '{gait.name}' calls itself {_a(grounded)}, but at times only {ground.minimum} feet are on the ground.")
    if flying and ground.flight_fraction <= 0.0:
        warnings.append(f"gait '{gait.name}' calls itself {flying}, but there is always a foot on the ground.")
    return tuple(warnings)


def _a(word: str) -> str:
    """The word as it stands after 'calls itself'."""
    return word if word.endswith("ing") else f"an {word}" if word[0] in "aeiou" else f"a {word}"
