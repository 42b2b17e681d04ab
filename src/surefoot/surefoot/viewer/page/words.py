# SPDX-License-Identifier: Apache-2.0
"""A state of the page as the panel's message: words and numbers for a browser, without anything that JSON cannot carry."""

import contextlib
import math
from collections.abc import Iterable
from typing import Any

from surefoot.gait.modes import MODE_NAMES
from surefoot.robot.description import LEG_NAMES
from surefoot.viewer import style
from surefoot.viewer.page.rehearsal import RehearsalShown
from surefoot.viewer.page.state import PageState

SILENT = 0.5
"""s without a word of the robot after which what is shown of it counts as the past."""
STALE = 3.0
"""s without a report after which a node is said to be silent."""
_MODE_WORDS = {"": "no robot heard yet"}


def panel(state: PageState, now: float) -> dict[str, Any]:
    """What the panel shows.

    Args:
        state: of the page.
        now: s, of the clock of the wall, by which the robot and health reports were heard.
    """
    silence = now - state.heard_at
    plan, robot, mode, status = state.plan, state.robot, state.mode, state.status
    return {
        "kind": "state",
        "time": _number(state.time),
        "mode": f"nothing heard for {silence:.1f} s" if silence > SILENT else _mode_words(mode.name),
        "bad": silence > SILENT or mode.name in ("FAULT", "STOPPED") or bool(robot and robot.invalid_reason) or bool(plan and plan.fault),
        "why": (f"last heard: {_mode_words(mode.name)}; " if silence > SILENT else "")
        + (f"estimate not valid: {robot.invalid_reason}; " if robot is not None and robot.invalid_reason else "")
        + (f"{plan.fault}; " if plan is not None and plan.fault else "")
        + mode.reason,
        "refused": mode.refused,
        "operator": state.operator,
        "gait": status.gait,
        "phase": None if plan is None or not plan.moving else _number(plan.phase),
        "feet": [
            {"leg": leg, "mode": "" if plan is None else MODE_NAMES[int(plan.foot_mode[index]) % len(MODE_NAMES)]}
            for index, leg in enumerate(LEG_NAMES)
        ],
        "ground": status.ground,
        "command": [_number(value) for value in status.command],
        "request": {
            "state": status.state, "gait": status.requested_gait, "reason": status.reason, "offer": status.offer,
            "switch_in": _number(status.switch_time - state.time) if status.state == "SCHEDULED" else None,
        },
        "rehearsal": None if state.rehearsal is None else rehearsal_words(state.rehearsal),
        "past": [_past(past) for past in _answered(state)],
        "contacts": state.contacts.columns(),
        "torques": [
            {"peak": _number(peak), "limit": _number(limit)} for peak, limit in zip(state.efforts.peak(), state.effort_limit, strict=True)
        ],
        "health": [
            {
                "node": node, "silent": now - health.came > STALE, "complaint": health.complaint,
                "rate": health.values.get("rate_hz", ""), "p50": health.values.get("tick_us_p50", ""),
                "p99": health.values.get("tick_us_p99", ""),
            }
            for node, health in sorted(state.health.items())
        ],
        "latency": _latency(state),
        "rates": {topic: round(rate, 1) for topic, rate in sorted(state.rates.items())},
        "faults": [{"time": _number(time), "words": words} for time, words in state.faults],
    }  # fmt: skip


def rehearsal_words(rehearsal: RehearsalShown) -> dict[str, Any]:
    """A rehearsal without its traces: what the gait clock and the words beside it show."""
    verdict = rehearsal.verdict
    return {
        "from": rehearsal.gait_from,
        "to": rehearsal.gait_to,
        "time": _number(rehearsal.time),
        "particles": rehearsal.particles,
        "candidates": [
            {
                "point": candidate.way.transition_point, "manner": candidate.way.manner, "particles": candidate.particles,
                "survived": candidate.survived, "bound": _number(candidate.lower_bound),
                "violated": [[name, count] for name, count in candidate.violated.most_common(3)],
                "chosen": verdict is not None and verdict.chosen == number,
            }
            for number, candidate in sorted(rehearsal.candidates.items())
        ],
        "verdict": None if verdict is None else {
            "accepted": verdict.accepted, "reason": verdict.reason, "explanation": list(verdict.explanation), "offer": verdict.offer,
            "wall": _number(verdict.wall_seconds),
        },
    }  # fmt: skip


def _mode_words(name: str) -> str:
    return _MODE_WORDS.get(name, style.mode_words(name))


def _answered(state: PageState) -> Iterable[RehearsalShown]:
    latest = [state.rehearsal] if state.rehearsal is not None else []
    return [rehearsal for rehearsal in (*latest, *state.past) if rehearsal.verdict is not None]


def _past(rehearsal: RehearsalShown) -> dict[str, Any]:
    verdict = rehearsal.verdict
    assert verdict is not None
    return {
        "time": _number(rehearsal.time), "from": rehearsal.gait_from, "to": rehearsal.gait_to, "accepted": verdict.accepted,
        "reason": verdict.reason, "offer": verdict.offer,
    }  # fmt: skip


def _latency(state: PageState) -> str:
    """How long commands take from their sensor sample, where somebody measures it."""
    for _, health in sorted(state.health.items()):
        # What another program says is not always a number.
        with contextlib.suppress(KeyError, ValueError):
            median, high = (float(health.values[f"command_us_{name}"]) / 1000.0 for name in ("p50", "p99"))
            return f"sensor sample to servo command: median {median:.1f} ms, 99 % within {high:.1f} ms"
    return ""


def _number(value: float) -> float | None:
    return round(float(value), 4) if math.isfinite(value) else None
