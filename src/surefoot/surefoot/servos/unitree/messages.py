# SPDX-License-Identifier: Apache-2.0
"""The same messages as DDS types, and a wire that carries them; needs cyclonedds (`surefoot install unitree`)."""

from dataclasses import dataclass
from types import new_class
from typing import Any

import numpy as np

from surefoot.errors import ConfigurationError
from surefoot.servos.unitree.layout import LOW_COMMAND, LOW_STATE, Record

COMMANDS, STATES = "rt/lowcmd", "rt/lowstate"

_NAMES = {"motor_cmd": "MotorCmd_", "bms_cmd": "BmsCmd_", "imu_state": "IMUState_", "motor_state": "MotorState_", "bms_state": "BmsState_"}


@dataclass(frozen=True)
class Kind:
    """A structure of the messages as a DDS type.

    Attributes:
        layout: of its record.
        type: class of cyclonedds.
        inner: the structures inside of it, by the name of the member.
    """

    layout: np.dtype[Any]
    type: type
    inner: "dict[str, Kind]"


def kinds() -> tuple[Kind, Kind]:
    """The types of commands and states. Raises ConfigurationError where cyclonedds is not installed."""
    try:
        from cyclonedds.idl import IdlStruct, annotations, types
    except ImportError as error:
        raise ConfigurationError(f"the bus 'unitree' needs cyclonedds ({error}); add it with: surefoot install unitree") from error

    numbers: dict[str, Any] = {
        "u1": types.uint8, "i1": types.int8, "u2": types.uint16, "i2": types.int16, "u4": types.uint32, "i4": types.int32,
        "f4": types.float32,
    }  # fmt: skip

    def made(name: str, layout: np.dtype[Any]) -> Kind:
        members: dict[str, Any] = {}
        inner: dict[str, Kind] = {}
        for key in layout.names or ():
            base, shape = layout[key].subdtype or (layout[key], ())
            if base.names:
                inner[key] = made(_NAMES[key], base)
            member = inner[key].type if base.names else numbers[base.str[-2:]]
            members[key] = types.array[member, shape[0]] if shape else member
        body = {"__annotations__": members, "__module__": __name__}
        kind: Any = dataclass(new_class(name, (IdlStruct,), {"typename": f"unitree_go.msg.dds_.{name}"}, lambda space: space.update(body)))
        return Kind(layout, annotations.autoid("sequential")(annotations.final(kind)), inner)

    return made("LowCmd_", LOW_COMMAND), made("LowState_", LOW_STATE)


def message_of(record: Record, kind: Kind) -> Any:
    """A message of a record, or of a part of one."""
    values = []
    for name in kind.layout.names or ():
        value = record[name]
        if name not in kind.inner:
            values.append(value.tolist())
        elif value.shape:
            values.append([message_of(one, kind.inner[name]) for one in value])
        else:
            values.append(message_of(value, kind.inner[name]))
    return kind.type(*values)


def record_of(message: Any, kind: Kind) -> Record:
    """A record of a message."""
    record = np.zeros((), dtype=kind.layout)
    _fill(record, message, kind)
    return record


def _fill(record: Any, message: Any, kind: Kind) -> None:
    for name in kind.layout.names or ():
        value = getattr(message, name)
        if name not in kind.inner:
            record[name] = list(value) if isinstance(value, bytes) else value
        elif record[name].shape:
            for place, one in enumerate(value):
                _fill(record[name][place], one, kind.inner[name])
        else:
            _fill(record[name], value, kind.inner[name])


class DdsWire:
    """Sends one kind of message and receives another.

    Args:
        domain: of DDS.
        configuration: XML of Cyclone DDS, such as one that names the network interface; empty: as it is set outside.
        robot_side: whether this end is the robot's.
    """

    def __init__(self, domain: int, configuration: str = "", robot_side: bool = False) -> None:
        commands, states = kinds()
        from cyclonedds.core import Qos
        from cyclonedds.domain import Domain, DomainParticipant
        from cyclonedds.pub import DataWriter
        from cyclonedds.sub import DataReader
        from cyclonedds.topic import Topic

        self._domain = Domain(domain, configuration) if configuration else None
        participant = DomainParticipant(domain)
        quality = Qos()
        there, back = (states, commands) if robot_side else (commands, states)
        out, into = (STATES, COMMANDS) if robot_side else (COMMANDS, STATES)
        self._sent, self._received = there, back
        self._writer = DataWriter(participant, Topic(participant, out, there.type, qos=quality))
        self._reader = DataReader(participant, Topic(participant, into, back.type, qos=quality))
        self._keep: list[Any] = [participant]

    def send(self, record: Record) -> None:
        """Send a record."""
        self._writer.write(message_of(record, self._sent))

    def receive(self) -> Record | None:
        """The newest record that came since the last call; None where none did."""
        newest = None
        for sample in self._reader.take(N=64):
            if hasattr(sample, self._received.layout.names[0]):  # type: ignore[index]
                newest = sample
        return None if newest is None else record_of(newest, self._received)

    def close(self) -> None:
        """Leave the domain."""
        self._keep.clear()
        del self._writer, self._reader
