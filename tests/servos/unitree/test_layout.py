# SPDX-License-Identifier: Apache-2.0
import struct

import numpy as np

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
