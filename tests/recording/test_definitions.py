# SPDX-License-Identifier: Apache-2.0
"""Definitions of types, found where they are installed."""

from pathlib import Path

import pytest

from surefoot.recording.decoder import Decoder
from surefoot.recording.definitions import definition_of
from surefoot.recording.errors import BagError
from surefoot.recording.types import Topic


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, name, text in (
        (
            "one_msgs",
            "Whole",
            "# a comment\nuint8 KIND=1\nPart[] parts\ntwo_msgs/Other other\nstring<=5[<=3] words\nFew[<=1] few\nfloat64[3] xyz\n",
        ),
        ("one_msgs", "Few", "int32 x\n"),
        ("one_msgs", "Part", "two_msgs/Other other 0\n"),
        ("two_msgs", "Other", "int32 x\n"),
    ):
        folder = tmp_path / "share" / package / "msg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.msg").write_text(text)
    (tmp_path / "share" / "one_msgs" / "msg" / "Whole.json").write_text(
        '{"type_hashes": [{"type_name": "one_msgs/msg/Whole", "hash_string": "RIHS01_ab"}]}'
    )
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    definition_of.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_definition_brings_all_that_it_needs_once() -> None:
    text, hash_of_type = definition_of("one_msgs/msg/Whole")
    assert text.count("MSG: one_msgs/Part") == text.count("MSG: two_msgs/Other") == text.count("MSG: one_msgs/Few") == 1
    assert hash_of_type == "RIHS01_ab"


@pytest.mark.usefixtures("installed")
def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(BagError, match="three_msgs/msg/No is not installed"):
        definition_of("three_msgs/msg/No")
    with pytest.raises(BagError, match="is not the type of a topic"):
        definition_of("one_msgs/Whole")


def test_bytes_that_are_not_of_their_type_are_refused(vector_topic: Topic, vector_bytes: object) -> None:
    assert Decoder().decode(vector_topic, vector_bytes(2.0)).x == 2.0  # type: ignore[operator]
    with pytest.raises(BagError, match="/vector is not the geometry_msgs/msg/Vector3"):
        Decoder().decode(vector_topic, b"\x00\x01\x00\x00\x01")


def test_a_type_of_ros_needs_no_definition(vector_bytes: object) -> None:
    bare = Topic("/v", "geometry_msgs/msg/Vector3")
    assert Decoder().decode(bare, vector_bytes(3.0)).x == 3.0  # type: ignore[operator]


def test_what_stands_behind_a_message_can_be_taken_off(vector_topic: Topic, vector_bytes: object) -> None:
    whole = vector_bytes(4.0)  # type: ignore[operator]
    assert Decoder().trimmed(vector_topic, whole + b"junk junk") == whole
    with pytest.raises(BagError, match="/vector is not the geometry_msgs/msg/Vector3"):
        Decoder().trimmed(vector_topic, whole[:-1])
