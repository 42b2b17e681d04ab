# SPDX-License-Identifier: Apache-2.0
"""Colours that stand for different things stay apart for everybody."""

from itertools import combinations

import numpy as np
import pytest

from surefoot.viewer import style
from surefoot.viewer.page import palette

# Protanopia, deuteranopia and tritanopia on linear RGB [Machado, Oliveira and Fernandes 2009].
SIGHTS = {
    "usual": np.eye(3),
    "protanopia": np.array(((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))),
    "deuteranopia": np.array(((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))),
    "tritanopia": np.array(((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900))),
}
LEAST = 20.0
"""CIE76 difference; 2.3 can just be noticed side by side."""


def seen(colour: str, sight: np.ndarray) -> np.ndarray:
    """L, a and b of a colour as it is seen."""
    rgb = np.array(palette.rgb(colour)) / 255.0
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(sight @ linear, 0.0, 1.0)
    xyz = np.array(((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))) @ linear / (0.9505, 1.0, 1.089)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16.0 / 116.0)
    return np.array((116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize(
    "colours",
    [
        (palette.SURVIVED, palette.FAILED, palette.UNFINISHED), palette.FOOT_MODES, tuple(colour for colour, _ in palette.USE),
        (style.SURVIVED, style.FAILED, style.UNFINISHED), (style.MEASURED, style.SECOND, style.THIRD),
    ],
)  # fmt: skip
def test_colours_stay_apart(colours: tuple[str, ...], sight: str) -> None:
    for one, other in combinations(colours, 2):
        difference = float(np.linalg.norm(seen(one, SIGHTS[sight]) - seen(other, SIGHTS[sight])))
        assert difference > LEAST, (one, other, difference)


def test_uses_have_colours() -> None:
    assert [palette.use_colour(use) for use in (0.1, 0.8, 2.0)] == [colour for colour, _ in palette.USE]


@pytest.mark.parametrize("sight", SIGHTS)
def test_ground_gets_another_colour_with_its_friction(sight: str) -> None:
    for friction in (0.06, 0.3, 0.6):
        one, other = ("#{:02x}{:02x}{:02x}".format(*palette.friction_rgb(value)) for value in (friction, friction + 0.25))
        difference = float(np.linalg.norm(seen(one, SIGHTS[sight]) - seen(other, SIGHTS[sight])))
        assert difference > 10.0, (friction, difference)
