# SPDX-License-Identifier: Apache-2.0
"""Whether a verdict can be there in time, before anything is traced: particles x seconds against the rate of the workers."""

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate

HORIZON_STEPS = 4
"""In how many steps the horizon is cut down to the shortest."""


@dataclass(frozen=True)
class Admission:
    """What may be traced.

    Attributes:
        candidates: indices of those that run.
        settings: with the particles and the horizon that there is time for.
        needed: particle-seconds of the shortest way to an acceptance.
        remark: what was cut, in words; empty if nothing was.
        refusal: why there is no use in beginning; empty if there is.
    """

    candidates: tuple[int, ...]
    settings: DecisionSettings
    needed: float
    remark: str = ""
    refusal: str = ""


def needed_particle_seconds(candidates: Sequence[Candidate], settings: DecisionSettings, lead: float) -> float:
    """Particle-seconds of a first look at all candidates and of the survivors that vouch for one [Zapolsky 2017, section 4.1.2].

    Args:
        candidates: that run.
        settings: how to decide.
        lead: s before the change at which particles part.
    """
    lengths = [lead + candidate.change_time + settings.horizon for candidate in candidates]
    count = len(candidates)
    return settings.looked_at(count) * sum(lengths) / count + settings.vouching(count) * max(lengths)


def admit(candidates: Sequence[Candidate], settings: DecisionSettings, rate: float, seconds: float, lead: float) -> Admission:
    """Cut down what is asked for to what there is time for, by a rule: first the particles of the first look, to one of each candidate;
    then the candidates, by halves from the end of their list; then the horizon, to the shortest.

    Args:
        candidates: the most wanted first.
        settings: how to decide.
        rate: particle-seconds a second.
        seconds: until the verdict is due.
        lead: s before the change at which particles part.
    """
    budget, running, now, cuts = rate * seconds, len(candidates), settings, []

    def needed() -> float:
        return needed_particle_seconds(candidates[:running], now, lead)

    while needed() > budget and running > 1 and now.particles > 1:
        now = now.model_copy(update={"particles": now.particles - 1})
    if now.particles < settings.particles:
        cuts.append(f"first look with {now.particles} of {settings.particles} particles")
    while needed() > budget and running > 1:
        running = (running + 1) // 2
    if running < len(candidates):
        cuts.append(f"{running} of {len(candidates)} candidates")
    step = (settings.horizon - settings.shortest_horizon) / HORIZON_STEPS
    cut = 0
    while needed() > budget and cut < HORIZON_STEPS:
        cut += 1
        now = now.model_copy(update={"horizon": max(settings.shortest_horizon, settings.horizon - cut * step)})
    if cut > 0:
        cuts.append(f"{now.horizon:.1f} of {settings.horizon:.1f} s")
    least = needed()
    refusal = ""
    if least > budget:
        refusal = (
            f"no verdict can be there in {seconds:.1f} s: it takes {least:.0f} particle-seconds at least, and the workers trace {rate:.0f} "
            "a second; give it more workers, or a longer realtime_latency in config/decision.yaml"
        )
    remark = f"cut to the time there is: {', '.join(cuts)}" if cuts else ""
    return Admission(tuple(range(running)), now, least, remark, refusal)
