# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.servos.attitude import Attitude
from surefoot.servos.footing import LIFT, Footing
from surefoot.servos.settings import BridgeSettings

SETTINGS, LEVEL = BridgeSettings(), Attitude(0.0, 0.0)


def splayed(model: RobotModel, by: float = 0.35) -> np.ndarray:
    """The stand pose with every foot further out, (12,), rad."""
    stand = model.stand_joint_position
    lateral = model.foot_jacobians_in_base(stand)[:, 1, 0] * np.sign(model.feet_in_base(stand)[:, 1])
    joints = stand.copy()
    joints[::3] += by * np.sign(lateral)
    return joints


def stiff(model: RobotModel) -> RobotModel:
    """The robot with servos that do not give way: their targets are where the joints are."""
    servos = model.description.servos.model_copy(update={"posture_stiffness": 1e9})
    return RobotModel(model.description.model_copy(update={"servos": servos}), model.urdf)


def test_feet_that_are_in_place_stay(hyq: RobotModel) -> None:
    footing = Footing(hyq, SETTINGS)
    assert footing.way(0.0, hyq.stand_joint_position, LEVEL) is None
    assert footing.way(0.0, splayed(hyq, 0.1), LEVEL) is None


def test_a_robot_that_is_not_up_is_left_alone(hyq: RobotModel) -> None:
    assert Footing(hyq, SETTINGS).way(0.0, hyq.lie_joint_position, LEVEL) is None


def test_legs_that_are_not_strong_enough_do_not_try(hyq: RobotModel) -> None:
    assert Footing(hyq, SETTINGS).way(0.0, splayed(hyq), LEVEL) is not None
    weak = hyq.description.model_copy(update={"effort_limits": dict.fromkeys(hyq.joint_names, 40.0)})
    assert Footing(RobotModel(weak, hyq.urdf), SETTINGS).way(0.0, splayed(hyq), LEVEL) is None


@pytest.mark.parametrize("name", ["hyq", "links", "a1"])
def test_one_foot_after_the_other_while_the_rest_stay_and_carry(name: str) -> None:
    model = stiff(load_robot(name))
    height = model.description.stand_height
    way = Footing(model, SETTINGS).way(2.0, splayed(model), LEVEL)
    assert way is not None
    np.testing.assert_array_equal(way.goal, model.stand_joint_position)
    joints, speeds = (np.array(values) for values in zip(*map(way.at, np.arange(2.0, way.end, 0.02)), strict=True))
    assert np.abs(speeds).max() <= model.description.servos.posture_speed * (1.0 + 1e-9)
    feet = np.array([model.feet_in_base(pose) for pose in joints])
    lifted = feet[..., 2] - feet[..., 2].min(axis=1)[:, np.newaxis] > 0.2 * LIFT * height
    assert lifted.sum(axis=1).max() == 1
    assert lifted.any(axis=0).all()
    for before, after, up in zip(feet, feet[1:], lifted, strict=False):
        if up.any():
            # Those on the ground go together: the base moves over them. A joint path is not quite a straight one.
            moved = (after - before)[~up]
            assert np.abs(moved - moved.mean(axis=0)).max() < 0.005 * height
    for pose, places, up in zip(joints, feet, lifted, strict=True):
        if up.any():
            centre = model.centre_of_mass(np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0)), pose)
            weights = np.linalg.solve(np.vstack((np.ones(3), places[~up, :2].T)), (1.0, *centre[:2]))
            assert weights.min() > 0.03


@pytest.mark.parametrize(("tilt", "axis"), [(Attitude(0.1, 0.0), 1), (Attitude(0.0, -0.1), 0)])
def test_the_weight_is_where_it_is_in_the_world(hyq: RobotModel, tilt: Attitude, axis: int) -> None:
    # On a slope the centre of mass is over other ground than on the level, and the base goes another way.
    model, places = stiff(hyq), []
    for attitude in (LEVEL, tilt):
        way = Footing(model, SETTINGS).way(0.0, splayed(model), attitude)
        assert way is not None
        places.append(np.mean([model.feet_in_base(way.at(share * way.end)[0])[:, axis].mean() for share in np.linspace(0.0, 1.0, 200)]))
    assert abs(places[0] - places[1]) > 0.02
