# SPDX-License-Identifier: Apache-2.0
"""How a gait change is decided: config/decision.yaml, typed and range-checked."""

from typing import Annotated

from pydantic import Field, model_validator

from surefoot.robot.description import Positive
from surefoot.settings import Settings
from surefoot.traces.decision.confidence import fewest_to_accept

TRIAL_SHARE = 0.8
"""Part of the error that is left to the candidate on trial; all candidates share the rest."""

# Nearer to one, more particles would have to vouch for it than can be traced, and further on than can be counted.
Probability = Annotated[float, Field(ge=1e-3, le=0.9999)]


class DecisionSettings(Settings):
    """How a gait change is decided."""

    transition_points: tuple[Annotated[float, Field(ge=0.0, lt=1.0)], ...] = (0.0, 0.25, 0.5, 0.75)
    """Phases of the running gait at which a change is considered [Zapolsky 2017, section 4.3.3]."""
    blend_cycles: tuple[Annotated[float, Field(ge=0.0, le=4.0)], ...] = (0.0, 1.0)
    """Ways in which each change is considered: over how many cycles of the new gait the parameters go from the one gait to the other,
    0 where they step at once.
    """
    intermediates: tuple[str, ...] = ()
    """Gaits through which each change is considered as well, by name: of those that the robot knows the ones that it neither walks nor is
    asked for.
    """
    intermediate_cycles: Annotated[float, Field(gt=0.0, le=20.0)] = 2.0
    """Of an intermediate gait, walked on the way."""
    particles: Annotated[int, Field(ge=1, le=4096)] = 1
    """Of each candidate at the first look. Where some of them fail, those in front are looked at again, which doubles their particles."""
    trial_after: Annotated[int, Field(ge=1, le=4096)] = 8
    """Particles of those in front with which looks end, and the trial of one of them begins, if they have not been told apart before."""
    most_particles: Annotated[int, Field(ge=1, le=65536)] = 400
    """Of all candidates together."""
    horizon: Positive = 2.0
    """s of the new gait."""
    shortest_horizon: Positive = 1.2
    """s; down to it the horizon is cut where the time to the deadline would not do."""
    accept_at: Probability = 0.9
    """Success probability that the lower bound must reach."""
    confidence: Probability = 0.95
    """That no accepted change is worse than `accept_at`, over all candidates and at every moment of the race together."""
    offer_factors: tuple[Annotated[float, Field(gt=0.0, lt=1.0)], ...] = (0.5,)
    """Parts of the commanded velocity that are tried after a veto, for a counter-offer."""
    offer_delay: Annotated[float, Field(ge=0.0, le=20.0)] = 2.0
    """s by which a change is put off that is tried then; 0: none."""
    offer_intermediates: tuple[str, ...] = ("walking_trot", "trot")
    """Gaits through which the change is tried then, by name, as `intermediates`."""
    offer_particles: Annotated[int, Field(ge=1, le=4096)] = 16
    """That must all survive for a counter-offer; who takes it up has it rehearsed anew."""
    latency: Positive = 1.0
    """Planner time that a verdict is charged with, s: no change is considered before it. In lockstep it is all that counts."""
    realtime_latency: Positive = 4.0
    """The same where the wall clock rules: at least as long as a verdict really takes on the machine, or it comes too late."""
    expected_rate: Positive = 40.0
    """Particle-seconds that the workers trace in a second, until they have shown how many they do."""
    deadline: Positive = 20.0
    """Wall time after which silence is a veto, s."""

    @model_validator(mode="after")
    def _possible(self) -> "DecisionSettings":
        candidates = len(self.transition_points) * len(self.blend_cycles) * (1 + len(self.intermediates))
        if candidates == 0:
            raise ValueError("transition_points and blend_cycles: at least one of each, or there is nothing to decide")
        fewest = self.fewest(candidates)
        if self.most_particles < fewest:
            raise ValueError(
                f"most_particles: {self.most_particles} can never vouch for a success probability of {self.accept_at:g} at a confidence of "
                f"{self.confidence:g} among {candidates} candidates; that takes {fewest} particles at least, all of them survivors"
            )
        if self.shortest_horizon > self.horizon:
            raise ValueError(f"shortest_horizon: {self.shortest_horizon:g} s is longer than the horizon of {self.horizon:g} s")
        return self

    def confidence_of_bounds(self, candidates: int) -> float:
        """Of each candidate's bound from all of its particles: they share the error, since the luckiest is chosen (Bonferroni)."""
        share = 1.0 if candidates == 1 else (1.0 - TRIAL_SHARE) / candidates
        return 1.0 - (1.0 - self.confidence) * share

    def confidence_of_trial(self, candidates: int) -> float:
        """Of the bound of the candidate that is on trial, from particles of which nothing was known when it was chosen.

        Nobody is chosen out of one: its bound from all of its particles has all of the error, and no trial is left any.
        """
        return 1.0 - (1.0 - self.confidence) * (0.0 if candidates == 1 else TRIAL_SHARE)

    def looked_at(self, candidates: int) -> int:
        """Particles of the first look at so many candidates: none where there is nobody to choose from."""
        return 0 if candidates == 1 else candidates * self.particles

    def vouching(self, candidates: int) -> int:
        """Particles that vouch for one of so many candidates if all of them survive: those of its trial, or all of one that runs alone."""
        confidence = self.confidence_of_bounds(1) if candidates == 1 else self.confidence_of_trial(candidates)
        return fewest_to_accept(self.accept_at, confidence)

    def fewest(self, candidates: int) -> int:
        """Particles with which one of so many candidates is vouched for if all of them survive, the first look at all included."""
        return self.looked_at(candidates) + self.vouching(candidates)
