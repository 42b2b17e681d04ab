# SPDX-License-Identifier: Apache-2.0
"""The ground of perturbed robots: friction under each foot, bounce, compliance, height, slope, and how contact is computed."""

import copy
import math

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.robot.model import RobotModel
from surefoot.simulation.ground import GROUND, soften
from surefoot.traces.cloud import Particles
from surefoot.traces.cloud.particles import CONTACT_MODELS
from surefoot.traces.plant.fields import Fields
from surefoot.traces.plant.solids import applied

Array = NDArray[np.float64]

SINKAGE = 0.001
"""Of soft ground, m [Zapolsky and Drumwright 2016, section 7.5]."""


def restitution(damping_ratio: float) -> float:
    """Speed after over speed before a contact with a damped spring that cannot pull [Schwager and Pöschel 2007, Eq. 24].

    Args:
        damping_ratio: 0 to 1; 1 is critical and gives exp(-2).
    """
    if damping_ratio >= 1.0:
        return math.exp(-2.0)
    root = math.sqrt(1.0 - damping_ratio**2)
    angle = math.pi - math.atan2(2.0 * damping_ratio * root, 1.0 - 2.0 * damping_ratio**2)
    return math.exp(-damping_ratio / root * angle)


_RATIOS = np.linspace(1.0, 0.02, 99)
_BOUNCES = np.array([restitution(ratio) for ratio in _RATIOS]) - math.exp(-2.0)


class Ground:
    """Writes the ground of particles into the fields of a simulation.

    Args:
        model: the believed robot.
        simulation: of it; its feet are made to bring the ground's properties along, so that each may have its own.
    """

    def __init__(self, model: RobotModel, simulation: mujoco.MjModel) -> None:
        self._pieces = np.array([i for i in range(simulation.ngeom) if simulation.geom(i).name.startswith(GROUND)])
        self._feet = np.array([simulation.geom(name).id for name in model.description.foot_names])
        first = self._pieces[0]
        for name in ("geom_friction", "geom_solref", "geom_solimp", "geom_solmix", "geom_condim"):
            getattr(simulation, name)[self._feet] = getattr(simulation, name)[first]
        simulation.geom_priority[self._feet] = simulation.geom_priority[first] + 1
        # Where a piece lies would be taken from the world, which does not move.
        simulation.geom_sameframe[self._pieces] = 0
        self._touched = np.concatenate((self._pieces, self._feet))
        self._simulation = simulation
        self._soft = copy.copy(simulation)
        soften(self._soft, model, SINKAGE)
        for name in ("geom_solref", "geom_solimp"):
            getattr(self._soft, name)[self._feet] = getattr(self._soft, name)[first]

    def write(self, fields: Fields, particles: Particles, pivot: Array, slope: Array) -> None:
        """Make the ground under the first n robots that of the particles.

        Args:
            fields: of the simulation.
            particles: n of them.
            pivot: about which the ground of each tilts, x and y, (n, 2), or (1, 2) for all of them, m.
            slope: of the believed ground, rise over length along x and y of odom, of the same shape.
        """
        n = len(particles.indices)
        friction = fields["geom_friction"]
        friction[:n, self._pieces, 0] = particles.friction[:, None]
        friction[:n, self._feet, 0] = particles.friction[:, None] * particles.foot_friction
        if particles.contact_model.any():
            names = [CONTACT_MODELS[number] for number in particles.contact_model]
            pyramidal = np.array([name.startswith("pyramidal") for name in names])
            cone = fields["opt.cone"]
            cone[:n] = np.where(pyramidal, int(mujoco.mjtCone.mjCONE_PYRAMIDAL), cone[:n])
            soft = np.flatnonzero([name.endswith("soft") for name in names])
            if len(soft) > 0:
                fields["opt.impratio"][soft] = self._soft.opt.impratio
                for name in ("geom_solref", "geom_solimp"):
                    fields[name][soft[:, None], self._touched] = getattr(self._soft, name)[self._touched]
        if particles.compliance.any() or particles.restitution.any():
            self._springs(fields, particles)
        if particles.ground_height.any() or particles.slope.any() or slope.any():
            self._tilt(fields, particles, pivot, slope)

    def _springs(self, fields: Fields, particles: Particles) -> None:
        """Contacts that take longer, at equal damping ratio, and that are damped less, at equal stiffness."""
        n, longer = len(particles.indices), (1.0 + particles.compliance)[:, None]
        ratio = np.interp(particles.restitution, _BOUNCES, _RATIOS)[:, None]
        reference = fields["geom_solref"]
        time, damping = reference[:n, self._touched, 0], reference[:n, self._touched, 1]
        # Positive numbers are a time constant and a damping ratio, negative ones stiffness and damping.
        named = time > 0.0
        reference[:n, self._touched, 0] = np.where(named, time * longer / ratio, time / longer**2)
        reference[:n, self._touched, 1] = np.where(named, damping * ratio, damping * ratio / longer)

    def _tilt(self, fields: Fields, particles: Particles, pivot: Array, slope: Array) -> None:
        """Turn the ground about the pivot, first to where it is believed, and lift it."""
        centre = np.pad(pivot, ((0, 0), (0, 1)))
        turn = tilt(particles) * _inclined(slope)
        for piece in self._pieces:
            position = applied(turn.as_matrix(), self._simulation.geom_pos[piece] - centre) + centre
            position[:, 2] += particles.ground_height
            turned = turn * Rotation.from_quat(self._simulation.geom_quat[piece][[1, 2, 3, 0]])
            n = len(position)
            fields["geom_pos"][:n, piece] = position
            fields["geom_quat"][:n, piece] = turned.as_quat()[:, [3, 0, 1, 2]]


def _inclined(slope: Array) -> Rotation:
    """The turns of odom that make level ground rise along x and y, (n, 2), without turning it about its normal."""
    steepness = np.hypot(slope[:, 0], slope[:, 1])
    across = np.stack((slope[:, 1], -slope[:, 0], np.zeros(len(slope))), axis=1)
    return Rotation.from_rotvec(across * (np.arctan(steepness) / np.maximum(steepness, 1e-300))[:, None])


def tilt(particles: Particles) -> Rotation:
    """The slope of each particle's ground as a turn of odom."""
    return Rotation.from_rotvec(np.pad(particles.slope, ((0, 0), (0, 1))))
