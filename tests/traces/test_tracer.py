# SPDX-License-Identifier: Apache-2.0
"""Traces of a walking robot, and cases 178, 182, 184, 186, 190."""

from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.compiled import policy
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces import cloud
from surefoot.traces import tracer as tracer_module
from surefoot.traces.cloud.uncertainty import Uncertainty
from surefoot.traces.decision.scoring import score
from surefoot.traces.outcome import DIVERGED, FAILED, IMPOSSIBLE_START, INCONSISTENT, SURVIVED, UNFINISHED, Outcomes, joined
from surefoot.traces.requirements.settings import RequirementSettings
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import LEAD, Tracer

ICE = TerrainBelief(name="ice", friction_mean=0.03, friction_standard_deviation=0.01, friction_minimum=0.02, friction_maximum=0.05)


def same(first: Outcomes, second: Outcomes) -> bool:
    """Whether two outcomes are equal bit by bit, whatever the time that they cost."""
    names = {item.name for item in fields(Outcomes)} - {"particle_seconds"}
    with_holes = ("failure_time", "end_position", "end_velocity")
    pairs = ((np.asarray(getattr(first, name)), np.asarray(getattr(second, name)), name in with_holes) for name in names)
    return all(np.array_equal(one, two, equal_nan=holes) for one, two, holes in pairs)


@pytest.fixture(scope="module")
def trot(tracer: Tracer, uncertainty: Uncertainty, walk) -> Outcomes:
    return tracer.trace(walk.rehearsal(walk.asked("trot"), uncertainty), walk.candidate(), np.arange(16))


@pytest.fixture(scope="module")
def gallop_on_ice(tracer: Tracer, uncertainty: Uncertainty, walk) -> Outcomes:
    return tracer.trace(walk.rehearsal(walk.on(ICE, "gallop"), uncertainty, horizon=1.5), walk.candidate(), np.arange(16))


