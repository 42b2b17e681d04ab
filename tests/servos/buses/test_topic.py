# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.buses import find_bus_file
from surefoot.servos.buses.topic import TopicMap, TopicSettings
from surefoot.settings import check_settings, read_settings

ARRAY = {"topic": "/c", "message": "array", "interfaces": ["position"]}


def made(model: RobotModel, **values: Any) -> TopicMap:
    return TopicMap(check_settings(TopicSettings, {"outputs": [ARRAY]} | values, "bus"), model.joint_names, model.effort_limit)


@pytest.mark.parametrize("seed", range(5))
def test_any_order_gives_the_same_state(hyq: RobotModel, seed: int) -> None:  # cases 32, 36, 44
    generator, position = np.random.default_rng(seed), np.arange(12.0)
    topics = made(hyq, names={"lf_haa_joint": "front_left_0"})
    names, values = [*topics.theirs, "wheel"], [*position, 99.0]
    order = generator.permutation(13)
    taken = topics.take(1.0, [names[k] for k in order], [values[k] for k in order], [], [])
    assert isinstance(taken, SensorSample)
    np.testing.assert_array_equal(taken.joint_position, position)
    assert np.isnan(taken.joint_velocity).all(), "empty is not measured"  # case 40


def test_legs_that_come_one_by_one_are_merged(hyq: RobotModel) -> None:  # case 42
    topics = made(hyq)
    for leg in range(4):
        names = hyq.joint_names[3 * leg : 3 * leg + 3]
        taken = topics.take(1.0 + 0.002 * leg, names, [leg, leg, leg], [0.1] * 3, [])
        assert (taken is None) == (leg < 3)
    assert isinstance(taken, SensorSample)
    assert taken.time == pytest.approx(1.006)
    np.testing.assert_array_equal(taken.joint_position, np.repeat(np.arange(4.0), 3))
    assert topics.take(1.1, hyq.joint_names[:3], [0.0] * 3, [0.0] * 3, []) is None, "the other legs are too old"
    assert topics.missing(1.1).startswith(f"{hyq.joint_names[3]} was heard 0.098 s ago; ")
    topics.reset()
    assert topics.missing(0.0).startswith(f"{hyq.joint_names[0]} was never heard")


def test_messages_that_cannot_be_are_refused_in_words(hyq: RobotModel) -> None:  # case 46
    topics, names = made(hyq), hyq.joint_names
    assert topics.take(0.0, [names[0], names[0]], [0.0, 0.0], [], []) == f"joint states name {names[0]} twice"
    assert topics.take(0.0, names, [0.0] * 11, [], []) == "joint states have 11 of position for 12 names"
    assert topics.take(0.0, names, [0.0] * 12, [0.0] * 3, []) == "joint states have 3 of velocity for 12 names"


def test_the_whole_law_as_a_torque(hyq: RobotModel) -> None:
    topics, one = made(hyq), np.ones(12)
    topics.take(0.0, hyq.joint_names, [0.1] * 12, [0.5] * 12, [])
    rows = topics.values(JointCommand(0.0, 0.3 * one, 0.0 * one, 7.0 * one, 10.0 * one, 2.0 * one), 0.04)
    np.testing.assert_allclose(rows["torque"], 7.0 + 10.0 * 0.2 - 2.0 * 0.5)
    np.testing.assert_array_equal(rows["stiffness"], 10.0)


def test_friction_that_their_joints_have_beyond_ours_is_taken_away_again(hyq: RobotModel) -> None:
    topics, one = made(hyq, joint_damping=13.0, simulation=True), np.ones(12)
    topics.take(0.0, hyq.joint_names, [0.1] * 12, [0.5] * 12, [])
    rows = topics.values(JointCommand(0.0, 0.3 * one, 0.0 * one, 7.0 * one, 10.0 * one, 2.0 * one), 0.04)
    # Together with what the joints do by themselves it is the law of the command.
    np.testing.assert_allclose(rows["torque"] - 13.0 * 0.5, 7.0 + 10.0 * 0.2 - 2.0 * 0.5)


def test_a_torque_is_damped_though_no_velocity_is_measured(hyq: RobotModel) -> None:
    topics, damped = made(hyq), JointCommand.damped(0.0, np.zeros(12), 2.0)
    topics.take(0.0, hyq.joint_names, [0.1] * 12, [], [])
    np.testing.assert_array_equal(topics.values(damped, 0.0)["torque"], 0.0, "nobody knows how fast it is")
    topics.take(0.01, hyq.joint_names, [0.13] * 12, [], [])
    np.testing.assert_allclose(topics.values(damped, 0.01)["torque"], -2.0 * 3.0)
    topics.take(0.01, hyq.joint_names, [0.13] * 12, [], [])
    np.testing.assert_allclose(topics.values(damped, 0.01)["torque"], -2.0 * 3.0)


