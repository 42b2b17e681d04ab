# SPDX-License-Identifier: Apache-2.0
"""How one parameter of the cloud is written down: how it is distributed, how far it goes, and who says so."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from surefoot.robot.description import NotNegative, Positive
from surefoot.settings import Settings

Origin = Annotated[str, Field(min_length=3)]
"""Where a number is from: the graduation of a tool, a data sheet, the covariance of an estimator."""

ContactModel = Literal["elliptic", "pyramidal", "elliptic_soft", "pyramidal_soft"]
"""Friction cone, and whether a foot sinks into the ground by `SINKAGE` under a quarter of the robot's weight."""

BELIEVED_CONTACT: ContactModel = "elliptic"
"""What the robot is simulated with."""


class Spread(Settings):
    """A truncated Gaussian [Zapolsky 2017, Eq. 13] or an even spread, about what is believed.

    Magnitudes, which cannot be negative, are drawn from the upper half.
    """

    distribution: Literal["truncated_normal", "uniform"] = "truncated_normal"
    sigma: NotNegative | None = None
    """Standard deviation before truncation."""
    half_width: NotNegative | None = None
    """Of a uniform distribution."""
    truncation: Positive | None = None
    """Standard deviations beyond which nothing is drawn, where it is not that of the whole cloud."""
    origin: Origin

    @model_validator(mode="after")
    def _one_width(self) -> "Spread":
        wanted, other = ("sigma", "half_width") if self.distribution == "truncated_normal" else ("half_width", "sigma")
        if getattr(self, wanted) is None:
            raise ValueError(f"{wanted}: missing; a {self.distribution} distribution is as wide as its {wanted} says")
        if getattr(self, other) is not None:
            raise ValueError(f"{other}: {getattr(self, other):g} says nothing about a {self.distribution} distribution; give its {wanted}")
        if self.distribution == "uniform" and self.truncation is not None:
            raise ValueError(f"truncation: {self.truncation:g} says nothing about a uniform distribution, which ends at its half_width")
        return self

    @property
    def width(self) -> float:
        """sigma or half_width."""
        return (self.sigma if self.distribution == "truncated_normal" else self.half_width) or 0.0

    def reach(self, truncation: float) -> float:
        """The farthest that a draw may lie from what is believed, where the cloud is truncated at so many standard deviations."""
        return self.width if self.distribution == "uniform" else self.width * (self.truncation or truncation)

    def scaled(self, factor: float) -> "Spread":
        """The same, as many times as wide."""
        key = "half_width" if self.distribution == "uniform" else "sigma"
        return self.model_copy(update={key: self.width * factor})


class Choice(Settings):
    """One of several models, each as likely as the others [Zapolsky 2017, Eq. 15]."""

    choices: Annotated[tuple[ContactModel, ...], Field(min_length=1)]
    origin: Origin

    @model_validator(mode="after")
    def _all_different(self) -> "Choice":
        if len(set(self.choices)) < len(self.choices):
            raise ValueError(f"choices: {', '.join(self.choices)} has one twice; name each once, all are equally likely")
        return self

    def scaled(self, factor: float) -> "Choice":
        """The same models, or without any spread the believed one."""
        return self if factor > 0.0 else self.model_copy(update={"choices": (BELIEVED_CONTACT,)})
