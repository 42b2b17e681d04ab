# SPDX-License-Identifier: Apache-2.0
"""Launch files by name, and the four uses as bodies around the same stack."""

from pathlib import Path

import pytest

from surefoot.bringup.find import find_launch_file, launch_names
from surefoot.bringup.parser import parse_launch_file
from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.locate import shared_directory

STACK = {"state_estimator", "gait_planner", "inverse_dynamics", "servo_bridge", "particle_trace", "teleop"}
TRUTH = {"true", "false"}


def nodes(name: str, **arguments: str) -> dict[str, dict[str, object]]:
    description = parse_launch_file(find_launch_file(name), arguments)
    return {node.executable: dict(pair for pair in node.parameters if not isinstance(pair, Path)) for node in description.nodes}


def test_every_argument_says_what_it_is_and_takes_only_what_it_can() -> None:
    for name in launch_names():
        for argument in parse_launch_file(find_launch_file(name), {}, survey=True).arguments.values():
            assert argument.description, (name, argument.name)
            assert argument.default is not None or (name, argument.name) == ("robot", "robot"), (name, argument.name)
            if argument.default in TRUTH and argument.name != "pad_lockstep":
                assert set(argument.choices) == TRUTH, (name, argument.name)
            assert not argument.choices or argument.default in argument.choices, (name, argument.name)


def test_a_robot_runs_free_with_the_recorder_on() -> None:
    robot = nodes("robot", robot="links")
    assert set(robot) == STACK | {"recorder", "gamepad", "narrator"}
    assert {parameters["lockstep"] for parameters in robot.values()} == {False}
    assert robot["servo_bridge"]["bus"] == "topic"
    assert robot["inverse_dynamics"]["hardware"] is True
    assert "recorder" not in nodes("robot", robot="links", record="false")
    with pytest.raises(ConfigurationError, match="true"):
        nodes("robot", robot="links", record="yes")


@pytest.mark.parametrize("use", [{"name": "robot"}, {"name": "tune", "body": "robot"}])
def test_no_robot_is_guessed_where_motors_move(use: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"'robot' has no default: give robot:=VALUE"):
        nodes(**use)


@pytest.mark.parametrize("arguments", [{"bus": "of_another_package"}, {"bus": "topic", "bus_file": "hyq_gazebo"}])
@pytest.mark.parametrize("use", [{"name": "robot"}, {"name": "tune", "body": "robot"}])
def test_the_bridge_decides_which_buses_there_are(use: dict[str, str], arguments: dict[str, str]) -> None:
    bridge = nodes(**use, robot="links", **arguments)["servo_bridge"]
    assert {key: bridge[key] for key in arguments} == arguments


def test_a_simulation_is_recorded_when_asked() -> None:
    assert "recorder" not in nodes("sim")
    assert nodes("sim", record="true", bag="here")["recorder"]["bag"] == "here"
    assert next(iter(nodes("sim", record="true"))) == "recorder"


def test_tuning_is_a_body_with_a_gamepad() -> None:
    assert STACK | {"gamepad", "simulator", "recorder"} <= set(nodes("tune"))
    robot = nodes("tune", body="robot", robot="links", bus="dynamixel", bus_file="links_dynamixel")
    assert STACK | {"gamepad", "recorder"} <= set(robot)
    assert "simulator" not in robot
    assert (robot["servo_bridge"]["bus"], robot["servo_bridge"]["bus_file"]) == ("dynamixel", "links_dynamixel")


def test_a_replay_has_no_stack() -> None:
    assert set(nodes("replay", bag="x", speed="0.1")) == {"replayer"}
    assert nodes("replay", bag="x", speed="2")["replayer"]["speed"] == 2.0


def test_a_name_that_is_none_is_said_with_what_there_is() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'sim'"):
        find_launch_file("simm")
    assert find_launch_file("sim").parent == shared_directory() / "launch"
