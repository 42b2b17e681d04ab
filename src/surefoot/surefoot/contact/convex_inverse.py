# SPDX-License-Identifier: Apache-2.0
"""The closed inverse of the convex contact model: forces of known contact accelerations, contact by contact [Todorov 2014]."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def project_on_cones(force: Array, friction: Array) -> Array:
    """The nearest points of Coulomb's cones, (n, 3) [Tasora and Anitescu 2011].

    Args:
        force: (n, 3): normal, first and second tangent.
        friction: (n,), finite.
    """
    normal, length = force[:, 0], np.hypot(force[:, 1], force[:, 2])
    inside = length <= friction * normal
    # With mu t <= -n the apex is nearest; without friction the same line reads n <= 0.
    apex = friction * length <= -normal
    along = np.maximum((friction * length + normal) / (friction * friction + 1.0), 0.0)
    shrink = np.divide(friction * along, length, out=np.zeros_like(length), where=length > 0.0)
    edge = np.column_stack((along, shrink * force[:, 1], shrink * force[:, 2]))
    nearest: Array = np.where(inside[:, np.newaxis], force, np.where(apex[:, np.newaxis], 0.0, edge))
    return nearest


@dataclass(frozen=True)
class SoftContacts:
    """Contacts with R = diag(normal, tangential, tangential) each.

    The force of a contact minimises 1/2 f^T R f + f^T a in its cone. With different softness along the ground, the projection of
    -R^-1 a is not the minimum: the tangential parts have first to be scaled so that R becomes a multiple of 1, and the cone with them.

    Attributes:
        normal, tangential: softness, (n,), 1/kg.
        friction: (n,), finite.
    """

    normal: Array
    tangential: Array
    friction: Array

    @property
    def _stretch(self) -> Array:
        return np.sqrt(self.tangential / self.normal)

    def force(self, acceleration: Array) -> Array:
        """Forces, (3 n,), N, of contact accelerations counted from the reference, (3 n,), m/s^2, both as (normal, tangent, tangent)."""
        scale = np.column_stack((np.ones_like(self.normal), self._stretch, self._stretch))
        free = -acceleration.reshape(-1, 3) / scale / self.normal[:, np.newaxis]
        forces: Array = (project_on_cones(free, self._stretch * self.friction) / scale).ravel()
        return forces

    def force_and_cost(self, acceleration: Array) -> tuple[Array, float]:
        """The forces and the largest value of -f^T a - 1/2 f^T R f, whose gradient by a is -f."""
        forces = self.force(acceleration)
        softness = np.column_stack((self.normal, self.tangential, self.tangential)).ravel()
        return forces, float(-forces @ acceleration - 0.5 * forces @ (softness * forces))

    def slope(self, acceleration: Array) -> Array:
        """-d force / d acceleration, (n, 3, 3), positive semi-definite."""
        stretch, friction = self._stretch, self._stretch * self.friction
        scale = np.column_stack((np.ones_like(self.normal), stretch, stretch))
        free = -acceleration.reshape(-1, 3) / scale / self.normal[:, np.newaxis]
        slopes = np.zeros((len(self.normal), 3, 3))
        for contact, (load, first, second) in enumerate(free):
            length, mu = np.hypot(first, second), friction[contact]
            if length <= mu * load:
                slope = np.eye(3)
            elif mu * length <= -load:
                continue
            else:
                ray = np.array((1.0, mu * first / length, mu * second / length)) if length > 0.0 else np.array((1.0, 0.0, 0.0))
                slope = np.outer(ray, ray) / (1.0 + mu * mu)
                if length > 0.0:
                    across = np.array((0.0, -second / length, first / length))
                    slope += max(mu * (mu * length + load) / ((1.0 + mu * mu) * length), 0.0) * np.outer(across, across)
            slopes[contact] = slope / np.outer(scale[contact], scale[contact]) / self.normal[contact]
        return slopes
