# SPDX-License-Identifier: Apache-2.0
"""Compiles everything that is compiled, so that nothing waits for it later: `python -m surefoot.evaluation.warm_up`."""

import os
from collections.abc import Callable
from concurrent.futures import as_completed, wait

import numpy as np

from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.warm_up import warm_up as warm_up_estimator
from surefoot.evaluation.bench.contacts import LAWS
from surefoot.evaluation.bench.patches import FootPatches
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.laws import COMPILED_LAWS
from surefoot.locomotion.policy import Controlling, Planning
from surefoot.processes import process_pool
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.limits import JointLimits
from surefoot.servos.settings import BridgeSettings
from surefoot.settings import read_settings
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.findings import explain
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.tracer import Rehearsal, Tracer

ROBOT = "hyq"
"""Any robot: the machine code is the same for all."""


def _estimation() -> None:
    model = load_robot(ROBOT)
    warm_up_estimator(model, read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml"))


def _servos() -> None:
    model = load_robot(ROBOT)
    ServoBridge(model.description, JointLimits.of(model), BridgeSettings()).warm_up()


def _planning() -> None:
    model = load_robot(ROBOT)
    Planning(model, gaits_of(model), PlannerSettings()).warm_up(model)


def _control() -> None:
    model = load_robot(ROBOT)
    for law in COMPILED_LAWS:
        Controlling(model, law).warm_up(model)


def _laws() -> None:
    """The contact laws of multi-bodies, without and with an answer of the tick before."""
    problem = FootPatches(load_robot(ROBOT)).problem(1, 0)
    for law in LAWS.values():
        law(problem, law(problem))


def _traces() -> None:
    model = load_robot(ROBOT)
    gaits = gaits_of(model)
    planning = Planning(model, gaits, PlannerSettings())
    planning.warm_up(model)
    ground = TerrainBelief(name="any", friction_mean=0.6, friction_standard_deviation=0.1)
    snapshot = Snapshot(model.neutral(), planning.planner.copy(), gaits["stand"], gaits["walk"], np.zeros(3), ground, ground)
    # The widest cloud has everything in it that only some clouds use.
    cloud = read_uncertainty(shared_directory() / "config" / "uncertainty" / "wide.yaml")
    Tracer(model, PlannerSettings(), size=4).trace(Rehearsal(snapshot, 0.1, 0, cloud), Candidate(0.0, 0.3), np.arange(4))


def _explanations() -> None:
    explain.warm_up()


FIRST = (_control, _planning, _laws)
"""Traces use what the policy compiles: started together with it they would compile it a second time."""
THEN = (_traces, _estimation, _explanations, _servos)
"""The longest first, so that no core waits for it at the end."""


def warm_up(report: Callable[[str], None] = print) -> None:
    """Run every compiled function once; parts that do not need each other are compiled on all cores."""
    with process_pool(os.cpu_count() or 1) as pool:
        first = [pool.submit(part) for part in FIRST]
        wait(first[:2])
        parts = dict(zip([*first, *(pool.submit(part) for part in THEN)], FIRST + THEN, strict=True))
        for part in as_completed(parts):
            part.result()
            report(f"{parts[part].__name__.strip('_')} compiled")


if __name__ == "__main__":
    warm_up()
