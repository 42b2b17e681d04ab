# SPDX-License-Identifier: Apache-2.0
"""Messages as rows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.recording.decoder import Decoder
from surefoot.recording.definitions import definition_of
from surefoot.recording.fields import Flattener, Row, differing, flat
from surefoot.recording.reader import Bag
from surefoot.recording.table import columns, export, rows, series
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings


@dataclass
class Inner:
    x: float = 1.5
    tags: list[str] = field(default_factory=lambda: ["p", "q"])


@dataclass
class Outer:
    name: list[str] = field(default_factory=lambda: ["hip", "knee"])
    position: np.ndarray = field(default_factory=lambda: np.array([0.1, 0.2]))
    velocity: np.ndarray = field(default_factory=lambda: np.array([]))
    foot_names: list[str] = field(default_factory=lambda: ["LF", "RF"])
    foot_force: np.ndarray = field(default_factory=lambda: np.arange(6.0))
    covariance: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inner: Inner = field(default_factory=Inner)
    more: list[Inner] = field(default_factory=list)


def test_values_beside_names_are_called_by_them() -> None:
    row = flat(Outer())
    assert row["position.hip"] == 0.1
    assert row["position.knee"] == 0.2
    assert row["foot_force.RF.1"] == 4.0
    assert row["covariance[2]"] == 0.0
    assert row["inner.x"] == 1.5
    assert row["inner.tags[1]"] == "q"
    assert not any(name.startswith("velocity") for name in row)


def test_the_only_names_are_those_of_values_that_are_as_many() -> None:
    @dataclass
    class Command:
        joint_names: list[str] = field(default_factory=lambda: ["hip", "knee"])
        effort: np.ndarray = field(default_factory=lambda: np.array([1.0, 2.0]))
        matrix: np.ndarray = field(default_factory=lambda: np.zeros(4))

    assert flat(Command())["effort.knee"] == 2.0
    assert flat(Command())["matrix[3]"] == 0.0


def random_message(random: np.random.Generator) -> Outer:
    names = [str(name) for name in random.choice(["hip", "knee", "hip", "ankle"], random.integers(0, 4))]
    inner = Inner(float(random.normal()), [str(tag) for tag in random.choice(["p", "q"], random.integers(0, 3))])
    message = Outer(names, random.normal(size=random.integers(0, 4)), random.normal(size=random.integers(0, 3)), inner=inner)
    message.foot_names, message.covariance = ["LF", "RF"][: random.integers(0, 3)], random.normal(size=3)
    # A list of messages, and a number of NumPy where one of Python is usual.
    message.more = [Inner(np.float64(k), ["p"] * random.integers(0, 2)) for k in range(random.integers(0, 3))]
    return message


def test_rows_are_flat_messages_however_these_are_built() -> None:
    flattener, random = Flattener(("before",)), np.random.default_rng(3)
    for k in range(300):
        message = random_message(random)
        row = flattener.row(message, (k,))
        expected = {"before": k} | flat(message)
        assert dict(zip(row.paths, row.values, strict=True)) == expected
        assert list(row.paths) == list(expected)
        assert [type(value) for value in row.values] == [type(value) for value in expected.values()]


def test_two_nan_are_the_same_and_a_missing_value_is_none() -> None:
    nan = float("nan")
    assert list(differing({"a": nan, "b": 1.0, "c": 2.0}, {"a": nan, "b": 1.5, "d": 3.0})) == [
        ("b", 1.0, 1.5), ("c", 2.0, None), ("d", None, 3.0),
    ]  # fmt: skip


def test_a_field_is_a_curve(write_stamped: Callable[..., Path]) -> None:
    bag = Bag(write_stamped("bag", [(0.1 * k, (float(k), -1.0)) for k in range(10)]))
    times, values = series(bag, "/stamped.joint_position.a")
    np.testing.assert_allclose(values, np.arange(10.0))
    np.testing.assert_allclose(times, 0.1 * np.arange(10), atol=1e-9)
    with pytest.raises(UnknownNameError, match=r"did you mean 'joint_position"):
        series(bag, "/stamped.joint_position.c")
    with pytest.raises(UnknownNameError, match="/stamped"):
        series(bag, "/stampd.x")


def test_rows_of_different_width_fit_into_columns() -> None:
    table = [Row(("a",), [1.0]), Row(("a", "b"), [2.0, 3.0]), Row(("a", "b"), [4.0, 5.0]), Row(("b",), [6.0])]
    assert columns(table) == {"a": [1.0, 2.0, 4.0, None], "b": [None, 3.0, 5.0, 6.0]}
    assert columns([]) == {}


def test_tables_for_other_programs(write_stamped: Callable[..., Path], tmp_path: Path) -> None:
    bag = Bag(write_stamped("bag", [(0.5, (1.0, 2.0)), (0.75, (3.0, 4.0))]))
    assert [row.values[row.paths.index("stamp")] for row in rows(bag, "/stamped")] == [0.5, 0.75]
    (file,) = export(bag, ["/stamped"], tmp_path / "out", "csv")
    lines = file.read_text().splitlines()
    assert file.name == "stamped.csv"
    assert lines[0].split(",")[:2] == ["log_time", "stamp"]
    assert lines[2].endswith("3.0,4.0")
    with pytest.raises(UnknownNameError, match="csv, parquet"):
        export(bag, ["/stamped"], tmp_path, "xls")


def test_parquet_is_written_or_what_it_needs_is_said(write_stamped: Callable[..., Path], tmp_path: Path) -> None:
    bag = Bag(write_stamped("bag", [(0.5, (1.0, 2.0))]))
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        with pytest.raises(ConfigurationError, match="pip install pyarrow"):
            export(bag, ["/stamped"], tmp_path, "parquet")
    else:
        (file,) = export(bag, ["/stamped"], tmp_path, "parquet")
        assert parquet.read_table(file)["joint_position.b"].to_pylist() == [2.0]


def test_a_curve_goes_by_the_clock_of_the_samples(tmp_path: Path) -> None:
    """A recorder that needs three seconds for each second of the robot, and a topic without stamps."""
    writer = BagWriter(tmp_path / "bag", WriterSettings(keep_free=0))
    types = {"/joint_states": "sensor_msgs/msg/JointState", "/said": "std_msgs/msg/Float64"}
    topics = {name: Topic(name, kind, *definition_of(kind)) for name, kind in types.items()}
    for topic in topics.values():
        writer.add_topic(topic)
    for k in range(10):
        states, said = JointState(position=[0.5 * k]), Float64(data=float(k))
        states.header.stamp.sec, states.header.stamp.nanosec = divmod(7_000_000_000 + k * 100_000_000, 1_000_000_000)
        for name, message, later in (("/joint_states", states, 0), ("/said", said, 1_000)):
            time = 10**18 + k * 300_000_000 + later
            data = Decoder().trimmed(topics[name], serialize_message(message))
            writer.write(RawMessage(name, types[name], data, time, time))
    writer.close()
    bag = Bag(tmp_path / "bag")
    for path, scale in (("/joint_states.position[0]", 0.5), ("/said.data", 1.0)):
        times, values = series(bag, path)
        np.testing.assert_allclose(times, 0.1 * np.arange(10), atol=1e-9)
        np.testing.assert_allclose(values, scale * np.arange(10))
        times, values = series(bag, path, 0.25, 0.55)
        np.testing.assert_allclose(values, scale * np.arange(3, 6))
