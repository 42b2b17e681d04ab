# SPDX-License-Identifier: Apache-2.0
"""The ground of a world as geoms of MuJoCo: a plane, strips, rough tiles; hard or compliant."""

import mujoco
import numpy as np

from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.terrain.box import box_under
from surefoot.terrain.relief import Relief, height_map
from surefoot.terrain.world import GroundStrip, World

GROUND = "ground_"
"""How the names of all geoms of the ground begin."""

IMPEDANCE_RATIO = 10.0
CONTACT_TIME_CONSTANT = 0.004
"""s. With elliptic cones, these two and a priority of the floor's friction reproduce Coulomb's law: a sliding block stops within
0.25 % of the formula at any heading. The time constant must stay at or above two time steps."""
IMPEDANCE = (0.95, 0.99, 0.001, 0.5, 2.0)

DAMPING_RATIO = 0.5
"""Of a quarter of the robot on one contact with compliant ground."""

SLIPPERY = 0.2
"""Ground with less friction than this is drawn as ice."""

THICKNESS = 0.5
"""Half that of a box of ground, m."""

REACH = 100.0
"""How far the ground goes, m."""


def add_ground(spec: mujoco.MjSpec, world: World, time_step: float) -> None:
    """Add the hard ground of a world, as geoms "ground_0", "ground_1", ... in the order of x, or row by row where it is rough.

    Args:
        spec: the simulation to be.
        world: the ground.
        time_step: s.
    """
    time_constant = _time_constant(time_step)
    if world.relief is not None:
        _add_relief(spec, world.relief, world.friction, time_constant)
        return
    sections = world.sections(REACH)
    for index, section in enumerate(sections):
        ground = _add_piece(spec, index, section.friction, time_constant)
        if len(sections) == 1 and world.is_level:
            # A plane is met in closed form, which makes a step more than twice as fast as a box does.
            ground.type, ground.size = mujoco.mjtGeom.mjGEOM_PLANE, [0.0, 0.0, 0.05]
        else:
            _make_box(ground, section)


def _make_box(ground: mujoco.MjsGeom, section: GroundStrip) -> None:
    """A thick box whose top is the section."""
    ground.type = mujoco.mjtGeom.mjGEOM_BOX
    ground.size, ground.pos, ground.quat = (list(values) for values in box_under(section, 50.0, THICKNESS))


def soften(compiled: mujoco.MjModel, model: RobotModel, sinkage: float) -> None:
    """Make the ground springs and dampers: a quarter of the robot's weight presses a foot in by `sinkage`, m.

    A contact of MuJoCo gives the force (-stiffness depth - damping velocity - acceleration) / regularisation, explicit in the velocity. The
    damping is that of hard ground, the largest that the time step bears, and the other two follow from it. Friction is left as it is
    on hard ground, where its regularisation is `IMPEDANCE_RATIO` times smaller than that along the normal.
    """
    feet = [compiled.geom_bodyid[compiled.geom(name).id] for name in model.description.foot_names]
    inverse_mass = float(compiled.body_invweight0[feet, 0].mean())
    share = 0.25 * model.total_mass
    damping = 2.0 / (IMPEDANCE[0] * _time_constant(compiled.opt.timestep))
    regularisation = damping / (2.0 * DAMPING_RATIO * share * np.sqrt(GRAVITY / sinkage))
    stiffness = regularisation * share * GRAVITY / sinkage
    impedance = inverse_mass / (inverse_mass + regularisation)
    compiled.opt.impratio *= regularisation / (inverse_mass * (1.0 - IMPEDANCE[0]) / IMPEDANCE[0])
    for index in range(compiled.ngeom):
        if compiled.geom(index).name.startswith(GROUND):
            # Negative numbers stand for stiffness and damping; MuJoCo divides both by the impedance.
            compiled.geom_solref[index] = -stiffness * impedance, -damping * impedance
            compiled.geom_solimp[index, :2] = impedance


def _time_constant(time_step: float) -> float:
    return max(CONTACT_TIME_CONSTANT, 2.0 * time_step)


def _add_piece(spec: mujoco.MjSpec, index: int, friction: float, time_constant: float) -> mujoco.MjsGeom:
    return spec.worldbody.add_geom(
        name=f"{GROUND}{index}",
        friction=[friction, 0.0, 0.0],
        solref=[time_constant, 1.0],
        solimp=list(IMPEDANCE),
        condim=3,
        contype=0,
        conaffinity=1,
        priority=1,
        rgba=(0.6, 0.8, 0.95, 1.0) if friction < SLIPPERY else (0.42, 0.45, 0.4, 1.0),
    )


def _add_relief(spec: mujoco.MjSpec, relief: Relief, friction_beyond: float, time_constant: float) -> None:
    """Height fields side by side, and boxes with their tops at height 0 around them."""
    ground = height_map(relief)
    across, half = relief.tiles_across, 0.5 * ground.side
    for row, column in np.ndindex(across, across):
        heights = ground.tile(row, column)
        name = f"relief_{row}_{column}"
        # MuJoCo stretches the samples of a field from 0 to 1.
        low, span = float(heights.min()), max(float(np.ptp(heights)), 1e-9)
        rows, columns = heights.shape
        spec.add_hfield(name=name, nrow=rows, ncol=columns, size=[half, half, span, 0.1], userdata=(heights - low).ravel().tolist())
        piece = _add_piece(spec, row * across + column, float(ground.friction[row, column]), time_constant)
        piece.type, piece.hfieldname, piece.pos = mujoco.mjtGeom.mjGEOM_HFIELD, name, [*ground.centre(row, column), low]
    extent = relief.extent
    middle, width = 0.5 * (extent + REACH), 0.5 * (REACH - extent)
    around = ((middle, 0.0, width, REACH), (-middle, 0.0, width, REACH), (0.0, middle, extent, width), (0.0, -middle, extent, width))
    for side, (x, y, half_x, half_y) in enumerate(around):
        piece = _add_piece(spec, across**2 + side, friction_beyond, time_constant)
        piece.type, piece.size, piece.pos = mujoco.mjtGeom.mjGEOM_BOX, [half_x, half_y, THICKNESS], [x, y, -THICKNESS]
