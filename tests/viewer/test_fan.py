# SPDX-License-Identifier: Apache-2.0
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageColor

from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.viewer import style
from surefoot.viewer.fan import draw_fan, fan_of

GREEN = ImageColor.getrgb(style.SURVIVED)


def record(told_run: Any) -> Any:
    """Two candidates with one particle each: the second survives, the first fails after 0.4 s. The estimate is off and turned."""
    forward = np.arange(11)[:, None] * np.array((0.0, 0.1, 0.0)) + (7.0, 3.0, 0.5)
    answer = {
        "chosen": 1, "path_period": 0.1, "paths": [[forward.tolist()], [forward.tolist()]], "verdicts": [[FAILED], [SURVIVED]],
        "failure_times": [[0.4], [math.nan]],
    }  # fmt: skip
    half = math.sqrt(0.5)
    state = SimpleNamespace(time=10.0, base_position=np.array((7.0, 3.0, 0.5)), base_quaternion=np.array((0.0, 0.0, half, half)))
    return SimpleNamespace(answer=answer, rehearsal=SimpleNamespace(snapshot=SimpleNamespace(state=state)))


class FlatStage:
    """Looks straight down: a metre is 100 pixels."""

    def seen(self, points: np.ndarray) -> np.ndarray:
        return 100.0 * points[:, :2] + 20.0


def test_traces_start_where_the_robot_was(told_run: Any) -> None:
    run = told_run.run()
    fan = fan_of(record(told_run), run)
    begin = run.base_position[np.searchsorted(run.time, 10.0)]
    failed, survived = fan.traces
    np.testing.assert_allclose(survived.points[0], begin, atol=1e-9)
    np.testing.assert_allclose(survived.points[-1], begin + np.array((1.0, 0.0, 0.0)), atol=1e-9)
    assert (failed.verdict, len(failed.points), failed.strong) == (FAILED, 5, False)
    assert (survived.verdict, len(survived.points), survived.strong) == (SURVIVED, 11, True)


@pytest.mark.parametrize("shown", [0.0, 0.3, 1.0])
def test_a_fan_grows(told_run: Any, shown: float) -> None:
    told_run.columns["base_position"][:] = (0.0, 0.0, 0.6)
    fan = fan_of(record(told_run), told_run.run())
    picture = draw_fan(Image.new("RGB", (160, 400), "white"), FlatStage(), fan, shown)  # type: ignore[arg-type]
    pixels = np.asarray(picture, dtype=np.int64)
    columns = np.flatnonzero(pixels[20].min(axis=1) < 200)
    # At least two points of a trace are always shown.
    assert abs(columns[-1] - (20 + max(10, round(100 * shown)))) <= 12
    assert np.abs(pixels[20, 22] - GREEN).max() < 60


def test_nothing_in_view_draws_nothing(told_run: Any) -> None:
    fan = fan_of(record(told_run), told_run.run())
    picture = Image.new("RGB", (16, 16), "white")
    assert np.asarray(draw_fan(picture, FlatStage(), fan, 1.0)).min() == 255  # type: ignore[arg-type]
