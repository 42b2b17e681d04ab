# SPDX-License-Identifier: Apache-2.0
"""`surefoot bag …` as a person calls it."""

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.cli.app import main
from surefoot.recording.reader import Bag
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings

VECTOR = Topic("/vector", "geometry_msgs/msg/Vector3", "float64 x\nfloat64 y\nfloat64 z\n")


@pytest.fixture
def bag(tmp_path: Path) -> Callable[..., str]:
    def write(name: str, last: float = 0.0) -> str:
        writer = BagWriter(tmp_path / name, WriterSettings(keep_free=0))
        writer.add_topic(VECTOR)
        for k in range(50):
            data = b"\x00\x01\x00\x00" + struct.pack("<3d", k, 2.0, last if k == 49 else 0.0)
            writer.write(RawMessage(VECTOR.name, VECTOR.type, data, 10**18 + k * 10**7, 10**18 + k * 10**7))
        writer.close()
        return str(tmp_path / name)

    return write


def test_info(bag: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bag", "info", bag("a")]) == 0
    assert "geometry_msgs/msg/Vector3" in capsys.readouterr().out
    assert main(["bag", "info", "--json", bag("b")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["topics"]["/vector"]["messages"] == told["messages"] == 50
    assert told["problems"] == []


def test_a_broken_bag_is_read_named_and_mended(bag: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(bag("a"))
    file = folder / "a_0.mcap"
    file.write_bytes(file.read_bytes()[:-30])
    assert main(["bag", "info", str(folder)]) == 0
    assert "surefoot bag repair" in capsys.readouterr().out
    assert main(["bag", "repair", str(folder)]) == 0
    assert "50 messages kept" in capsys.readouterr().out
    assert Bag(folder).problems == []
    assert main(["bag", "repair", str(folder)]) == 0
    assert "nothing is wrong" in capsys.readouterr().out


def test_what_is_no_bag_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cut.mcap").write_bytes(b"\x89MC")
    for path, words in ((tmp_path / "none", "no such bag"), (tmp_path / "cut.mcap", "no MCAP file")):
        assert main(["bag", "info", str(path)]) == 2
        assert words in " ".join(capsys.readouterr().err.split())


def test_plot_and_export(bag: Callable[..., str], tmp_path: Path) -> None:
    path = bag("a")
    picture = tmp_path / "x.png"
    assert main(["bag", "plot", path, "/vector.x", "/vector.y", "--picture", str(picture)]) == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert main(["bag", "export", path, "--to", str(tmp_path / "tables")]) == 0
    assert len((tmp_path / "tables" / "vector.csv").read_text().splitlines()) == 51


def test_compare(bag: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, c = bag("a"), bag("b"), bag("c", last=0.25)
    assert main(["bag", "compare", a, b]) == 0
    assert "is the same" in capsys.readouterr().out
    assert main(["bag", "compare", a, c, "--picture", str(tmp_path / "apart.png")]) == 1
    assert "z is 0.0 in A and 0.25 in B" in " ".join(capsys.readouterr().out.split())
    assert (tmp_path / "apart.png").exists()
    assert main(["bag", "compare", a, c, "--tolerance", "0.3"]) == 0


def test_the_bag_of_another_robot_goes_by_our_names(bag: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, given = bag("a"), tmp_path / "map.yaml"
    given.write_text("topics: {/ours: /vector}")
    renamed = ["--map", str(given)]
    assert main(["bag", "info", path, "--json", *renamed]) == 0
    assert list(json.loads(capsys.readouterr().out)["topics"]) == ["/ours"]
    assert main(["bag", "plot", path, "/ours.x", "--picture", str(tmp_path / "x.png"), *renamed]) == 0
    assert main(["bag", "export", path, "--topics", "/ours", "--to", str(tmp_path / "tables"), *renamed]) == 0
    assert (tmp_path / "tables" / "ours.csv").exists()
    writer = BagWriter(tmp_path / "ours", WriterSettings(keep_free=0))
    writer.add_topic(Topic("/ours", VECTOR.type, VECTOR.definition))
    for message in Bag(Path(path)).messages():
        writer.write(message._replace(topic="/ours"))
    writer.close()
    capsys.readouterr()
    assert main(["bag", "compare", str(tmp_path / "ours"), path, *renamed]) == 0
    assert "is the same" in capsys.readouterr().out


def test_texts_that_differ_are_shown_and_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topic, paths = Topic("/gait", "std_msgs/msg/String", "string data\n"), []
    for text in ("walk", "[trot] on the ground that nobody ever saw before"):
        paths.append(str(tmp_path / text[:4]))
        writer = BagWriter(Path(paths[-1]), WriterSettings(keep_free=0))
        writer.add_topic(topic)
        data = b"\x00\x01\x00\x00" + struct.pack("<I", len(text) + 1) + text.encode() + b"\x00"
        writer.write(RawMessage(topic.name, topic.type, data, 10**18, 10**18))
        writer.close()
    assert main(["bag", "compare", *paths]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "walk / [trot] on the ground that nob…" in said
    assert " inf " not in said
