# SPDX-License-Identifier: Apache-2.0
"""Why a request has to wait, in words that say what to do."""

from surefoot.servos.estimate import Estimate
from surefoot.servos.intake import StateIntake
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Condition
from surefoot.servos.posture import why_not_safe
from surefoot.servos.settings import BridgeSettings
from surefoot.servos.words import is_fresh

NO_ANSWER = "the balance controller does not answer (nothing fresh on /servo_command); while it or what it hears still starts, ask again"
NO_ESTIMATE = "there is no state estimate, and the bridge holds the robot where it stands; wait for it"
NO_COMMAND = "the balance controller has sent no active command yet"
NOT_ON_ITS_FEET = "no foot bears load: the robot hangs, or somebody holds it; set it on its feet"
STILL_STEPS = "the gait planner still steps; wait until it stands"


def unmet_by_pose(
    time: float, state: StateIntake, estimate: Estimate, limits: JointLimits, settings: BridgeSettings
) -> dict[Condition, str]:  # fmt: skip
    """The conditions that do not hold at a time, s, for what is known, or not, of joints and base; and why."""
    if not is_fresh(time, state.time, settings.stale_after):
        unknown = f"no fresh joint state ({state.problem or 'none came within stale_after'})"
        return dict.fromkeys((Condition.STATE_KNOWN, Condition.CAUSE_GONE, Condition.SAFE_POSE, Condition.CAN_STAND), unknown)
    unsafe = why_not_safe(state.joint_position, state.joint_velocity, estimate.recent(time), limits, settings)
    if unsafe and (why_unknown := estimate.unknown(time)):
        unsafe += f" ({why_unknown})"
    return dict.fromkeys((Condition.SAFE_POSE, Condition.CAN_STAND), unsafe) if unsafe else {}
