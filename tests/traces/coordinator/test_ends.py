# SPDX-License-Identifier: Apache-2.0
"""How what is in hand ends when the robot is told to stand, or leaves balance."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.traces.request import RequestState


@pytest.mark.parametrize("stage", ["rehearsing", "scheduled", "unsteady", "nothing"])
def test_told_to_stand_it_stands_at_once_and_drops_everything(walking, stage: str) -> None:
    if stage != "nothing":
        walking.ask("trot")
        walking.tick()
    if stage == "scheduled":
        walking.wait_until_due()
        walking.answer(0)
    if stage == "unsteady":
        walking.command(0.5, 0.0, 0.0)
        walking.tick()
    walking.walking = False
    rehearsals = len(walking.enquiries)
    walking.tick()
    assert walking.gait == "stand"
    assert walking.coordinator.enquiry is None
    walking.tick(400)
    assert (walking.gait, len(walking.enquiries)) == ("stand", rehearsals)
    if stage != "nothing":
        assert (walking.status, walking.reason) == ((RequestState.VETOED, 1, "trot"), "the robot was told to stand")
    walking.walking = True
    walking.tick()
    assert walking.enquiries[-1].snapshot.gait_to.name == "walk"


@pytest.mark.parametrize("stage", ["rehearsing", "scheduled", "nothing"])
def test_a_robot_that_left_balance_forgets_and_stands_up_again(walking, stage: str) -> None:
    if stage != "nothing":
        walking.ask("trot")
        walking.tick()
    if stage == "scheduled":
        walking.wait_until_due()
        walking.answer(0)
    walking.coordinator.rest()
    walking.coordinator.rest()
    if stage != "nothing":
        assert (walking.status, walking.reason) == ((RequestState.VETOED, 1, "trot"), "the robot left balance control")
    walking.walking = False
    walking.state = replace(walking.state, base_position=np.array([2.0, 1.0, 0.5]))
    walking.tick()
    assert walking.gait == "stand"
    assert walking.coordinator.planning.planner["reference_position"][0, :2] == pytest.approx([2.0, 1.0])
    walking.tick(300)
    assert walking.gait == "stand"
    rehearsals = len(walking.enquiries)
    walking.walking = True
    walking.tick()
    assert len(walking.enquiries) == rehearsals + 1


def test_a_snapshot_is_of_its_moment(walking) -> None:
    walking.ask("trot")
    walking.tick()
    snapshot = walking.enquiries[-1].snapshot
    planner, command = snapshot.planner.copy(), snapshot.command.copy()
    walking.wish.command[:] = 0.25
    walking.tick(20)
    assert snapshot.planner.tobytes() == planner.tobytes()
    assert np.array_equal(snapshot.command, command)
    assert snapshot.state.time == pytest.approx(float(planner["time"][0]) + walking.period)


def test_a_stand_that_fades_in_gives_way_to_one_at_once(blending) -> None:
    """Told to stand while a gait fades into standing, the robot does not step on until it has faded."""
    blending.ask("stand")
    blending.tick()
    blending.wait_until_due()
    chosen = blending.enquiries[-1].candidates[4]
    blending.answer(4)
    while blending.state.time < chosen.switch_time + 0.1:
        blending.tick()
    assert blending.coordinator.planning.plan_record["moving"][0]
    blending.walking = False
    blending.tick()
    assert not blending.coordinator.planning.plan_record["moving"][0]
    assert not blending.coordinator.planning.blending
