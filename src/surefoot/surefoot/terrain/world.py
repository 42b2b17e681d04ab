# SPDX-License-Identifier: Apache-2.0
"""The ground that a simulated robot walks on: flat or rough, hard or compliant, with friction that may change along the way."""

from pathlib import Path

from pydantic import field_validator, model_validator

from surefoot.robot.description import NotNegative, Positive
from surefoot.robot.locate import find_configuration
from surefoot.settings import Settings, read_settings
from surefoot.terrain.relief import Relief

COMPLIANT = (1e-4, 0.02)
"""m. Least and largest sinkage of compliant ground: less is stiffer than a step of a millisecond bears, more is a slip of the unit."""


class GroundStrip(Settings):
    """A strip of ground across the way, from one x to another."""

    start: float
    """x of odom at which the strip begins, m."""
    end: float
    """m"""
    friction: NotNegative
    """Coulomb coefficient."""

    @model_validator(mode="after")
    def _ordered(self) -> "GroundStrip":
        if self.end <= self.start:
            raise ValueError(f"end: must be greater than start ({self.start}), not {self.end}")
        return self


class World(Settings):
    """Flat ground at height 0, unless there is relief."""

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
        return next((strip.friction for strip in self.strips if strip.start <= x <= strip.end), self.friction)

    def sections(self, reach: float = 100.0) -> list[tuple[float, float, float]]:
        """The ground as (start, end, friction) along x, between -reach and reach, m; what lies beyond is left out."""
        edges, position = [], -reach
        for strip in self.strips:
            if strip.start > position:
                edges.append((position, strip.start, self.friction))
            edges.append((strip.start, strip.end, strip.friction))
            position = strip.end
        edges.append((position, reach, self.friction))
        cut = [(max(start, -reach), min(end, reach), friction) for start, end, friction in edges]
        return [(start, end, friction) for start, end, friction in cut if start < end]


def read_world(path: Path) -> World:
    """Read a world. Raises ConfigurationError, see settings.check_settings."""
    return read_settings(World, path)


def find_world(name_or_path: str) -> Path:
    """A world in config/worlds, or a path. Raises UnknownNameError, with the names that would be right."""
    return find_configuration("world", "worlds", name_or_path)
