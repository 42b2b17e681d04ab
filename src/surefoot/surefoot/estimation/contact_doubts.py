# SPDX-License-Identifier: Apache-2.0
"""What is said of sources of contact that are silent or that the others contradict, by foot, in words."""

from collections.abc import Sequence

import numpy as np

from surefoot.estimation.contact import FORCE, TORQUE, trust
from surefoot.estimation.filter_state import Records

SOURCES = {"foot_force": FORCE, "joint_effort": TORQUE}

DOUBTED = 0.5
"""Part of its voice below which a source is said to be contradicted."""


def contact_doubts(memories: Records, feet: Sequence[str]) -> dict[str, str]:
    """Feet by what is wrong with a source: "foot_force_contradicted", "joint_effort_silent", ...; nothing where nothing is.

    Args:
        memories: (1,) of FILTER_STATE.
        feet: their names.
    """
    state, result = memories[0], {}
    for name, source in SOURCES.items():
        silent = [foot for leg, foot in enumerate(feet) if not np.isfinite(state["contact_evidence"][leg, source])]
        doubted = [foot for leg, foot in enumerate(feet) if foot not in silent and trust(state, leg, source) < DOUBTED]
        for kind, which in (("silent", silent), ("contradicted", doubted)):
            if which:
                result[f"{name}_{kind}"] = ", ".join(which)
    return result
