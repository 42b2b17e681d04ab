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
        (["position", "damping"], "cannot be taken away when only damping is to be left"),
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


WHOLE = [ARRAY | {"topic": f"/{name}", "interfaces": [name]} for name in ("position", "stiffness", "damping")]
NOTHING, POSE = JointCommand.damped(0.0, np.full(12, 777.0), 0.0), np.linspace(-0.5, 0.5, 12)


def held_at(position: np.ndarray) -> JointCommand:
    one = np.ones(12)
    return JointCommand(0.0, position, 0.0 * one, 0.0 * one, 50.0 * one, 5.0 * one)


def test_a_joint_that_knows_positions_alone_is_told_nothing_before_it_is_to_be_held(hyq: RobotModel) -> None:
    topics = made(hyq)
    assert np.isnan(topics.values(NOTHING, 0.0)["position"]).all()
    topics.take(0.0, hyq.joint_names, POSE, [0.0] * 12, [])
    assert np.isnan(topics.values(NOTHING, 0.0)["position"]).all(), "OFF moves nothing, and switches no servo on by a goal"
    np.testing.assert_array_equal(topics.values(held_at(POSE + 0.1), 0.0)["position"], POSE + 0.1)


def test_where_torque_is_taken_away_it_is_held_where_it_was_measured_then(hyq: RobotModel) -> None:
    topics, damped = made(hyq), JointCommand.damped(0.0, np.full(12, 777.0), 8.0)
    topics.take(0.0, hyq.joint_names, POSE, [0.0] * 12, [])
    topics.values(held_at(POSE + 0.1), 0.0)
    topics.take(0.01, hyq.joint_names, POSE + 0.02, [0.0] * 12, [])
    np.testing.assert_array_equal(topics.values(damped, 0.01)["position"], POSE + 0.02)
    topics.take(0.02, hyq.joint_names, POSE - 0.03, [0.0] * 12, [])
    np.testing.assert_array_equal(topics.values(damped, 0.02)["position"], POSE + 0.02, "it does not creep after the load")
    topics.values(held_at(POSE), 0.02)
    np.testing.assert_array_equal(topics.values(damped, 0.02)["position"], POSE - 0.03)


@pytest.mark.parametrize("lost", ["silence", "clock", "numbers", "garbage"])
def test_where_it_is_not_known_then_nothing_new_is_told_until_it_is(hyq: RobotModel, lost: str) -> None:
    topics, now = made(hyq), 0.01
    topics.take(0.0, hyq.joint_names, POSE, [0.0] * 12, [])
    topics.values(held_at(POSE + 0.1), 0.0)
    if lost == "silence":
        now = 0.2
    elif lost == "clock":
        now = -5.0
        topics.take(now, hyq.joint_names[:6], POSE[:6], [0.0] * 6, [])
    else:
        topics.take(now, hyq.joint_names, [*POSE[:6], *[np.nan if lost == "numbers" else 4e4] * 6], [0.0] * 12, [])
    there = 0 if lost == "silence" else 6
    expected = np.where(np.arange(12) < there, POSE, POSE + 0.1)
    np.testing.assert_array_equal(topics.values(NOTHING, now)["position"], expected)
    topics.take(now + 0.004, hyq.joint_names, POSE - 0.2, [0.0] * 12, [])
    np.testing.assert_array_equal(topics.values(NOTHING, now + 0.004)["position"], np.where(np.arange(12) < there, POSE, POSE - 0.2))


def test_with_gains_beside_it_a_position_is_the_newest_that_was_measured(hyq: RobotModel) -> None:
    topics, damped = made(hyq, outputs=WHOLE), JointCommand.damped(0.0, np.full(12, 777.0), 8.0)
    rows = topics.values(damped, 0.0)
    assert np.isnan(rows["position"]).all()
    np.testing.assert_array_equal((rows["stiffness"], rows["damping"]), ([0.0] * 12, [8.0] * 12))
    for time, pose in ((0.0, POSE), (0.01, POSE + 0.3)):
        topics.take(time, hyq.joint_names, pose, [0.0] * 12, [])
        np.testing.assert_array_equal(topics.values(damped, time)["position"], pose)
    np.testing.assert_array_equal(topics.values(damped, 9.0)["position"], POSE + 0.3, "damping goes on being told")


@pytest.mark.parametrize("back", [1e-3, 0.015, 0.05, 0.8, 1.5, 1e6])
@pytest.mark.parametrize("measured", [True, False])
def test_a_stamp_that_goes_back_takes_what_was_before_it_out_of_the_torque(hyq: RobotModel, back: float, measured: bool) -> None:
    topics, damped = made(hyq, outputs=[ARRAY | {"interfaces": ["torque"]}]), JointCommand.damped(0.0, POSE, 2.0)
    for time in (99.99, 100.0):
        topics.take(time, hyq.joint_names, POSE + 3.0 * (time - 100.0), [3.0] * 12 if measured else [], [])
    np.testing.assert_allclose(topics.values(damped, 100.0)["torque"], -6.0)
    topics.take(100.0 - back, hyq.joint_names[:3], [0.0] * 3, [-1.0] * 3 if measured else [], [])
    torque = topics.values(damped, 100.0 - back)["torque"]
    np.testing.assert_array_equal(torque, [2.0 if measured else 0.0] * 3 + [0.0] * 9)
    taken = topics.take(100.004 - back, hyq.joint_names, [-0.004] * 12, [-1.0] * 12 if measured else [], [])
    assert isinstance(taken, SensorSample)
    assert taken.time == 100.004 - back, "the bridge hears it as well"
    torque = topics.values(damped, 100.004 - back)["torque"]
    np.testing.assert_allclose(torque[:3], 2.0)
    np.testing.assert_allclose(torque[3:], 2.0 if measured else 0.0)


def test_what_was_stamped_ahead_of_now_is_of_another_clock(hyq: RobotModel) -> None:
    topics, damped = made(hyq), JointCommand.damped(0.0, POSE, 2.0)
    topics.take(10.0, hyq.joint_names, POSE, [3.0] * 12, [])
    assert topics.values(damped, 9.99)["torque"].all(), "pieces come in any order"
    assert not topics.values(damped, 9.9)["torque"].any()


def test_no_torque_is_made_of_a_state_that_no_joint_can_measure(hyq: RobotModel) -> None:
    topics = made(hyq)
    topics.take(0.0, hyq.joint_names, [4e4, *POSE[1:]], [0.1, 1e5, *[0.1] * 10], [])
    torque = topics.values(held_at(POSE + 0.1), 0.0)["torque"]
    assert not torque[:2].any()
    assert torque[2:].all()


@pytest.mark.parametrize("name", ["hyq_ros2_control", "hyq_gazebo"])
def test_the_files_that_come_along(hyq: RobotModel, name: str) -> None:
    topics = TopicMap(read_settings(TopicSettings, find_bus_file(name)), hyq.joint_names, hyq.effort_limit)
    for output in topics.settings.outputs:
        assert topics.places(output) == list(range(12))
