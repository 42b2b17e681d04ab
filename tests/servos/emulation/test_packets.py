# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from dynamixel_sdk import Protocol2PacketHandler

from surefoot.servos.emulation.packets import PING, READ, Instruction, crc16, status_packet, take_instruction

PING_SERVO_1 = bytes.fromhex("ff ff fd 00 01 03 00 01 19 4e")
"""The example of the protocol's description."""


def test_the_checksum_is_that_of_the_description_and_of_the_makers_library() -> None:
    assert crc16(PING_SERVO_1[:-2]) == 0x4E19
    generator, handler = np.random.default_rng(1), Protocol2PacketHandler()
    for length in range(1, 60):
        data = generator.bytes(length)
        assert crc16(data) == handler.updateCRC(0, data, length)


def test_instructions_are_found_in_what_comes() -> None:
    first = bytes.fromhex("ff ff 01 04 02 24 08 cc")  # protocol 1: read 8 bytes from 36 of servo 1
    buffer = bytearray(b"\xff\x00\xff" + PING_SERVO_1 + first + PING_SERVO_1[:6])
    assert take_instruction(buffer) == Instruction(2, 1, PING, b"", 10)
    assert take_instruction(buffer) == Instruction(1, 1, READ, b"\x24\x08", 8)
    assert take_instruction(buffer) is None
    buffer += PING_SERVO_1[6:]
    assert take_instruction(buffer) is not None


def test_a_spoilt_instruction_is_none() -> None:
    for place in range(len(PING_SERVO_1)):
        spoilt = bytearray(PING_SERVO_1)
        spoilt[place] ^= 0x10
        assert take_instruction(spoilt) is None


def test_random_bytes_are_no_instruction_and_never_stop_it() -> None:
    generator = np.random.default_rng(2)
    buffer = bytearray()
    for _ in range(300):
        buffer += generator.choice(np.array((0xFF, 0xFD, 0x00, 0x01, 0x55), dtype=np.uint8), 40).tobytes()
        while take_instruction(buffer) is not None:
            pass
        assert len(buffer) < 1300


@pytest.mark.parametrize("data", [b"", b"\x01", b"\xff\xff\xfd", b"\xff\xff\xfd\xff\xff\xfd\x00"])
def test_a_header_inside_of_a_packet_is_stuffed(data: bytes) -> None:
    packet = status_packet(2, 5, 0, data)
    assert packet.count(b"\xff\xff\xfd\x00") == 1
    assert crc16(packet[:-2]) == int.from_bytes(packet[-2:], "little")
