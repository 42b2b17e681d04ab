# SPDX-License-Identifier: Apache-2.0
"""Rough ground: a smooth random height map whose friction changes from tile to tile [Zapolsky and Drumwright 2016, section 7.5]."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from surefoot.robot.description import NotNegative, Positive
from surefoot.settings import Settings

Array = NDArray[np.float64]

WAVES = 24
"""Plane waves of random direction and phase that add up to the height map."""
SAMPLES_PER_WAVE = 16
STEEPEST = 1.0
LARGEST_NUMBER_OF_TILES = 1024


class Relief(Settings):
    """A square of rough ground around the origin, level at height 0 where the robot starts and along its rim."""

    height: Positive = 0.03
    """Of the largest bump above the lowest ground, which is at height 0, m."""
    wavelength: Positive = 0.4
    """From bump to bump, m."""
    extent: Positive = 4.0
    """From the origin to each side, m; level ground lies beyond."""
    level_radius: NotNegative = 0.6
    """Around the origin the ground is level, m; over one wavelength from there it becomes rough."""
    seed: int = Field(default=0, ge=0)
    tile: Positive = 0.5
    """Side of the squares with one friction each, about, m: a whole number of them covers the ground."""
    friction_low: NotNegative = 0.1
    friction_high: Positive = 1.5
    """Coulomb coefficients are uniform between the two."""

    @model_validator(mode="after")
    def _possible(self) -> "Relief":
        if self.friction_high < self.friction_low:
            raise ValueError(f"friction_high: must be at least friction_low ({self.friction_low}), not {self.friction_high}")
        if self.extent < self.level_radius + 2.0 * self.wavelength:
            least = self.level_radius + 2.0 * self.wavelength
            raise ValueError(f"extent: must be at least level_radius and two wavelengths ({least} m), not {self.extent}")
        slope = math.pi * self.height / self.wavelength
        if slope > STEEPEST:
            least = math.pi * self.height / STEEPEST
            shape = f"for bumps of {self.height} m, not {self.wavelength}: they would be too steep"
            raise ValueError(f"wavelength: must be at least {least:.3g} m {shape}")
        if self.tiles_across**2 > LARGEST_NUMBER_OF_TILES:
            least = 2.0 * self.extent / math.isqrt(LARGEST_NUMBER_OF_TILES)
            raise ValueError(f"tile: must be at least {least:.3g} m for an extent of {self.extent} m, not {self.tile}")
        return self

    @property
    def tiles_across(self) -> int:
        """Number of tiles along each side of the ground."""
        return max(1, round(2.0 * self.extent / self.tile))


@dataclass(frozen=True)
class HeightMap:
    """The ground of a `Relief`; neighbouring tiles share the samples of their common edge.

    Attributes:
        side: of each tile, m.
        coordinates: of the samples along x, and along y as well, (n,), m.
        heights: (n, n), the first index along y, the second along x, m.
        friction: of the tiles, (t, t), the first index along y, the second along x.
        samples: steps between the samples of a tile.
    """

    side: float
    coordinates: Array
    heights: Array
    friction: Array
    samples: int

    def tile(self, row: int, column: int) -> Array:
        """Heights of one tile, (samples + 1, samples + 1), m."""
        steps = self.samples
        return self.heights[row * steps : (row + 1) * steps + 1, column * steps : (column + 1) * steps + 1]

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """x and y of the middle of a tile, m."""
        first = self.coordinates[0] + 0.5 * self.side
        return float(first + column * self.side), float(first + row * self.side)

    def friction_at(self, x: float, y: float) -> float | None:
        """Coulomb coefficient at a place of odom, m; None beyond the tiles."""
        column, row = (math.floor((value - self.coordinates[0]) / self.side) for value in (x, y))
        rows, columns = self.friction.shape
        return float(self.friction[row, column]) if 0 <= row < rows and 0 <= column < columns else None


def height_map(relief: Relief) -> HeightMap:
    """The ground that settings describe; the same settings give the same ground."""
    waves, tiles = (np.random.default_rng(stream) for stream in np.random.SeedSequence(relief.seed).spawn(2))
    across = relief.tiles_across
    side = 2.0 * relief.extent / across
    samples = math.ceil(SAMPLES_PER_WAVE * side / relief.wavelength)
    coordinates = np.linspace(-relief.extent, relief.extent, across * samples + 1)
    x, y = np.meshgrid(coordinates, coordinates)
    wave_number = 2.0 * np.pi / relief.wavelength
    rough = np.zeros_like(x)
    for heading, phase in waves.uniform(0.0, 2.0 * np.pi, (WAVES, 2)):
        rough += np.cos(wave_number * (np.cos(heading) * x + np.sin(heading) * y) + phase)
    rough = (rough - rough.min()) / (rough.max() - rough.min())
    from_middle, from_rim = np.hypot(x, y) - relief.level_radius, relief.extent - np.maximum(np.abs(x), np.abs(y))
    share = np.clip(np.minimum(from_middle, from_rim) / relief.wavelength, 0.0, 1.0)
    heights = relief.height * share**2 * (3.0 - 2.0 * share) * rough
    friction = tiles.uniform(relief.friction_low, relief.friction_high, (across, across))
    return HeightMap(side, coordinates, heights, friction, samples)
