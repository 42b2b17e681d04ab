# SPDX-License-Identifier: Apache-2.0
"""How nodes end: when told to, when given what there is not, and when something breaks inside."""

import signal
from collections.abc import Callable
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from surefoot_msgs.msg import GaitRequest, ServoCommand

from surefoot.bringup.command import node_names
from surefoot.nodes import quality
from surefoot.robot.model import RobotModel

pytestmark = pytest.mark.timeout(240)


def test_told_to_end_every_node_ends_well_and_the_robot_is_left_damped(
    graph: Any, ear: Any, hyq: RobotModel, wait_until: Callable[..., Any]
) -> None:
    health = ear.hear(DiagnosticArray, "/diagnostics")
    commands = ear.hear(ServoCommand, "/joint_command", quality.command(True))
    needed = {"scripted_pad": {"story": "demo"}, "recorder": {"bag": graph.folder / "bag"}}
    nodes = {name: graph.node(name, **needed.get(name, {})) for name in node_names() if name not in ("keyboard", "replayer")}
    wait_until(lambda: {status.name for array in health for status in array.status} >= set(nodes), lambda: str(nodes))
    for k, process in enumerate(nodes.values()):
        process.signal((signal.SIGTERM, signal.SIGINT)[k % 2])
    assert {name: process.ends() for name, process in nodes.items()} == dict.fromkeys(nodes, 0)
    assert {name: process.output for name, process in nodes.items() if "Traceback" in process.output} == {}
    last = wait_until(lambda: [command for command in commands if command.source == "servo_bridge: ended"])[-1]
    assert last is commands[-1]
    assert set(last.damping) == {hyq.description.servos.safe_damping}
    assert set(last.stiffness) == set(last.effort) == {0.0}
    wait_until(lambda: graph.alive() == [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["terminate", "ctrl_c"])
def test_a_servo_bridge_alone_leaves_the_robot_damped(graph: Any, ear: Any, wait_until: Callable[..., Any], number: signal.Signals) -> None:
    health = ear.hear(DiagnosticArray, "/diagnostics")
    commands = ear.hear(ServoCommand, "/joint_command")
    bridge = graph.node("servo_bridge", lockstep=False)
    wait_until(lambda: health)
    bridge.signal(number)
    assert bridge.ends() == 0
    last = wait_until(lambda: commands)[-1]
    assert min(last.damping) > 0.0
    assert set(last.stiffness) == {0.0}


@pytest.mark.parametrize(
    ("node", "parameters", "words"),
    [
        ("simulator", {"robot": "hyqq"}, ("unknown robot 'hyqq'", "did you mean 'hyq'", "links")),
        ("servo_bridge", {"robot": "/no/such/robot.yaml"}, ("no such file: /no/such/robot.yaml",)),
        ("simulator", {"world": "iceland"}, ("unknown world 'iceland'", "flat")),
        ("scripted_pad", {"story": "demmo"}, ("unknown story 'demmo'", "did you mean 'demo'")),
        ("teleop", {"layout": "nintendo"}, ("unknown gamepad layout 'nintendo'", "xbox")),
        ("particle_trace", {"uncertainty": "none_at_all"}, ("none_at_all", "default")),
        ("simulator", {"duration": "soon"}, ("parameters of simulator: duration", "valid number", "soon")),
    ],
)
def test_what_there_is_not_is_named_together_with_what_would_be_right(
    graph: Any, node: str, parameters: dict[str, str], words: tuple[str, ...]
) -> None:
    process = graph.node(node, **parameters)
    assert process.ends() == 2, process.output
    for word in words:
        assert word in process.output
    assert "Traceback" not in process.output
    assert graph.alive() == []


@pytest.mark.parametrize("argument", ["robot:=hyqq", "world:=iceland", "sed:=3", "realtime:=yes"])
def test_the_launcher_refuses_it_before_anything_starts(graph: Any, argument: str) -> None:
    process = graph.launch(argument)
    assert process.ends() == 2, process.output
    assert argument.split(":=")[0 if argument.startswith("sed") else 1] in process.output
    assert " | " not in process.output
    assert graph.alive() == []


def test_an_unknown_gait_and_an_unknown_parameter_are_named(graph: Any, ear: Any, wait_until: Callable[..., Any]) -> None:
    health = ear.hear(DiagnosticArray, "/diagnostics")
    requests = ear.speak(GaitRequest, "/gait_request")
    teleop = graph.node("teleop", pad_lokstep=True)
    wait_until(requests.get_subscription_count)
    requests.publish(GaitRequest(id=1, gait="trott"))
    faults = wait_until(lambda: [status.message for array in health for status in array.status if status.message != "ok"])
    assert "gait 'trott' is unknown" in faults[0]
    assert "trot" in faults[0].split("known:")[1]
    teleop.says("did you mean 'pad_lockstep'")


BROKEN = """
from rclpy.task import Future
from surefoot.nodes.base import SurefootNode, run

def breaks(*arguments):
    raise ZeroDivisionError("the law is broken")

class Broken(SurefootNode):
    def __init__(self):
        super().__init__("broken")
        future = Future()
        future.add_done_callback(self.guarded(breaks))
        self.create_timer(0.05, {"timer": breaks, "future": lambda: future.done() or future.set_result(None), "end": lambda: None}["PLACE"])
        print("up", flush=True)

    def at_end(self):
        print("was brought to an end", flush=True)
        if "PLACE" == "end":
            breaks()

run(Broken)
"""


@pytest.mark.parametrize("place", ["timer", "future"])
def test_a_law_that_breaks_in_a_callback_ends_the_process_with_its_trace(graph: Any, place: str) -> None:
    process = graph.run("-c", BROKEN.replace("PLACE", place))
    assert process.ends() == 1, process.output
    assert "ZeroDivisionError: the law is broken" in process.output
    assert "in breaks" in process.output
    assert "was brought to an end" in process.output


def test_what_breaks_at_the_end_does_not_keep_the_process(graph: Any) -> None:
    process = graph.run("-c", BROKEN.replace("PLACE", "end"))
    process.says("up")
    process.signal(signal.SIGTERM)
    assert process.ends() == 1, process.output
    assert "ZeroDivisionError" in process.output
