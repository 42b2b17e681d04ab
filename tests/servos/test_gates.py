# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import pytest

from surefoot.servos.attitude import Attitude
from surefoot.servos.gates import GATES, Facts, first_trip, gates_table
from surefoot.servos.modes import Mode
from surefoot.servos.settings import BridgeSettings
from surefoot.servos.watchdog import Watchdog

GOOD = Facts(
    time=10.0, clock_problem="", sample_time=10.0, command_problem="", command_time=9.99, mode_since=9.0, attitude=Attitude(0.1, 0.1),
    attitude_time=10.0, attitude_heard=10.0, posture_problem="",
)  # fmt: skip


@pytest.mark.parametrize("mode", list(Mode))
def test_good_facts_pass_every_gate(mode: Mode) -> None:
    assert first_trip(mode, GOOD, BridgeSettings(), Watchdog(0.05)) is None


@pytest.mark.parametrize(
    ("change", "gate", "words"),
    [
        ({"clock_problem": "went back"}, "clock", "went back"),
        ({"command_problem": "LF_HAA effort is nan"}, "numbers", "LF_HAA effort is nan"),
        ({"sample_time": 9.9}, "joint state stale", "0.100 s old, limit 0.050 s"),
        ({"sample_time": None}, "joint state stale", "none has come"),
        ({"command_time": 9.94}, "command stale", "0.060 s old"),
        ({"command_time": 9.94, "estimate_problem": "no attitude"}, "command stale", "0.060 s old, limit 0.050 s; no attitude"),
        ({"command_time": None, "mode_since": 4.0}, "take-over", "within 5.0 s"),
        ({"attitude": Attitude(0.6, 0.0)}, "attitude", "roll 0.60 rad, limit 0.50 rad"),
        ({"attitude": Attitude(0.0, -0.6)}, "attitude", "pitch -0.60 rad"),
        ({"attitude": None}, "attitude missing", "limit 0.150 s"),
        ({"attitude_time": 9.7}, "attitude missing", "none for 0.300 s"),
        ({"attitude_heard": 9.94}, "attitude missing", "nor that it is not known; the newest word: 0.060 s old, limit 0.050 s"),
        ({"attitude_heard": 9.94, "estimate_problem": "it did not know"}, "estimator invalid", "it did not know; attitude: nobody says it"),
        ({"posture_problem": "LF_KFE is off"}, "posture", "LF_KFE is off"),
        ({"sample_time": 9.9, "bus_problem": "LF_KFE is silent"}, "joint state stale", "old, limit 0.050 s; LF_KFE is silent"),
        ({"motor_problems": (("torque", "b"), ("velocity", "a"))}, "velocity", "a"),
        ({"attitude": Attitude(0.0, 3.0)}, "fall", "3.00 rad from upright, limit 1.57 rad"),
        ({"attitude_time": 9.7, "estimate_problem": "it does not know"}, "estimator invalid", "it does not know; attitude: none for 0.3"),
    ],
)
def test_each_gate_trips_by_name_and_with_numbers(change: dict[str, object], gate: str, words: str) -> None:
    facts = replace(GOOD, **change)  # type: ignore[arg-type]
    trip = first_trip(Mode.READY, facts, BridgeSettings(), Watchdog(0.05))
    assert trip is not None
    assert trip[0] == gate
    assert words in trip[1]
    for mode in (Mode.OFF, Mode.DAMPING, Mode.SITTING, Mode.STOPPED, Mode.FAULT):
        assert first_trip(mode, facts, BridgeSettings(), Watchdog(0.05)) is None


def test_gates_are_asked_in_their_order() -> None:
    facts = replace(GOOD, attitude=Attitude(1.0, 1.0), command_problem="NaN", sample_time=0.0)
    trip = first_trip(Mode.WALKING, facts, BridgeSettings(), Watchdog(0.05))
    assert trip is not None
    assert trip[0] == "numbers"


def test_the_table_has_every_gate() -> None:
    assert all(f"| {gate.name} | " in gates_table() for gate in GATES)
