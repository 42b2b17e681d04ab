# SPDX-License-Identifier: Apache-2.0
"""What the page shows, said in standard messages: the same things at the same places, and nothing while nobody looks."""

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import Marker, MarkerArray

from surefoot.gait.records import PLAN
from surefoot.nodes.bag_story import BagStory
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.conversions.links import LinkFrames
from surefoot.nodes.conversions.markers import NAMESPACES, MarkerMaker
from surefoot.nodes.conversions.page import PageReader
from surefoot.nodes.conversions.plan import message_of_plan
from surefoot.nodes.page_ears import KINDS, PageEars
from surefoot.recording.reader import Bag
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.terrain.world import GroundStrip, World, find_world, read_world
from surefoot.viewer.page.shapes import NINETY_FIVE_PERCENT
from surefoot.viewer.page.state import PageState, SwingShown


@pytest.fixture
def at(told_bag: Path) -> Callable[[float], PageState]:
    """The state of the recorded robot at a time."""
    story = BagStory(Bag(told_bag))

    def at(time: float) -> PageState:
        ears = PageEars(story.model.description, PageState(effort_limit=story.model.effort_limit))
        for entry in story.leading_to(time):
            ears.hear(entry.topic, deserialize_message(entry.data, KINDS[entry.topic]), math.inf)
        return ears.state

    return at


def stamp_seconds(marker: Any) -> float:
    return float(marker.header.stamp.sec + 1e-9 * marker.header.stamp.nanosec)


def drawn(array: MarkerArray, namespace: str) -> list[Any]:
    return [marker for marker in array.markers if marker.ns == namespace and marker.action == Marker.ADD]


def test_feet_and_traces_are_where_they_are(at: Callable[[float], PageState], hyq: RobotModel) -> None:
    state = at(5.0)
    array = MarkerMaker(hyq, World(strips=(GroundStrip(start=1.0, end=2.0, friction=0.1),))).array(state, everything=False)
    assert {marker.ns for marker in array.markers} == set(NAMESPACES)
    assert {marker.header.frame_id for marker in array.markers} == {"odom"}
    assert state.robot is not None
    feet = [(marker.pose.position.x, marker.pose.position.y, marker.pose.position.z) for marker in drawn(array, "feet")]
    np.testing.assert_allclose(feet, state.robot.foot_position)
    # One trace survives, in one piece; another fails, in dashes, up to a cross of three strokes.
    survived, failed, ends, thread, names = drawn(array, "traces")
    assert [point.x for point in survived.points] == [0.0, 3.0]
    assert len(failed.points) > 2
    assert len(ends.points) == 6
    assert names.text == "✕ tilt 1×"
    assert names.pose.position.z > max(point.z for point in ends.points)
    assert [(point.x, point.y) for point in thread.points] == [(names.pose.position.x, names.pose.position.y)] * 2
    (words,) = drawn(array, "verdict")
    assert words.text == "walk to trot vetoed: tilt 3x"
    serialize_message(array)


def test_a_fan_is_told_once_again_to_who_comes_and_taken_away_in_the_end(at: Callable[[float], PageState], hyq: RobotModel) -> None:
    maker, state = MarkerMaker(hyq), at(5.0)
    assert drawn(maker.array(state, False), "traces")
    assert not [marker for marker in maker.array(state, False).markers if marker.ns == "traces"]
    assert drawn(maker.array(state, True), "traces")
    assert state.robot is not None
    state.take_robot(replace(state.robot, time=20.0))
    for everything in (False, True):
        fan = [marker for marker in maker.array(state, everything).markers if marker.ns in ("traces", "verdict")]
        assert [marker.action for marker in fan] == [Marker.DELETE] * 10
    assert not [marker for marker in maker.array(state, False).markers if marker.ns == "traces"]


