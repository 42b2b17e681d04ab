# SPDX-License-Identifier: Apache-2.0
"""A step that did not happen is false, whatever the way in which it did not happen, and nothing raises."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from surefoot.evaluation.steps import STEPS, Step, told_steps
from surefoot.evaluation.story import GaitStatusChanged, ModeChanged, VerdictGiven
from surefoot.evaluation.timeline import Timeline
from surefoot.robot.model import RobotModel

Spoil = Callable[[Any], None]


def steps_of(told_run: Any, model: RobotModel) -> dict[str, Step]:
    return {step.name: step for step in told_steps(Timeline(told_run.run(), told_run.events), model.description)}


def without(kind: type, **values: Any) -> Spoil:
    def spoil(told: Any) -> None:
        def gone(event: Any) -> bool:
            return isinstance(event, kind) and all(getattr(event, key) == value for key, value in values.items())

        told.events = [event for event in told.events if not gone(event)]

    return spoil


def verdict(which: bool, /, **changes: Any) -> Spoil:
    def spoil(told: Any) -> None:
        def changed(event: Any) -> Any:
            return event.model_copy(update=changes) if isinstance(event, VerdictGiven) and event.accepted == which else event

        told.events = [changed(event) for event in told.events]

    return spoil


def fewer_particles(told: Any) -> None:
    (answer,) = (event for event in told.events if isinstance(event, VerdictGiven) and event.accepted)
    scores = tuple(score.model_copy(update={"particles": 15}) for score in answer.scores)
    verdict(True, scores=scores)(told)


def fewer_points(told: Any) -> None:
    (answer,) = (event for event in told.events if isinstance(event, VerdictGiven) and event.accepted)
    verdict(True, scores=answer.scores[:3])(told)


def column(name: str, start: float, end: float, value: Any, entry: int | None = None) -> Spoil:
    def spoil(told: Any) -> None:
        rows = told.during(start, end)
        told.columns[name][rows if entry is None else (rows, entry)] = value

    return spoil


def wriggles(told: Any) -> None:
    told.columns["base_position"][told.during(0.6, 0.9), 1] = 0.05


def jumps_up(told: Any) -> None:
    told.columns["joint_position"][told.during(2.05, 4.0)] += 0.5


def begins_ready(told: Any) -> None:
    told.events[0] = ModeChanged(time=0.0, mode="READY")


def ends_walking(told: Any) -> None:
    told.events = sorted([*told.events, ModeChanged(time=22.0, mode="READY")], key=lambda event: event.time)


def changes_its_gait(told: Any) -> None:
    told.events = sorted([*told.events, GaitStatusChanged(time=22.0, gait="pace", state="IDLE")], key=lambda event: event.time)


SPOILT: list[tuple[str, Spoil, str]] = [
    ("lay still until armed", without(ModeChanged), "never armed"),
    ("lay still until armed", begins_ready, "began in READY"),
    ("lay still until armed", wriggles, "50.0 mm"),
    ("stood up from the measured pose", without(ModeChanged, mode="STANDING_UP"), "never in mode STANDING_UP"),
    ("stood up from the measured pose", without(ModeChanged, mode="READY"), "never got READY"),
    ("stood up from the measured pose", column("base_position", 3.0, 5.0, 0.3, 2), "to 0.30 m"),
    ("stood up from the measured pose", jumps_up, "0.5"),
    ("walked at the asked speed", column("base_linear_velocity", 5.0, 11.5, 0.25, 0), "0.250 m/s of 0.30"),
    ("walked at the asked speed", without(GaitStatusChanged, gait="walk"), "no phase of walk"),
    ("rehearsed the trot", without(VerdictGiven, accepted=True), "no verdict on a trot"),
    ("rehearsed the trot", fewer_points, "3 points"),
    ("rehearsed the trot", fewer_particles, "15 particles"),
    ("committed at the best point", verdict(True, chosen=1), "score 0.88, success at least 0.60 (surest 0.77)"),
    ("committed at the best point", verdict(True, chosen=-1), "chooses no candidate"),
    ("committed at the best point", verdict(True, accepted=False, reason="late"), "vetoed: late"),
    ("committed at the best point", without(GaitStatusChanged, state="COMMITTED"), "never made"),
    ("trotted", without(GaitStatusChanged, gait="trot"), "0.0 s"),
    ("trotted", column("foot_load", 11.0, 27.0, 200.0), "0 steps"),
    ("trotted", column("base_position", 11.0, 33.0, 2.0, 0), "0.00 m"),
    ("vetoed with a reason and kept walking", without(VerdictGiven, accepted=False), "no request was vetoed"),
    ("vetoed with a reason and kept walking", verdict(False, reason=""), "without a reason"),
    ("vetoed with a reason and kept walking", ends_walking, "ended 1.0 s later"),
    ("vetoed with a reason and kept walking", changes_its_gait, "ended 1.0 s later"),
    ("vetoed with a reason and kept walking", column("base_linear_velocity", 21.0, 27.0, 0.0, 0), "at 0.00 m/s"),
    ("stopped", column("base_linear_velocity", 26.0, 29.0, 0.2, 0), "0.200 m/s"),
    ("sat down", without(ModeChanged, mode="SITTING"), "SITTING_DOWN"),
    ("sat down", column("base_position", 30.0, 32.0, 0.6, 2), "0.60 m"),
    ("never fell", column("base_position", 15.0, 15.1, 0.2, 2), "0.20 m at 15.00 s"),
    ("never fell", column("base_position", 15.0, 15.1, np.nan, 2), "nan m"),
    ("never fell", column("body_contact", 15.0, 15.1, True), "other than a foot"),
    ("never fell", column("base_quaternion", 30.0, 31.0, (0.5, 0.0, 0.0, 0.75**0.5)), "tipped by 1.05 rad"),
]


def test_every_step_is_seen_when_it_happened(told_run: Any, hyq: RobotModel) -> None:
    steps = steps_of(told_run, hyq)
    assert {name: step.evidence for name, step in steps.items() if not step.ok} == {}
    assert list(steps) == [name for name, _ in STEPS]


@pytest.mark.parametrize(("name", "spoil", "evidence"), SPOILT)
def test_a_step_that_did_not_happen_is_false(told_run: Any, hyq: RobotModel, name: str, spoil: Spoil, evidence: str) -> None:
    spoil(told_run)
    step = steps_of(told_run, hyq)[name]
    assert not step.ok
    assert evidence in step.evidence


def test_every_step_can_be_missed() -> None:
    assert {name for name, _, _ in SPOILT} == {name for name, _ in STEPS}


def test_nothing_happened_in_an_empty_story(told_run: Any, hyq: RobotModel) -> None:
    told_run.events = []
    assert not any(step.ok for step in steps_of(told_run, hyq).values())


def test_a_run_of_one_tick(told_run: Any, hyq: RobotModel) -> None:
    told_run.columns = {name: values[:1] for name, values in told_run.columns.items()}
    # What was said stands; what had to be done was not.
    assert {name for name, step in steps_of(told_run, hyq).items() if step.ok} == {"rehearsed the trot", "committed at the best point"}
