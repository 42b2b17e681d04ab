# SPDX-License-Identifier: Apache-2.0
"""Placo's whole-body controller on states of a standing robot, in an interpreter of its own: `placo_peer.py WORK.npz URDF`.

Placo brings its own pinocchio, which cannot be loaded beside ours, so this file imports nothing of Surefoot. It answers each line
"BEGIN END" on its input with the times of those ticks, in s, as JSON: forward kinematics, dynamics and the solve.
"""

import json
import sys
import time
from typing import Any


def main() -> None:
    """Set up the tasks, then time what is asked for."""
    import numpy as np
    import placo  # type: ignore[import-not-found]

    work = np.load(sys.argv[1])
    robot = placo.RobotWrapper(sys.argv[2], placo.Flags.ignore_collisions)
    solver = placo.DynamicsSolver(robot)
    names = [str(name) for name in work["joint_names"]]
    places = [robot.get_joint_offset(name) for name in names]
    speeds = [robot.get_joint_v_offset(name) for name in names]

    def take(k: int) -> None:
        q, qd = robot.state.q.copy(), robot.state.qd.copy()
        q[:3], q[3:7], q[places] = work["base_position"][k], work["base_quaternion"][k], work["joint_position"][k]
        qd[:], qd[speeds] = 0.0, work["joint_velocity"][k]
        robot.state.q, robot.state.qd = q, qd

    # The first state is the undisturbed one: feet and base are to stay where it has them.
    take(0)
    robot.update_kinematics()
    kept: list[Any] = []
    for foot in work["foot_names"]:
        task = solver.add_position_task(str(foot), robot.get_T_world_frame(str(foot))[:3, 3])
        contact = solver.add_unilateral_point_contact(task)
        contact.mu = float(work["friction"])
        kept += [task, contact]
    base = solver.add_frame_task(str(work["base"]), robot.get_T_world_frame(str(work["base"])))
    base.configure("base", "soft", 1.0, 1.0)
    posture = solver.add_joints_task()
    posture.set_joints(dict(zip(names, work["joint_position"][0].tolist(), strict=True)))
    posture.configure("posture", "soft", 1e-3)
    solver.enable_torque_limits(True)
    print("ready", flush=True)
    for line in sys.stdin:
        begin, end = map(int, line.split())
        seconds, solved = [], 0
        for k in range(begin, end):
            take(k)
            start = time.perf_counter()
            robot.update_kinematics()
            result = solver.solve(False)
            seconds.append(time.perf_counter() - start)
            solved += bool(result.success)
        print(json.dumps({"seconds": seconds, "solved": solved}), flush=True)


if __name__ == "__main__":
    main()
