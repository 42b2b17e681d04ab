# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.gait.records import PLANNER
from surefoot.locomotion.laws import LawState
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.decision.soundness import LONGEST_WAIT, require_sound
from surefoot.traces.snapshot import Candidate

SETTINGS = DecisionSettings(latency=1.0)
CANDIDATE = Candidate(0.5, 11.0, 0.5)


def snapshot(**fields: Any) -> Any:
    planner = np.zeros(1, PLANNER)
    for name in ("contact_lost_since", "held_up_since"):
        planner[name] = np.nan
    for name, value in fields.items():
        planner[name] = value
    variances = {"joint_position_variance": np.zeros(12), "joint_velocity_variance": np.zeros(12)}
    measured = {name: np.zeros(3) for name in ("base_position", "base_quaternion", "base_linear_velocity", "base_angular_velocity")}
    joints = {name: np.zeros(12) for name in ("joint_position", "joint_velocity")}
    state = SimpleNamespace(time=10.0, pose_covariance=np.eye(6), twist_covariance=np.eye(6), **variances, **measured, **joints)
    return SimpleNamespace(state=state, planner=planner, command=np.array((0.3, 0.0, 0.0)), law=LawState(), intermediates=())


def test_what_is_asked_day_by_day_is_sound() -> None:
    require_sound(snapshot(), [CANDIDATE] * 8, SETTINGS)
    latest = Candidate(1.0, 11.0 + LONGEST_WAIT, LONGEST_WAIT)
    require_sound(snapshot(), [Candidate(0.0, 10.0), latest], SETTINGS)
    # That was the last moment.
    with pytest.raises(ConfigurationError, match="switch_time of candidate 1 is 41"):
        require_sound(snapshot(), [CANDIDATE, replace(latest, switch_time=latest.switch_time + 1e-6)], SETTINGS)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"transition_point": -0.1}, "transition_point of candidate 1 is -0.1; it must be 0 to 1"),
        ({"switch_time": float("nan")}, "switch_time of candidate 1 is nan; it must be 10 to 41"),
        ({"switch_time": float("inf")}, "switch_time of candidate 1 is inf"),
        ({"switch_time": 1e9}, r"switch_time of candidate 1 is 1e\+09"),
        ({"switch_time": 9.9}, "switch_time of candidate 1 is 9.9"),
        ({"blend_time": 1e9}, r"blend_time of candidate 1 is 1e\+09; it must be 0 to 30"),
        ({"intermediate_time": -1e300}, r"intermediate_time of candidate 1 is -1e\+300; it must be 0 to 0"),
        ({"intermediate_time": float("inf")}, "intermediate_time of candidate 1 is inf"),
        ({"intermediate": "trot", "intermediate_time": 0.4}, "intermediate_time of candidate 1 is 0.4; it must be 0.55 to 30"),
        ({"intermediate": "trot", "intermediate_time": 2.0}, "unknown intermediate gait of candidate 1 'trot'"),
    ],
)
def test_a_candidate_that_nobody_could_rehearse_is_named(changes: dict[str, float], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        require_sound(snapshot(), [CANDIDATE, replace(CANDIDATE, **changes)], SETTINGS)


@pytest.mark.parametrize("count", [0, 1000])
def test_none_are_not_enough_and_thousands_are_too_many(count: int) -> None:
    with pytest.raises(ConfigurationError, match=f"{count} candidates are asked about; it must be 1 to"):
        require_sound(snapshot(), [CANDIDATE] * count, SETTINGS)


@pytest.mark.parametrize(
    ("many", "changes"), [(1, {"particles": 4096, "horizon": 60.0}), (256, {"particles": 400}), (1, {"most_particles": 65536})]
)
def test_more_than_there_is_memory_for_is_refused_before_it_is_traced(many: int, changes: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match=r"particle-seconds; they must be at most 100000: ask for fewer, or for less time"):
        require_sound(snapshot(), [CANDIDATE] * many, SETTINGS.model_copy(update=changes))


def test_so_few_particles_that_nobody_could_be_vouched_for_are_refused() -> None:
    few = SETTINGS.model_copy(update={"most_particles": SETTINGS.fewest(9) - 1})
    require_sound(snapshot(), [CANDIDATE] * 8, few)
    with pytest.raises(ConfigurationError, match="most_particles is 43; 9 candidates take 44 at least"):
        require_sound(snapshot(), [CANDIDATE] * 9, few)


def test_numbers_that_are_none_and_times_without_end_are_named() -> None:
    with pytest.raises(ConfigurationError, match=r"knot_position of the planner is .*nan.*; it must be finite"):
        require_sound(snapshot(knot_position=np.nan), [CANDIDATE], SETTINGS)
    broken = snapshot()
    broken.command[1] = np.inf
    with pytest.raises(ConfigurationError, match=r"the command is \[0.3, inf, 0.0\]; it must be finite"):
        require_sound(broken, [CANDIDATE], SETTINGS)
    broken = snapshot()
    broken.law.memory["integral"][0, 1, 2] = np.nan
    with pytest.raises(ConfigurationError, match=r"integral of the law is .*nan.*; it must be finite"):
        require_sound(broken, [CANDIDATE], SETTINGS)
    broken = snapshot()
    broken.state.joint_velocity_variance[1] = -1e-3
    with pytest.raises(ConfigurationError, match=r"joint_velocity_variance of the state has -0\.001 as its least variance"):
        require_sound(broken, [CANDIDATE], SETTINGS)
    for name in ("horizon", "latency"):
        with pytest.raises(ConfigurationError, match=f"{name} is 1e\\+06 s; it must be at most 120 s"):
            require_sound(snapshot(), [CANDIDATE], SETTINGS.model_copy(update={name: 1e6}))


@pytest.mark.parametrize(
    ("name", "value", "most"),
    [
        ("base_position", -1e100, "1e\\+06"), ("base_quaternion", 1e200, "1000"),
        ("base_angular_velocity", 1e5, "1000"), ("joint_position", 1e4, "1000"),
        ("joint_velocity", -1e200, "10000"), ("joint_position_variance", 1e100, "1e\\+12"), ("pose_covariance", np.nan, "1e\\+12"),
    ],
)  # fmt: skip
def test_a_state_that_no_robot_can_be_in_is_named(name: str, value: float, most: str) -> None:
    broken = snapshot()
    getattr(broken.state, name).reshape(-1)[1] = value
    with pytest.raises(ConfigurationError, match=f"{name} of the state is .*; it must be finite and at most {most}$"):
        require_sound(broken, [CANDIDATE], SETTINGS)


def test_finite_garbage_of_the_planner_is_named_before_it_overflows() -> None:
    with pytest.raises(ConfigurationError, match=r"reference_position of the planner is .*1e\+200.*; it must be finite and at most 1e\+12"):
        require_sound(snapshot(reference_position=1e200), [CANDIDATE], SETTINGS)


def test_gaits_to_go_through_have_names_of_their_own() -> None:
    asked = snapshot()
    asked.intermediates = (SimpleNamespace(name="trot"), SimpleNamespace(name="trot"))
    with pytest.raises(ConfigurationError, match="intermediate gaits trot, trot: each must have a name of its own"):
        require_sound(asked, [CANDIDATE], SETTINGS)
