# SPDX-License-Identifier: Apache-2.0
import mujoco
import numpy as np
import pytest

from surefoot.evaluation.bench.traces import TIME_STEP, bench_traces, recorded_trot, trace_model
from surefoot.robot.model import RobotModel


@pytest.mark.parametrize("robot", ["hyq", "links"])
def test_the_played_back_trot_is_the_recorded_one(robot: str, request: pytest.FixtureRequest) -> None:
    """A peer that falls over would be no peer."""
    model: RobotModel = request.getfixturevalue(robot)
    start, controls, simulation = recorded_trot(model, 1.0)
    assert controls.shape == (round(1.0 / TIME_STEP), 12)
    data = mujoco.MjData(simulation)
    mujoco.mj_setState(simulation, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    lowest, way = np.inf, data.qpos[0]
    for control in controls:
        data.ctrl[:] = control
        mujoco.mj_step(simulation, data)
        lowest = min(lowest, data.qpos[2])
    assert lowest > 0.95 * model.description.stand_height * 0.9
    assert data.qpos[0] - way == pytest.approx({"hyq": 0.3, "links": 0.2}[robot], rel=0.1)


def test_rates_are_those_of_the_seconds_that_were_simulated() -> None:
    result = bench_traces("hyq", particles=2, horizon=0.2, workers=(1,))
    ours, theirs = result.traces[0], result.rollout[0]
    # Two particles, the way from the spread of the cloud to the end.
    assert ours.particle_seconds == pytest.approx(2 * 0.4, abs=0.02)
    assert theirs.particle_seconds == pytest.approx(2 * 0.2)
    assert min(ours.per_wall_second, theirs.per_wall_second, ours.per_processor_second) > 0.0
    assert result.ratios[0] == pytest.approx(ours.per_processor_second / theirs.per_processor_second)
    assert result.ratio == pytest.approx(result.closed_loop / result.open_loop)
    assert (result.closed_loop, result.open_loop) == (ours.per_wall_second, theirs.per_wall_second)
    assert (result.cores, result.dt) == (1, TIME_STEP)


def test_the_peer_plays_the_same_trot_on_the_model_of_the_traces(hyq: RobotModel) -> None:
    """The settings of the traces change how the physics is computed, and nothing else."""
    start, controls, simulation = recorded_trot(hyq, 0.5)
    ends = []
    for physics in (simulation, trace_model(hyq, simulation)):
        data = mujoco.MjData(physics)
        mujoco.mj_setState(physics, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        for control in controls:
            data.ctrl[:] = control
            mujoco.mj_step(physics, data)
        ends.append(np.concatenate((data.qpos, data.qvel)))
    np.testing.assert_allclose(ends[0][:19], ends[1][:19], rtol=0.0, atol=2e-4)
    np.testing.assert_allclose(ends[0][19:], ends[1][19:], rtol=0.0, atol=5e-3)