def test_without_spread_all_traces_are_one(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    outcomes = tracer.trace(walk.rehearsal(walk.asked("trot"), uncertainty.scaled(0.0)), walk.candidate(), np.arange(16))
    assert all(np.array_equal(outcomes.base_path[0], path) for path in outcomes.base_path)
    assert all(np.array_equal(outcomes.foot_contact[0], contact) for contact in outcomes.foot_contact)
    assert len(set(outcomes.verdict)) == 1
    result = score(walk.candidate(), outcomes, 0.95)
    assert result.success_rate in (0.0, 1.0)
    assert result.final_spread == 0.0


def test_the_cloud_spreads(trot: Outcomes) -> None:
    assert trot.base_path[:, -1, :3].std(axis=0).min() > 1e-4


def test_the_same_seed_gives_the_same_traces_whatever_was_traced_before(
    tracer: Tracer, uncertainty: Uncertainty, walk, trot: Outcomes, gallop_on_ice: Outcomes
) -> None:
    rehearsal = walk.rehearsal(walk.asked("trot"), uncertainty)
    assert same(tracer.trace(rehearsal, walk.candidate(), np.arange(16)), trot)
    other = tracer.trace(replace(rehearsal, seed=8), walk.candidate(), np.arange(16))
    assert not np.array_equal(other.base_path, trot.base_path)


@pytest.mark.parametrize("part", [1, 5])
def test_traces_do_not_depend_on_who_is_traced_together(
    hyq: RobotModel, uncertainty: Uncertainty, walk, trot: Outcomes, part: int
) -> None:
    small = Tracer(hyq, PlannerSettings(), size=part)
    rehearsal, order = walk.rehearsal(walk.asked("trot"), uncertainty), np.random.default_rng(part).permutation(16)
    pieces = [small.trace(rehearsal, walk.candidate(), order[i : i + part]) for i in range(0, 16, part)]
    assert same(joined(pieces), trot)
    assert sum(piece.particle_seconds for piece in pieces) == pytest.approx(trot.particle_seconds)


def test_more_particles_than_fit_together_are_traced_in_groups(hyq: RobotModel, uncertainty: Uncertainty, walk, trot: Outcomes) -> None:
    small = Tracer(hyq, PlannerSettings(), size=7)
    assert same(small.trace(walk.rehearsal(walk.asked("trot"), uncertainty), walk.candidate(), np.arange(16)), trot)


def test_every_candidate_meets_the_same_particles(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    rehearsal = walk.rehearsal(walk.asked("trot"), uncertainty, horizon=0.2)
    first, second = (tracer.trace(rehearsal, walk.candidate(0.1, point), np.arange(4)) for point in (0.0, 0.5))
    assert np.array_equal(first.base_path[:, : first.switch_tick + 1], second.base_path[:, : second.switch_tick + 1])
    assert not np.array_equal(first.base_path, second.base_path)


def test_a_blended_change_is_traced_until_the_new_gait_ran_alone_for_the_horizon(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    rehearsal = walk.rehearsal(walk.asked("trot"), uncertainty, horizon=0.2)
    at_once, blended = (tracer.trace(rehearsal, replace(walk.candidate(), blend_time=time), np.arange(2)) for time in (0.0, 0.3))
    ticks = [outcomes.base_path.shape[1] - 1 for outcomes in (at_once, blended)]
    assert ticks[1] - ticks[0] == round(0.3 / tracer.period)
    assert blended.switch_tick == at_once.switch_tick
    # The same robots, until the change; then each its own way.
    before = at_once.switch_tick
    assert np.array_equal(at_once.base_path[:, : before + 1], blended.base_path[:, : before + 1])
    assert not np.array_equal(at_once.base_path, blended.base_path[:, : ticks[0] + 1])


def test_a_change_through_an_intermediate_gait_is_that_to_it_and_then_that_from_it(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    on_the_way = walk.gaits["walking_trot"]
    to_it = walk.rehearsal(walk.asked("walking_trot"), uncertainty, horizon=0.5)
    through_it = walk.rehearsal(replace(walk.asked("trot"), intermediates=(on_the_way,)), uncertainty, horizon=0.2)
    direct = walk.candidate()
    chain = replace(direct, intermediate="walking_trot", intermediate_time=0.5)
    first, whole = tracer.trace(to_it, direct, np.arange(3)), tracer.trace(through_it, chain, np.arange(3))
    assert whole.switch_tick == first.switch_tick
    half = first.base_path.shape[1]
    # To the last bit the same robots in the intermediate gait, and then in the one that was asked for.
    assert np.array_equal(whole.base_path[:, :half], first.base_path)
    assert whole.base_path.shape[1] - half == round(0.2 / tracer.period)
    kept = tracer.trace(replace(to_it, horizon=0.7), direct, np.arange(3))
    assert not np.array_equal(kept.base_path, whole.base_path)
    # The way through a gait that could be gone is not gone by those who do not ask for it.
    plain = walk.rehearsal(walk.asked("trot"), uncertainty, horizon=0.2)
    assert same(tracer.trace(through_it, direct, np.arange(3)), tracer.trace(plain, direct, np.arange(3)))


def test_the_way_to_the_change_is_that_of_the_believed_robot(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    rehearsal = walk.rehearsal(walk.asked("trot"), uncertainty, horizon=0.1)
    cloud_of, believed = (
        tracer.trace(replace(rehearsal, uncertainty=uncertainty.scaled(spread)), walk.candidate(0.5), np.arange(3)) for spread in (1.0, 0.0)
    )
    common = cloud_of.switch_tick - round(LEAD / tracer.period)
    assert (cloud_of.base_path[:, :common] == believed.base_path[:1, :common]).all()
    assert (cloud_of.foot_contact[:, :common] == believed.foot_contact[:1, :common]).all()
    assert cloud_of.base_path[:, common].std(axis=0)[:3].min() > 0.0


@pytest.mark.parametrize("name", ["trot", "gallop_on_ice"])
def test_outcomes_are_disjoint_and_exhaustive(request: pytest.FixtureRequest, name: str) -> None:
    outcomes: Outcomes = request.getfixturevalue(name)
    assert np.isin(outcomes.verdict, (SURVIVED, FAILED, UNFINISHED)).all()
    for verdict, violated, time in zip(outcomes.verdict, outcomes.violated, outcomes.failure_time, strict=True):
        assert (violated == "") == (verdict == SURVIVED)
        assert np.isnan(time) == (verdict != FAILED)
    total = outcomes.base_path.shape[1] - 1
    lived = np.where(outcomes.verdict == FAILED, np.nan_to_num(outcomes.failure_time), total * outcomes.period)
    assert outcomes.particle_seconds == pytest.approx(lived.sum())


def test_trot_on_dry_ground_survives(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    outcomes = tracer.trace(walk.rehearsal(walk.asked("trot"), uncertainty, horizon=1.0), walk.candidate(), np.arange(16))
    assert (outcomes.verdict == SURVIVED).sum() >= 15


def test_a_gallop_on_ice_does_not_hold_and_says_why(gallop_on_ice: Outcomes) -> None:
    assert (gallop_on_ice.verdict == SURVIVED).sum() <= 1
    falls = {"roll", "pitch", "base height", "joint range", "torque speed", "non foot contact", "scuff"}
    assert set(gallop_on_ice.violated) - {""} <= falls | {"keeps its speed"}
    assert (gallop_on_ice.verdict == FAILED).sum() >= 12


def test_a_trace_ends_at_the_first_violation(gallop_on_ice: Outcomes) -> None:
    for i in np.flatnonzero(gallop_on_ice.verdict == FAILED):
        tick = round(gallop_on_ice.failure_time[i] / gallop_on_ice.period)
        path = gallop_on_ice.base_path[i]
        assert gallop_on_ice.failure_time[i] == tick * gallop_on_ice.period
        assert (path[tick:] == path[tick]).all()
        assert not np.array_equal(path[tick - 1], path[tick])
        # And keeps the state in which it did.
        assert np.array_equal(gallop_on_ice.end_position[i, :7].astype(np.float32), path[tick])
        assert gallop_on_ice.end_velocity[i].any()
        mine = gallop_on_ice.events[gallop_on_ice.events["particle"] == gallop_on_ice.indices[i]]
        assert mine["tick"].max() <= tick


def test_a_start_deep_in_the_ground_is_of_no_kind(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    state = replace(walk.snapshot.state, base_position=walk.snapshot.state.base_position - np.array((0.0, 0.0, 0.1)))
    rehearsal = walk.rehearsal(replace(walk.asked("trot"), state=state), uncertainty.scaled(0.0))
    outcomes = tracer.trace(rehearsal, walk.candidate(0.0), np.arange(2))
    assert (outcomes.verdict == INCONSISTENT).all()
    assert outcomes.violated == (IMPOSSIBLE_START,) * 2
    assert np.isnan(outcomes.failure_time).all()
    deep = replace(rehearsal, requirements=RequirementSettings(deepest_start=0.5))
    assert not (tracer.trace(deep, walk.candidate(0.0), np.arange(2)).verdict == INCONSISTENT).any()


def test_what_is_not_asked_for_ends_nothing(tracer: Tracer, uncertainty: Uncertainty, walk, gallop_on_ice: Outcomes) -> None:
    rehearsal = walk.rehearsal(walk.on(ICE, "gallop"), uncertainty, horizon=1.5)
    asked = RequirementSettings(requirements={"roll": {"largest": 0.2}}, objectives={})
    outcomes = tracer.trace(replace(rehearsal, requirements=asked), walk.candidate(), np.arange(4))
    assert set(outcomes.violated) <= {"", "roll"}
    assert (outcomes.verdict == FAILED).any()
    # Ended by a smaller lean than before.
    for i in np.flatnonzero(outcomes.verdict == FAILED):
        assert 0.19 < abs(Rotation.from_quat(outcomes.end_position[i, [4, 5, 6, 3]]).as_euler("zyx")[2]) < 0.3


def test_the_feet_of_a_trot_come_down_in_pairs(trot: Outcomes) -> None:
    events = trot.events_of(int(trot.indices[0]))
    assert [event.time for event in events] == sorted(event.time for event in events)
    assert {event.part for event in events} == {"LF foot", "RF foot", "LH foot", "RH foot"}


@pytest.mark.parametrize("tilt", [(0.7, 0.0), (0.0, -0.7)])
def test_a_fallen_start_fails_at_once(tracer: Tracer, uncertainty: Uncertainty, walk, tilt: tuple[float, float]) -> None:
    # So high that no foot is in the ground: that would be another matter.
    position = walk.snapshot.state.base_position + np.array((0.0, 0.0, 0.4))
    state = replace(walk.snapshot.state, base_position=position, base_quaternion=Rotation.from_euler("xyz", (*tilt, 0.0)).as_quat())
    rehearsal = walk.rehearsal(replace(walk.asked("trot"), state=state), uncertainty.scaled(0.0))
    outcomes = tracer.trace(rehearsal, walk.candidate(), np.arange(2))
    assert outcomes.violated == ("roll" if tilt[0] else "pitch",) * 2
    assert (outcomes.failure_time == 0.0).all()
    assert outcomes.particle_seconds == 0.0


def test_the_last_tick_is_judged_as_well(tracer: Tracer, uncertainty: Uncertainty, walk, gallop_on_ice: Outcomes) -> None:
    """A horizon that ends at the very tick at which a particle falls still sees it fall."""
    first = int(np.nanargmin(gallop_on_ice.failure_time))
    candidate = walk.candidate()
    horizon = gallop_on_ice.failure_time[first] - gallop_on_ice.switch_tick * gallop_on_ice.period
    rehearsal = walk.rehearsal(walk.on(ICE, "gallop"), uncertainty, horizon=horizon)
    for shorter, verdicts in ((0.0, {FAILED}), (0.004, {SURVIVED, UNFINISHED})):
        outcomes = tracer.trace(replace(rehearsal, horizon=horizon - shorter), candidate, np.array([first]))
        assert outcomes.verdict[0] in verdicts


@pytest.mark.parametrize("field", ["base_mass", "link_mass", "friction", "base_position", "joint_velocity", "servo_stiffness", "effort"])
def test_what_is_not_a_number_never_survives(
    tracer: Tracer, uncertainty: Uncertainty, walk, trot: Outcomes, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    draw = cloud.draw_particles

    def poisoned(*arguments: object) -> cloud.Particles:
        particles = draw(*arguments)  # type: ignore[arg-type]
        value = getattr(particles, field).copy()
        value[particles.indices == 1] = np.nan
        return replace(particles, **{field: value})

    monkeypatch.setattr(tracer_module, "draw_particles", poisoned)
    outcomes = tracer.trace(walk.rehearsal(walk.asked("trot"), uncertainty), walk.candidate(), np.arange(16))
    assert outcomes.verdict[1] == FAILED
    assert outcomes.violated[1] == DIVERGED
    assert np.isfinite(outcomes.base_path).all()
    others = np.arange(16) != 1
    assert np.array_equal(outcomes.base_path[others], trot.base_path[others])
    assert np.array_equal(outcomes.verdict[others], trot.verdict[others])
    result = score(walk.candidate(), outcomes, 0.95)
    assert result.survived == (trot.verdict[others] == SURVIVED).sum()
    assert np.isfinite((result.lower, result.final_spread)).all()


def test_a_trace_that_went_nowhere_is_unfinished(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    """It stands, so it violates nothing, but it was told to walk."""
    outcomes = tracer.trace(walk.rehearsal(walk.asked("stand"), uncertainty.scaled(0.0), horizon=1.0), walk.candidate(), np.arange(2))
    assert (outcomes.verdict == UNFINISHED).all()
    assert outcomes.violated == ("keeps its speed",) * 2


def test_the_controller_believes_in_the_nominal_robot(
    hyq: RobotModel, tracer: Tracer, uncertainty: Uncertainty, walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the plant is perturbed: at the first tick, with a perfect estimate, every particle is sent the same command."""
    commands = []
    control = policy.control

    def watched(tree: np.ndarray, gains: np.ndarray, plans: np.ndarray, states: np.ndarray, dt: float, terms: object, controls: np.ndarray,
                alive: object) -> None:  # fmt: skip
        control(tree, gains, plans, states, dt, terms, controls, alive)
        if len(states) == 4:
            commands.append((tree.tobytes(), gains.tobytes(), controls.copy()))

    monkeypatch.setattr(policy, "control", watched)
    none = uncertainty.scaled(0.0)
    # With other legs or on other ground the feet would feel other contacts.
    shapes = ("link_length", "foot_radius", "joint_axis", "ground_height", "slope")
    body = uncertainty.persistent.model_copy(update={name: getattr(none.persistent, name) for name in shapes})
    plant_only = Uncertainty(
        truncation=3.0, persistent=body, transient=none.transient, initial_state=0.0, ground=1.0, joint_sensors=0.0, foot_sensors=0.0
    )
    tracer.trace(walk.rehearsal(walk.asked("trot"), plant_only, horizon=0.05), walk.candidate(0.0), np.arange(4))
    assert Counter(tree for tree, _, _ in commands).most_common(1)[0][1] == len(commands)
    assert len({gains for _, gains, _ in commands}) == 1
    first, last = commands[0][2], commands[-1][2]
    assert len({record.tobytes() for record in first}) == 1
    assert len({record.tobytes() for record in last}) == 4


def test_a_nominal_trace_is_what_the_robot_then_does(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    start = walk.snapshot.state.time
    never = Candidate(0.0, start + 1.0 + tracer.period)
    outcomes = tracer.trace(walk.rehearsal(walk.snapshot, uncertainty.scaled(0.0), horizon=2 * tracer.period), never, np.arange(1))
    path = outcomes.base_path[0, 1 : len(walk.afterwards) + 1].astype(float)
    truth = np.array([after.base_position for after in walk.afterwards])
    attitude = Rotation.from_quat([after.base_quaternion for after in walk.afterwards])
    assert np.linalg.norm(path[:, :3] - truth, axis=1).max() < 0.01
    assert (Rotation.from_quat(path[:, [4, 5, 6, 3]]).inv() * attitude).magnitude().max() < 0.02
    contact = np.array([after.foot_load for after in walk.afterwards]) > 40.0
    assert (contact == outcomes.foot_contact[0, 1 : len(contact) + 1]).mean() > 0.97


def test_ground_that_is_not_at_zero_changes_nothing_but_heights(tracer: Tracer, uncertainty: Uncertainty, walk, trot: Outcomes) -> None:
    planner, state = walk.snapshot.planner.copy(), walk.snapshot.state
    for name in ("reference_position", "anchor", "hold_position", "knot_position"):
        planner[name][..., 2] += 0.5
    planner["ground_height"] += 0.5
    state = replace(state, base_position=state.base_position + np.array((0.0, 0.0, 0.5)))
    raised = replace(walk.asked("trot"), planner=planner, state=state)
    outcomes = tracer.trace(walk.rehearsal(raised, uncertainty), walk.candidate(), np.arange(16))
    assert outcomes.base_path - (0, 0, 0.5, 0, 0, 0, 0) == pytest.approx(trot.base_path, abs=1e-3)
    assert np.array_equal(outcomes.verdict, trot.verdict)


def test_a_robot_that_falls_on_the_way_to_the_change_fails_before_it(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    asked = walk.asked("trot")
    tipping = replace(asked, state=replace(asked.state, base_angular_velocity=np.array((20.0, 0.0, 0.0))))
    outcomes = tracer.trace(walk.rehearsal(tipping, uncertainty, horizon=0.3), walk.candidate(1.5), np.arange(3))
    assert (outcomes.verdict == FAILED).all()
    assert len(set(outcomes.violated)) == 1
    assert ((outcomes.failure_time > 0.0) & (outcomes.failure_time < 1.0)).all()


def test_candidates_side_by_side_are_traced_as_if_each_were_alone(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    rehearsal = walk.rehearsal(walk.asked("pace", "ice"), uncertainty, horizon=0.3)
    wanted = [(walk.candidate(0.3, 0.75), np.arange(3)), (walk.candidate(0.05), np.arange(2, 4)), (walk.candidate(0.1, 0.5), np.arange(1))]
    together = tracer.trace_together(rehearsal, wanted)
    for (candidate, indices), one in zip(wanted, together, strict=True):
        alone = tracer.trace(rehearsal, candidate, indices)
        assert same(one, alone)
        assert one.particle_seconds == alone.particle_seconds


@pytest.mark.parametrize("yaw", [0.3, 0.6])
def test_a_trot_whose_base_looks_aside_holds_and_keeps_to_its_heading(tracer: Tracer, uncertainty: Uncertainty, walk, yaw: float) -> None:
    aside = replace(walk.snapshot, gait_to=walk.gaits["trot"].model_copy(update={"base_yaw": yaw}))
    rehearsal = walk.rehearsal(aside, uncertainty, horizon=2.5)
    outcomes = tracer.trace(rehearsal, replace(walk.candidate(), blend_time=0.5), np.arange(12))
    assert (outcomes.verdict == SURVIVED).sum() >= 11, outcomes.violated
    w, x, y, z = outcomes.base_path[:, -1, 3:].T
    looks = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    way = outcomes.base_path[:, -1, :2] - outcomes.base_path[:, outcomes.switch_tick, :2]
    assert np.median(looks - np.arctan2(way[:, 1], way[:, 0])) == pytest.approx(yaw, abs=0.1)
