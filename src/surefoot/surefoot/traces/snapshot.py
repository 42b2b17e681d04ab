# SPDX-License-Identifier: Apache-2.0
"""Where a rehearsal starts: everything that the policy knows at one instant."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.parameters import Gait
from surefoot.locomotion.laws import LawState
from surefoot.robot.state import RobotState
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.decision.settings import DecisionSettings

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """One way of taking a gait change.

    Attributes:
        transition_point: phase of the running gait at which the change is made, 0 to 1; from a stand, the phase at which the
            new gait begins.
        switch_time: s, planner time.
        blend_time: s over which the parameters go from the one gait to the other; 0: they step at once.
    """

    transition_point: float
    switch_time: float
    blend_time: float = 0.0


@dataclass(frozen=True)
class Snapshot:
    """The start of a rehearsal.

    Attributes:
        state: the estimate with its covariance.
        planner: array of one PLANNER record.
        gait_from: the gait in force.
        gait_to: the gait that was asked for.
        command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
        terrain: what is believed about the ground ahead, where the new gait is to hold.
        terrain_here: what is believed about the ground under the feet, on which the robot walks until the change.
        law: that drives the robot.
    """

    state: RobotState
    planner: np.ndarray
    gait_from: Gait
    gait_to: Gait
    command: Array
    terrain: TerrainBelief
    terrain_here: TerrainBelief
    law: LawState = field(default_factory=LawState)


def transition_candidates(
    planner_time: float, phase: float, gait_from: Gait, points: tuple[float, ...], earliest: float, blend_times: Sequence[float] = (0.0,)
) -> tuple[Candidate, ...]:
    """The next occurrence of each transition point [Zapolsky 2017, section 4.3.3], taken in each way, the first way at all points first.

    Args:
        planner_time: s.
        phase: of the running gait now, 0 to 1.
        gait_from: the gait in force; while standing, time does not choose between the points, so all come at once.
        points: transition points, 0 to 1.
        earliest: s from now before which no change can be made.
        blend_times: s, see Candidate.
    """

    def wait(point: float) -> float:
        return ((point - phase - earliest / gait_from.period) % 1.0) * gait_from.period if gait_from.moves else 0.0

    return tuple(
        Candidate(point, planner_time + earliest + wait(point), blend_time) for blend_time in blend_times for point in points
    )


def candidates_of(snapshot: Snapshot, settings: DecisionSettings) -> tuple[Candidate, ...]:
    """Every way in which the change of a snapshot is considered, the most wanted first."""
    blend_times = tuple(cycles * snapshot.gait_to.period for cycles in settings.blend_cycles)
    phase = float(snapshot.planner["phase"][0])
    return transition_candidates(
        snapshot.state.time, phase, snapshot.gait_from, settings.transition_points, settings.latency, blend_times
    )
