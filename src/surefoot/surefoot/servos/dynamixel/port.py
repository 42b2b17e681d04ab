# SPDX-License-Identifier: Apache-2.0
"""The maker's serial port, waiting as long as this line needs and no longer."""

import os
import select
import time
from typing import Any

from dynamixel_sdk import PortHandler
from serial import Serial, SerialException

from surefoot.errors import ConfigurationError

WRITE_TIMEOUT = 0.05
"""s; a port that takes nothing for so long is broken."""

MOST_SILENCES = 4
"""Times of a reply after which a line that never falls silent is not waited for any longer."""

BITS_PER_BYTE = 10
"""With start and stop."""


def check_port(name: str) -> None:
    """See whether a serial port is there and may be opened for reading and writing; nothing on it is set, and nothing is said on it.

    Args:
        name: of the device.

    Raises:
        ConfigurationError: it cannot be used, and why, in the words of `Port`.
    """
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _refusal(name, error) from error
    is_terminal = os.isatty(descriptor)
    os.close(descriptor)
    if not is_terminal:
        raise _refusal(name, ValueError("it is no serial port"))


def _refusal(name: str, error: Exception) -> ConfigurationError:
    """Why a port cannot be used. Libraries say the path in their own words, once or three times; here it is said already."""
    why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return ConfigurationError(
        f"serial port {name} cannot be used: {why}. Is it plugged in, may this user open it (group dialout), "
        "and does no other bridge hold it?"
    )


class Port(PortHandler):  # type: ignore[misc]
    """A port of one owner that sleeps until bytes come; the maker's own asks without a break and gives each reply 34 ms.

    Args:
        name: of the device.
        baud_rate: one of those of the maker.
        reply_time: beyond the time on the wire after which a reply counts as lost, s.

    Raises:
        ConfigurationError: there is no such port, somebody else has it, or the rate is none of the maker's.
    """

    def __init__(self, name: str, baud_rate: int, reply_time: float) -> None:
        super().__init__(name)
        self._reply_time = reply_time
        try:
            if not self.setBaudRate(baud_rate):
                raise ConfigurationError(f"baud rate {baud_rate} of {name} is none that Dynamixel servos have; 57600 and 1000000 are usual")
        except (SerialException, OSError, ValueError) as error:
            raise _refusal(name, error) from error

    def setupPort(self, cflag_baud: int) -> bool:
        """Open, for nobody else: the maker's own sets its rate first, on a line that may be somebody else's."""
        # It locks before it sets or drops anything.
        self.ser = Serial(self.port_name, self.baudrate, timeout=0, write_timeout=WRITE_TIMEOUT, exclusive=True)
        self.is_open = True
        self.tx_time_per_byte = 1e3 * BITS_PER_BYTE / self.baudrate
        return True

    def getCurrentTime(self) -> float:
        """On a clock that nobody sets, ms: one that goes back would let a reply be waited for without an end."""
        return 1e3 * time.monotonic()

    def setPacketTimeout(self, packet_length: int) -> None:
        """Wait for a reply of this many bytes."""
        self.setPacketTimeoutMillis(self.tx_time_per_byte * packet_length + 1e3 * self._reply_time)

    def readPort(self, length: int) -> Any:
        """Up to so many bytes, as soon as there are any, or none when the time is over."""
        left = 1e-3 * (self.packet_timeout - self.getTimeSinceStart())
        if left > 0.0:
            select.select([self.ser.fd], [], [], left)
        return self.ser.read(length)

    def drain(self, silent_since: float) -> None:
        """Drop what comes until nothing has come for the time of a reply.

        Args:
            silent_since: when the last byte was waited for, on the clock of time.monotonic, s.
        """
        begin = now = time.monotonic()
        if self.getBytesAvailable():
            silent_since = now
        while (left := silent_since + self._reply_time - now) > 0.0 and now - begin < MOST_SILENCES * self._reply_time:
            heard = select.select([self.ser.fd], [], [], left)[0]
            now = time.monotonic()
            if heard:
                self.clearPort()
                silent_since = now
