# SPDX-License-Identifier: Apache-2.0
"""Packets of the two Dynamixel protocols, as a servo sees them [ROBOTIS e-Manual, Protocol 1.0 and 2.0].

Written from the protocol's description, so that it checks the maker's library instead of agreeing with it by construction.
"""

from dataclasses import dataclass

PING, READ, WRITE, REBOOT, SYNC_READ, SYNC_WRITE, BULK_READ, BULK_WRITE, STATUS = 1, 2, 3, 8, 0x82, 0x83, 0x92, 0x93, 0x55
BROADCAST = 0xFE
INSTRUCTION_ERROR, CHECKSUM_ERROR, RANGE_ERROR, ACCESS_ERROR = 2, 3, 4, 7
ALERT = 0x80
"""Bit of the error byte of Protocol 2: something is written in the hardware error status."""

HEADER_1, HEADER_2 = b"\xff\xff", b"\xff\xff\xfd\x00"
POLYNOMIAL = 0x8005


def crc16(data: bytes) -> int:
    """CRC-16 of Protocol 2: polynomial 0x8005, start 0, no reflection."""
    remainder = 0
    for byte in data:
        remainder ^= byte << 8
        for _ in range(8):
            remainder = ((remainder << 1) ^ POLYNOMIAL if remainder & 0x8000 else remainder << 1) & 0xFFFF
    return remainder


@dataclass(frozen=True)
class Instruction:
    """What was asked for.

    Attributes:
        protocol: 1 or 2.
        identity: of the servo, or BROADCAST.
        code: one of those above.
        parameters: what follows it, without stuffing.
        length: bytes on the wire.
    """

    protocol: int
    identity: int
    code: int
    parameters: bytes
    length: int


def take_instruction(buffer: bytearray) -> Instruction | None:
    """Take the first whole and sound instruction out of what has come, dropping what cannot be one; None where more has to come."""
    while True:
        start = buffer.find(HEADER_1)
        if start < 0:
            del buffer[: max(0, len(buffer) - 1)]
            return None
        del buffer[:start]
        if len(buffer) < 4:
            return None
        second = buffer[:4] == HEADER_2
        if second and len(buffer) < 7:
            return None
        length = 7 + int.from_bytes(buffer[5:7], "little") if second else 4 + buffer[3]
        if length > 1200 or (second and length < 10) or (not second and (length < 6 or buffer[2] == 0xFF)):
            del buffer[:1]
            continue
        if len(buffer) < length:
            return None
        packet = bytes(buffer[:length])
        found = _second(packet) if second else _first(packet)
        if found is None:
            del buffer[:1]
            continue
        del buffer[:length]
        return found


def _second(packet: bytes) -> Instruction | None:
    if crc16(packet[:-2]) != int.from_bytes(packet[-2:], "little"):
        return None
    return Instruction(2, packet[4], packet[7], packet[8:-2].replace(b"\xff\xff\xfd\xfd", b"\xff\xff\xfd"), len(packet))


def _first(packet: bytes) -> Instruction | None:
    if ~sum(packet[2:-1]) & 0xFF != packet[-1]:
        return None
    return Instruction(1, packet[2], packet[4], packet[5:-1], len(packet))


def status_packet(protocol: int, identity: int, error: int, parameters: bytes = b"") -> bytes:
    """What a servo answers."""
    if protocol == 1:
        body = bytes((identity, len(parameters) + 2, error)) + parameters
        return HEADER_1 + body + bytes((~sum(body) & 0xFF,))
    stuffed = (bytes((STATUS, error)) + parameters).replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")
    packet = HEADER_2 + bytes((identity,)) + (len(stuffed) + 2).to_bytes(2, "little") + stuffed
    return packet + crc16(packet).to_bytes(2, "little")
