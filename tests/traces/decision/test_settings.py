# SPDX-License-Identifier: Apache-2.0
import pytest
from pydantic import ValidationError

from surefoot.traces.decision.settings import DecisionSettings


@pytest.mark.parametrize("name", ["accept_at", "confidence"])
@pytest.mark.parametrize("value", [0.0, 5e-324, 1.0 - 2.0**-53, 1.0, float("nan")])
def test_what_no_number_of_particles_could_vouch_for_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValidationError, match=name):
        DecisionSettings(**{name: value})


def test_so_many_have_to_vouch_for_what_is_nearly_certain() -> None:
    strict = DecisionSettings(accept_at=0.999, confidence=0.99, most_particles=65536)
    assert strict.fewest(1) < strict.most_particles
