# SPDX-License-Identifier: Apache-2.0
"""Decision records: everything that a verdict was made from, in one JSON file that can be replayed to the same answer."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.errors import ConfigurationError
from surefoot.gait.parameters import Gait
from surefoot.gait.records import PLANNER
from surefoot.locomotion.laws import MEMORY, LawState, law_memory
from surefoot.robot.state import RobotState
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.cloud.uncertainty import Uncertainty
from surefoot.traces.decision.admission import Admission
from surefoot.traces.decision.decision import Decision, decide
from surefoot.traces.decision.pace import AsRecorded
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import Executor
from surefoot.traces.requirements.settings import RequirementSettings
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.tracer import Rehearsal

FORMAT = 8
PATH_RATE = 20.0
"""Samples a second of the base paths that are kept for drawing."""


@dataclass(frozen=True)
class RecordedDecision:
    """What a record file holds.

    Attributes:
        robot: name or path.
        rehearsal, candidates, settings: what was asked.
        admission, rounds, offers_tried: what there was time for.
        answer: of the decision: chosen, reason, scores, paths, as plain values.
    """

    robot: str
    rehearsal: Rehearsal
    candidates: tuple[Candidate, ...]
    settings: DecisionSettings
    admission: Admission
    rounds: int
    offers_tried: int
    answer: dict[str, Any]

    def replay(self, executor: Executor) -> Decision:
        """Decide again from what was recorded, however long that takes now."""
        pace = AsRecorded(self.admission, self.rounds, self.offers_tried)
        return decide(executor, self.rehearsal, self.candidates, self.settings, pace=pace)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def plain_answer(decision: Decision) -> dict[str, Any]:
    """A decision as plain values: what a replay must reproduce, and the base paths for drawing."""
    outcomes = decision.outcomes
    stride = max(1, round(1.0 / (PATH_RATE * outcomes[0].period)))
    return {
        "chosen": decision.chosen,
        "reason": decision.reason,
        "explanation": list(decision.explanation),
        "offer": None if decision.offer is None else asdict(decision.offer),
        "particle_seconds": decision.particle_seconds,
        "history": [[list(counts) for counts in scores] for scores in decision.history],
        "switch_ticks": [outcome.switch_tick for outcome in outcomes],
        "scores": [asdict(score) for score in decision.scores],
        "verdicts": [_plain(outcome.verdict) for outcome in outcomes],
        "violated": [list(outcome.violated) for outcome in outcomes],
        "failure_times": [_plain(outcome.failure_time) for outcome in outcomes],
        "path_period": stride * outcomes[0].period,
        "paths": [np.round(outcome.base_path[:, ::stride, :3].astype(np.float64), 4).tolist() for outcome in outcomes],
    }


def write_record(
    path: Path, robot: str, rehearsal: Rehearsal, candidates: tuple[Candidate, ...], settings: DecisionSettings, decision: Decision
) -> None:
    """Write a decision record; the file is complete or not there at all."""
    snapshot = rehearsal.snapshot
    document = {
        "format": FORMAT,
        "robot": robot,
        "seed": rehearsal.seed,
        "horizon": rehearsal.horizon,
        "uncertainty": rehearsal.uncertainty.model_dump(),
        "requirements": rehearsal.requirements.model_dump(),
        "settings": settings.model_dump(),
        "admission": {
            "candidates": list(decision.admission.candidates),
            "settings": decision.admission.settings.model_dump(),
            "needed": decision.admission.needed,
            "remark": decision.admission.remark,
            "refusal": decision.admission.refusal,
        },
        "rounds": decision.rounds,
        "offers_tried": decision.offers_tried,
        "snapshot": {
            "state": {item.name: _plain(getattr(snapshot.state, item.name)) for item in fields(RobotState)},
            "planner": {name: _plain(snapshot.planner[name][0]) for name in PLANNER.names or ()},
            "gait_from": snapshot.gait_from.model_dump(),
            "gait_to": snapshot.gait_to.model_dump(),
            "command": _plain(snapshot.command),
            "terrain": snapshot.terrain.model_dump(),
            "terrain_here": snapshot.terrain_here.model_dump(),
            "law": snapshot.law.name,
            "law_memory": {name: _plain(snapshot.law.memory[name][0]) for name in MEMORY.names or ()},
            "intermediates": [gait.model_dump() for gait in snapshot.intermediates],
        },
        "candidates": [asdict(candidate) for candidate in candidates],
        "answer": plain_answer(decision),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(document))
    partial.replace(path)


def _document_in(path: Path) -> dict[str, Any]:
    """What a record says; raises ConfigurationError for whatever does not look like one at all."""
    words = f"{path} is no decision record; they are called decision_….json, and lie in the folder of a run"
    try:
        text = path.read_text()
    except (IsADirectoryError, UnicodeDecodeError) as error:
        raise ConfigurationError(words) from error
    # What is empty, or begins as a record does, was cut.
    if text.lstrip()[:1] not in ("", "{"):
        raise ConfigurationError(words)
    document: dict[str, Any] = json.loads(text)
    return document


def read_record(path: Path) -> RecordedDecision:
    """Read a decision record.

    Raises:
        ConfigurationError: the file is missing, cut, or not a decision record.
    """
    try:
        document = _document_in(path)
        if document["format"] != FORMAT:
            raise ConfigurationError(f"{path} is a decision record of format {document['format']}; this version reads {FORMAT}")
        stored = document["snapshot"]
        values: dict[str, Any] = {key: np.array(value) if isinstance(value, list) else value for key, value in stored["state"].items()}
        state = RobotState(**values)
        planner, memory = np.zeros(1, PLANNER), law_memory(1)
        for record, values in ((planner, stored["planner"]), (memory, stored["law_memory"])):
            for name, value in values.items():
                record[name] = value
        snapshot = Snapshot(
            state,
            planner,
            Gait.model_validate(stored["gait_from"]),
            Gait.model_validate(stored["gait_to"]),
            np.array(stored["command"]),
            TerrainBelief.model_validate(stored["terrain"]),
            TerrainBelief.model_validate(stored["terrain_here"]),
            LawState(stored["law"], memory),
            tuple(Gait.model_validate(gait) for gait in stored["intermediates"]),
        )
        rehearsal = Rehearsal(
            snapshot=snapshot,
            horizon=document["horizon"],
            seed=document["seed"],
            uncertainty=Uncertainty.model_validate(document["uncertainty"]),
            requirements=RequirementSettings.model_validate(document["requirements"]),
        )
        candidates = tuple(Candidate(**candidate) for candidate in document["candidates"])
        admitted = document["admission"]
        return RecordedDecision(
            robot=document["robot"],
            rehearsal=rehearsal,
            candidates=candidates,
            settings=DecisionSettings.model_validate(document["settings"]),
            admission=Admission(
                candidates=tuple(admitted["candidates"]),
                settings=DecisionSettings.model_validate(admitted["settings"]),
                needed=admitted["needed"],
                remark=admitted["remark"],
                refusal=admitted["refusal"],
            ),
            rounds=document["rounds"],
            offers_tried=document["offers_tried"],
            answer=document["answer"],
        )
    except FileNotFoundError as error:
        raise ConfigurationError(f"no such decision record: {path}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} is not a whole decision record: {error}") from error