def test_every_marker_is_one_that_a_viewer_takes_and_can_be_taken_away(at: Callable[[float], PageState], hyq: RobotModel) -> None:
    maker, state = MarkerMaker(hyq), at(5.0)
    robot = state.robot
    assert robot is not None
    state.robot = robot = replace(
        robot, foot_force=np.tile((20.0, 5.0, 200.0), (4, 1)), contact_probability=np.ones(4),
        position_covariance=np.diag((4e-4, 1e-4, 0.0)),
    )  # fmt: skip
    plan = message_of_plan(robot.time, np.zeros(1, PLAN)[0], "walk", 0, hyq.description)
    plan.activity = plan.MOVING
    shown = PageReader(hyq.description).plan(plan)
    assert shown is not None
    upright = np.array((0.0, 0.0, 0.0, 1.0))
    state.plan = replace(shown, base_quaternion=upright, friction=np.full(4, 0.6), normal=np.tile((0.0, 0.6, 0.8), (4, 1)))
    state.swings = {1: SwingShown(5.0, 5.2, np.linspace((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), 16))}
    first = maker.array(state, True)
    sizes = {Marker.LINE_LIST: 2, Marker.TRIANGLE_LIST: 3, Marker.ARROW: 2, Marker.LINE_STRIP: 1}
    for marker in first.markers:
        about = f"{marker.ns} {marker.id}"
        assert (marker.header.frame_id, stamp_seconds(marker)) == ("odom", pytest.approx(robot.time)), about
        # It stays until it is replaced or taken away: a viewer that is paused goes on to show it.
        assert (marker.lifetime.sec, marker.lifetime.nanosec) == (0, 0), about
        if marker.action == Marker.DELETE:
            continue
        turned = marker.pose.orientation
        assert np.linalg.norm((turned.x, turned.y, turned.z, turned.w)) == pytest.approx(1.0), about
        assert marker.color.a > 0.0, about
        points = np.array([(point.x, point.y, point.z) for point in marker.points])
        assert np.isfinite(points).all(), about
        assert len(points) % sizes.get(marker.type, 1) == 0, about
        needed = {
            Marker.LINE_LIST: "x", Marker.LINE_STRIP: "x", Marker.TEXT_VIEW_FACING: "z", Marker.ARROW: "xy" if len(points) else "xyz",
        }.get(marker.type, "xyz")  # fmt: skip
        assert all(getattr(marker.scale, axis) > 0.0 for axis in needed), about
    types = {(marker.ns, marker.type) for marker in first.markers if marker.action == Marker.ADD}
    assert types == {
        ("feet", Marker.SPHERE), ("forces", Marker.ARROW), ("friction", Marker.TRIANGLE_LIST), ("swings", Marker.LINE_STRIP),
        ("swings", Marker.CYLINDER), ("plan", Marker.ARROW), ("traces", Marker.LINE_LIST), ("verdict", Marker.TEXT_VIEW_FACING),
        ("traces", Marker.TEXT_VIEW_FACING), ("friction", Marker.TEXT_VIEW_FACING), ("covariance", Marker.SPHERE),
    }  # fmt: skip
    there = [(marker.ns, marker.id) for marker in first.markers]
    assert len(there) == len(set(there)), "no two share a name and a number"
    # Whatever was there is gone by name and number where it is no longer true, but for the feet, which are always somewhere.
    unknown = {"foot_force": np.full((4, 3), np.nan), "position_covariance": np.full((3, 3), np.nan)}
    state.robot = replace(robot, time=50.0, contact_probability=np.zeros(4), **unknown)
    state.plan, state.swings = None, {}
    taken = {(marker.ns, marker.id) for marker in maker.array(state, False).markers if marker.action == Marker.DELETE}
    assert taken == {name for name in there if name[0] != "feet"}


def test_where_the_base_may_be_is_as_wide_as_on_the_page(at: Callable[[float], PageState], hyq: RobotModel) -> None:
    state = at(5.0)
    assert state.robot is not None
    state.robot = replace(state.robot, position_covariance=np.diag((1e-4, 4e-4, 9e-4)))
    (marker,) = drawn(MarkerMaker(hyq).array(state, True), "covariance")
    turn = Rotation.from_quat([getattr(marker.pose.orientation, axis) for axis in "xyzw"]).as_matrix()
    squares = np.square((marker.scale.x, marker.scale.y, marker.scale.z)) / 4.0
    np.testing.assert_allclose(turn @ np.diag(squares) @ turn.T, NINETY_FIVE_PERCENT**2 * np.diag((1e-4, 4e-4, 9e-4)), atol=1e-9)


