# SPDX-License-Identifier: Apache-2.0
"""Numbers of many servos read and written over one line, by the maker's library; whatever goes wrong is counted, and nothing raises."""

import termios
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dynamixel_sdk import BROADCAST_ID, COMM_RX_CORRUPT, COMM_RX_TIMEOUT, COMM_SUCCESS, Protocol1PacketHandler, Protocol2PacketHandler
from serial import SerialTimeoutException

from surefoot.servos.dynamixel.port import Port

IDENTITY, ERROR, PARAMETERS, CHECKSUM = 4, 8, 9, 2
"""Places in a status packet of Protocol 2, and the bytes at its end."""

BROKEN = (OSError, termios.error, IndexError, TypeError, ValueError)
"""What the maker's library and the port raise on a line that is gone or a packet that only looks like one."""

OVERHEAD = {1: 6, 2: 11}
"""Bytes of a status packet beside its data, by protocol."""


REFUSALS = {
    1: "it could not do it", 2: "it does not know the instruction", 4: "the value is out of the range",
    5: "the value has not the length that it wants", 6: "the value is beyond a limit that is written in it",
    7: "that cannot be written now: it is read only, or locked by the torque",
}  # fmt: skip
"""Of the lower seven bits of the error byte in Protocol 2, which are a number [e-Manual, Protocol 2.0, status packet]."""

REFUSAL_BITS = {1: "the value is beyond its angle limits", 3: "the value is out of the range", 6: "it does not know the instruction"}
"""Bits of the error byte in Protocol 1 that are about the instruction; the others are about the servo itself."""

CHECKSUM_NUMBER, CHECKSUM_BIT = 3, 4
"""In Protocol 2 and in Protocol 1: the instruction came damaged, which is the fault of the line."""

UNSENT = "instructions_unsent"
"""The counter of those that did not leave, or not whole."""

NO_ANSWER, MISHEARD = "it does not answer", "it heard a wrong checksum"
LOST_ON_THE_WAY = (NO_ANSWER, MISHEARD)
"""Reasons which say nothing against the instruction itself: the same one may succeed at the next try."""


def refusal_of(protocol: int, error: int) -> str:
    """What the error byte of a status packet says against the instruction that it answers to; empty for nothing."""
    if protocol == 1:
        return ", ".join(words for bit, words in REFUSAL_BITS.items() if error >> bit & 1)
    number = error & 0x7F
    return "" if number in (0, CHECKSUM_NUMBER) else REFUSALS.get(number, f"error {number}")


def misheard(protocol: int, error: int) -> bool:
    """Whether the error byte of a status packet says that the instruction came damaged."""
    return bool(error >> CHECKSUM_BIT & 1) if protocol == 1 else error & 0x7F == CHECKSUM_NUMBER


class Stretch(NamedTuple):
    """Neighbouring bytes of a control table."""

    start: int
    length: int


class Reply(NamedTuple):
    """What a servo answered.

    Attributes:
        data: the bytes.
        error: its error byte.
    """

    data: bytes
    error: int


