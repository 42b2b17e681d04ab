# SPDX-License-Identifier: Apache-2.0
"""One tick of judgement of all particles, compiled: the witnesses of the library's requirements, and the marks that events are told by."""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.gait.modes import REACH, SWING
from surefoot.traces.findings.marks import CONTACT, SLIDING, STRUCK, SURFACE, TOUCHED
from surefoot.traces.requirements.base_height import base_height_witness
from surefoot.traces.requirements.feet import nearest_ground, side_strike, slid
from surefoot.traces.requirements.joint_range import joint_range_witness
from surefoot.traces.requirements.non_foot_contact import ground_distance
from surefoot.traces.requirements.policy import controller_witness, ground_found_witness
from surefoot.traces.requirements.reach import reach_witness
from surefoot.traces.requirements.scuff import scuff_witness
from surefoot.traces.requirements.self_collision import clearance_witness, self_distance
from surefoot.traces.requirements.tilt import roll_and_pitch, tilt_witness
from surefoot.traces.requirements.torque_speed import torque_speed_witness

SOUND, UNSOUND, MISPLACED = -1, -2, -3
"""No requirement violated; numbers that are none, or physics that stands still; a start that no robot can be in."""

FOOT = 4
"""Every fourth link after the base is a foot."""


@compiled
def judge(
    qpos: Any, qvel: Any, planner: Any, plan: Any, control: Any, load: Any, torque: Any, speed: Any, position: Any, rotation: Any,
    advancing: Any, height: Any, limits: Any, shapes: Any, links: Any, pairs: Any, ground: Any, memory: Any, alive: Any,
    witness: Any, broken: Any, marks: Any,
) -> int:  # fmt: skip
    """Judge all particles that are alive.

    Args:
        qpos, qvel, planner, plan, control, load, torque, speed, position, rotation, height: see `view.TraceView`.
        advancing: whether the physics went on, (n,).
        limits: one LIMITS record in an array.
        shapes, links, pairs, ground: see `shapes.Shapes`.
        memory: n MEMORY records, kept from tick to tick.
        alive: (n,), bool.
        witness: (n, 12), written: 0 or more where the requirement holds, in the order of `built_in.BUILT_IN`.
        broken: (n,), written where alive: the first requirement that is asked for and violated, or SOUND, UNSOUND, MISPLACED.
        marks: (n,), written, see `marks`.

    Returns:
        How many particles come to their end.
    """
    limit, ended = limits[0], 0
    for p in range(qpos.shape[0]):
        if not alive[p]:
            continue
        broken[p] = SOUND
        total = qpos[p, 18]
        for i in range(18):
            total += qpos[p, i] + qvel[p, i]
        # The servos' torques before the first command are nobody's.
        started = memory[p].ticks > 0
        if started:
            for i in range(12):
                total += torque[p, i]
        if not (math.isfinite(total) and advancing[p]):
            broken[p] = UNSOUND
            ended += 1
            continue
        kept, values = memory[p], witness[p]
        roll, pitch = roll_and_pitch(qpos[p])
        values[0], values[1] = tilt_witness(roll, limit.largest_roll), tilt_witness(pitch, limit.largest_pitch)
        # Of the particle's own ground, which need not lie where it is believed.
        stands, _, _ = nearest_ground(qpos[p, 0], qpos[p, 1], qpos[p, 2], 0.0, ground, position[p], rotation[p])
        values[2] = base_height_witness(stands, limit.lowest_base)
        values[3] = joint_range_witness(qpos[p, 7:], limit.joint_lower, limit.joint_upper, limit.joint_give)
        values[4], values[5] = ground_found_witness(planner[p].fault), controller_witness(control[p].status)
        values[6] = reach_witness(qpos[p], height[p], plan[p].foot_position, limit.hip_in_base, limit.farthest_foot)
        values[7] = 1.0
        if started:
            values[7] = torque_speed_witness(
                torque[p], speed[p], limit.effort_limit, limit.velocity_limit, limit.longest_overload, limit.period, kept.overloaded
            )
        clear = limit.near
        if limit.on[8] != 0:
            clear = self_distance(shapes, links, pairs, position[p], rotation[p], limit.near)
        values[8] = clearance_witness(clear, limit.self_give, limit.near)
        mark, lowest = _links(limit, shapes, links, ground, position[p], rotation[p])
        values[9] = clearance_witness(lowest, limit.ground_give, limit.near)
        scuffed, struck, mark, foot_depth = _feet(limit, shapes, links, ground, position[p], rotation[p], load[p], kept, mark)
        values[10] = scuff_witness(scuffed, limit.longest_scuff)
        values[11] = clearance_witness(struck, limit.stub_give, limit.near)
        marks[p] = mark
        for column in range(12):
            # A witness that is not a number is not a witness: it counts as violated.
            if limit.on[column] != 0 and not values[column] >= 0.0:
                broken[p] = column
                break
        if kept.ticks == 0 and (max(-lowest, -foot_depth) > limit.deepest_start or planner[p].fault != 0):
            broken[p] = MISPLACED
        ended += 1 if broken[p] != SOUND else 0
        kept.ticks += 1
        for leg in range(4):
            mode = plan[p].mode[leg]
            kept.swinging[leg] = 1 if mode in (SWING, REACH) else 0
    return ended


