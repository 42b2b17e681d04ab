# SPDX-License-Identifier: Apache-2.0
"""What is said about a gait: the report of one that can be, the error of one that cannot."""

from dataclasses import dataclass

from surefoot.errors import ConfigurationError
from surefoot.gait.pattern import Pattern


class GaitError(ConfigurationError):
    """A gait that cannot be one, or that a robot cannot do.

    Attributes:
        gait: its name.
        parameter: the key that has to change.
        value: what it is.
        limit: what it may be at most, or must be at least.
    """

    def __init__(self, gait: str, parameter: str, value: float, limit: float, reason: str) -> None:
        self.gait, self.parameter, self.value, self.limit = gait, parameter, value, limit
        super().__init__(f"gait '{gait}': {parameter} = {value:.4g}: {reason}")


@dataclass(frozen=True)
class GaitReport:
    """What a gait is and how near its limits a robot would be.

    Attributes:
        pattern: what the feet really do.
        minimum_stance_feet: smallest planned number of feet on the ground.
        flight_fraction: part of the period with none.
        reach_share: longest leg over max_reach; None without a robot.
        joint_speed_share: highest joint speed of a swing over its limit, estimated; None without a robot.
        warnings: what is worth saying, in full sentences.
    """

    pattern: Pattern
    minimum_stance_feet: int
    flight_fraction: float
    reach_share: float | None = None
    joint_speed_share: float | None = None
    warnings: tuple[str, ...] = ()
