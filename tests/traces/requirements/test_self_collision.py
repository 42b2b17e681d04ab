# SPDX-License-Identifier: Apache-2.0
"""The quick search for the least distance against all pairs of shapes."""

import mujoco
import numpy as np
import pytest

from surefoot.robot.load import load_robot
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.world import World
from surefoot.traces.requirements.geometry import shape_distance
from surefoot.traces.requirements.self_collision import self_distance
from surefoot.traces.requirements.shapes import robot_shapes


@pytest.mark.parametrize("name", ["hyq", "anymal_c", "a1"])
def test_no_nearer_pair_is_missed(name: str) -> None:
    model = load_robot(name)
    simulation = build_model(model, World(), 2e-3)
    shapes, data = robot_shapes(model, simulation), mujoco.MjData(simulation)
    lower, upper = np.maximum(model.position_lower, -2.0), np.minimum(model.position_upper, 2.0)
    near, random, close = 0.05 * model.description.stand_height, np.random.default_rng(0), 0
    for _ in range(200):
        # Mostly near the stops, where legs meet.
        share = np.clip(random.normal(0.5, 0.5, 12), 0.0, 1.0)
        data.qpos[7:] = lower + share * (upper - lower)
        mujoco.mj_kinematics(simulation, data)
        expected = min(
            shape_distance(one, two, data.geom_xpos, data.geom_xmat, np.inf)
            for pair in shapes.pairs
            for one in shapes.shapes[shapes.links[pair["first"]]["first"] : shapes.links[pair["first"]]["last"]]
            for two in shapes.shapes[shapes.links[pair["second"]]["first"] : shapes.links[pair["second"]]["last"]]
        )
        found = self_distance(shapes.shapes, shapes.links, shapes.pairs, data.geom_xpos, data.geom_xmat, near)
        # Of a box, the nearest point is found to a few millimetres.
        assert found == pytest.approx(min(expected, near), abs=2e-3)
        close += expected < near
    assert close > 2
