# SPDX-License-Identifier: Apache-2.0
"""A serial line that is not there, on a pseudo terminal: Dynamixel servos on its far end, and mischief on the way."""

import os
import select
import termios
import threading
import time
import tty
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from surefoot.servos.emulation.packets import (
    BROADCAST,
    BULK_READ,
    BULK_WRITE,
    PING,
    SYNC_READ,
    SYNC_WRITE,
    Instruction,
    take_instruction,
)
from surefoot.servos.emulation.servo import EmulatedServo

BITS_PER_BYTE = 10
SPEEDS = {getattr(termios, name): int(name[1:]) for name in dir(termios) if name[0] == "B" and name[1:].isdigit()}
SPIN = 2e-4
"""s before a moment from which it is waited for without sleeping."""


@dataclass
class Mischief:
    """What the line does to replies; may be changed at any time.

    Attributes:
        lost, corrupted, halved: probability for each reply that it never comes, comes with a byte changed, or only its first half.
        noise: probability that garbage comes before a reply.
        late: further delay of each reply, s.
        deaf: probability that an instruction is not heard.
        deaf_for: how many of the next instructions are not heard.
    """

    lost: float = 0.0
    corrupted: float = 0.0
    halved: float = 0.0
    noise: float = 0.0
    late: float = 0.0
    deaf: float = 0.0
    deaf_for: int = 0
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def swallows(self) -> bool:
        """Whether the next instruction is lost on its way."""
        if self.deaf_for > 0:
            self.deaf_for -= 1
            return True
        return bool(self.deaf and self.generator.random() < self.deaf)

    def upon(self, packet: bytes) -> bytes:
        """What becomes of a reply on its way."""
        draw = self.generator.random
        if draw() < self.lost:
            return b""
        if draw() < self.corrupted:
            place = int(self.generator.integers(len(packet)))
            packet = packet[:place] + bytes((packet[place] ^ int(self.generator.integers(1, 256)),)) + packet[place + 1 :]
        if draw() < self.halved:
            packet = packet[: len(packet) // 2]
        if draw() < self.noise:
            packet = self.generator.bytes(5) + packet
        return packet


class EmulatedLine:
    """Servos behind a pseudo terminal, served by a thread. To be closed.

    Args:
        servos: on the line.
        timed: whether bytes take the time that they take at the baud rate of the host, and servos their return delay.

    Attributes:
        name: of the device that the host opens.
        mischief: see there.
        instructions: how many were heard.
    """

    def __init__(self, servos: Iterable[EmulatedServo], timed: bool = False) -> None:
        self.servos, self.mischief, self.instructions = list(servos), Mischief(), 0
        self._timed, self._free_at, self._moved_at = timed, 0.0, time.monotonic()
        self._far, self._near = os.openpty()
        tty.setraw(self._near)
        self.name = os.ttyname(self._near)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def servo(self, identity: int) -> EmulatedServo:
        """The servo of an identity."""
        return next(servo for servo in self.servos if servo.identity == identity)

    def close(self) -> None:
        """Pull the plug."""
        if not self._over.is_set():
            self._over.set()
            self._thread.join()
            os.close(self._far)
            os.close(self._near)

    def _serve(self) -> None:
        buffer = bytearray()
        while not self._over.is_set():
            if select.select([self._far], [], [], 0.02)[0]:
                try:
                    buffer += os.read(self._far, 4096)
                except OSError:
                    return
                while (asked := take_instruction(buffer)) is not None:
                    self._obey(asked)

    def _obey(self, asked: Instruction) -> None:
        baud_rate = SPEEDS.get(termios.tcgetattr(self._near)[5], 0)
        seconds_per_byte = BITS_PER_BYTE / max(baud_rate, 1) if self._timed else 0.0
        now = time.monotonic()
        moment = max(now, self._free_at) + asked.length * seconds_per_byte
        self.instructions += 1
        for servo in self.servos:
            servo.advance(now - self._moved_at)
        self._moved_at = now
        listening = [
            servo for servo in self.servos if not servo.gone and servo.baud_rate == baud_rate and servo.table.protocol == asked.protocol
        ]
        if self.mischief.swallows():
            listening = []
        for servo, reply in self._replies(asked, listening):
            moment += (servo.return_delay if self._timed else 0.0) + len(reply) * seconds_per_byte + self.mischief.late
            sent = self.mischief.upon(reply)
            self._wait_until(moment)
            if sent:
                os.write(self._far, sent)
        self._free_at = moment

    def _replies(self, asked: Instruction, listening: list[EmulatedServo]) -> list[tuple[EmulatedServo, bytes]]:
        by_identity = {servo.identity: servo for servo in listening}
        if asked.code == SYNC_READ:
            start, length = int.from_bytes(asked.parameters[:2], "little"), int.from_bytes(asked.parameters[2:4], "little")
            return self._in_turn([(identity, start, length) for identity in asked.parameters[4:]], by_identity)
        if asked.code == BULK_READ:
            wanted = [asked.parameters[k : k + 5] for k in range(0, len(asked.parameters), 5)]
            return self._in_turn(
                [(one[0], int.from_bytes(one[1:3], "little"), int.from_bytes(one[3:5], "little")) for one in wanted], by_identity
            )
        if asked.code in (SYNC_WRITE, BULK_WRITE):
            for identity, start, data in _writes(asked):
                if identity in by_identity:
                    by_identity[identity].write(start, data)
            return []
        if asked.identity == BROADCAST:
            replies = [(servo, servo.answer(asked)) for servo in listening]
        else:
            replies = [(servo, servo.answer(asked)) for servo in listening if servo.identity == asked.identity]
        return [(servo, reply) for servo, reply in replies if reply is not None and (asked.identity != BROADCAST or asked.code == PING)]

    @staticmethod
    def _in_turn(wanted: list[tuple[int, int, int]], servos: dict[int, EmulatedServo]) -> list[tuple[EmulatedServo, bytes]]:
        """Each servo speaks after the one before it in the list: behind one that is silent, all are."""
        replies = []
        for identity, start, length in wanted:
            if identity not in servos:
                break
            replies.append((servos[identity], servos[identity].report(start, length)))
        return replies

    def _wait_until(self, moment: float) -> None:
        left = moment - time.monotonic()
        if left > SPIN:
            time.sleep(left - SPIN)
        while time.monotonic() < moment:
            pass


def _writes(asked: Instruction) -> list[tuple[int, int, bytes]]:
    given, found = asked.parameters, []
    if asked.code == SYNC_WRITE:
        width = asked.protocol
        start, length = int.from_bytes(given[:width], "little"), int.from_bytes(given[width : 2 * width], "little")
        for k in range(2 * width, len(given) - length, length + 1):
            found.append((given[k], start, given[k + 1 : k + 1 + length]))
        return found
    k = 0
    while k + 5 <= len(given):
        length = int.from_bytes(given[k + 3 : k + 5], "little")
        found.append((given[k], int.from_bytes(given[k + 1 : k + 3], "little"), given[k + 5 : k + 5 + length]))
        k += 5 + length
    return found
