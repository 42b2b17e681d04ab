# SPDX-License-Identifier: Apache-2.0
"""Quality of service by what a topic carries."""

import pytest
from rclpy.qos import DurabilityPolicy, QoSCompatibility, QoSProfile, ReliabilityPolicy, qos_check_compatible

from surefoot.nodes import quality


@pytest.mark.parametrize("profile", [quality.sensor(True), quality.command(True), quality.operator(True), quality.EVENT])
def test_in_lockstep_nothing_may_be_lost(profile: QoSProfile) -> None:
    assert profile.reliability == ReliabilityPolicy.RELIABLE
    assert profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert profile.depth >= 10


def test_running_free_the_newest_counts() -> None:
    assert (quality.sensor(False).reliability, quality.sensor(False).depth) == (ReliabilityPolicy.BEST_EFFORT, 1)
    assert (quality.command(False).reliability, quality.command(False).depth) == (ReliabilityPolicy.RELIABLE, 1)


def test_running_free_a_request_is_not_lost_behind_newer_commands() -> None:
    profile = quality.operator(False)
    assert profile.reliability == ReliabilityPolicy.RELIABLE
    assert profile.depth >= 20
    # An old request must not reach whoever starts later.
    assert profile.durability == DurabilityPolicy.VOLATILE


@pytest.mark.parametrize(
    "offered", [QoSProfile(depth=1), quality.command(True), QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)]
)
def test_what_people_send_is_heard_however_it_is_offered(offered: QoSProfile) -> None:
    assert qos_check_compatible(offered, quality.INPUT)[0] != QoSCompatibility.ERROR


@pytest.mark.parametrize("offered", [QoSProfile(depth=1), QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)])
def test_a_foreign_driver_is_heard_when_running_free(offered: QoSProfile) -> None:
    assert qos_check_compatible(offered, quality.sensor(False))[0] != QoSCompatibility.ERROR