@compiled
def _links(limit: Any, shapes: Any, links: Any, ground: Any, position: Any, rotation: Any) -> tuple[int, float]:
    """Marks of the links but feet that touch the ground, and the least distance of any, m."""
    mark, lowest = 0, limit.near
    flat, there = ground.shape[0] == 1 and ground[0].box == 0, ground[0].geom
    x, y, z = rotation[there, 2], rotation[there, 5], rotation[there, 8]
    level = position[there, 0] * x + position[there, 1] * y + position[there, 2] * z
    for link in range(links.shape[0]):
        if link > 0 and link % FOOT == 0:
            continue
        mine = limit.near
        for s in range(links[link].first, links[link].last):
            own = shapes[s].geom
            height = position[own, 0] * x + position[own, 1] * y + position[own, 2] * z - level
            if flat and height - shapes[s].bound >= mine:
                continue
            mine = min(mine, ground_distance(shapes[s], ground, position, rotation, limit.near))
        if mine < 0.0:
            mark |= 1 << (TOUCHED + link)
        lowest = min(lowest, mine)
    return mark, lowest


@compiled
def _feet(
    limit: Any, shapes: Any, links: Any, ground: Any, position: Any, rotation: Any, load: Any, kept: Any, mark: int
) -> tuple[float, float, int, float]:
    """The longest scuff, m, the nearest strike from the side, m, the marks with those of the feet, and the distance of the lowest foot."""
    scuffed, struck, lowest = 0.0, limit.near, limit.near
    # Flat ground pushes nobody from the side.
    steps = ground.shape[0] > 1 or ground[0].box != 0
    for leg in range(4):
        ball = shapes[links[FOOT * (leg + 1)].first]
        centre, turn = position[ball.geom], rotation[ball.geom]
        before, before_turn = kept.foot[leg], kept.foot_rotation[leg]
        gap, piece, _ = nearest_ground(centre[0], centre[1], centre[2], ball.radius, ground, position, rotation)
        lowest = min(lowest, gap)
        loaded, first = load[leg] > limit.foot_force_threshold, kept.ticks == 0
        way = 0.0
        if loaded and not first:
            surface = rotation[ground[piece].geom]
            way = slid(before, before_turn, centre, turn, ball.radius, surface[2], surface[5], surface[8])
        fast = way / limit.period
        # Once it slips, it sticks again only when it is clearly slower.
        kept.sliding[leg] = 1 if loaded and fast > limit.slip_speed * (0.5 if kept.sliding[leg] != 0 else 1.0) else 0
        kept.scuffed[leg] = kept.scuffed[leg] + way if loaded and kept.swinging[leg] != 0 else 0.0
        scuffed = max(scuffed, kept.scuffed[leg])
        if steps and kept.swinging[leg] != 0 and not first:
            mine, hit = side_strike(before, centre, ball.radius, ground, position, rotation, limit.steepest_touch, limit.near)
            struck = min(struck, mine)
            if mine < 0.0:
                # What it runs into is told whether it has come to bear load or not.
                mark |= 1 << (STRUCK + leg)
                piece = hit
        if loaded:
            mark |= 1 << (CONTACT + leg)
        if loaded or (mark >> (STRUCK + leg)) & 1:
            mark |= min(piece, 7) << (SURFACE + 3 * leg)
        if kept.sliding[leg] != 0:
            mark |= 1 << (SLIDING + leg)
        for i in range(3):
            before[i] = centre[i]
        for i in range(9):
            before_turn[i] = turn[i]
    return scuffed, struck, mark, lowest
