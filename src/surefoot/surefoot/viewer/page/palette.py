# SPDX-License-Identifier: Apache-2.0
"""Colours of the page. Those that stand for different things stay apart for the colour-blind, after the set of Okabe and Ito."""

import numpy as np

BACKGROUND = "#f7f9fa"
SURVIVED = "#009e73"
FAILED = "#d55e00"
UNFINISHED = "#6b4fa0"

STANCE, SWING, REACH, SUPPORT = "#0072b2", "#56b4e9", "#e69f00", "#882255"
FOOT_MODES = (STANCE, SWING, REACH, SUPPORT)
"""By the numbers of gait.modes."""

BODY, LEGS, PLANNED = "#3d80c2", "#66757f", "#8fa3b3"
FORCE, COVARIANCE, SWING_PATH = "#22303c", "#6b4fa0", "#56b4e9"
EDGE = "#8795a1"

USE = (("#009e73", 0.7), ("#f0c800", 0.95), ("#d55e00", float("inf")))
"""Colour of a friction cone up to a use."""


FRICTION = ((0.0, "#3f9bdc"), (0.3, "#b4dcf3"), (0.6, "#eef1f0"), (0.8, "#e2cfa6"), (1.5, "#8a6428"))
"""Of ground with a Coulomb coefficient, from ice to rock; between them, what lies between: also who sees no blue tells light from dark."""


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of #rrggbb."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def use_colour(use: float) -> str:
    """Of a friction cone of which this part is used."""
    return next((colour for colour, most in USE if use < most), USE[-1][0])


def dimmed(colour: str, part: float = 0.75) -> tuple[int, int, int]:
    """A colour on its way to the background, 0 to 1."""
    ours, theirs = rgb(colour), rgb(BACKGROUND)
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(ours, theirs, strict=True))
    return red, green, blue


def friction_rgb(friction: float) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of ground with a Coulomb coefficient."""
    places, colours = [place for place, _ in FRICTION], [rgb(colour) for _, colour in FRICTION]
    red, green, blue = (round(float(np.interp(friction, places, [colour[part] for colour in colours]))) for part in range(3))
    return red, green, blue
