# SPDX-License-Identifier: Apache-2.0
"""Topics as tables of columns, for other programs and for plots."""

import csv
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.recording.decoder import Decoder
from surefoot.recording.errors import BagError
from surefoot.recording.fields import Flattener, Row
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.stamps import has_header, stamp_of
from surefoot.recording.timeline import clock_topic, with_time

LOG_TIME, STAMP = "log_time", "stamp"
"""Columns that every table has, s: when it was recorded, from the beginning of the bag; of the sample, NaN where the type has none."""


def rows(bag: Bag, topic: str) -> Iterator[Row]:
    """The messages of a topic as flat rows, the two times in front.

    Raises:
        UnknownNameError: the bag has no such topic.
        BagError: its type cannot be decoded.
    """
    known = topic_of(bag, topic)
    decoder, stamped, flattener = Decoder(), has_header(known.definition), Flattener((LOG_TIME, STAMP))
    for message in bag.messages((topic,)):
        stamp = stamp_of(message.data) / SECOND if stamped else float("nan")
        yield flattener.row(decoder.decode(known, message.data), ((message.log_time - bag.start) / SECOND, stamp))


def topic_of(bag: Bag, topic: str) -> Any:
    """A topic of a bag by name. Raises UnknownNameError."""
    if topic not in bag.topics:
        raise UnknownNameError("topic of the bag", topic, bag.topics)
    return bag.topics[topic]


def columns(table: Iterable[Row]) -> dict[str, list[Any]]:
    """Rows as columns; what a row does not have is None."""
    result: dict[str, list[Any]] = {}
    count = 0
    for paths, alike in groupby(table, lambda row: row.paths):
        together = list(zip(*(row.values for row in alike), strict=True))
        for path, values in dict(zip(paths, together, strict=True)).items():
            column = result.setdefault(path, [])
            column.extend([None] * (count - len(column)))
            column.extend(values)
        count += len(together[0]) if together else 0
    for column in result.values():
        column.extend([None] * (count - len(column)))
    return result


def series(bag: Bag, path: str, start: float = 0.0, stop: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of one field, (n,), on the clock of the samples: a simulation in lockstep is drawn as the robot moved.

    Args:
        bag: to read.
        path: topic and field, such as /imu.angular_velocity.x.
        start, stop: s from the first sample of the bag, as the times are.

    Raises:
        UnknownNameError: there is no such topic or field.
        BagError: the field is not a number.
    """
    topic = max((name for name in bag.topics if path == name or path.startswith(f"{name}.")), key=len, default="")
    if not topic:
        raise UnknownNameError("topic of the bag", path.split(".")[0], bag.topics)
    field, times, values = path[len(topic) + 1 :], [], []
    places: dict[tuple[str, ...], dict[str, int]] = {}
    for time, row in _timed(bag, topic):
        if row.paths not in places:
            places[row.paths] = {name: place for place, name in enumerate(row.paths)}
        place = places[row.paths].get(field)
        if place is not None and (start <= 0.0 or time >= start) and (stop is None or time < stop):
            times.append(time)
            values.append(row.values[place])
    if not any(field in known for known in places.values()):
        raise UnknownNameError(f"field of {topic}", field, {name for paths in places for name in paths})
    if values and isinstance(values[0], str):
        raise BagError(f"{path} is text and has no curve")
    return np.array(times, dtype=float), np.array(values, dtype=float)


def _timed(bag: Bag, topic: str) -> Iterator[tuple[float, Row]]:
    """The messages of a topic as flat rows, each with the time of its sample, s from the first one of the bag."""
    known, clock = topic_of(bag, topic), clock_topic(bag)
    begin: int | None = None
    decoder, stamped, flattener = Decoder(), has_header(known.definition), Flattener(())
    for newest, message in with_time(bag.messages({topic, clock} - {""}), clock):
        begin = newest if begin is None else begin
        if message.topic == topic:
            # What has no stamp of its own is of the newest sample.
            time = (stamp_of(message.data) if stamped else 0) or newest
            yield (time - begin) / SECOND, flattener.row(decoder.decode(known, message.data), ())


def export(bag: Bag, topics: Iterable[str], folder: Path, form: str) -> list[Path]:
    """Write one file for each topic.

    Args:
        bag: to read.
        topics: that are wanted.
        folder: where to; it is made.
        form: csv or parquet.

    Returns:
        The files.

    Raises:
        ConfigurationError: another form, or Parquet where pyarrow is not installed.
        BagError: nothing can be written there.
    """
    writers = {"csv": _write_csv, "parquet": _write_parquet}
    if form not in writers:
        raise UnknownNameError("form", form, writers)
    files = []
    for topic in topics:
        topic_of(bag, topic)
        file = folder / f"{topic.strip('/').replace('/', '__')}.{form}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            writers[form](file, columns(rows(bag, topic)))
        except OSError as error:
            raise BagError(f"{file} cannot be written: {error.strerror}") from error
        files.append(file)
    return files


def _write_csv(file: Path, table: dict[str, list[Any]]) -> None:
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def _write_parquet(file: Path, table: dict[str, list[Any]]) -> None:
    try:
        from pyarrow import parquet
        from pyarrow import table as make_table
    except ImportError as error:
        how = f"{sys.executable} -m pip install pyarrow"
        raise ConfigurationError(f"Parquet needs pyarrow, which is not installed here. Add it ({how}), or export as csv") from error
    parquet.write_table(make_table(table), file)
