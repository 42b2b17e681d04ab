# SPDX-License-Identifier: Apache-2.0
"""Makes nodes, one after the other, and prints what each says, hears, serves, calls, does and asks, as JSON. Run as a program.

It asks the middleware, which also knows what rclpy makes by itself. Arguments: a folder for bags, a bag to play, then names of nodes.
"""

import importlib
import json
import os
import sys
from types import SimpleNamespace

import rclpy
from rclpy.node import Node

from surefoot.nodes import keyboard, servo_bridge
from surefoot.nodes.base import SurefootNode
from surefoot.nodes.parameter_reader import ParameterReader

OF_ACTION = "/_action/"


def known(asks: Node, name: str) -> dict[str, list[str]]:
    """What the middleware knows of a node."""
    kinds = {
        "says": asks.get_publisher_names_and_types_by_node,
        "hears": asks.get_subscriber_names_and_types_by_node,
        "serves": asks.get_service_names_and_types_by_node,
        "calls": asks.get_client_names_and_types_by_node,
    }
    found = {kind: [topic for topic, _ in look(name, "/")] for kind, look in kinds.items()}
    actions = {kind: {topic.split(OF_ACTION)[0] for topic in found[of] if OF_ACTION in topic} for kind, of in
               (("does", "serves"), ("asks", "calls"))}  # fmt: skip
    plain = {kind: [topic for topic in topics if OF_ACTION not in topic] for kind, topics in found.items()}
    return {kind: sorted(names) for kind, names in {**plain, **actions}.items()}


def main() -> None:
    bags, bag, *names = sys.argv[1:]
    keyboard.Terminal = lambda: SimpleNamespace(keys=list, close=lambda: None)  # type: ignore[misc, assignment]
    keyboard.Screen = lambda out: SimpleNamespace(show=print, say=print)  # type: ignore[misc, assignment]
    values = ("servo_bridge:lockstep:=false", "particle_trace:workers:=1", f"recorder:directory:={bags}", f"replayer:bag:={bag}")
    words = [word for value in values for word in ("-p", value)]
    # Nobody can find these nodes: whatever else runs on this machine may have a bridge of its own.
    servo_bridge.BridgeLock = lambda name: SimpleNamespace(release=lambda: None)  # type: ignore[misc, assignment]
    rclpy.init(args=["--ros-args", "--log-level", "error", *words])
    made: dict[str, Node] = {}
    # No bag is played beside the others.
    for name in sorted(names, key=lambda one: one != "replayer"):
        module = importlib.import_module(f"surefoot.nodes.{name}")
        kinds = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, SurefootNode)]
        made[name] = next(kind for kind in kinds if kind.__module__ == module.__name__)()
        if name == "particle_trace":
            made[name].at_end()
    asks = made["recorder"]
    _asked = ParameterReader(asks, "/teleop")  # As it asks each node that it finds.
    print(json.dumps({node: known(asks, node) for node in asks.get_node_names()}), flush=True)
    # Destroying nodes of the wheels can hang.
    os._exit(0)


if __name__ == "__main__":
    main()
