# SPDX-License-Identifier: Apache-2.0
"""What cannot be read is said, what can is kept, and nobody cuts the end off a bag that is being written."""

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mcap.reader import make_reader

from surefoot.recording.errors import BagError
from surefoot.recording.hold import FolderLock, writing_process
from surefoot.recording.reader import Bag
from surefoot.recording.repair import repair
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings

SMALL = WriterSettings(chunk_bytes=1500, keep_free=0)
CHUNK = 0x06


def records(content: bytes | bytearray) -> list[tuple[int, int]]:
    """Opcode and place of each record of data in an MCAP file."""
    place, found = 8, []
    while content[place] != 0x0F:
        found.append((content[place], place))
        place += 9 + struct.unpack_from("<Q", content, place + 1)[0]
    return found


@pytest.fixture
def damaged(write_bag: Callable[..., Path]) -> Path:
    """A bag with a whole ending and a chunk that cannot be read."""
    folder = write_bag(settings=SMALL)
    file = folder / "bag_0.mcap"
    content = bytearray(file.read_bytes())
    chunks = [place for opcode, place in records(content) if opcode == CHUNK]
    inside = chunks[len(chunks) // 2] + 80
    content[inside : inside + 40] = b"\xff" * 40
    file.write_bytes(content)
    return folder


def test_a_chunk_that_is_left_out_is_said(damaged: Path) -> None:
    bag = Bag(damaged)
    assert bag.problems == []
    read = sum(1 for _ in bag.messages())
    assert read < bag.counts["/vector"] == 300
    assert len(bag.problems) == 1
    assert "cannot be read and is left out" in bag.problems[0]
    assert sum(1 for _ in bag.messages()) == read
    assert len(bag.problems) == 1


def test_a_chunk_that_cannot_be_read_is_not_in_the_new_summary(damaged: Path) -> None:
    read = [message.sequence for message in Bag(damaged).messages()]
    done = repair(damaged)
    assert done.messages == len(read) < 300
    assert any("left out" in words for words in done.left)
    after = Bag(damaged)
    assert after.problems == []
    assert [message.sequence for message in after.messages()] == read
    with (damaged / "bag_0.mcap").open("rb") as stream:
        assert [message.sequence for _, _, message in make_reader(stream, validate_crcs=True).iter_messages()] == read
    again = repair(damaged)
    assert (again.mended, again.messages, again.left) == ((), done.messages, done.left)


def test_a_length_that_is_damaged_cuts_nothing_away(write_bag: Callable[..., Path]) -> None:
    folder = write_bag(settings=SMALL)
    file = folder / "bag_0.mcap"
    content = bytearray(file.read_bytes())
    chunks = [place for opcode, place in records(content) if opcode == CHUNK]
    struct.pack_into("<Q", content, chunks[len(chunks) // 2] + 1, 1 << 60)
    file.write_bytes(content)
    done = repair(folder)
    assert file.read_bytes() == bytes(content)
    assert done.mended == ()
    assert any("breaks off" in words for words in done.left)


def test_a_bag_that_is_being_written_is_not_mended(tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes]) -> None:
    folder = tmp_path / "bag"
    writer = BagWriter(folder, WriterSettings(chunk_bytes=500, split_bytes=3000, keep_free=0))
    writer.add_topic(vector_topic)
    for k in range(300):
        writer.write(RawMessage(vector_topic.name, vector_topic.type, vector_bytes(float(k)), k + 1, k + 1, k))
        if k % 50 == 10:
            writer._syncing.wait()
            before = {file: file.read_bytes() for file in folder.iterdir()}
            with pytest.raises(BagError, match=f"still being written by process {os.getpid()}"):
                repair(folder)
            assert before == {file: file.read_bytes() for file in folder.iterdir()}
    writer.close()
    assert repair(folder).mended == ()
    assert [message.sequence for message in Bag(folder).messages()] == list(range(300))


def test_a_recorder_that_knows_of_no_lock_is_seen(write_bag: Callable[..., Path]) -> None:
    folder = write_bag()
    file = folder / "bag_0.mcap"
    content = file.read_bytes()
    file.write_bytes(content[:-30])
    words = "import sys; file = open(sys.argv[1], 'ab'); print('open', flush=True); sys.stdin.read()"
    other = subprocess.Popen([sys.executable, "-c", words, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(BagError, match=f"still being written by process {other.pid}: end its recorder first"):
            repair(folder)
    finally:
        other.communicate()
    assert writing_process(folder) == 0
    assert repair(folder).messages == 300


def test_a_lock_is_let_go(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    with pytest.raises(BagError, match="a process that cannot be seen from here"):
        FolderLock(tmp_path)
    first.release()
    first.release()
    FolderLock(tmp_path).release()
