# SPDX-License-Identifier: Apache-2.0
"""Why a request has to wait, in words that say what to do."""

NO_ANSWER = "the balance controller does not answer (nothing fresh on /servo_command); while it or what it hears still starts, ask again"
NO_ESTIMATE = "there is no state estimate, and the bridge holds the robot where it stands; wait for it"
NO_COMMAND = "the balance controller has sent no active command yet"
NOT_ON_ITS_FEET = "no foot bears load: the robot hangs, or somebody holds it; set it on its feet"
STILL_STEPS = "the gait planner still steps; wait until it stands"
