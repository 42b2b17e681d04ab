# SPDX-License-Identifier: Apache-2.0
"""A bag that is written: read by others, split, and not lost when the process dies or the disk is full."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from mcap.reader import make_reader
from rosbags.highlevel import AnyReader

from surefoot.recording.errors import BagError, RecordingStopped
from surefoot.recording.mcap_file import McapFile
from surefoot.recording.metadata import read_metadata
from surefoot.recording.reader import Bag
from surefoot.recording.repair import repair
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import CLOSED, BagWriter, WriterSettings

SMALL = WriterSettings(chunk_bytes=2000, split_bytes=8000, keep_free=0)

CHILD = """
import resource, signal, sys, time
from pathlib import Path
from surefoot.recording.errors import RecordingStopped
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings
folder, limit, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
writer = BagWriter(folder, WriterSettings(chunk_bytes=4000, flush_seconds=0.05, keep_free=0))
writer.add_topic(Topic("/t", "std_msgs/msg/UInt64", "uint64 data"))
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    for k in range(count):
        data = b"\\x00\\x01\\x00\\x00" + (k * 2654435761 % 2**64).to_bytes(8, "little")
        writer.write(RawMessage("/t", "std_msgs/msg/UInt64", data, 10**18 + k * 10**6, 10**18 + k * 10**6))
        writer.tend()
        print(k, writer.written, flush=True)
        if not limit:
            time.sleep(0.001)
except RecordingStopped as stop:
    print("stopped:", stop, flush=True)
