# SPDX-License-Identifier: Apache-2.0
"""A node that only hears, or is only a name beside another: it has no log for others, and answers nobody."""

from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter

NO_TYPES = Parameter("start_type_description_service", value=False)
"""Of a node that tells nobody of what its messages are made: rclpy would make a service for it, whatever else is switched off."""


def quiet_node(name: str, context: Context | None = None) -> Node:
    """Make one: under SROS 2 it needs no right to any service, whatever its name is.

    Args:
        name: of the node.
        context: of rclpy; None: the one of this process.
    """
    return Node(name, context=context, enable_rosout=False, start_parameter_services=False, parameter_overrides=[NO_TYPES])
