# SPDX-License-Identifier: Apache-2.0
"""Laws by name over a batch, and the memory of one that is followed from afar."""

import numpy as np
import pytest

from surefoot.errors import UnknownNameError
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.joint_pid import JointPid
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.selector import controller_names
from surefoot.locomotion.laws import COMPILED, COMPILED_JOINT_PID, COMPILED_LAWS, LAW_OF, CompiledLaw, FollowedLaw
from surefoot.locomotion.policy import state_record
from surefoot.robot.model import RobotModel


def test_each_law_that_traces_run_is_there_and_drives_the_robot(hyq: RobotModel) -> None:
    assert set(LAW_OF.values()) == set(COMPILED_LAWS)
    assert set(LAW_OF) - set(COMPILED_LAWS) <= set(controller_names())
    with pytest.raises(UnknownNameError, match="unknown compiled law 'joint_pid'"):
        CompiledLaw(hyq, "joint_pid")


def test_a_followed_law_remembers_what_the_controller_does(hyq: RobotModel) -> None:
    pid = JointPid(hyq, hyq.description.control)
    loop = ClosedLoop(hyq, 1, perfect_sensors=True, controller=ReferenceController(hyq, controller=pid))
    followed = FollowedLaw(hyq)
    assert not followed.remembers
    followed.put(COMPILED_JOINT_PID)

    def tick() -> None:
        loop.run(loop.robot.period)
        followed.follow(loop.planning.plan_record, state_record(loop.course.estimate[-1]))

    for _ in range(50):
        tick()
    loop.change_gait("trot")
    for _ in range(100):
        tick()
    assert not loop.fallen
    assert np.abs(pid._integral).max() > 0.01 * hyq.effort_limit.max()
    np.testing.assert_allclose(followed.now().memory["integral"].ravel(), pid._integral, atol=1e-9 * hyq.effort_limit.max())

    kept = followed.now()
    tick()
    assert kept.memory["last_time"] == loop.course.estimate[-2].time
    followed.put(COMPILED)
    assert not followed.now().memory["integral"].any()
