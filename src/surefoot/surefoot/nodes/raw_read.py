# SPDX-License-Identifier: Apache-2.0
"""Messages out of bytes that nobody has looked at: who takes them raw gets whatever came over the wire, also what is no message."""

from typing import Any

from rclpy.serialization import deserialize_message

from surefoot.errors import SensorError


def message_of(data: bytes, kind: Any) -> Any:
    """A message out of its bytes.

    Args:
        data: as they came.
        kind: class of the message.

    Raises:
        SensorError: they are cut off, or spoilt.
    """
    try:
        return deserialize_message(data, kind)
    except RuntimeError as error:
        # The middleware has no error of its own for it that rclpy would show.
        raise SensorError(f"{len(data)} bytes cannot be read as {kind.__name__}: {error}") from error
