# SPDX-License-Identifier: Apache-2.0
"""What becomes of a link that is denser, longer or thicker than believed.

A solid of one density that is stretched by A has the mass m' = f m det A, the centre of mass A c, and the second moments
S' = f det A (A S A) about it, where f is the factor of its density and S = tr(I) / 2 - I in terms of its inertia I.
"""

from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.robot.model import RobotModel

Array = NDArray[np.float64]


def stretches(direction: Array, along: Array, across: Array) -> Array:
    """Symmetric matrices that stretch along unit vectors and across them.

    Args:
        direction: (..., 3); zero where nothing is longer than wide: then only the width counts.
        along, across: factors, (..., ).
    """
    projection = direction[..., :, None] * direction[..., None, :]
    result: Array = across[..., None, None] * np.eye(3) + (along - across)[..., None, None] * projection
    return result


def applied(matrices: Array, vectors: Array) -> Array:
    """Matrices (..., 3, 3) times vectors (..., 3), to the same bits however many they are."""
    first, second, third = (matrices[..., k] * vectors[..., k, None] for k in range(3))
    result: Array = first + second + third
    return result


def second_moments(simulation: mujoco.MjModel, bodies: NDArray[np.int64]) -> Array:
    """Of some bodies about their centres of mass, in the axes of each body, (n, 3, 3), kg m^2."""
    rotation = Rotation.from_quat(simulation.body_iquat[bodies][:, [1, 2, 3, 0]]).as_matrix()
    principal = simulation.body_inertia[bodies]
    diagonal = 0.5 * principal.sum(axis=1, keepdims=True) - principal
    result: Array = np.einsum("nij,nj,nkj->nik", rotation, diagonal, rotation)
    return result


def principal_inertia(moments: Array) -> tuple[Array, Array]:
    """Principal moments of inertia (n, 3) and quaternions w x y z of their axes (n, 4), from second moments (n, 3, 3).

    Where the numbers are none, so are the answers.
    """
    sound = np.asarray(np.isfinite(moments).all(axis=(1, 2)))
    values, vectors = np.linalg.eigh(np.where(sound[:, None, None], moments, np.eye(3)))
    # Any two axes may be swapped for a frame that is right-handed.
    vectors[:, :, 0] *= np.linalg.det(vectors)[:, None]
    quaternion = Rotation.from_matrix(vectors).as_quat()[:, [3, 0, 1, 2]]
    inertia = values.sum(axis=1, keepdims=True) - values
    inertia[~sound] = np.nan
    return inertia, quaternion


def foot_solids(model: RobotModel) -> tuple[Array, Array, Array]:
    """Of the foot links, each in the frame of the shin that carries it, as the URDF has them.

    Returns:
        Masses (4,), kg, 0 where a foot has none; centres of mass (4, 3), m; second moments about them (4, 3, 3), kg m^2.
    """
    links = {link.get("name"): link for link in ElementTree.fromstring(model.urdf).iter("link")}
    mass, centre, moments = np.zeros(4), np.zeros((4, 3)), np.zeros((4, 3, 3))
    for leg, name in enumerate(model.description.foot_names):
        inertial = links[name].find("inertial") if name in links else None
        if inertial is None:
            continue
        frame, origin = model.attached_frame(name), inertial.find("origin")
        place, turn = (_numbers(None if origin is None else origin.get(key)) for key in ("xyz", "rpy"))
        value, tensor = inertial.find("mass"), inertial.find("inertia")
        mass[leg] = 0.0 if value is None else float(value.get("value", 0.0))
        rotation = frame.body_from_frame_rotation @ Rotation.from_euler("xyz", turn).as_matrix()
        in_link = place - np.asarray(model.description.foot_centre_in_link)
        centre[leg] = frame.body_from_frame_translation + frame.body_from_frame_rotation @ in_link
        if tensor is not None:
            xx, xy, xz, yy, yz, zz = (float(tensor.get(key, 0.0)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
            inertia = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
            moments[leg] = rotation @ (0.5 * np.trace(inertia) * np.eye(3) - inertia) @ rotation.T
    return mass, centre, moments


def shifted(mass: Array, offset: Array) -> Array:
    """What second moments gain when a mass (...,) is seen from an offset (..., 3) away, (..., 3, 3)."""
    result: Array = mass[..., None, None] * offset[..., :, None] * offset[..., None, :]
    return result


def _numbers(text: str | None) -> Array:
    return np.zeros(3) if text is None else np.array([float(word) for word in text.split()])
