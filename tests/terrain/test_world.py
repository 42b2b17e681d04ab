# SPDX-License-Identifier: Apache-2.0
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.locate import shared_directory
from surefoot.terrain.world import GroundStrip, World, find_world, read_world


def test_flat_ground_is_one_section() -> None:
    assert World(friction=0.5).sections() == [GroundStrip(start=-100.0, end=100.0, friction=0.5)]


def test_strips_lie_across_the_way() -> None:
    world = World(friction=0.7, strips=(GroundStrip(start=2.0, end=3.0, friction=0.1), GroundStrip(start=3.0, end=5.0, friction=0.0)))
    found = [(section.start, section.end, section.friction) for section in world.sections(10.0)]
    assert found == [(-10.0, 2.0, 0.7), (2.0, 3.0, 0.1), (3.0, 5.0, 0.0), (5.0, 10.0, 0.7)]
    assert world.is_level


def test_a_ramp_leads_up_to_a_plateau_and_is_cut_where_the_ground_is() -> None:
    ramp, plateau = GroundStrip(start=2.0, end=4.0, friction=0.6, rise=0.5), GroundStrip(start=4.0, end=20.0, friction=0.7, height=0.5)
    world = World(strips=(ramp, plateau))
    assert [world.height_at(x) for x in (1.0, 3.0, 4.0, 10.0, 21.0)] == pytest.approx([0.0, 0.25, 0.5, 0.5, 0.0])
    assert not world.is_level
    last = world.sections(3.0)[-1]
    assert (last.start, last.end, last.height, last.rise) == pytest.approx((2.0, 3.0, 0.0, 0.25))


@given(st.lists(st.integers(-300_000, 300_000).map(lambda millimetres: 1e-3 * millimetres), min_size=2, max_size=10, unique=True))
def test_sections_cover_the_ground_without_gap_or_overlap(edges: list[float]) -> None:
    edges.sort()
    pairs = list(zip(edges[::2], edges[1::2], strict=False))
    world = World(strips=tuple(GroundStrip(start=start, end=end, friction=0.1 + 0.01 * i) for i, (start, end) in enumerate(pairs)))
    sections = world.sections(100.0)
    assert (sections[0].start, sections[-1].end) == (-100.0, 100.0)
    assert all(before.end == after.start for before, after in pairwise(sections))
    for section in sections:
        middle = 0.5 * (section.start + section.end)
        inside = [0.1 + 0.01 * i for i, (first, last) in enumerate(pairs) if first <= middle <= last]
        assert section.friction == pytest.approx(inside[0] if inside else 0.7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("friction: 0.0", "friction: Input should be greater than 0"),
        ("friction: .nan", "friction: .*finite"),
        ("friction: .inf", "friction: .*finite"),
        ("slope: 1.0", "slope: unknown key"),
        ("sinkage: -0.001", "sinkage: Input should be greater than or equal to 0"),
        ("sinkage: 0.00001", "sinkage: .*must be 0, which is hard ground, or 0.0001 to 0.02 m, not 1e-05"),
        ("sinkage: 1.0", "sinkage: .*or 0.0001 to 0.02 m, not 1.0"),
        ("strips: [{start: 2.0, end: 1.0, friction: 0.1}]", r"strips.0: .*end: must be greater than start \(2.0\), not 1.0"),
        ("strips: [{start: 0.0, end: 2.0, friction: 0.1, rise: 3.0}]", r"strips.0: .*rise: at most 1.0 m up or down .*, not 3.0 over 2.0"),
        ("strips: [{start: 0.0, end: .nan, friction: 0.1}]", "strips.0.end: .*finite"),
        ("strips: [{start: 0.0, end: 2.0, friction: -0.1}]", "strips.0.friction: .*greater than or equal to 0"),
        (
            "strips: [{start: 0.0, end: 2.0, friction: 0.1}, {start: 1.0, end: 3.0, friction: 0.1}]",
            "the one that starts at 1.0 overlaps the one before, which ends at 2.0",
        ),
        ("", "whole file"),
        ("[1, 2", "is not YAML"),
    ],
)
def test_a_world_that_cannot_be_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=rf"odd.yaml.*{words}"):
        read_world(path)


@pytest.mark.parametrize("path", sorted((shared_directory() / "config" / "worlds").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_world_can_be_found_and_read(path: Path) -> None:
    assert find_world(path.stem) == path
    assert find_world(str(path)) == path
    assert read_world(path).sections()


def test_an_unknown_world_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="unknown world 'flatt'; did you mean 'flat'"):
        find_world("flatt")
