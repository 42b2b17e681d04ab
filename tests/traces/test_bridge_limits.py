# SPDX-License-Identifier: Apache-2.0
"""Particles are limited as the robot is."""

import numpy as np
import pytest

from surefoot.gait.records import STATE
from surefoot.locomotion.compiled.records import CONTROL
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.bounds import DAMPING, EFFORT, POSITION, STIFFNESS, VELOCITY
from surefoot.servos.limiter import CommandLimiter
from surefoot.servos.limits import JointLimits
from surefoot.servos.settings import bridge_settings
from surefoot.traces.bridge_limits import BridgeLimits

PERIOD = 0.002


def asked(model: RobotModel, random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Commands and states near the stand pose, many of them too much for the joints."""
    controls, states = np.zeros(count, CONTROL), np.zeros(count, STATE)
    controls["position"] = model.stand_joint_position.reshape(4, 3) + 0.1 * random.normal(size=(count, 4, 3))
    controls["velocity"] = 8.0 * random.normal(size=(count, 4, 3))
    controls["effort"] = model.effort_limit.reshape(4, 3) * random.normal(size=(count, 4, 3))
    states["joint_position"] = model.stand_joint_position.reshape(4, 3) + 0.1 * random.normal(size=(count, 4, 3))
    states["joint_velocity"] = 8.0 * random.normal(size=(count, 4, 3))
    return controls, states


def test_each_particle_gets_what_the_bridge_would_let_through(links: RobotModel) -> None:
    random, count, servos = np.random.default_rng(0), 3, links.description.servos
    settings = bridge_settings()
    limits, going = BridgeLimits(links, count, PERIOD, settings), np.ones(count, np.bool_)
    bridges = [CommandLimiter(JointLimits.of(links), settings) for _ in range(count)]
    one, changed = np.ones(12), 0
    for tick in range(50):
        controls, states = asked(links, random, count)
        if tick == 0:
            # The first target may be anywhere; that of a bridge is where the joint is.
            states["joint_position"] = controls["position"]
        given = limits.limit(controls, states, going)
        for p, bridge in enumerate(bridges):
            position, velocity, effort = (controls[p][name].reshape(12) for name in ("position", "velocity", "effort"))
            joints, speeds = states[p]["joint_position"].reshape(12), states[p]["joint_velocity"].reshape(12)
            if tick == 0:
                bridge.restart(0.0, joints)
            command = JointCommand(0.0, position, velocity, effort, servos.stiffness * one, servos.damping * one)
            expected = bridge.limit(tick * PERIOD, command, joints, speeds)
            rows = zip(
                (POSITION, VELOCITY, EFFORT, STIFFNESS, DAMPING),
                (expected.position, expected.velocity, expected.effort, expected.stiffness, expected.damping),
                strict=True,
            )
            for row, values in rows:
                assert given[p, row] == pytest.approx(values, rel=1e-12, abs=1e-9)
            changed += bool(expected.remarks)
    assert changed > 100


def test_what_is_not_finite_is_not_let_through_and_leaves_nothing_behind(links: RobotModel) -> None:
    random, going = np.random.default_rng(1), np.ones(2, np.bool_)
    sound, broken = BridgeLimits(links, 2, PERIOD, bridge_settings()), BridgeLimits(links, 2, PERIOD, bridge_settings())
    first, second = asked(links, random, 2), asked(links, random, 2)
    sound.limit(*first, going)
    broken.limit(*first, going)
    spoilt, states = (part.copy() for part in second)
    spoilt["effort"][0, 1, 2] = np.nan
    states["joint_velocity"][1, 0, 0] = np.inf
    assert np.isnan(broken.limit(spoilt, states, going)).all()
    assert np.array_equal(broken.limit(*second, going), sound.limit(*second, going))


def test_a_new_rollout_knows_nothing_of_the_one_before_and_the_dead_are_left_alone(links: RobotModel) -> None:
    random, going = np.random.default_rng(2), np.ones(2, np.bool_)
    used, new = BridgeLimits(links, 2, PERIOD, bridge_settings()), BridgeLimits(links, 2, PERIOD, bridge_settings())
    for _ in range(3):
        used.limit(*asked(links, random, 2), going)
    used.start()
    last = asked(links, random, 2)
    assert np.array_equal(used.limit(*last, going), new.limit(*last, going))
    before = used.limit(*last, going)[1].copy()
    after = used.limit(*asked(links, random, 2), np.array([True, False]))
    assert np.array_equal(after[1], before)
    assert not np.array_equal(after[0], before)


def test_without_a_bridge_a_command_passes_as_it_is(links: RobotModel) -> None:
    limits, servos = BridgeLimits(links, 2, PERIOD, None), links.description.servos
    for _ in range(2):
        controls, states = asked(links, np.random.default_rng(3), 2)
        given = limits.limit(controls, states, np.ones(2, np.bool_))
        for row, name in ((POSITION, "position"), (VELOCITY, "velocity"), (EFFORT, "effort")):
            assert np.array_equal(given[:, row], controls[name].reshape(2, 12))
        assert (given[:, STIFFNESS] == servos.stiffness).all()
        assert (given[:, DAMPING] == servos.damping).all()
