# SPDX-License-Identifier: Apache-2.0
"""The grounds of the experiments [Zapolsky and Drumwright 2016, section 7.5]."""

from dataclasses import dataclass

from surefoot.robot.model import RobotModel
from surefoot.simulation.physics import Physics
from surefoot.simulation.robot import SimulatedRobot
from surefoot.simulation.time_stepping import RigidContactRobot
from surefoot.terrain.relief import Relief
from surefoot.terrain.world import World

LOW, INFINITE = 0.1, 100.0
"""Coulomb coefficients; the source's second one is infinite, which this stands for: no foot comes near to needing it."""

UNLIMITED = 1e3
"""N m. Two ticks in five of a trot ask servos of 2.6 N m for more, up to 15, and the laws of the source know of no limit when they predict
forces: a command that is clamped does not act under the forces that were predicted for it."""

SINKAGE = 0.001
"""Of a foot of the standing robot on compliant ground, m."""

RELIEF = Relief(height=0.03, wavelength=0.3, extent=1.0, level_radius=0.1, tile=0.1, friction_low=0.1, friction_high=1.5)
"""Bumps of a fifth of the robot's height; the source gives neither their spacing nor that of the friction."""


@dataclass(frozen=True)
class Ground:
    """What the robot walks on.

    Attributes:
        name: for tables.
        surface: "rigid" is the complementarity time stepping of the source's simulator, and "matched" the same where it is the model of
            the controllers, see `is_matched`; "mujoco" is the ground of all our other simulations; "compliant" and "rough" are MuJoCo's
            as well.
        friction: that the controller believes in, and the ground has unless it is rough.
    """

    name: str
    surface: str
    friction: float

    @property
    def is_matched(self) -> bool:
        """Whether the simulator does what the controllers expect.

        It takes one step a tick, with the contact directions of its begin for both of them; they are told every contact that it has
        [Zapolsky and Drumwright 2016, section 7.4]; and the servos give the torques that are asked for, neither less nor more.
        """
        return self.surface == "matched"

    def robot(self, model: RobotModel) -> RobotModel:
        """The robot as it is driven on this ground."""
        if not self.is_matched:
            return model
        servos = model.description.servos.model_copy(update={"stiffness": 0.0, "damping": 0.0, "viscous_friction": 0.0})
        changes = {"servos": servos, "effort_limits": dict.fromkeys(model.joint_names, UNLIMITED)}
        return RobotModel(model.description.model_copy(update=changes), model.urdf, model.warnings)

    def physics(self, model: RobotModel, seed: int) -> Physics:
        """A robot on this ground; the seed decides about its bumps."""
        if self.is_matched:
            return RigidContactRobot(model, World(friction=self.friction), 1.0 / model.description.control.rate)
        if self.surface == "rigid":
            return RigidContactRobot(model, World(friction=self.friction))
        if self.surface == "rough":
            world = World(friction=self.friction, relief=RELIEF.model_copy(update={"seed": seed}))
        else:
            world = World(friction=self.friction, sinkage=SINKAGE if self.surface == "compliant" else 0.0)
        return SimulatedRobot(model, world, seed, perfect_sensors=True)


GROUNDS = tuple(
    Ground(f"{surface}, {word} friction", surface, friction)
    for surface in ("rigid", "matched", "mujoco", "compliant")
    for word, friction in (("low", LOW), ("high", INFINITE))
)
ROUGH = Ground("rough, random friction", "rough", 0.5)
"""The source does not say what its controller believes there."""
