# SPDX-License-Identifier: Apache-2.0
"""What the two forms of the law share: the outcomes of a tick and the numbers that decide where exact formulas give way."""

SOLVED = 0
RELAXED = 1
"""A bound on load or torque was dropped to find a solution; the torques were clamped."""
FAILED = 2
"""No solution, or a number that is not finite: the answer must not be used."""
HELD = 3
"""There was none at this tick, and the answer is that of an earlier one."""

STATUS_TEXT = ("solved", "a bound was relaxed", "no solution", "an earlier answer was held")

SINGULAR = 1e-3
"""Relative determinant of a leg Jacobian below which its inverse is damped."""

FORCE_WEIGHT = 1e-7
"""Of the contact forces, in parts of the weight, against base accelerations in parts of gravity: too little to be seen in what a
standing robot weighs."""

REGULARISATION = 1e-9
"""Relative to the trace of the Hessian: it makes Stage I strictly convex, and Stage II removes what it decided."""

TORQUE_REGULARISATION = 1e-12
"""Likewise for Stage II, where a stretched leg carries load without torque."""

POSITION_STEP_LIMIT = 0.3
"""rad; a joint target never runs further ahead of the joint than this, whatever the error of the foot."""
