# SPDX-License-Identifier: Apache-2.0
"""Somebody in the domain who listens, and commands if it can, until it is told to end. Run as a program, with the arguments of ROS.

Once a second it prints, as JSON, whom it sees, what it heard, who hears it, and what it was refused.
"""

import json
import sys
import time
from collections import Counter

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from surefoot_msgs.msg import RobotMode, ServoCommand

from surefoot.nodes import quality
from surefoot.nodes.quiet_node import quiet_node

HEARS = {"/joint_states": JointState, "/robot_mode": RobotMode}
COMMANDS = "/servo_command"
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def main() -> None:
    rclpy.init(args=sys.argv)
    node = quiet_node("stranger")
    refused: list[str] = []
    heard: Counter[str] = Counter()
    for topic, kind in HEARS.items():
        try:
            node.create_subscription(kind, topic, lambda _, name=topic: heard.update([name]), LATEST)
        except Exception:
            refused.append(f"hear {topic}")
    try:
        commands = node.create_publisher(ServoCommand, COMMANDS, quality.command(True))
    except Exception:
        commands = None
        refused.append(f"say {COMMANDS}")
    said = time.monotonic()
    while rclpy.ok():
        if commands is not None:
            commands.publish(ServoCommand(source="stranger"))
        rclpy.spin_once(node, timeout_sec=0.05)
        if time.monotonic() - said > 1.0:
            said = time.monotonic()
            hearers = 0 if commands is None else commands.get_subscription_count()
            print(json.dumps({"sees": _others(node), "heard": dict(heard), "heard_by": hearers, "refused": refused}), flush=True)


def _others(node: Node) -> list[str]:
    return sorted(set(node.get_node_names()) - {node.get_name()})


if __name__ == "__main__":
    main()
