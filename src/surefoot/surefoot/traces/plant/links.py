# SPDX-License-Identifier: Apache-2.0
"""Links, feet and payload of perturbed robots: mass, inertia and shape."""

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.robot.model import RobotModel
from surefoot.traces.cloud import Particles
from surefoot.traces.plant.fields import Fields
from surefoot.traces.plant.solids import applied, foot_solids, principal_inertia, second_moments, shifted, stretches

Array = NDArray[np.float64]

_SPHERE, _CYLINDER, _BOX = (int(kind) for kind in (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_BOX))


class Links:
    """Writes the links of particles into the fields of a simulation.

    Args:
        model: the believed robot.
        simulation: of it.

    Attributes:
        base: number of its body.
        links: of the bodies of hip, thigh and shin of each leg, (12,).
        feet: of their geoms, (4,).
    """

    def __init__(self, model: RobotModel, simulation: mujoco.MjModel) -> None:
        description = model.description
        bodies = {body.joint.name: simulation.body(body.name).id for body in model.bodies() if body.joint is not None}
        self.base = simulation.body(description.base).id
        self.links = np.array([bodies[name] for name in description.joint_names])
        self.feet = np.array([simulation.geom(name).id for name in description.foot_names])
        self._sites = np.array([simulation.site(name).id for name in description.foot_names])
        self._joints = np.array([simulation.joint(name).id for name in description.joint_names])
        self._simulation = simulation
        # From each joint to the next, or to the centre of the foot.
        ends = simulation.body_pos[np.roll(self.links, -1)].copy()
        ends[2::3] = simulation.geom_pos[self.feet]
        length = np.linalg.norm(ends, axis=1, keepdims=True)
        self._direction = np.where(length > 1e-6, ends / np.maximum(length, 1e-6), 0.0)
        self._foot_mass, self._foot_centre, self._foot_moments = foot_solids(model)
        mass, centre = simulation.body_mass[self.links].copy(), simulation.body_ipos[self.links].copy()
        moments = second_moments(simulation, self.links)
        # The shins without the feet that are fixed to them.
        whole, together = mass[2::3].copy(), centre[2::3].copy()
        mass[2::3] -= self._foot_mass
        centre[2::3] = (whole[:, None] * together - self._foot_mass[:, None] * self._foot_centre) / mass[2::3, None]
        moments[2::3] -= self._foot_moments + shifted(self._foot_mass, self._foot_centre - together)
        moments[2::3] -= shifted(mass[2::3], centre[2::3] - together)
        self._mass, self._centre, self._moments = mass, centre, moments
        self._base_moments = second_moments(simulation, np.array([self.base]))[0]
        link_of = {body: i for i, body in enumerate(self.links.tolist())}
        feet = set(self.feet.tolist())
        owned = ((geom, link_of.get(int(body))) for geom, body in enumerate(simulation.geom_bodyid))
        self._geoms = [(geom, link) for geom, link in owned if link is not None and geom not in feet]
        self._geom_axes = {
            geom: Rotation.from_quat(simulation.geom_quat[geom][[1, 2, 3, 0]]).as_matrix() for geom, _ in self._geoms
        }
        axes = np.asarray(simulation.jnt_axis[self._joints])
        # Two unit vectors across each joint's axis and each other.
        first = np.cross(axes, np.eye(3)[np.abs(axes).argmin(axis=1)])
        first /= np.linalg.norm(first, axis=1, keepdims=True)
        self._across = np.stack((first, np.cross(axes, first)), axis=1)

    def write(self, fields: Fields, particles: Particles) -> None:
        """Make the first n robots those of the particles, as far as links, joint axes and payload go."""
        n, base, links = len(particles.indices), self.base, self.links
        fields["body_mass"][:n, base] *= particles.base_mass
        fields["body_inertia"][:n, base] *= particles.base_mass[:, None]
        fields["body_ipos"][:n, base] += particles.base_centre_of_mass
        fields["body_mass"][:n, links] *= particles.link_mass
        fields["body_inertia"][:n, links] *= particles.link_mass[:, :, None]
        sizes = (particles.link_length, particles.link_radius, particles.foot_mass, particles.foot_radius)
        if any((size != 1.0).any() for size in sizes):
            self._resize(fields, particles)
        if particles.joint_axis.any():
            tilted = self._simulation.jnt_axis[self._joints] + (particles.joint_axis[..., None] * self._across).sum(axis=2)
            tilted /= np.linalg.norm(tilted, axis=2, keepdims=True)
            changed = np.asarray(particles.joint_axis.any(axis=2))[:, :, None]
            axes = fields["jnt_axis"]
            axes[:n, self._joints] = np.where(changed, tilted, axes[:n, self._joints])
        if particles.payload_mass.any():
            self._load(fields, particles)

    def _resize(self, fields: Fields, particles: Particles) -> None:
        """Other lengths, widths and feet."""
        n, links, feet = len(particles.indices), self.links, self.feet
        along, across, sole = particles.link_length, particles.link_radius, particles.foot_radius
        stretch = stretches(self._direction, along, across)
        mass = self._mass * particles.link_mass * along * across**2
        centre = applied(stretch, self._centre)
        moments = (mass / self._mass)[:, :, None, None] * (stretch @ self._moments @ stretch)
        # A foot grows about its centre, which is at the end of the shin.
        growth = particles.foot_mass * sole**3
        foot_mass = self._foot_mass * growth
        end = self._simulation.geom_pos[feet]
        foot_centre = applied(stretch[:, 2::3], end) + sole[:, :, None] * (self._foot_centre - end)
        foot_moments = (growth * sole**2)[:, :, None, None] * self._foot_moments
        whole = mass[:, 2::3] + foot_mass
        together = (mass[:, 2::3, None] * centre[:, 2::3] + foot_mass[:, :, None] * foot_centre) / whole[:, :, None]
        moments[:, 2::3] += shifted(mass[:, 2::3], centre[:, 2::3] - together)
        moments[:, 2::3] += foot_moments + shifted(foot_mass, foot_centre - together)
        mass[:, 2::3], centre[:, 2::3] = whole, together
        changed: NDArray[np.bool_] = (along != 1.0) | (across != 1.0)
        changed[:, 2::3] |= (particles.foot_mass != 1.0) | (sole != 1.0)
        inertia, turned = principal_inertia(moments.reshape(-1, 3, 3))
        solids = {
            "body_mass": mass, "body_ipos": centre, "body_inertia": inertia.reshape(n, 12, 3), "body_iquat": turned.reshape(n, 12, 4),
        }  # fmt: skip
        for name, value in solids.items():
            before = fields[name][:n, links]
            fields[name][:n, links] = np.where(changed if value.ndim == 2 else changed[:, :, None], value, before)
        for first in (0, 1):
            fields["body_pos"][:n, links[first + 1 :: 3]] *= along[:, first::3, None]
        for leg in range(len(feet)):
            fields["geom_pos"][:n, feet[leg]] *= along[:, 3 * leg + 2, None]
            fields["site_pos"][:n, self._sites[leg]] *= along[:, 3 * leg + 2, None]
        if (sole != 1.0).any():
            fields["geom_size"][:n, feet, 0] *= sole
            fields["geom_rbound"][:n, feet] *= sole
        for geom, link in self._geoms:
            fields["geom_pos"][:n, geom] = np.where(
                changed[:, link, None], applied(stretch[:, link], fields["geom_pos"][:n, geom]), fields["geom_pos"][:n, geom]
            )
            self._stretch_shape(fields, geom, stretch[:, link], changed[:, link])

    def _stretch_shape(self, fields: Fields, geom: int, stretch: Array, changed: NDArray[np.bool_]) -> None:
        """A primitive that keeps its kind: each of its sizes grows as the axis does along which it is."""
        n, kind = len(stretch), int(self._simulation.geom_type[geom])
        grown = np.linalg.norm(stretch @ self._geom_axes[geom], axis=1)
        size = self._simulation.geom_size[geom] * grown
        if kind == _SPHERE:
            size = self._simulation.geom_size[geom] * grown.mean(axis=1, keepdims=True)
            bound = size[:, 0]
        elif kind == _CYLINDER:
            size = self._simulation.geom_size[geom] * np.stack((grown[:, :2].mean(axis=1), grown[:, 2], np.ones(n)), axis=1)
            bound = np.linalg.norm(size[:, :2], axis=1)
        elif kind == _BOX:
            bound = np.linalg.norm(size, axis=1)
        else:
            return
        sizes, bounds = fields["geom_size"], fields["geom_rbound"]
        sizes[:n, geom] = np.where(changed[:, None], size, sizes[:n, geom])
        bounds[:n, geom] = np.where(changed, bound, bounds[:n, geom])

    def _load(self, fields: Fields, particles: Particles) -> None:
        """A point mass on the base."""
        n, base, load = len(particles.indices), self.base, particles.payload_mass
        mass, centre = fields["body_mass"][:n, base].copy(), fields["body_ipos"][:n, base].copy()
        together = (mass[:, None] * centre + load[:, None] * particles.payload_place) / (mass + load)[:, None]
        moments = particles.base_mass[:, None, None] * self._base_moments
        moments = moments + shifted(mass, centre - together) + shifted(load, particles.payload_place - together)
        inertia, turned = principal_inertia(moments)
        changed = load != 0.0
        fields["body_mass"][:n, base] = mass + load
        for name, value in (("body_ipos", together), ("body_inertia", inertia), ("body_iquat", turned)):
            fields[name][:n, base] = np.where(changed[:, None], value, fields[name][:n, base])
