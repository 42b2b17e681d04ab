# SPDX-License-Identifier: Apache-2.0
"""From a name to a robot that has passed its checks."""

from surefoot.robot.description import read_robot
from surefoot.robot.locate import find_robot, find_urdf, read_urdf
from surefoot.robot.model import RobotModel
from surefoot.robot.model_checks import check_model
from surefoot.robot.urdf_checks import check_urdf


def load_robot(name_or_path: str) -> RobotModel:
    """Find, read, check and build a robot.

    Args:
        name_or_path: a name out of locate.robot_names(), or the path of a robot's YAML file.

    Raises:
        UnknownNameError: no robot of that name; the message lists the robots that there are.
        ConfigurationError: the YAML has unknown, missing or out-of-range keys, or a file is missing.
        RobotDescriptionError: the URDF cannot be a robot; the message names the link or joint and the number.
    """
    path = find_robot(name_or_path)
    description = read_robot(path)
    urdf = read_urdf(find_urdf(description, path), description.xacro_arguments)
    warnings = check_urdf(urdf, description)
    model = RobotModel(description, urdf, warnings)
    model.warnings = warnings + check_model(model)
    return model
