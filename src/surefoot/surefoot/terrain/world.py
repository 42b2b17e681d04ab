# SPDX-License-Identifier: Apache-2.0
"""The ground that a simulated robot walks on: flat, stepped, sloping or rough, hard or compliant, friction changing along the way."""

from pathlib import Path

from pydantic import field_validator, model_validator

from surefoot.robot.description import NotNegative, Positive
from surefoot.robot.locate import find_configuration
from surefoot.settings import Settings, read_settings
from surefoot.terrain.relief import Relief

COMPLIANT = (1e-4, 0.02)
"""m. Least and largest sinkage of compliant ground: less is stiffer than a step of a millisecond bears, more is a slip of the unit."""


STEEPEST = 1.0
"""Rise over length of a strip."""


class GroundStrip(Settings):
    """A strip of ground across the way, from one x to another: level or a ramp, at any height."""

    start: float
    """x of odom at which the strip begins, m."""
    end: float
    """m"""
    friction: NotNegative
    """Coulomb coefficient."""
    height: float = 0.0
    """At its start, m."""
    rise: float = 0.0
    """From its start to its end, m. The sides of a ramp are square to its top."""

    @model_validator(mode="after")
    def _ordered(self) -> "GroundStrip":
        if self.end <= self.start:
            raise ValueError(f"end: must be greater than start ({self.start}), not {self.end}")
        return self

    @model_validator(mode="after")
    def _not_too_steep(self) -> "GroundStrip":
        if abs(self.slope) > STEEPEST:
            length = self.end - self.start
            raise ValueError(f"rise: at most {STEEPEST} m up or down for each metre of the strip, not {self.rise} over {length}")
        return self

    @property
    def slope(self) -> float:
        """Rise over length."""
        return self.rise / (self.end - self.start)

    def height_at(self, x: float) -> float:
        """Height at an x of odom inside of it, m."""
        return self.height + (x - self.start) * self.slope

    def between(self, start: float, end: float) -> "GroundStrip":
        """The part of it from one x to another."""
        return GroundStrip(start=start, end=end, friction=self.friction, height=self.height_at(start), rise=(end - start) * self.slope)


class World(Settings):
    """Flat ground at height 0, unless there are strips that rise, or relief."""

    friction: Positive = 0.7
    """Coulomb coefficient everywhere outside of the strips and of the relief."""
    strips: tuple[GroundStrip, ...] = ()
    """In the order of x, without overlap."""
    sinkage: NotNegative = 0.0
    """How far a foot of the standing robot sinks in, m; 0 is hard ground. [Zapolsky and Drumwright 2016, section 7.5] have 0.001."""
    relief: Relief | None = None
    """Rough ground around the origin, in place of strips."""

    @field_validator("sinkage")
    @classmethod
    def _hard_or_compliant(cls, sinkage: float) -> float:
        low, high = COMPLIANT
        if sinkage and not low <= sinkage <= high:
            raise ValueError(f"must be 0, which is hard ground, or {low} to {high} m")
        return sinkage

    @model_validator(mode="after")
    def _strips_or_relief(self) -> "World":
        if self.strips and self.relief is not None:
            raise ValueError(f"strips: rough ground has friction of its own; leave out the {len(self.strips)} strips or the relief")
        if self.sinkage and self.relief is not None:
            raise ValueError(f"sinkage: rough ground is hard; leave out the sinkage of {self.sinkage} m or the relief")
        return self

    @model_validator(mode="after")
    def _no_overlap(self) -> "World":
        for before, after in zip(self.strips, self.strips[1:], strict=False):
            if after.start < before.end:
                raise ValueError(f"strips: the one that starts at {after.start} overlaps the one before, which ends at {before.end}")
        return self

    def friction_at(self, x: float) -> float:
        """Coulomb coefficient at an x of odom, m, where there is no relief."""
        strip = self._strip_at(x)
        return self.friction if strip is None else strip.friction

    def height_at(self, x: float) -> float:
        """Height at an x of odom, m, where there is no relief; of two strips that meet there, that of the first."""
        strip = self._strip_at(x)
        return 0.0 if strip is None else strip.height_at(x)

    @property
    def is_level(self) -> bool:
        """Whether every height is 0."""
        return self.relief is None and all(strip.height == 0.0 == strip.rise for strip in self.strips)

    def sections(self, reach: float = 100.0) -> list[GroundStrip]:
        """The ground as strips without gaps between -reach and reach, m; what lies beyond is left out."""
        pieces, position = [], -reach
        for strip in self.strips:
            if strip.start > position:
                pieces.append(GroundStrip(start=position, end=strip.start, friction=self.friction))
            pieces.append(strip)
            position = strip.end
        if position < reach:
            pieces.append(GroundStrip(start=position, end=reach, friction=self.friction))
        inside = [(max(piece.start, -reach), min(piece.end, reach), piece) for piece in pieces]
        return [piece.between(start, end) for start, end, piece in inside if start < end]

    def _strip_at(self, x: float) -> GroundStrip | None:
        return next((strip for strip in self.strips if strip.start <= x <= strip.end), None)


def read_world(path: Path) -> World:
    """Read a world. Raises ConfigurationError, see settings.check_settings."""
    return read_settings(World, path)


def find_world(name_or_path: str) -> Path:
    """A world in config/worlds, or a path. Raises UnknownNameError, with the names that would be right."""
    return find_configuration("world", "worlds", name_or_path)
