# SPDX-License-Identifier: Apache-2.0
"""Reads the parameters of another node, and can do nothing else to it."""

from collections.abc import Callable
from typing import Any

from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.node import Node

READS = ("get_parameters", "list_parameters")
"""Services of a node that are asked; rclpy's own client takes up all, those that change parameters too, which no key allows."""


class ParameterReader:
    """Two services of another node.

    Args:
        node: that asks.
        name: of the other, with its namespace.
    """

    def __init__(self, node: Node, name: str) -> None:
        self._node = node
        self._get = node.create_client(GetParameters, f"{name}/{READS[0]}")
        self._list = node.create_client(ListParameters, f"{name}/{READS[1]}")

    def services_are_ready(self) -> bool:
        """Whether the other answers already."""
        return bool(self._get.service_is_ready() and self._list.service_is_ready())

    def list_parameters(self, callback: Callable[[Any], None]) -> None:
        """Ask for the names; the callback gets the future of the answer."""
        self._list.call_async(ListParameters.Request()).add_done_callback(callback)

    def get_parameters(self, names: list[str], callback: Callable[[Any], None]) -> None:
        """Ask for values, in the order of the names; the callback gets the future of the answer."""
        self._get.call_async(GetParameters.Request(names=names)).add_done_callback(callback)

    def destroy(self) -> None:
        """Nothing is asked any more."""
        for client in (self._get, self._list):
            self._node.destroy_client(client)