class Line:
    """One serial line.

    An answer says who gives it, and not to which question. So where one question is left without its answer, the next waits until the line
    has been silent for the time of a reply: what comes late answers nothing.

    Attributes:
        counters: what went wrong how often.
        gone: why the line itself cannot be used any more; empty while it can.
    """

    def __init__(self, port: Port) -> None:
        self._port = port
        self._first, self._second = Protocol1PacketHandler(), Protocol2PacketHandler()
        self.counters: Counter[str] = Counter()
        self.gone = ""
        self._owed_since: float | None = None
        """When an answer was given up that may still come, s."""

    def ping(self, protocol: int, identity: int) -> int | None:
        """Model number of a servo; None where none answers."""
        handler = self._handler(protocol)
        found = self._asked(lambda: handler.ping(self._port, identity))
        if found is None:
            return None
        model, result, _ = found
        if result != COMM_SUCCESS:
            self._give_up()
            return None
        return int(model)

    def read(self, protocol: int, wanted: Mapping[int, Stretch]) -> dict[int, Reply]:
        """Read one stretch of each of some servos: those that answered, by identity."""
        if protocol == 1:
            # Servos of this protocol are asked one by one.
            replies = {identity: self._read_one(protocol, identity, stretch) for identity, stretch in wanted.items()}
            return {identity: reply for identity, reply in replies.items() if reply is not None}
        if not wanted or self._asked(lambda: self._ask(wanted)) is None:
            return {}
        return self._collect(wanted)

    def write(self, protocol: int, values: Mapping[int, tuple[int, bytes]]) -> None:
        """Write to each of some servos its bytes from an address on; nobody confirms it, and what does not leave is counted."""
        starts = {(start, len(data)) for start, data in values.values()}
        if len(starts) == 1:
            (start, length) = next(iter(starts))
            flat = [byte for identity, (_, data) in values.items() for byte in (identity, *data)]
            self._send(lambda: self._handler(protocol).syncWriteTxOnly(self._port, start, length, flat, len(flat)))
        elif protocol == 2 and values:
            flat = [
                byte
                for identity, (start, data) in values.items()
                for byte in (identity, *start.to_bytes(2, "little"), *len(data).to_bytes(2, "little"), *data)
            ]
            self._send(lambda: self._second.bulkWriteTxOnly(self._port, flat, len(flat)))
        else:
            for identity, (start, data) in values.items():
                self._write_silently(protocol, identity, start, data)

    def write_one(self, protocol: int, identity: int, start: int, data: bytes) -> str:
        """Write to one servo and wait until it confirms; gives why it did not take it, empty where it did."""
        return self._confirmed(protocol, lambda: self._handler(protocol).writeTxRx(self._port, identity, start, len(data), list(data)))

    def restart(self, identity: int) -> str:
        """Let a servo of Protocol 2 begin anew and wait until it confirms; without torque, and without what it does not keep.

        Gives why it does not, empty where it does.
        """
        return self._confirmed(2, lambda: self._second.reboot(self._port, identity))

    def close(self) -> None:
        """Let go of the port."""
        self._guarded(self._port.closePort)
        self.gone = self.gone or "closed"

    def _confirmed(self, protocol: int, work: Callable[[], Any]) -> str:
        """Why an instruction was not carried out, out of its result and the error byte of the answer; empty where it was."""
        answer = self._asked(work)
        if answer is None or not self._sound(answer[0]):
            return self.gone or NO_ANSWER
        return self._objection(protocol, int(answer[1]))

    def _objection(self, protocol: int, error: int) -> str:
        """Why a servo did not do what it was told, out of the error byte of its answer, and counted; empty where it did."""
        if misheard(protocol, error):
            self.counters["instructions_misheard"] += 1
            return MISHEARD
        refusal = refusal_of(protocol, error)
        if refusal:
            self.counters["instructions_refused"] += 1
        return refusal

    def _read_one(self, protocol: int, identity: int, stretch: Stretch) -> Reply | None:
        answer = self._asked(lambda: self._handler(protocol).readTxRx(self._port, identity, *stretch))
        if answer is None or not self._sound(answer[1]):
            return None
        data, _, error = answer
        if self._objection(protocol, int(error)):
            return None
        if len(data) != stretch.length:
            self._odd()
            return None
        return Reply(bytes(data), int(error))

    def _ask(self, wanted: Mapping[int, Stretch]) -> bool:
        stretches = set(wanted.values())
        if len(stretches) == 1:
            start, length = next(iter(stretches))
            return bool(self._second.syncReadTx(self._port, start, length, list(wanted), len(wanted), False) == COMM_SUCCESS)
        flat = [
            byte
            for identity, (start, length) in wanted.items()
            for byte in (identity, *start.to_bytes(2, "little"), *length.to_bytes(2, "little"))
        ]
        sent = self._second.bulkReadTx(self._port, flat, len(flat), False) == COMM_SUCCESS
        # The maker gives a servo ten bytes of packet beside its data; they are eleven.
        self._port.setPacketTimeout(sum(OVERHEAD[2] + stretch.length for stretch in wanted.values()))
        return bool(sent)

    def _collect(self, wanted: Mapping[int, Stretch]) -> dict[int, Reply]:
        """Take replies as they come until all are there or the time is over: one that is lost takes none of the others along."""
        replies: dict[int, Reply] = {}
        for _ in range(2 * len(wanted)):
            received = self._guarded(lambda: self._second.rxPacket(self._port, False))
            if received is None:
                break
            packet, result = received
            if result == COMM_RX_TIMEOUT:
                break
            if self._sound(result):
                length = packet[5] | packet[6] << 8
                identity, data = packet[IDENTITY], bytes(packet[PARAMETERS : 7 + length - CHECKSUM])
                objection = self._objection(2, packet[ERROR])
                if not objection and identity in wanted and len(data) == wanted[identity].length:
                    replies[identity] = Reply(data, packet[ERROR])
                elif not objection:
                    self._odd()
            if len(replies) == len(wanted) or self._port.packet_timeout == 0:
                break
        lost = len(wanted) - len(replies)
        self.counters["replies_lost"] += lost
        if lost:
            self._give_up()
        return replies

    def _write_silently(self, protocol: int, identity: int, start: int, data: bytes) -> None:
        self._send(lambda: self._handler(protocol).writeTxOnly(self._port, identity, start, len(data), list(data)))

    def _send(self, work: Callable[[], int]) -> None:
        """An instruction that nobody answers."""
        if self._guarded(work) != COMM_SUCCESS:
            self.counters[UNSENT] += 1

    def _handler(self, protocol: int) -> Any:
        return self._first if protocol == 1 else self._second

    def _asked(self, work: Callable[[], Any]) -> Any:
        """What a question gives, as `_guarded`; it goes out once no answer to one before can come."""
        if self._owed_since is not None:
            since, self._owed_since = self._owed_since, None
            self._guarded(lambda: self._port.drain(since))
        return self._guarded(work)

    def _give_up(self) -> None:
        self._owed_since = time.monotonic()

    def _odd(self) -> None:
        """An answer came that is to another question: then that to this one may still come."""
        self.counters["replies_odd"] += 1
        self._give_up()

    def _sound(self, result: int) -> bool:
        if result != COMM_SUCCESS:
            self._give_up()
        if result == COMM_RX_CORRUPT:
            self.counters["replies_corrupted"] += 1
        elif result == COMM_RX_TIMEOUT:
            self.counters["replies_lost"] += 1
        elif result != COMM_SUCCESS:
            self.counters["line_errors"] += 1
        return bool(result == COMM_SUCCESS)

    def _guarded(self, work: Callable[[], Any]) -> Any:
        """What some work of the maker's library gives; None where it raises."""
        if self.gone:
            return None
        # The library leaves this set when it is interrupted, and would refuse the line for ever.
        self._port.is_using = False
        try:
            return work()
        except BROKEN as error:
            self.counters["line_exceptions"] += 1
            self._give_up()
            # A port that took too long once may have had a busy machine; any other failure of it is for good.
            if isinstance(error, (OSError, termios.error)) and not isinstance(error, SerialTimeoutException):
                self.gone = f"the port {self._port.getPortName()} is gone: {error}; once it is there again, start the bridge anew"
            return None


def broadcast() -> int:
    """The identity that every servo listens to."""
    return int(BROADCAST_ID)


def wire_bytes(protocol: int, lengths: Sequence[int], goals: Sequence[int]) -> tuple[int, int]:
    """Bytes on the line for one cycle of reading and writing servos of one kind.

    Args:
        protocol: 1 or 2.
        lengths: of the stretch that is read from each servo.
        goals: bytes that are written to each servo, one number for each packet to all of them.

    Returns:
        Bytes of all instructions and status packets, and how many status packets there are.
    """
    count = len(lengths)
    if protocol == 1:
        read = sum(8 + OVERHEAD[1] + length for length in lengths)
        return read + sum(8 + count * (1 + goal) for goal in goals), count
    read = 14 + count + sum(OVERHEAD[2] + length for length in lengths)
    return read + sum(14 + count * (1 + goal) for goal in goals), count