@pytest.mark.parametrize("name", ["steps", "slope", "ice_ahead", "rough"])
def test_the_ground_is_where_feet_stand_and_says_its_friction(at: Callable[[float], PageState], hyq: RobotModel, name: str) -> None:
    world = read_world(find_world(name))
    maker, state = MarkerMaker(hyq, world), at(5.0)
    first = drawn(maker.array(state, False), "ground")
    assert not drawn(maker.array(state, False), "ground"), "it does not move: it is told once"
    assert drawn(maker.array(state, True), "ground") == first
    assert {marker.id for marker in first} == set(range(len(first)))
    words = [marker.text for marker in first if marker.type == Marker.TEXT_VIEW_FACING]
    assert [text for text in words if "friction" in text] == (
        [f"friction {strip.friction:g}" for strip in world.strips] or ["friction 0.6 to 0.9"]
    )
    assert len(words) > 16 or world.relief is None, "rough ground has a number on many of its tiles"
    here = [marker.text for marker in drawn(maker.array(state, False), "friction") if "here" in marker.text]
    assert len(here) == 1, "and whatever is beside the robot is said again as it goes along"
    surfaces = [marker for marker in first if marker.type == Marker.TRIANGLE_LIST]
    assert len(surfaces) == len(world.strips) or world.relief is not None
    for strip, surface in zip(world.strips, surfaces, strict=False):
        corners = np.array([(point.x, point.z) for point in surface.points])
        for x in (strip.start, strip.end):
            assert corners[np.isclose(corners[:, 0], x), 1].max() == pytest.approx(strip.height_at(x), abs=3e-3)
    slippery = [surface.color.b > surface.color.r + 0.2 for surface in surfaces]
    assert slippery == [strip.friction < 0.3 for strip in world.strips] or world.relief is not None
    for surface in surfaces:
        assert len(surface.points) % 3 == 0
        assert len(surface.colors) == (0 if world.relief is None else len(surface.points))
        # It is said once a second while somebody looks.
        assert len(serialize_message(surface)) < 1_000_000


def test_without_a_robot_there_is_nothing(hyq: RobotModel) -> None:
    assert MarkerMaker(hyq).array(PageState(effort_limit=hyq.effort_limit), True).markers == []


@pytest.mark.parametrize("name", ["hyq", "a1"])
def test_the_links_hang_together_down_to_the_feet(name: str) -> None:
    model = load_robot(name)
    joints = model.stand_joint_position + 0.1
    frames = {frame.child_frame_id: frame for frame in LinkFrames(model).transforms(stamp_of(1.0), joints)}
    for foot, expected in zip(model.description.foot_names, model.feet_in_base(joints), strict=True):
        point, link = np.zeros(3), foot
        while link != model.description.base:
            moved = frames[link].transform
            turn = Rotation.from_quat([moved.rotation.x, moved.rotation.y, moved.rotation.z, moved.rotation.w])
            point = turn.apply(point) + np.array((moved.translation.x, moved.translation.y, moved.translation.z))
            link = frames[link].header.frame_id
        np.testing.assert_allclose(point, expected, atol=1e-9)


@pytest.fixture
def node() -> Iterator[Any]:
    from surefoot.nodes.markers import MarkersNode

    rclpy.init(args=[], domain_id=141 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    made = MarkersNode()
    yield made
    made.destroy_node()
    rclpy.try_shutdown()


@pytest.mark.parametrize("angle", [1e9, 1e200, -1e308])
def test_a_joint_that_is_said_to_have_turned_beyond_any_sense_is_a_rotation(angle: float, hyq: RobotModel) -> None:
    turned = [frame.transform.rotation for frame in LinkFrames(hyq).transforms(stamp_of(1.0), np.full(12, angle))]
    assert all(one.x**2 + one.y**2 + one.z**2 + one.w**2 == pytest.approx(1.0) for one in turned)


def test_it_listens_to_rehearsals_only_while_somebody_looks(node: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def heard() -> set[str]:
        return {subscription.topic_name for subscription in node.subscriptions}

    node._tick()
    assert not heard() & {"/traces", "/swing", "/verdict"}
    monkeypatch.setattr(node, "_markers", type("Watched", (), {"get_subscription_count": lambda self: 1, "publish": lambda *_: None})())
    node._tick()
    # As RViz and Foxglove ask for them: reliable; and the URDF by who comes late.
    offered = {one.topic_name: one.qos_profile for one in node.publishers}
    assert offered["/markers"].reliability == offered["/tf"].reliability == ReliabilityPolicy.RELIABLE
    assert offered["/robot_description"].durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert heard() >= {"/traces", "/swing", "/verdict"}
    monkeypatch.setattr(node, "_markers", type("Left", (), {"get_subscription_count": lambda self: 0})())
    node._tick()
    assert not heard() & {"/traces", "/swing", "/verdict"}


def test_for_curves_alone_it_hears_no_rehearsals(node: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = type("Watched", (), {"get_subscription_count": lambda self: 1, "publish": lambda *_: None})()
    monkeypatch.setitem(node._plots, "/plots/stack", watched)
    node._tick()
    heard = {subscription.topic_name for subscription in node.subscriptions}
    assert heard >= {"/verdict", "/gait_status", "/diagnostics"}
    assert not heard & {"/traces", "/swing"}
