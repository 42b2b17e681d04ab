# SPDX-License-Identifier: Apache-2.0
"""A robot and its ground in DART, Gazebo's engine, with the numbers that MuJoCo has for them. Needs dartpy: ./surefoot install dart."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.errors import ConfigurationError

Array = NDArray[np.float64]

GROUND_SIZE = 100.0
"""m of a plane, which DART takes for a box."""
_KINDS = {int(kind): kind.name.removeprefix("mjGEOM_").lower() for kind in mujoco.mjtGeom.__members__.values()}


def dart_engine() -> Any:
    """The module dartpy.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        return import_module("dartpy")
    except ImportError as error:
        raise ConfigurationError(f"DART is not installed ({error}); ./surefoot install dart") from error


class DartRobot:
    """One robot on its ground. Bodies that do not collide with each other, contacts that are rigid, a friction cone that is a box.

    Args:
        simulation: what MuJoCo simulates: the tree of bodies, joints, kinds of shapes.
        numbers: gives those of this robot for a field of MuJoCo's model.
        feet: numbers of the geoms of its feet, (4,).
        joints: numbers of its twelve joints.
        step: of the physics, s.

    Raises:
        ConfigurationError: dartpy is not installed, or a shape is of no kind that both engines have.
    """

    def __init__(
        self, simulation: mujoco.MjModel, numbers: Callable[[str], Any], feet: NDArray[np.int64], joints: NDArray[np.int64], step: float
    ) -> None:
        self._dart, self._simulation, self._numbers, self._step = dart_engine(), simulation, numbers, step
        self._world = self._dart.simulation.World()
        self._world.setTimeStep(step)
        self._world.setGravity(np.asarray(simulation.opt.gravity))
        self._world.getConstraintSolver().setCollisionDetector(self._dart.collision.BulletCollisionDetector())
        self._shapes: dict[int, Any] = {}
        self._ground = self._dart.dynamics.Skeleton("ground")
        _, self._fixed = self._ground.createWeldJointAndBodyNodePair()
        self._robot = self._dart.dynamics.Skeleton("robot")
        self._bodies: dict[int, Any] = {0: self._fixed}
        for body in range(1, simulation.nbody):
            self._bodies[body] = self._add_body(body)
        for geom in range(simulation.ngeom):
            self._add_shape(geom)
        self._base = self._bodies[1]
        names = [f"joint_{joint}" for joint in joints]
        self._order = np.array([self._robot.getDof(name).getIndexInSkeleton() for name in names])
        self._feet = [self._shapes[foot].getName() for foot in feet.tolist()]
        self._world.addSkeleton(self._ground)
        self._world.addSkeleton(self._robot)

    def place(self, qpos: Array, qvel: Array) -> None:
        """Put the robot somewhere, both as MuJoCo has them, (19,) and (18,)."""
        turn = Rotation.from_quat(qpos[[4, 5, 6, 3]])
        position, velocity = np.zeros(18), np.zeros(18)
        position[:3], position[3:6], position[self._order] = turn.as_rotvec(), qpos[:3], qpos[7:]
        velocity[self._order] = qvel[6:]
        self._robot.setPositions(position)
        self._robot.setVelocities(velocity)
        # How the engine counts the speed of a free joint is its own affair.
        self._free.setLinearVelocity(qvel[:3])
        self._free.setAngularVelocity(turn.apply(qvel[3:6]))

    def state(self) -> tuple[Array, Array]:
        """Where it is and how it moves, as MuJoCo has them, (19,) and (18,)."""
        position, velocity = np.asarray(self._robot.getPositions()), np.asarray(self._robot.getVelocities())
        turn = Rotation.from_rotvec(position[:3])
        x, y, z, w = turn.as_quat()
        linear, angular = np.asarray(self._base.getLinearVelocity()), np.asarray(self._base.getAngularVelocity())
        qpos = np.concatenate((position[3:6], (w, x, y, z), position[self._order]))
        return qpos, np.concatenate((linear, turn.inv().apply(angular), velocity[self._order]))

    def joints(self) -> tuple[Array, Array]:
        """Positions and velocities of the joints, (12,) each."""
        return np.asarray(self._robot.getPositions())[self._order], np.asarray(self._robot.getVelocities())[self._order]

    def advance(self, torque: Array, push: Array) -> None:
        """One step of the physics.

        Args:
            torque: of each joint, (12,), N m.
            push: force on the base's centre of mass, (3,), N, in the world.
        """
        forces = np.zeros(18)
        forces[self._order] = torque
        self._robot.setForces(forces)
        if push.any():
            self._base.addExtForce(push, self._base.getLocalCOM(), False, True)
        self._world.step()

    def foot_load(self) -> Array:
        """Normal force on each foot in the last step, (4,), N."""
        load = dict.fromkeys(self._feet, 0.0)
        for contact in self._world.getLastCollisionResult().getContacts():
            along = abs(float(np.dot(contact.force, contact.normal)))
            for side in (contact.collisionObject1, contact.collisionObject2):
                name = side.getShapeFrame().getName()
                if name in load:
                    load[name] += along
        return np.array(list(load.values()))

    def _add_body(self, body: int) -> Any:
        simulation, numbers, dynamics = self._simulation, self._numbers, self._dart.dynamics
        joint = int(simulation.body_jntadr[body])
        parent = int(simulation.body_parentid[body])
        if simulation.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            self._free, node = self._robot.createFreeJointAndBodyNodePair()
        else:
            of = dynamics.RevoluteJointProperties()
            of.mName, of.mAxis = f"joint_{joint}", numbers("jnt_axis")[joint]
            hinge, node = self._bodies[parent].createRevoluteJointAndBodyNodePair(of)
            hinge.setTransformFromParentBodyNode(self._pose(numbers("body_pos")[body], numbers("body_quat")[body]))
            hinge.setDampingCoefficient(0, float(numbers("dof_damping")[simulation.jnt_dofadr[joint]]))
            if simulation.jnt_limited[joint]:
                hinge.setPositionLowerLimit(0, float(simulation.jnt_range[joint, 0]))
                hinge.setPositionUpperLimit(0, float(simulation.jnt_range[joint, 1]))
                hinge.setLimitEnforcement(True)
        axes = _matrix(numbers("body_iquat")[body])
        inertia = dynamics.Inertia(
            float(numbers("body_mass")[body]), numbers("body_ipos")[body], axes @ np.diag(numbers("body_inertia")[body]) @ axes.T
        )
        node.setInertia(inertia)
        return node

    def _add_shape(self, geom: int) -> None:
        simulation, numbers = self._simulation, self._numbers
        if simulation.geom_contype[geom] == 0 and simulation.geom_conaffinity[geom] == 0:
            return
        kind, size = _KINDS[int(simulation.geom_type[geom])], np.asarray(numbers("geom_size")[geom])
        dynamics, place = self._dart.dynamics, np.asarray(numbers("geom_pos")[geom])
        turn = np.asarray(numbers("geom_quat")[geom])
        if kind == "sphere":
            shape = dynamics.SphereShape(size[0])
        elif kind == "cylinder":
            shape = dynamics.CylinderShape(size[0], 2.0 * size[1])
        elif kind == "capsule":
            shape = dynamics.CapsuleShape(size[0], 2.0 * size[1])
        elif kind == "box":
            shape = dynamics.BoxShape(2.0 * size)
        elif kind == "plane":
            shape = dynamics.BoxShape([GROUND_SIZE, GROUND_SIZE, 1.0])
            place = place - 0.5 * _matrix(turn)[:, 2]
        else:
            name = simulation.geom(geom).name or geom
            raise ConfigurationError(f"shape {name} is a {kind}, which DART is not given; robots and grounds of spheres, cylinders, "
                                     "capsules, boxes and planes can be simulated there")  # fmt: skip
        node = self._bodies[int(simulation.geom_bodyid[geom])].createShapeNode(shape)
        node.setName(f"shape_{geom}")
        node.createCollisionAspect()
        # Of two shapes DART takes the smaller friction; the feet bring that of the ground along.
        fixed = int(simulation.geom_bodyid[geom]) == 0
        friction = float(np.max(numbers("geom_friction")[:, 0])) if fixed else float(numbers("geom_friction")[geom, 0])
        node.createDynamicsAspect().setFrictionCoeff(friction)
        node.setRelativeTransform(self._pose(place, turn))
        self._shapes[geom] = node

    def _pose(self, place: Array, turn: Array) -> Any:
        pose = self._dart.math.Isometry3()
        pose.set_translation(np.asarray(place))
        pose.set_rotation(_matrix(turn))
        return pose


def _matrix(quaternion: Array) -> Array:
    """Of a quaternion w x y z."""
    result: Array = Rotation.from_quat(np.asarray(quaternion)[[1, 2, 3, 0]]).as_matrix()
    return result
