# SPDX-License-Identifier: Apache-2.0
"""Bags of others, and bags that are broken: what can be read is read, and what is wrong is said."""

import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from surefoot.recording.errors import BagError
from surefoot.recording.reader import Bag
from surefoot.recording.repair import repair
from surefoot.recording.table import series
from surefoot.recording.writer import WriterSettings

BEGIN = 1_700_000_000_000_000_000


@pytest.fixture(params=[StoragePlugin.MCAP, StoragePlugin.SQLITE3], ids=["mcap", "sqlite3"])
def foreign(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A bag of another recorder."""
    store = get_typestore(Stores.ROS2_JAZZY)
    with Writer(tmp_path / "foreign", version=9, storage_plugin=request.param) as writer:
        connection = writer.add_connection("/robot/twist", "geometry_msgs/msg/Vector3", typestore=store)
        for k in range(50):
            message = store.types["geometry_msgs/msg/Vector3"](x=float(k), y=0.0, z=0.0)
            writer.write(connection, BEGIN + k * 20_000_000, store.serialize_cdr(message, "geometry_msgs/msg/Vector3"))
    return tmp_path / "foreign"


def test_bags_of_others_are_read(foreign: Path) -> None:
    bag = Bag(foreign)
    assert bag.problems == []
    assert bag.counts == {"/robot/twist": 50}
    assert bag.topics["/robot/twist"].type == "geometry_msgs/msg/Vector3"
    assert bag.seconds == pytest.approx(0.98)
    times, values = series(bag, "/robot/twist.x")
    assert list(values) == list(map(float, range(50)))
    assert times[-1] == pytest.approx(0.98)
    assert len(list(bag.messages(start=0.5, stop=0.6))) == 5


def test_one_file_of_a_bag_is_a_bag(foreign: Path) -> None:
    file = next(path for path in foreign.iterdir() if path.suffix in (".mcap", ".db3"))
    assert sum(Bag(file).counts.values()) == 50


@pytest.mark.parametrize("cut", range(9, 6000, 613))
def test_a_cut_file_gives_what_is_whole_and_can_be_mended(write_bag: Callable[..., Path], cut: int) -> None:
    folder = write_bag()
    file = folder / "bag_0.mcap"
    content = file.read_bytes()
    file.write_bytes(content[: min(cut, len(content) - 1)])
    bag = Bag(folder)
    assert any("bag_0.mcap" in problem for problem in bag.problems)
    read = [int(message.sequence) for message in bag.messages()]
    assert read == list(range(len(read)))
    done = repair(folder)
    assert done.messages == len(read)
    after = Bag(folder)
    assert after.problems == []
    assert [message.data for message in after.messages()] == [message.data for message in bag.messages()]


def test_a_damaged_chunk_costs_its_own_messages_only(write_bag: Callable[..., Path]) -> None:
    folder = write_bag(settings=WriterSettings(chunk_bytes=1500, keep_free=0))
    file = folder / "bag_0.mcap"
    content = bytearray(file.read_bytes())
    place, chunks = 8, []
    while content[place] != 0x0F:
        if content[place] == 0x06:
            chunks.append(place)
        place += 9 + struct.unpack_from("<Q", content, place + 1)[0]
    inside = chunks[len(chunks) // 2] + 80
    content[inside : inside + 40] = b"\xff" * 40
    file.write_bytes(content)
    read = [message.sequence for message in Bag(folder).messages()]
    assert 150 < len(read) < 300
    assert read == sorted(read)
    assert read[0] == 0
    assert read[-1] == 299


def test_every_kind_of_no_bag_is_refused_with_what_it_is(tmp_path: Path, write_bag: Callable[..., Path]) -> None:
    with pytest.raises(BagError, match="no such bag"):
        Bag(tmp_path / "nothing")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BagError, match=r"no file in it that ends in \.mcap or \.db3"):
        Bag(tmp_path / "folder")
    for name, content, words in (
        ("empty.mcap", b"", "is empty"),
        ("foreign.mcap", b"#ROSBAG V2.0\n1234", "no MCAP file"),
        ("empty.db3", b"", "is empty"),
        ("foreign.db3", b"#ROSBAG V2.0\n" * 100, "no bag of `ros2 bag`"),
        ("picture.png", b"\x89PNG", "is no bag"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BagError, match=words):
            Bag(tmp_path / name)
    with sqlite3.connect(tmp_path / "other.db3") as database:
        database.execute("CREATE TABLE cats (name TEXT)")
    with pytest.raises(BagError, match="no such table"):
        Bag(tmp_path / "other.db3")


def test_metadata_that_lies_is_named(write_bag: Callable[..., Path]) -> None:
    folder = write_bag()
    text = (folder / "metadata.yaml").read_text()
    (folder / "metadata.yaml").write_text(text.replace("message_count: 300", "message_count: 299"))
    assert Bag(folder).problems == ["metadata.yaml speaks of 299 messages; there are 300"]
    (folder / "metadata.yaml").unlink()
    assert Bag(folder).problems == ["metadata.yaml is missing or cannot be read"]
    repair(folder)
    assert Bag(folder).problems == []
    (folder / "metadata.yaml").write_text(text.replace("version: 9", "version: 12"))
    with pytest.raises(BagError, match="version 12"):
        Bag(folder)


def test_a_file_that_is_named_twice_is_read_once(write_bag: Callable[..., Path]) -> None:
    folder = write_bag()
    text = (folder / "metadata.yaml").read_text()
    (folder / "metadata.yaml").write_text(text.replace("  - bag_0.mcap\n", "  - bag_0.mcap\n  - bag_0.mcap\n"))
    bag = Bag(folder)
    assert bag.counts["/vector"] == sum(1 for _ in bag.messages()) == 300
    assert bag.problems == ["metadata.yaml names bag_0.mcap 2 times"]
    assert repair(folder).mended == ("metadata.yaml is written anew",)
    assert Bag(folder).problems == []


def test_a_missing_file_of_a_bag_is_named_and_the_others_are_read(write_bag: Callable[..., Path]) -> None:
    folder = write_bag(settings=WriterSettings(chunk_bytes=2000, split_bytes=4000, keep_free=0))
    (folder / "bag_1.mcap").unlink()
    bag = Bag(folder)
    assert "bag_1.mcap, which metadata.yaml names, is missing" in bag.problems
    assert 0 < sum(bag.counts.values()) < 300
