# SPDX-License-Identifier: Apache-2.0
"""What touches what at one tick, in one number: the bits of a mark."""

from surefoot.robot.description import LEG_NAMES

LINK_NAMES = ("base", *(f"{leg} {part}" for leg in LEG_NAMES for part in ("hip", "thigh", "shin", "foot")))
"""The 17 links: the body, and hip, thigh, shin and foot of each leg."""

CONTACT = 0
"""Bit of the first foot: whether it bears load; the others follow in the order of LEG_NAMES."""
SLIDING = 4
"""Likewise: whether it slides under load."""
STRUCK = 8
"""Likewise: whether it ran into something from the side while it swung."""
TOUCHED = 12
"""Bit of the first link, whether it touches the ground; those of feet are never set."""
SURFACE = 32
"""First of three bits for each foot: the piece of ground under a foot that bears load, or that it ran into, 7 for that and any later."""
