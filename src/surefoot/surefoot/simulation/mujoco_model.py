# SPDX-License-Identifier: Apache-2.0
"""A robot on its ground as a MuJoCo model, made from the same URDF as everything else."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robot.bodies import Body, CollisionShape
from surefoot.robot.model import RobotModel
from surefoot.simulation.ground import IMPEDANCE_RATIO, add_ground, soften
from surefoot.terrain.world import World

Array = NDArray[np.float64]

ROOT_JOINT = "floating_base"

SHARP = 2.0
"""Time steps in which the dry friction of a gear lets a joint slip until it has its full size, the least that the physics permits. With its
own 20 ms a joint that brakes at 30 rad/s^2 and 0.3 rad/s would not feel any of it."""

_GEOM = {"box": mujoco.mjtGeom.mjGEOM_BOX, "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER, "sphere": mujoco.mjtGeom.mjGEOM_SPHERE}


def quaternion_wxyz(rotation: Array) -> Array:
    """Quaternion w x y z of a rotation matrix (3, 3)."""
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation).reshape(9))
    return quaternion


def _add_shape(body: mujoco.MjsBody, shape: CollisionShape, is_foot: bool) -> None:
    size = np.zeros(3)
    if shape.kind == "box":
        size[:] = np.array(shape.size) / 2.0
    elif shape.kind == "cylinder":
        size[:2] = shape.size[0], shape.size[1] / 2.0
    else:
        size[0] = shape.size[0]
    body.add_geom(
        name=shape.link if is_foot else "",
        type=_GEOM[shape.kind],
        size=size,
        pos=shape.body_from_shape_translation,
        quat=quaternion_wxyz(shape.body_from_shape_rotation),
        mass=0.0,
        condim=3,
        # Links meet the ground, never each other.
        contype=1,
        conaffinity=0,
        rgba=(0.15, 0.15, 0.17, 1.0) if is_foot else (0.55, 0.6, 0.68, 1.0),
    )


def _add_body(spec: mujoco.MjSpec, parent: mujoco.MjsBody, body: Body, model: RobotModel) -> mujoco.MjsBody:
    added = parent.add_body(
        name=body.name, pos=body.parent_from_body_translation, quat=quaternion_wxyz(body.parent_from_body_rotation)
    )
    inertia = body.inertia
    added.mass, added.ipos, added.explicitinertial = body.mass, body.centre_of_mass, True
    added.fullinertia = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    servos = model.description.servos
    if body.joint is None:
        added.add_freejoint(name=ROOT_JOINT)
    else:
        joint = added.add_joint(name=body.joint.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=body.joint.axis)
        joint.limited, joint.range = mujoco.mjtLimited.mjLIMITED_TRUE, [body.joint.position_lower, body.joint.position_upper]
        joint.armature, joint.frictionloss, joint.damping[0] = servos.armature, servos.friction, servos.viscous_friction
        # The servo law, evaluated at each physics step: control + bias1 q + bias2 qd, clamped to the effort limit.
        servo = spec.add_actuator(name=body.joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT, target=body.joint.name)
        servo.gaintype, servo.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        servo.gainprm[0] = 1.0
        servo.forcelimited, servo.forcerange = mujoco.mjtLimited.mjLIMITED_TRUE, [-body.joint.effort_limit, body.joint.effort_limit]
    feet = model.description.foot_names
    for shape in body.collisions:
        # A foot link may carry a piece of the shank as well; the ball is the foot.
        _add_shape(added, shape, shape.link in feet and shape.kind == "sphere")
    return added


def build_model(model: RobotModel, world: World, time_step: float) -> mujoco.MjModel:
    """Build the simulation of a robot on its ground.

    Bodies, joints and actuators carry the names of the URDF; foot geoms and sites carry the names of the feet; for the ground see
    `ground.add_ground`.

    Args:
        model: the robot.
        world: the ground.
        time_step: s.
    """
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    option = spec.option
    option.timestep, option.impratio, option.iterations = time_step, IMPEDANCE_RATIO, 20
    option.cone, option.jacobian = mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtJacobian.mjJAC_DENSE
    option.solver, option.integrator = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1280, 720
    add_ground(spec, world, time_step)
    spec.worldbody.add_light(pos=[0, 0, 4], dir=[0.2, 0.2, -1], type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
    bodies: dict[str, mujoco.MjsBody] = {}
    for body in model.bodies():
        parent = spec.worldbody if body.parent is None else bodies[body.parent]
        bodies[body.name] = _add_body(spec, parent, body, model)
    for name in model.description.foot_names:
        frame = model.attached_frame(name)
        radius = model.description.foot_radius
        # Touch sensors sum the normal forces of the contacts inside of their site.
        bodies[frame.body].add_site(name=name, pos=frame.body_from_frame_translation, size=[1.5 * radius] * 3)
        spec.add_sensor(name=name, type=mujoco.mjtSensor.mjSENS_TOUCH, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=name)
        if not any(geom.name == name for geom in bodies[frame.body].geoms):
            foot = np.asarray(frame.body_from_frame_translation)
            bodies[frame.body].add_geom(
                name=name, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[model.description.foot_radius, 0, 0], pos=foot, mass=0.0,
                condim=3, contype=1, conaffinity=0,
            )  # fmt: skip
    compiled = spec.compile()
    if world.sinkage > 0.0:
        soften(compiled, model, world.sinkage)
    return compiled
