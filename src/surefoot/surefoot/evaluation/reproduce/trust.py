# SPDX-License-Identifier: Apache-2.0
"""How far a verdict can be trusted: gait changes asked of robots whose true parameters are hidden, obeyed and not obeyed."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cache, partial
from pathlib import Path

import numpy as np

from surefoot.evaluation.bench.rehearsal import walking_snapshot
from surefoot.evaluation.bench.sample import Machine, Proportion, proportion, this_machine
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.evaluation.reproduce.requests import Answered, Request
from surefoot.evaluation.reproduce.scenarios import SCENARIOS, draw_requests
from surefoot.evaluation.reproduce.trust_journal import TrustJournal
from surefoot.gait.of_robot import gaits_of
from surefoot.processes import results_of
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.terrain.belief import read_grounds
from surefoot.traces.cloud.uncertainty import Uncertainty, read_uncertainty
from surefoot.traces.decision.decision import decide
from surefoot.traces.decision.race import JOB
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import LocalExecutor
from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.traces.plant.dart_plant import DartPlant
from surefoot.traces.plant.dart_robot import dart_engine
from surefoot.traces.plant.disturbed import DisturbedPlant
from surefoot.traces.requirements.settings import GAIT_TRANSITION, RequirementSettings
from surefoot.traces.snapshot import Candidate, Snapshot, candidates_of, intermediates_of
from surefoot.traces.tracer import Rehearsal, Tracer

FALL_HORIZON = 3.0
"""s after the change in which the robot may not fall."""
FALLEN = RequirementSettings(requirements={"roll": None, "pitch": None, "base_height": None}, objectives={})
"""What a robot that has not fallen holds, whatever else it does."""
BINS = 5


class Engine(StrEnum):
    """Where hidden robots live."""

    MUJOCO = "mujoco"
    DART = "dart"


_PLANTS: dict[Engine, tuple[type[DisturbedPlant], float]] = {Engine.MUJOCO: (DisturbedPlant, 2e-3), Engine.DART: (DartPlant, 1e-3)}
"""Kind of plant and step of its physics, s."""


@dataclass(frozen=True)
class Bin:
    """Candidates whose predicted success lies in a range, and how many of them the hidden robot did."""

    low: float
    high: float
    mean_predicted: float
    succeeded: Proportion


@dataclass(frozen=True)
class Trust:
    """Counts over some requests.

    Attributes:
        falls_obeyed, falls_unfiltered, falls_kept: of all requests, within 3 s; who falls in its own gait as well, no verdict could save.
        falls_accepted: of those that the verdict accepted.
        falls_offered: of all requests, where counter-offers are taken up as well.
        allowed_of_good: of the requests that the hidden robot does at some candidate, those that were accepted.
        allowed_or_offered: of the same, those that were accepted, at once or when the counter-offer was taken up.
        brier: mean square of predicted success minus outcome, over all traced candidates.
    """

    n: int
    accepted: int
    falls_obeyed: Proportion
    falls_unfiltered: Proportion
    falls_kept: Proportion
    falls_accepted: Proportion
    falls_offered: Proportion
    allowed_of_good: Proportion
    allowed_or_offered: Proportion
    brier: float


@dataclass(frozen=True)
class TrustResult:
    """What `reproduce trust` reports.

    Attributes:
        truth_spread: of the hidden robots, in that of the cloud.
        engine: that the hidden robots live in; the rehearsals are in MuJoCo.
        all, scenarios: over all requests, and by scenario.
        reliability: predicted against true success.
    """

    robot: str
    machine: Machine
    seed: int
    truth_spread: float
    engine: Engine
    accept_at: float
    confidence: float
    all: Trust
    scenarios: dict[str, Trust]
    reliability: tuple[Bin, ...]
    answered: tuple[Answered, ...]


def answer_request(robot: str, request: Request, truth_spread: float = 1.0, engine: Engine = Engine.MUJOCO) -> Answered:
    """Rehearse a request, and let a hidden robot out of the same cloud make the change at once, and as the verdict says.

    Args:
        robot: name or path.
        request: what is asked for.
        truth_spread: of the hidden robot, in that of the cloud.
        engine: that the hidden robot lives in.

    Raises:
        ConfigurationError: the engine is not installed.
    """
    config = shared_directory() / "config"
    settings = read_settings(DecisionSettings, config / "decision.yaml")
    snapshot, cloud = _scene(robot, request, settings)
    tracer = _tracer(robot, JOB)
    candidates = candidates_of(snapshot, settings)
    decision = decide(LocalExecutor(tracer), Rehearsal(snapshot, settings.horizon, request.number, cloud), candidates, settings)
    # Another seed than that of the cloud: nobody has seen this robot.
    hidden = Rehearsal(snapshot, settings.horizon, request.number + 500_000, cloud.scaled(truth_spread))
    falling = replace(hidden, horizon=FALL_HORIZON, requirements=FALLEN)
    kept = replace(falling, snapshot=replace(snapshot, gait_to=snapshot.gait_from))
    at_once = Candidate(float(snapshot.planner["phase"][0]), snapshot.state.time)
    alone = _tracer(robot, 1, engine)
    fell_kept = _verdict(alone, kept, candidates[0]) == FAILED
    fell_obeyed = fell_kept if decision.chosen is None else _verdict(alone, falling, candidates[decision.chosen]) == FAILED
    offered = decision.offer
    offer_accepted, fell_offered = False, fell_obeyed
    if offered is not None:
        # Whoever takes an offer up asks anew, and slows down first: other robots than those that made the offer rehearse that. A veto of it
        # lets the robot go on as before.
        taken = replace(snapshot, command=offered.command_factor * np.asarray(snapshot.command))
        ways = candidates_of(taken, settings, offered.intermediate, offered.delay)
        anew = decide(LocalExecutor(tracer), Rehearsal(taken, settings.horizon, request.number + 250_000, cloud), ways, settings)
        offer_accepted = anew.accepted
        if anew.chosen is not None:
            fell_offered = _verdict(alone, replace(falling, snapshot=taken), ways[anew.chosen]) == FAILED
    return Answered(
        request=request,
        accepted=decision.accepted,
        predicted=tuple(of.success_rate if of.particles > 0 else float("nan") for of in decision.scores),
        succeeds=tuple(_verdict(alone, hidden, candidate) == SURVIVED for candidate in candidates),
        fell_unfiltered=_verdict(alone, falling, at_once) == FAILED,
        fell_obeyed=fell_obeyed,
        fell_kept=fell_kept,
        offered=offered,
        offer_accepted=offer_accepted,
        fell_offered=fell_offered,
        particles=sum(of.particles for of in decision.scores),
        reason=decision.reason,
    )


def reproduce_trust(
    robot: str,
    count: int = 300,
    seed: int = 0,
    truth_spread: float = 1.0,
    engine: Engine = Engine.MUJOCO,
    processes: int = 2,
    progress: Callable[[Answered], None] = lambda answered: None,
    journal: Path | None = None,
) -> TrustResult:
    """Ask hidden robots for gait changes, with the verdict obeyed and with every request obeyed at once.

    Args:
        robot: name or path.
        count: requests.
        seed: of all of them.
        truth_spread: of the hidden robots, in that of the cloud.
        engine: that the hidden robots live in.
        processes: requests at once.
        progress: called with each when it is answered.
        journal: file that keeps what was answered; a run that was stopped goes on from there, and one with more requests as well.

    Raises:
        ConfigurationError: the journal is of another run, or the engine is not installed.
    """
    if engine is Engine.DART:
        dart_engine()
    machine, model = this_machine(), load_robot(robot)
    settings = read_settings(DecisionSettings, shared_directory() / "config" / "decision.yaml")
    requests = draw_requests(count, seed)
    run = {
        "robot": robot,
        "seed": seed,
        "truth_spread": truth_spread,
        "engine": engine,
        "settings": settings.model_dump(mode="json"),
        "uncertainty": read_uncertainty(shared_directory() / "config" / "uncertainty" / "default.yaml").model_dump(mode="json"),
        "requirements": {"asked": GAIT_TRANSITION.model_dump(mode="json"), "of_no_fall": FALLEN.model_dump(mode="json")},
        "planner": planner_settings().model_dump(mode="json"),
        "scenarios": {name: asdict(scenario) for name, scenario in SCENARIOS.items()},
    }
    kept = None if journal is None else TrustJournal(journal, run)
    before = {} if kept is None else kept.answered
    # A number alone does not make a request the same: what is drawn for it depends on the lists that it is drawn from.
    known = {request.number: before[request.number] for request in requests if _is_of(request, before.get(request.number))}

    def heard(one: Answered) -> None:
        if kept is not None:
            kept.add(one)
        progress(one)

    calls = [partial(answer_request, robot, request, truth_spread, engine) for request in requests if request.number not in known]
    known |= {one.request.number: one for one in results_of(processes, calls, heard)}
    answered = [known[request.number] for request in requests]
    return TrustResult(
        robot=model.description.name,
        machine=machine,
        seed=seed,
        truth_spread=truth_spread,
        engine=engine,
        accept_at=settings.accept_at,
        confidence=settings.confidence,
        all=trust_of(answered),
        scenarios={name: trust_of([one for one in answered if one.request.scenario == name]) for name in SCENARIOS},
        reliability=reliability_of(answered),
        answered=tuple(answered),
    )


def _is_of(request: Request, answered: Answered | None) -> bool:
    return answered is not None and answered.request == request


def trust_of(answered: Sequence[Answered]) -> Trust:
    """The counts over some requests."""
    accepted = [one for one in answered if one.accepted]
    good = [one for one in answered if any(one.succeeds)]
    predicted, true = _predictions(answered)
    return Trust(
        n=len(answered),
        accepted=len(accepted),
        falls_obeyed=proportion(sum(one.fell_obeyed for one in answered), len(answered)),
        falls_unfiltered=proportion(sum(one.fell_unfiltered for one in answered), len(answered)),
        falls_kept=proportion(sum(one.fell_kept for one in answered), len(answered)),
        falls_accepted=proportion(sum(one.fell_obeyed for one in accepted), len(accepted)),
        falls_offered=proportion(sum(one.fell_offered for one in answered), len(answered)),
        allowed_of_good=proportion(sum(one.accepted for one in good), len(good)),
        allowed_or_offered=proportion(sum(one.accepted or one.offer_accepted for one in good), len(good)),
        brier=float(np.mean((predicted - true) ** 2)) if len(predicted) > 0 else float("nan"),
    )


def reliability_of(answered: Sequence[Answered]) -> tuple[Bin, ...]:
    """Predicted success in bins of equal width, the empty ones left out."""
    predicted, true = _predictions(answered)
    numbers = np.minimum((predicted * BINS).astype(int), BINS - 1)
    bins = []
    for k in range(BINS):
        inside = numbers == k
        if inside.any():
            share = proportion(int(true[inside].sum()), int(inside.sum()))
            bins.append(Bin(k / BINS, (k + 1) / BINS, float(predicted[inside].mean()), share))
    return tuple(bins)


def _predictions(answered: Sequence[Answered]) -> tuple[np.ndarray, np.ndarray]:
    pairs = [pair for one in answered for pair in zip(one.predicted, one.succeeds, strict=True) if not np.isnan(pair[0])]
    array = np.array(pairs, np.float64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def _scene(robot: str, request: Request, settings: DecisionSettings) -> tuple[Snapshot, Uncertainty]:
    scenario, config = SCENARIOS[request.scenario], shared_directory() / "config"
    cloud = read_uncertainty(config / "uncertainty" / "default.yaml")
    document = cloud.model_dump()
    for name, numbers in scenario.widened.items():
        document["persistent"][name] |= numbers
    cloud = Uncertainty.model_validate(document)
    snapshot = _snapshot(robot, request.gait_from, request.command, request.start, request.slope)
    gaits = gaits_of(load_robot(robot))
    intermediates = intermediates_of(gaits, settings, request.gait_from, request.gait_to)
    snapshot = replace(snapshot, gait_to=gaits[request.gait_to], intermediates=intermediates)
    if scenario.ground:
        snapshot = replace(snapshot, terrain=read_grounds(config / "terrain" / "grounds.yaml")[scenario.ground])
    return snapshot, cloud


def _verdict(tracer: Tracer, rehearsal: Rehearsal, candidate: Candidate) -> int:
    return int(tracer.trace(rehearsal, candidate, np.zeros(1, np.int64)).verdict[0])


@cache
def _snapshot(robot: str, gait: str, command: tuple[float, float, float], start: int, slope: float) -> Snapshot:
    """One for all requests of a process that start from it."""
    return walking_snapshot(load_robot(robot), gait, gait, command, start, 2.0 + 0.37 * start, slope)


@cache
def _tracer(robot: str, size: int, engine: Engine = Engine.MUJOCO) -> Tracer:
    plant, time_step = _PLANTS[engine]
    return Tracer(load_robot(robot), planner_settings(), size, time_step, plant=plant)
