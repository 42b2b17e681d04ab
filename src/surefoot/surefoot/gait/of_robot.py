# SPDX-License-Identifier: Apache-2.0
"""The gaits that a robot names."""

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.gait.library import GaitLibrary, read_gaits
from surefoot.robot.locate import find_gait_set
from surefoot.robot.model import RobotModel


def gaits_of(model: RobotModel) -> GaitLibrary:
    """The gait set of a robot, with its default gait in it.

    Raises:
        ConfigurationError: there is no such set, it cannot be read, or the default gait is not in it.
    """
    description = model.description
    try:
        file = find_gait_set(description.gait_set)
    except ConfigurationError as error:
        raise ConfigurationError(f"robot '{description.name}': gait_set: {error}") from error
    gaits = read_gaits(file)
    if description.default_gait not in gaits:
        unknown = UnknownNameError("gait", description.default_gait, gaits.names)
        raise ConfigurationError(f"robot '{description.name}': default_gait: {unknown}")
    return gaits
