# SPDX-License-Identifier: Apache-2.0
"""Rough ground is smooth, inside of its range, level at the start, and the same for the same settings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from surefoot.terrain.relief import Relief, height_map
from surefoot.terrain.world import GroundStrip, World

reliefs = st.builds(
    Relief,
    height=st.floats(0.001, 0.05),
    wavelength=st.floats(0.2, 0.6),
    extent=st.floats(2.0, 4.0),
    level_radius=st.floats(0.0, 0.8),
    seed=st.integers(0, 2**32),
    tile=st.floats(0.3, 3.0),
    friction_low=st.floats(0.0, 0.3),
    friction_high=st.floats(0.3, 2.0),
)


@given(reliefs)
@settings(max_examples=40)
def test_heights_and_frictions_lie_inside_of_their_ranges(relief: Relief) -> None:
    ground = height_map(relief)
    assert ground.heights.min() >= 0.0
    # The rim and the start may cut off the highest bump of a small ground.
    assert 0.5 * relief.height < ground.heights.max() <= relief.height
    assert ground.friction.min() >= relief.friction_low
    assert ground.friction.max() <= relief.friction_high
    x, y = np.meshgrid(ground.coordinates, ground.coordinates)
    assert not ground.heights[np.hypot(x, y) <= relief.level_radius].any()
    for rim in (ground.heights[0], ground.heights[-1], ground.heights[:, 0], ground.heights[:, -1]):
        assert rim == pytest.approx(np.zeros_like(rim), abs=1e-12)


@given(reliefs)
@settings(max_examples=40)
def test_no_step_is_steeper_than_the_bumps_and_the_way_into_them(relief: Relief) -> None:
    ground = height_map(relief)
    spacing = ground.coordinates[1] - ground.coordinates[0]
    assert spacing <= relief.wavelength / 16.0 * (1.0 + 1e-9)
    slopes = np.hypot(*np.gradient(ground.heights, spacing))
    # Half the height times the wave number, and the rise over one wavelength with a slope of at most 1.5.
    assert slopes.max() <= relief.height / relief.wavelength * (2.0 * np.pi + 1.5)


def test_tiles_meet_and_cover_the_ground() -> None:
    relief = Relief(extent=2.0, tile=0.6, seed=3)
    ground = height_map(relief)
    across = relief.tiles_across
    assert across == 7
    assert across * ground.side == pytest.approx(4.0)
    for row, column in np.ndindex(across, across - 1):
        assert ground.tile(row, column)[:, -1].tolist() == ground.tile(row, column + 1)[:, 0].tolist()
        assert ground.tile(column, row)[-1].tolist() == ground.tile(column + 1, row)[0].tolist()
    assert ground.centre(0, 0) == pytest.approx((-2.0 + 0.5 * ground.side,) * 2)
    assert ground.centre(2, 6) == pytest.approx((2.0 - 0.5 * ground.side, -2.0 + 2.5 * ground.side))


def test_bumps_are_a_wavelength_apart() -> None:
    ground = height_map(Relief(wavelength=0.4, extent=4.0, level_radius=0.0))
    inside = ground.heights[40:-40, 40:-40] - ground.heights[40:-40, 40:-40].mean()
    power = np.abs(np.fft.fft2(inside)) ** 2
    frequency = np.fft.fftfreq(len(inside), ground.coordinates[1] - ground.coordinates[0])
    along, across = np.meshgrid(frequency, frequency)
    assert 1.0 / np.sqrt((power * (along**2 + across**2)).sum() / power.sum()) == pytest.approx(0.4, rel=0.1)


def test_a_seed_is_one_ground() -> None:
    one, same, other = (height_map(Relief(seed=seed)) for seed in (5, 5, 6))
    assert one.heights.tobytes() == same.heights.tobytes()
    assert one.friction.tobytes() == same.friction.tobytes()
    assert np.abs(one.heights - other.heights).max() > 0.01
    assert np.abs(one.friction - other.friction).max() > 0.5


def test_friction_is_spread_evenly_between_its_limits() -> None:
    friction = height_map(Relief(extent=4.0, tile=0.25)).friction
    assert friction.size == 1024
    assert np.histogram(friction, bins=4, range=(0.1, 1.5))[0] == pytest.approx(256, abs=60)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"height": 0.0}, "height\n.*greater than 0"),
        ({"height": float("nan")}, "height\n.*finite"),
        ({"seed": -1}, "seed\n.*greater than or equal to 0"),
        ({"slope": 1.0}, "slope\n.*[Ee]xtra"),
        ({"friction_low": 2.0}, r"friction_high: must be at least friction_low \(2.0\), not 1.5"),
        ({"extent": 1.0}, r"extent: must be at least level_radius and two wavelengths \(1.4 m\), not 1.0"),
        ({"height": 0.2}, "wavelength: must be at least 0.628 m for bumps of 0.2 m, not 0.4: they would be too steep"),
        ({"tile": 0.1}, "tile: must be at least 0.25 m for an extent of 4.0 m, not 0.1"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_relief_that_cannot_be_is_refused(changes: dict[str, float], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Relief(**changes)


def test_a_world_has_relief_in_place_of_strips_and_sinkage() -> None:
    with pytest.raises(ValidationError, match="strips: rough ground has friction of its own; leave out the 1 strips or the relief"):
        World(relief=Relief(), strips=(GroundStrip(start=0.0, end=1.0, friction=0.1),))
    with pytest.raises(ValidationError, match=r"sinkage: rough ground is hard; leave out the sinkage of 0\.001 m or the relief"):
        World(relief=Relief(), sinkage=0.001)
