# SPDX-License-Identifier: Apache-2.0
"""config/security/policy.xml, what each node may say and hear under SROS 2, made from the table here:
`python -m surefoot.nodes.security_policy > config/security/policy.xml`.
"""

from collections.abc import Iterable
from typing import NamedTuple

from surefoot.nodes.parameter_reader import READS
from surefoot.nodes.replay.neighbours import PREFIX, SAID_OF_ITSELF
from surefoot.security import ENCLAVES, ROOT

EVERY_NODE = ("/parameter_events", "/rosout")
TYPES = "get_type_description"
SERVICES = (
    "describe_parameters", "get_parameter_types", "get_parameters", TYPES, "list_parameters", "set_parameters", "set_parameters_atomically",
)  # fmt: skip
"""That rclpy gives to every node."""
HEALTH = "/diagnostics"
GLANCE = ("/joint_command", "/motion_plan", "/operator_command", "/robot_mode", "/robot_state")


class Rights(NamedTuple):
    """Of the nodes of one process.

    Attributes:
        says: topics that it publishes, beside those of every node.
        hears: topics that it subscribes to.
        does: actions that it carries out.
        asks: actions that it asks for.
        calls: services of others that it calls.
        may_say, may_hear: topics that it publishes and subscribes to in some settings, or while somebody looks, only.
        also: names of further nodes in that process, which only hear (nodes.quiet_node).
    """

    says: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()
    does: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    may_say: tuple[str, ...] = ()
    may_hear: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


RIGHTS: dict[str, Rights] = {
    "simulator": Rights(("/foot_forces", "/ground_truth", "/imu", "/joint_states"), ("/gait_status", "/joint_command")),
    "state_estimator": Rights(
        ("/base_attitude", "/odom", "/robot_state", "/tf"), ("/foot_forces", "/imu", "/joint_states", "/magnetic_field", "/pose"),
        may_hear=("/joint_command",),
    ),
    "gait_planner": Rights(
        ("/gait_status", "/motion_plan", "/swing", "/verdict"), ("/controller", "/operator_command", "/robot_mode", "/robot_state"),
        asks=("/score_transitions",),
    ),
    "inverse_dynamics": Rights(("/controller", "/servo_command"), ("/motion_plan", "/robot_state")),
    "servo_bridge": Rights(
        ("/joint_command", "/robot_mode"), ("/base_attitude", "/gait_status", "/joint_states", "/operator_command", "/servo_command"),
        may_say=("/imu", "/joint_states"),
    ),
    "particle_trace": Rights(("/traces",), does=("/score_transitions",)),
    "teleop": Rights(
        ("/joy/set_feedback", "/operator_command"), ("/cmd_vel", "/gait_request", "/gait_status", "/joy", "/robot_mode"),
        does=("/request_gait",),
    ),
    "gamepad": Rights(("/joy",), ("/joy/set_feedback",)),
    "keyboard": Rights(("/joy",), ("/gait_status", "/joy/set_feedback", "/robot_mode", "/rosout")),
    "scripted_pad": Rights(("/joy",), ("/robot_mode",)),
    "path_follower": Rights(("/cmd_vel",), ("/motion_plan", "/path", "/robot_state")),
    "narrator": Rights(hears=("/diagnostics", "/gait_status", "/robot_mode", "/verdict")),
    "recorder": Rights(calls=tuple(f"/*/{name}" for name in READS), may_hear=("/*",), also=("recorder_ears",)),
    "replayer": Rights(("/clock",), ("/replay_control",), may_say=(f"{PREFIX}/*", *sorted(SAID_OF_ITSELF))),
    "view": Rights(
        ("/gait_request", "/joy"), ("/diagnostics", "/gait_status", "/swing", "/traces", "/verdict", *GLANCE), also=("view_glance",)
    ),
    "markers": Rights(
        ("/markers", "/robot_description", "/tf"), GLANCE, may_say=("/plots/*",),
        may_hear=("/diagnostics", "/gait_status", "/swing", "/traces", "/verdict"), also=("markers_glance",),
    ),
}  # fmt: skip
"""By executable."""


def policy() -> str:
    """The policy, as XML."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        "<!-- Made by `python -m surefoot.nodes.security_policy`; a test holds it to what the nodes say and hear. -->",
        '<policy version="0.2.0">',
        "  <enclaves>",
    ]
    for name in sorted(RIGHTS):
        rights = RIGHTS[name]
        lines += _enclave(
            f"{ENCLAVES}/{name}", name,
            _rule("topic", "publish", sorted({*EVERY_NODE, HEALTH, *rights.says, *rights.may_say})),
            _rule("topic", "subscribe", sorted({*rights.hears, *rights.may_hear})),
            _rule("service", "reply", [f"~/{service}" for service in SERVICES]), _rule("service", "request", rights.calls),
            _rule("action", "execute", rights.does), _rule("action", "call", rights.asks),
        )  # fmt: skip
    # Who has no enclave of its own, such as `surefoot status`, only looks. What tools of ROS 2 look with says its types, whatever its name.
    hears, types = _rule("topic", "subscribe", ["/*"]), _rule("service", "reply", [f"/*/{TYPES}"])
    lines += _enclave(ROOT, "looks", _rule("topic", "publish", EVERY_NODE), hears, types)
    lines += ["  </enclaves>", "</policy>"]
    return "\n".join(lines) + "\n"


def _enclave(path: str, node: str, *rules: list[str]) -> list[str]:
    inner = [line for rule in rules for line in rule]
    head = [f'    <enclave path="{path}">', "      <profiles>", f'        <profile ns="/" node="{node}">']
    return [*head, *inner, "        </profile>", "      </profiles>", "    </enclave>"]


def _rule(kind: str, right: str, names: Iterable[str]) -> list[str]:
    inner = [f"            <{kind}>{name}</{kind}>" for name in names]
    return [f'          <{kind}s {right}="ALLOW">', *inner, f"          </{kind}s>"] if inner else []


if __name__ == "__main__":
    print(policy(), end="")
