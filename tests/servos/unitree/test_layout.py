# SPDX-License-Identifier: Apache-2.0
import re
import struct
from dataclasses import dataclass
from types import new_class

import numpy as np
import pytest

from surefoot.servos.unitree.layout import LOW_COMMAND, LOW_STATE, checksum, checksum_of, empty_command


def test_the_structures_are_as_long_as_those_of_the_maker() -> None:
    assert (LOW_COMMAND.itemsize, LOW_STATE.itemsize) == (812, 1180)
    assert LOW_COMMAND.fields["motor_cmd"][1] == 24
    assert LOW_COMMAND.fields["crc"][1] == 808


def test_members_lie_where_a_c_compiler_puts_them() -> None:
    record = empty_command()
    record["motor_cmd"]["tau"][3] = 1.5
    record["gpio"] = 7
    raw = record.tobytes()
    assert raw[:3] == b"\xfe\xef\xff"
    assert struct.unpack_from("<B3x5f", raw, 24 + 3 * 36) == (1, np.float32(2.146e9), 16000.0, 1.5, 0.0, 0.0)
    assert raw[802] == 7


def test_the_checksum_is_the_known_one() -> None:
    # CRC-32/MPEG-2 of the digits one to nine is 0376e6e7; words are taken most significant byte first, and "1234" "5678" are two.
    assert checksum(np.frombuffer(b"43218765", dtype="<u4")) == _by_bytes(b"12345678")
    assert _by_bytes(b"123456789") == 0x0376E6E7
    record = empty_command()
    before = checksum_of(record)
    record["crc"] = 99
    assert checksum_of(record) == before
    record["motor_cmd"]["kp"][0] = 1.0
    assert checksum_of(record) != before


def _by_bytes(data: bytes) -> int:
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte << 24
        for _ in range(8):
            remainder = ((remainder << 1) ^ (0x04C11DB7 if remainder >> 31 else 0)) & 0xFFFFFFFF
    return remainder


# As the maker's headers declare them (unitree_sdk2, include/unitree/idl/go2), in their C++ names.
MAKERS = {
    "LowState_": "uint8_t head[2], uint8_t level_flag, uint8_t frame_reserve, uint32_t sn[2], uint32_t version[2], uint16_t bandwidth, "
    "IMUState_ imu_state, MotorState_ motor_state[20], BmsState_ bms_state, int16_t foot_force[4], int16_t foot_force_est[4], "
    "uint32_t tick, uint8_t wireless_remote[40], uint8_t bit_flag, float adc_reel, uint8_t temperature_ntc1, uint8_t temperature_ntc2, "
    "float power_v, float power_a, uint16_t fan_frequency[4], uint32_t reserve, uint32_t crc",
    "IMUState_": "float quaternion[4], float gyroscope[3], float accelerometer[3], float rpy[3], uint8_t temperature",
    "MotorState_": "uint8_t mode, float q, float dq, float ddq, float tau_est, float q_raw, float dq_raw, float ddq_raw, "
    "uint8_t temperature, uint32_t lost, uint32_t reserve[2]",
    "BmsState_": "uint8_t version_high, uint8_t version_low, uint8_t status, uint8_t soc, int32_t current, uint16_t cycle, "
    "uint8_t bq_ntc[2], uint8_t mcu_ntc[2], uint16_t cell_vol[15]",
    "LowCmd_": "uint8_t head[2], uint8_t level_flag, uint8_t frame_reserve, uint32_t sn[2], uint32_t version[2], uint16_t bandwidth, "
    "MotorCmd_ motor_cmd[20], BmsCmd_ bms_cmd, uint8_t wireless_remote[40], uint8_t led[12], uint8_t fan[2], uint8_t gpio, "
    "uint32_t reserve, uint32_t crc",
    "MotorCmd_": "uint8_t mode, float q, float dq, float tau, float kp, float kd, uint32_t reserve[3]",
    "BmsCmd_": "uint8_t off, uint8_t reserve[3]",
}
NUMBERS = {"uint8_t": "u1", "uint16_t": "u2", "int16_t": "i2", "uint32_t": "u4", "int32_t": "i4", "float": "f4"}


def members(name: str) -> list[tuple[str, str, int]]:
    """Type, name and length of each member; 0 for one that is no array."""
    return [
        (kind, found[1], int(found[2] or 0))
        for kind, rest in (one.split() for one in MAKERS[name].split(", "))
        if (found := re.fullmatch(r"(\w+?)(?:\[(\d+)\])?", rest)) is not None
    ]


def dtype_of(name: str) -> np.dtype:
    fields = [
        (member, NUMBERS[kind] if kind in NUMBERS else dtype_of(kind), *([length] if length else []))
        for kind, member, length in members(name)
    ]
    return np.dtype(fields, align=True)


@pytest.mark.parametrize(("name", "layout"), [("LowState_", LOW_STATE), ("LowCmd_", LOW_COMMAND)])
def test_every_number_has_the_type_of_the_maker(name: str, layout: np.dtype) -> None:
    assert dtype_of(name) == layout


def test_a_peer_with_types_of_its_own_takes_ours_for_the_same() -> None:
    pytest.importorskip("cyclonedds", reason="surefoot install unitree")
    from cyclonedds.idl import IdlStruct, annotations, types

    from surefoot.servos.unitree.messages import kinds

    numbers = {
        "uint8_t": types.uint8, "uint16_t": types.uint16, "int16_t": types.int16, "uint32_t": types.uint32, "int32_t": types.int32,
        "float": types.float32,
    }  # fmt: skip

    def type_of(name: str) -> type:
        annotated = {}
        for kind, member, length in members(name):
            one = numbers[kind] if kind in numbers else type_of(kind)
            annotated[member] = types.array[one, length] if length else one
        space = {"__annotations__": annotated, "__module__": __name__}
        made = new_class(name, (IdlStruct,), {"typename": f"unitree_go.msg.dds_.{name}"}, lambda body: body.update(space))
        return annotations.autoid("sequential")(annotations.final(dataclass(made)))  # type: ignore[no-any-return]

    for name, ours in zip(("LowCmd_", "LowState_"), kinds(), strict=True):
        theirs = type_of(name)
        ours.type.__idl__.populate()
        theirs.__idl__.populate()  # type: ignore[attr-defined]
        # What DDS compares before two ends talk to each other: a hash over the types of all members.
        assert ours.type.__idl__.get_type_id() == theirs.__idl__.get_type_id()  # type: ignore[attr-defined]
