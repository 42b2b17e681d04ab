# SPDX-License-Identifier: Apache-2.0
"""Makes nodes, one after the other, and prints what each process says, hears, does and asks, as JSON. Run as a program.

Arguments: a folder for bags, a bag to play, then names of nodes.
"""

import importlib
import json
import os
import sys
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import rclpy
import rclpy.action
from rclpy.node import Node

from surefoot.nodes import keyboard, servo_bridge
from surefoot.nodes.base import SurefootNode

METHODS = {"create_publisher": "says", "create_subscription": "hears", "create_service": "serves", "create_client": "calls"}


def listen(said: dict[str, dict[str, set[str]]]) -> None:
    """Note all that nodes make from now on, under the names of the nodes."""

    def noted(make: Any, kind: str) -> Any:
        def work(self: Node, of: Any, name: str, *arguments: Any, **named: Any) -> Any:
            made = make(self, of, name, *arguments, **named)
            whole = name if kind in ("serves", "calls") else made.topic_name
            said[self.get_name()][kind].add(whole)
            return made

        return work

    def started(begin: Any, kind: str) -> Any:
        def work(self: Any, node: Node, of: Any, name: str, *arguments: Any, **named: Any) -> None:
            said[node.get_name()][kind].add(name)
            begin(self, node, of, name, *arguments, **named)

        return work

    for method, kind in METHODS.items():
        setattr(Node, method, noted(getattr(Node, method), kind))
    for action, kind in ((rclpy.action.ActionServer, "does"), (rclpy.action.ActionClient, "asks")):
        action.__init__ = started(action.__init__, kind)


def main() -> None:
    bags, bag, *names = sys.argv[1:]
    said: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    listen(said)
    keyboard.Terminal = lambda: SimpleNamespace(keys=list, close=lambda: None)  # type: ignore[misc, assignment]
    keyboard.Screen = lambda out: SimpleNamespace(show=print, say=print)  # type: ignore[misc, assignment]
    values = ("servo_bridge:lockstep:=false", "particle_trace:workers:=1", f"recorder:directory:={bags}", f"replayer:bag:={bag}")
    words = [word for value in values for word in ("-p", value)]
    # Nobody can find these nodes: whatever else runs on this machine may have a bridge of its own.
    servo_bridge.BridgeLock = lambda name: SimpleNamespace(release=lambda: None)  # type: ignore[misc, assignment]
    rclpy.init(args=["--ros-args", "--log-level", "error", *words])
    # No bag is played beside the others.
    for name in sorted(names, key=lambda one: one != "replayer"):
        module = importlib.import_module(f"surefoot.nodes.{name}")
        kinds = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, SurefootNode)]
        made = next(kind for kind in kinds if kind.__module__ == module.__name__)()
        if name == "particle_trace":
            made.at_end()
    # Destroying nodes of the wheels can hang.
    print(json.dumps({node: {kind: sorted(found) for kind, found in kinds.items()} for node, kinds in said.items()}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
