# SPDX-License-Identifier: Apache-2.0
"""Where a rehearsal starts: everything that the policy knows at one instant."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.library import GaitLibrary
from surefoot.gait.parameters import Gait
from surefoot.locomotion.laws import LawState
from surefoot.robot.state import RobotState
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.manner import manner_in_words

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """One way of taking a gait change.

    Attributes:
        transition_point: phase of the running gait at which the change is made, 0 to 1; from a stand, the phase at which the
            new gait begins.
        switch_time: s, planner time.
        blend_time: s over which the parameters go from the one gait to the other; 0: they step at once.
        intermediate: name of the gait that is walked on the way; empty: the change is made directly. Both of its halves are made in the
            same way, the second one at the phase that the cycle then has.
        intermediate_time: s from the change to the intermediate gait to the one from it.
    """

    transition_point: float
    switch_time: float
    blend_time: float = 0.0
    intermediate: str = ""
    intermediate_time: float = 0.0

    @property
    def change_time(self) -> float:
        """s from the switch until the new gait runs alone."""
        return self.intermediate_time + self.blend_time

    @property
    def manner(self) -> str:
        """How the change is made, in words that follow where it is made; empty where it is made directly and at once."""
        return manner_in_words(self.intermediate, self.intermediate_time, self.blend_time)


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
        intermediates: gaits that a change may be made through, and a counter-offer may name.
    """

    state: RobotState
    planner: np.ndarray
    gait_from: Gait
    gait_to: Gait
    command: Array
    terrain: TerrainBelief
    terrain_here: TerrainBelief
    law: LawState = field(default_factory=LawState)
    intermediates: tuple[Gait, ...] = ()


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


def intermediates_of(gaits: GaitLibrary, settings: DecisionSettings, gait_from: str, gait_to: str, asked: str = "") -> tuple[Gait, ...]:
    """The gaits that a change may be made through, and those of which that may be offered.

    Args:
        gaits: that the robot knows.
        settings: how to decide.
        gait_from, gait_to: names of the gaits that the change is between; from the one and to the other there is no way through it.
        asked: name of one that was asked for; empty: none.
    """
    wanted = dict.fromkeys((asked, *settings.intermediates, *settings.offer_intermediates))
    return tuple(gaits[name] for name in wanted if name in gaits and gaits[name].moves and name not in (gait_from, gait_to))


def candidates_of(
    snapshot: Snapshot, settings: DecisionSettings, intermediate: str = "", delay: float = 0.0
) -> tuple[Candidate, ...]:
    """Every way in which the change of a snapshot is considered, the most wanted first.

    Args:
        snapshot: of the request.
        settings: how to decide.
        intermediate: name of the gait through which alone the change was asked for; empty: directly, and through those of the settings.
        delay: s by which it is to be later than it could be.
    """
    blend_times = tuple(cycles * snapshot.gait_to.period for cycles in settings.blend_cycles)
    phase = float(snapshot.planner["phase"][0])
    direct = transition_candidates(
        snapshot.state.time, phase, snapshot.gait_from, settings.transition_points, settings.latency + delay, blend_times
    )
    on_the_way = [
        through(candidate, gait, settings)
        for gait in snapshot.intermediates
        if gait.name == intermediate or (not intermediate and gait.name in settings.intermediates)
        for candidate in direct
    ]
    return tuple(on_the_way if intermediate else (*direct, *on_the_way))


def through(candidate: Candidate, gait: Gait, settings: DecisionSettings) -> Candidate:
    """The same change by way of an intermediate gait, which is walked for whole cycles after it has come."""
    time = candidate.blend_time + settings.intermediate_cycles * gait.period
    return replace(candidate, intermediate=gait.name, intermediate_time=time)