def test_a_joint_that_was_not_heard_of_lately_gets_no_torque(hyq: RobotModel) -> None:
    topics, one = made(hyq), np.ones(12)
    asked = JointCommand(0.0, 0.3 * one, 0.0 * one, 7.0 * one, 10.0 * one, 2.0 * one)
    topics.take(0.0, hyq.joint_names, [0.1] * 12, [0.5] * 12, [])
    topics.take(0.04, hyq.joint_names[:6], [0.1] * 6, [0.5] * 6, [])
    torque = topics.values(asked, 0.06)["torque"]
    np.testing.assert_allclose(torque[:6], 7.0 + 2.0 - 1.0)
    np.testing.assert_array_equal(torque[6:], 0.0)
    np.testing.assert_array_equal(topics.values(asked, 1.0)["torque"], 0.0)


def test_files_that_cannot_be_are_refused(hyq: RobotModel) -> None:
    with pytest.raises(UnknownNameError, match="unknown joint 'tail'"):
        made(hyq, names={"tail": "x"})
    with pytest.raises(ConfigurationError, match="no output of the bus file has a command for lf_hfe_joint"):
        made(hyq, outputs=[ARRAY | {"joints": ["lf_haa_joint"]}])
    with pytest.raises(ConfigurationError, match="two joints the same name"):
        made(hyq, names={"lf_haa_joint": "a", "lf_hfe_joint": "a"})
    with pytest.raises(ConfigurationError, match=r"needs '\{joint\}' in its topic"):
        made(hyq, outputs=[{"topic": "/c", "message": "number", "interfaces": ["torque"]}])


@pytest.mark.parametrize(
    ("interfaces", "words"),
    [
        (["torque", "damping"], "is told damping, torque by the bus file: torque is the whole law"),
        (["torque", "effort"], "that part counts twice"),
        (["stiffness", "damping", "effort"], "a stiffness pulls to the position"),
        (["position", "stiffness"], "swings without damping"),
        (["effort"], "holds no position, and a fault does not damp it"),
        (["effort", "damping", "velocity"], "Use torque, which has the whole law in it, or add position"),
    ],
)
def test_commands_that_are_no_law_are_refused(hyq: RobotModel, interfaces: list[str], words: str) -> None:
    with pytest.raises(ConfigurationError, match=f"lf_haa_joint .*{words}"):
        made(hyq, outputs=[ARRAY | {"topic": f"/{name}", "interfaces": [name]} for name in interfaces])


def test_a_simulation_may_bear_less_damping_than_a_fault_asks_for(hyq: RobotModel) -> None:
    topics, one = made(hyq, most_damping=10.0, simulation=True), np.ones(12)
    topics.take(0.0, hyq.joint_names, [0.1] * 12, [0.5] * 12, [])
    for damping, counts in ((20.0, 10.0), (6.0, 6.0)):
        rows = topics.values(JointCommand(0.0, 0.1 * one, 0.0 * one, 0.0 * one, 0.0 * one, damping * one), 0.04)
        np.testing.assert_allclose(rows["torque"], -counts * 0.5)
        np.testing.assert_array_equal(rows["damping"], counts)
    with pytest.raises(ConfigurationError, match=r"most_damping: 10 N m s/rad is less than a fault may ask for.* simulation: true"):
        made(hyq, most_damping=10.0)


def test_damping_that_is_taken_away_is_for_a_simulation_alone(hyq: RobotModel) -> None:
    with pytest.raises(ConfigurationError, match=r"joint_damping: 13 N m s/rad are taken away .* simulation: true"):
        made(hyq, joint_damping=13.0)


def test_a_torque_that_is_worked_out_here_stays_inside_of_the_limits(hyq: RobotModel) -> None:
    topics, damped = made(hyq, outputs=[ARRAY | {"interfaces": ["torque"]}]), JointCommand.damped(0.0, np.zeros(12), 20.0)
    topics.take(0.0, hyq.joint_names, [0.1] * 12, [1e3, *[-1e3] * 11], [])
    torque = topics.values(damped, 0.0)["torque"]
    np.testing.assert_array_equal(torque, hyq.effort_limit * np.array([-1.0, *[1.0] * 11]))


@pytest.mark.parametrize("name", ["hyq_ros2_control", "hyq_gazebo"])
def test_the_files_that_come_along(hyq: RobotModel, name: str) -> None:
    topics = TopicMap(read_settings(TopicSettings, find_bus_file(name)), hyq.joint_names, hyq.effort_limit)
    for output in topics.settings.outputs:
        assert topics.places(output) == list(range(12))
