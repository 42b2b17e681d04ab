# SPDX-License-Identifier: Apache-2.0
"""Handing over never waits, and what is lost is counted."""

import errno
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.recording.background import BackgroundWriter
from surefoot.recording.reader import Bag
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings


def message(topic: Topic, data: bytes, k: int) -> RawMessage:
    return RawMessage(topic.name, topic.type, data, 10**18 + k, 10**18 + k)


def test_everything_arrives_in_order(tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes]) -> None:
    background = BackgroundWriter(BagWriter(tmp_path / "bag", WriterSettings(keep_free=0)), print)
    background.add_topic(vector_topic)
    for k in range(2000):
        background.put(message(vector_topic, vector_bytes(float(k)), k))
    background.close()
    assert not background.lost
    times = [one.log_time - 10**18 for one in Bag(tmp_path / "bag").messages()]
    assert times == list(range(2000))


def test_a_disk_that_hangs_holds_nobody_up(tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes]) -> None:
    go_on = threading.Event()

    def hangs(folder: Path) -> int:
        go_on.wait(30.0)
        return 1 << 40

    writer = BagWriter(tmp_path / "bag", WriterSettings(chunk_bytes=100, keep_free=0), free_bytes=hangs)
    background = BackgroundWriter(writer, print, capacity=1000)
    background.add_topic(vector_topic)
    for k in range(500):
        background.put(message(vector_topic, vector_bytes(float(k)), k))
    assert background.lost["/vector"] > 400
    go_on.set()
    background.close()
    assert Bag(tmp_path / "bag").counts["/vector"] == 500 - background.lost["/vector"]


def test_the_end_of_the_disk_is_told_once_and_counted(tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes]) -> None:
    told: list[str] = []
    stopped = threading.Event()
    writer = BagWriter(tmp_path / "bag", WriterSettings(chunk_bytes=100, keep_free=10), free_bytes=lambda folder: 5)
    background = BackgroundWriter(writer, lambda reason: (told.append(reason), stopped.set()))  # type: ignore[arg-type, return-value]
    background.add_topic(vector_topic)
    background.put(message(vector_topic, vector_bytes(0.0) + bytes(200), 0))
    assert stopped.wait(30.0)
    background.put(message(vector_topic, vector_bytes(1.0), 1))
    background.close()
    assert len(told) == 1
    assert "are to be kept" in told[0]
    assert background.stopped == told[0]
    assert background.lost["/vector"] >= 1
    assert background.received["/vector"] - background.lost["/vector"] == Bag(tmp_path / "bag").counts["/vector"]


def test_an_end_that_the_disk_does_not_keep_is_told_once(
    tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def no_answer(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    background = BackgroundWriter(BagWriter(tmp_path / "bag", WriterSettings(keep_free=0)), told.append)
    monkeypatch.setattr("surefoot.recording.syncing.os.fdatasync", no_answer)
    background.add_topic(vector_topic)
    background.put(message(vector_topic, vector_bytes(0.0), 0))
    background.close()
    background.close()
    (words,) = told
    assert "Input/output error" in words
    assert background.stopped == words
    assert not background.lost


def dies(writer: BagWriter) -> None:
    def anything(topic: Topic) -> None:
        raise RuntimeError("a fault of ours")

    writer.add_topic = anything  # type: ignore[method-assign]


def vanishes(writer: BagWriter) -> None:
    shutil.rmtree(writer.folder)


@pytest.mark.parametrize(("harm", "words"), [(vanishes, "No such file or directory"), (dies, "RuntimeError: a fault of ours")])
def test_whatever_ends_the_thread_is_told_and_nothing_is_recorded_after(
    tmp_path: Path, vector_topic: Topic, vector_bytes: Callable[..., bytes], harm: Callable[[BagWriter], None], words: str
) -> None:
    told: list[str] = []
    stopped = threading.Event()
    writer = BagWriter(tmp_path / "bag", WriterSettings(chunk_bytes=100, keep_free=0))
    harm(writer)
    background = BackgroundWriter(writer, lambda reason: (told.append(reason), stopped.set()))  # type: ignore[arg-type, return-value]
    background.add_topic(vector_topic)
    for k in range(20):
        background.put(message(vector_topic, vector_bytes(float(k)), k))
    assert stopped.wait(30.0)
    assert words in told[0]
    assert background.stopped == told[0]
    for k in range(1000):
        background.add_topic(vector_topic)
        background.attach(f"{k}", "text/plain", b"x", k)
        background.put(message(vector_topic, vector_bytes(float(k)), k))
    assert not background._orders
    assert background.waiting == 0
    background.close()
    assert len(told) == 1
    assert background.received["/vector"] - background.lost["/vector"] == writer.written
