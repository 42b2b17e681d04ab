# SPDX-License-Identifier: Apache-2.0
"""The joints that a bus file names, held against those of the robot."""

from collections.abc import Collection, Iterable, Sequence

from surefoot.errors import ConfigurationError, UnknownNameError


def require_known_joints(given: Iterable[str], joint_names: Sequence[str]) -> None:
    """Raises UnknownNameError: a joint is given that the robot does not have."""
    for name in given:
        if name not in joint_names:
            raise UnknownNameError("joint", name, joint_names, "The bus file names joints of another robot.")


def require_every_joint(given: Collection[str], joint_names: Sequence[str], what: str, field: str) -> None:
    """Hold the joints of a bus file against all those of a robot.

    Args:
        given: joints of the bus file.
        joint_names: of the robot.
        what: each joint is given, as in "motor".
        field: of the bus file, in which they are given.

    Raises:
        ConfigurationError: joints are unknown or missing.
    """
    require_known_joints(given, joint_names)
    missing = [name for name in joint_names if name not in given]
    if missing:
        raise ConfigurationError(f"no {what} is given for {', '.join(missing)}; add them to {field} of the bus file")
