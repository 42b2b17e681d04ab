# SPDX-License-Identifier: Apache-2.0
"""LowCmd and LowState of Unitree's SDK 2 (namespace unitree_go) as their C structures lie in memory, which is what the checksum is over."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Record = NDArray[Any]

MOTORS = 20
"""Places for motors in a message; a four-legged robot uses the first twelve."""

HEAD, LOW_LEVEL = (0xFE, 0xEF), 0xFF
SERVO_MODE = 0x01
NO_POSITION, NO_VELOCITY = 2.146e9, 16000.0
"""Targets that ask for nothing."""

POLYNOMIAL = 0x04C11DB7

MOTOR_COMMAND = np.dtype(
    [("mode", "u1"), ("q", "<f4"), ("dq", "<f4"), ("tau", "<f4"), ("kp", "<f4"), ("kd", "<f4"), ("reserve", "<u4", 3)], align=True
)
_START: list[Any] = [
    ("head", "u1", 2), ("level_flag", "u1"), ("frame_reserve", "u1"), ("sn", "<u4", 2), ("version", "<u4", 2), ("bandwidth", "<u2"),
]  # fmt: skip
LOW_COMMAND = np.dtype(
    [
        *_START, ("motor_cmd", MOTOR_COMMAND, MOTORS), ("bms_cmd", np.dtype([("off", "u1"), ("reserve", "u1", 3)])),
        ("wireless_remote", "u1", 40), ("led", "u1", 12), ("fan", "u1", 2), ("gpio", "u1"), ("reserve", "<u4"), ("crc", "<u4"),
    ],
    align=True,
)  # fmt: skip
"""812 bytes."""

IMU_STATE = np.dtype(
    [("quaternion", "<f4", 4), ("gyroscope", "<f4", 3), ("accelerometer", "<f4", 3), ("rpy", "<f4", 3), ("temperature", "u1")], align=True
)
MOTOR_STATE = np.dtype(
    [
        ("mode", "u1"), ("q", "<f4"), ("dq", "<f4"), ("ddq", "<f4"), ("tau_est", "<f4"), ("q_raw", "<f4"), ("dq_raw", "<f4"),
        ("ddq_raw", "<f4"), ("temperature", "u1"), ("lost", "<u4"), ("reserve", "<u4", 2),
    ],
    align=True,
)  # fmt: skip
BATTERY_STATE = np.dtype(
    [
        ("version_high", "u1"), ("version_low", "u1"), ("status", "u1"), ("soc", "u1"), ("current", "<i4"), ("cycle", "<u2"),
        ("bq_ntc", "u1", 2), ("mcu_ntc", "u1", 2), ("cell_vol", "<u2", 15),
    ],
    align=True,
)  # fmt: skip
LOW_STATE = np.dtype(
    [
        *_START, ("imu_state", IMU_STATE), ("motor_state", MOTOR_STATE, MOTORS), ("bms_state", BATTERY_STATE), ("foot_force", "<i2", 4),
        ("foot_force_est", "<i2", 4), ("tick", "<u4"), ("wireless_remote", "u1", 40), ("bit_flag", "u1"), ("adc_reel", "<f4"),
        ("temperature_ntc1", "u1"), ("temperature_ntc2", "u1"), ("power_v", "<f4"), ("power_a", "<f4"), ("fan_frequency", "<u2", 4),
        ("reserve", "<u4"), ("crc", "<u4"),
    ],
    align=True,
)  # fmt: skip
"""1180 bytes."""


@compiled
def checksum(words: NDArray[np.uint32]) -> int:
    """CRC-32 of words, most significant bit first: polynomial 0x04C11DB7, start all ones, no reflection, nothing at the end."""
    remainder = 0xFFFFFFFF
    for word in words:
        remainder ^= int(word)
        for _ in range(32):
            if remainder & 0x80000000:
                remainder = ((remainder << 1) ^ POLYNOMIAL) & 0xFFFFFFFF
            else:
                remainder = (remainder << 1) & 0xFFFFFFFF
    return remainder


def checksum_of(record: Record) -> int:
    """What `crc` of a message has to be."""
    return int(checksum(np.frombuffer(record.tobytes()[:-4], dtype="<u4")))


def empty_command() -> Record:
    """A command that asks for nothing of any motor."""
    record = np.zeros((), dtype=LOW_COMMAND)
    record["head"], record["level_flag"] = HEAD, LOW_LEVEL
    motors = record["motor_cmd"]
    motors["mode"], motors["q"], motors["dq"] = SERVO_MODE, NO_POSITION, NO_VELOCITY
    return record