"""


def test_other_libraries_read_it(write_bag: Callable[..., Path]) -> None:
    folder = write_bag(settings=SMALL)
    files = sorted(folder.glob("*.mcap"))
    assert len(files) > 1
    with AnyReader([folder]) as reader:
        messages = list(reader.messages())
        assert reader.message_count == len(messages) == 300
        assert [reader.deserialize(data, connection.msgtype).x for connection, _, data in messages] == list(map(float, range(300)))
    counted = 0
    for file in files:
        with file.open("rb") as stream:
            counted += sum(1 for _ in make_reader(stream, validate_crcs=True).iter_messages())
    assert counted == 300


def test_a_bag_is_never_written_over(write_bag: Callable[..., Path]) -> None:
    folder = write_bag()
    with pytest.raises(BagError, match="exists already"):
        BagWriter(folder)


def test_what_waits_is_given_away_in_time(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(folder), "0", "100000"], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for line in child.stdout:
        if int(line.split()[0]) >= 400:
            break
    os.kill(child.pid, signal.SIGKILL)
    rest = child.stdout.read().splitlines()
    child.wait()
    last = int(rest[-1].split()[0]) if rest else 400
    bag = Bag(folder)
    assert bag.problems
    kept = bag.counts["/t"]
    # A message stands for a millisecond at least: what was kept ends less than half a second before the end.
    assert kept >= int((rest or [line])[-1].split()[1])
    assert last - kept < 500
    mended = repair(folder)
    assert mended.messages == kept
    assert Bag(folder).problems == []
    with AnyReader([folder]) as reader:
        assert sum(1 for _ in reader.messages()) == kept
    assert repair(folder).mended == ()


def test_a_full_disk_ends_the_recording_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "full"
    done = subprocess.run([sys.executable, "-c", CHILD, str(folder), "60000", "100000"], capture_output=True, text=True, check=True)
    *lines, last = done.stdout.splitlines()
    assert last.startswith("stopped:")
    assert "File too large" in last
    kept = Bag(folder).counts["/t"]
    assert kept == int(lines[-1].split()[1]) > 1000
    repair(folder)
    assert Bag(folder).problems == []
    with AnyReader([folder]) as reader:
        assert sum(1 for _ in reader.messages()) == kept


def test_it_stops_before_the_disk_is_full(tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes]) -> None:
    free = [10_000]

    def shrinking(folder: Path) -> int:
        free[0] -= 1000
        return free[0]

    writer = BagWriter(tmp_path / "bag", WriterSettings(chunk_bytes=500, keep_free=5000), free_bytes=shrinking)
    writer.add_topic(vector_topic)

    def fill() -> None:
        for k in range(1000):
            writer.write(RawMessage(vector_topic.name, vector_topic.type, vector_bytes(float(k)), k, k))

    with pytest.raises(RecordingStopped, match="MB are to be kept"):
        fill()
    with pytest.raises(RecordingStopped):
        writer.write(RawMessage(vector_topic.name, vector_topic.type, vector_bytes(0.0), 0, 0))
    bag = Bag(tmp_path / "bag")
    assert bag.problems == []
    assert bag.counts["/vector"] > 20


def no_new_file(path: Path) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def no_beginning(path: Path) -> None:
    path.touch()
    raise RecordingStopped(f"{path}: {os.strerror(errno.ENOSPC)}; the recording stops here")


@pytest.mark.parametrize("fail", [no_new_file, no_beginning])
def test_a_disk_that_is_full_at_a_split_costs_nothing_that_was_written(
    tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch, fail: Callable[[Path], None]
) -> None:
    make = McapFile

    def third_fails(path: Path) -> McapFile:
        if path.name == "bag_2.mcap":
            fail(path)
        return make(path)

    monkeypatch.setattr("surefoot.recording.writer.McapFile", third_fails)
    writer = BagWriter(tmp_path / "bag", SMALL)
    writer.add_topic(vector_topic)
    written = 0
    with pytest.raises(RecordingStopped, match="No space left on device"):  # noqa: PT012
        for written in range(10_000):
            writer.write(RawMessage(vector_topic.name, vector_topic.type, vector_bytes(float(written)), 1 + written, 1 + written, written))
    (tmp_path / "bag" / "bag_2.mcap").unlink(missing_ok=True)
    assert writer.written == written + 1
    bag = Bag(tmp_path / "bag")
    assert bag.problems == []
    assert [file.name for file in bag.files] == ["bag_0.mcap", "bag_1.mcap"]
    assert [message.sequence for message in bag.messages()] == list(range(written + 1))
    assert repair(tmp_path / "bag").mended == ()


def test_a_file_that_cannot_begin_is_not_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("surefoot.recording.mcap_file.os.write", full)
    with pytest.raises(RecordingStopped, match="No space left"):
        McapFile(tmp_path / "a.mcap")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_what_was_given_away_is_brought_to_the_disk(
    tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, synced = [100.0], []
    monkeypatch.setattr("surefoot.recording.writer.time.monotonic", lambda: now[0])
    monkeypatch.setattr("surefoot.recording.mcap_file.os.fdatasync", lambda descriptor: synced.append(now[0]))
    writer = BagWriter(tmp_path / "bag", WriterSettings(keep_free=0))
    writer.add_topic(vector_topic)
    for k in range(400):
        now[0] = 100.0 + 0.01 * k
        if k < 200:
            writer.write(RawMessage(vector_topic.name, vector_topic.type, vector_bytes(float(k)), k, k))
        writer.tend()
        writer._syncing.wait()
    # Once a second while something is written, and not at all when everything is there.
    assert synced == pytest.approx([101.0, 102.0, 103.0], abs=0.02)
    writer.close()
    assert len(synced) == 4

    def broken(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("surefoot.recording.mcap_file.os.fdatasync", broken)
    writer = BagWriter(tmp_path / "broken", WriterSettings(keep_free=0))
    now[0] += 2.0
    writer.tend()
    writer._syncing.wait()
    now[0] += 2.0
    with pytest.raises(RecordingStopped, match="Input/output error"):
        writer.tend()


def test_a_disk_that_does_not_answer_keeps_no_message_in_the_process(
    tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, answers, asked = [100.0], threading.Event(), threading.Event()
    monkeypatch.setattr("surefoot.recording.writer.time.monotonic", lambda: now[0])
    writer = BagWriter(tmp_path / "bag", WriterSettings(split_bytes=4000, keep_free=0))
    # Whoever writes is never the one who waits, neither for messages nor for what a split says of them.
    waits = set()

    def hangs(descriptor: int) -> None:
        waits.add(threading.current_thread().name)
        asked.set()
        answers.wait()

    monkeypatch.setattr("surefoot.recording.syncing.os.fdatasync", hangs)
    monkeypatch.setattr("surefoot.recording.metadata.os.fsync", hangs)
    writer.add_topic(vector_topic)
    try:
        for k in range(400):
            now[0] = 100.0 + 0.01 * k
            writer.write(RawMessage(vector_topic.name, vector_topic.type, vector_bytes(float(k)), k, k))
            writer.tend()
        # A busy machine may give the thread its first turn late.
        assert asked.wait(120.0)
        assert waits == {"disk"}
        # As a kill would leave it.
        killed = Bag(tmp_path / "bag")
        assert len(killed.files) > 2
        assert killed.counts["/vector"] > 400 - 25
    finally:
        answers.set()
    writer.close()
    closed = Bag(tmp_path / "bag")
    assert (closed.counts["/vector"], closed.problems, writer.stopped) == (400, [], CLOSED)


def no_answer(descriptor: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize("split_bytes", [1 << 30, 2000])
@pytest.mark.parametrize("when", ["before the end", "at the end"])
def test_a_bag_that_the_disk_did_not_keep_is_not_called_complete(
    tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch, split_bytes: int, when: str
) -> None:
    sync = os.fdatasync
    writer = BagWriter(tmp_path / "bag", WriterSettings(chunk_bytes=500, split_bytes=split_bytes, keep_free=0))
    writer.add_topic(vector_topic)
    if when == "before the end":
        monkeypatch.setattr("surefoot.recording.syncing.os.fdatasync", no_answer)
    for k in range(100):
        writer.write(RawMessage(vector_topic.name, vector_topic.type, vector_bytes(float(k)), k, k))
    writer._file.sync(writer._syncing)
    writer._syncing.wait()
    # The system tells such an error once.
    monkeypatch.setattr("surefoot.recording.syncing.os.fdatasync", no_answer if when == "at the end" else sync)
    with pytest.raises(RecordingStopped, match="Input/output error"):
        writer.close()
    writer.close()
    assert "Input/output error" in writer.stopped
    bag = Bag(tmp_path / "bag")
    assert bag.problems == ["the recorder did not come to its end"]
    assert bag.counts["/vector"] == 100
    repair(tmp_path / "bag")
    assert Bag(tmp_path / "bag").problems == []


def test_a_description_that_the_disk_does_not_take_is_told(tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "gone", SMALL)
    shutil.rmtree(tmp_path / "gone")
    with pytest.raises(RecordingStopped, match="No such file or directory"):
        writer.close()


def test_no_thread_is_left_behind(write_bag: Callable[..., Path]) -> None:
    before = set(threading.enumerate())
    write_bag(settings=SMALL)
    assert "disk" not in {thread.name for thread in set(threading.enumerate()) - before}


@pytest.mark.parametrize("distribution", ["jazzy", None])
def test_the_distribution_is_that_of_the_recorder(
    write_bag: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, distribution: str | None
) -> None:
    monkeypatch.delenv("ROS_DISTRO", raising=False)
    if distribution:
        monkeypatch.setenv("ROS_DISTRO", distribution)
    information = read_metadata(write_bag())
    assert information is not None
    assert information["ros_distro"] == (distribution or "unknown")


def test_attachments_come_back(write_bag: Callable[..., Path], tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "with", SMALL)
    writer.attach("robot.urdf", "application/xml", b"<robot/>", 5)
    writer.close()
    assert Bag(tmp_path / "with").attachments == {"robot.urdf": b"<robot/>"}
