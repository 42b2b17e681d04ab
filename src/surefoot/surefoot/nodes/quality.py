# SPDX-License-Identifier: Apache-2.0
"""Quality of service by what a topic carries."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

_LOCKSTEP_DEPTH = 10


def _profile(depth: int, reliable: bool, kept: bool) -> QoSProfile:
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if kept else DurabilityPolicy.VOLATILE,
    )


def sensor(lockstep: bool) -> QoSProfile:
    """Sensor data: the newest counts. In lockstep nothing may be lost, and who joins late gets the first tick."""
    return _profile(_LOCKSTEP_DEPTH, reliable=True, kept=True) if lockstep else _profile(1, reliable=False, kept=False)


def command(lockstep: bool) -> QoSProfile:
    """Commands and states from node to node."""
    return _profile(_LOCKSTEP_DEPTH, reliable=True, kept=True) if lockstep else _profile(1, reliable=True, kept=False)


def operator(lockstep: bool) -> QoSProfile:
    """The operator's command, which carries each request once: none may be lost behind a newer message."""
    return command(True) if lockstep else _profile(20, reliable=True, kept=False)


EVENT = _profile(20, reliable=True, kept=True)
"""Requests, verdicts and modes: each counts, and who joins late gets them."""

SHOWN = _profile(10, reliable=False, kept=False)
"""What is only looked at: nobody waits for who looks."""

INPUT = _profile(50, reliable=False, kept=False)
"""What people and other programs send: offered by anybody, so nothing is asked of the sender."""
