# SPDX-License-Identifier: Apache-2.0
"""Rotations and other (3, 3) matrices for compiled code: exponential map, products, quaternions, inverse."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.robot.spatial import multiply
from surefoot.stack_arrays import stack_matrix

Array = NDArray[np.float64]


@compiled
def rotation_from_vector(x: float, y: float, z: float) -> Array:
    """Rotation (3, 3) about the vector by its length, rad."""
    result = np.empty((3, 3))
    exponential(x, y, z, result)
    return result


@compiled
def exponential(x: float, y: float, z: float, result: Array) -> None:
    """As rotation_from_vector, into an array (3, 3) of the caller."""
    squared = x * x + y * y + z * z
    if squared < 1e-12:
        first, second = 1.0 - squared / 6.0, 0.5 - squared / 24.0
    else:
        angle = np.sqrt(squared)
        first, second = np.sin(angle) / angle, (1.0 - np.cos(angle)) / squared
    result[0, 0] = 1.0 - second * (y * y + z * z)
    result[1, 1] = 1.0 - second * (x * x + z * z)
    result[2, 2] = 1.0 - second * (x * x + y * y)
    result[0, 1], result[1, 0] = second * x * y - first * z, second * x * y + first * z
    result[0, 2], result[2, 0] = second * x * z + first * y, second * x * z - first * y
    result[1, 2], result[2, 1] = second * y * z - first * x, second * y * z + first * x


@compiled
def turned(rotation: Array, vector: Array) -> Array:
    """rotation @ vector, (3,)."""
    result = np.empty(3)
    for i in range(3):
        result[i] = rotation[i, 0] * vector[0] + rotation[i, 1] * vector[1] + rotation[i, 2] * vector[2]
    return result


@compiled
def orthonormalise(rotation: Array, result: Array) -> None:
    """One Newton step towards the nearest rotation, enough for what one tick's rounding leaves; result must not be rotation."""
    error = stack_matrix(3, 3)
    for i in range(3):
        for j in range(3):
            dot = rotation[0, i] * rotation[0, j] + rotation[1, i] * rotation[1, j] + rotation[2, i] * rotation[2, j]
            error[i, j] = -0.5 * dot
        error[i, i] += 1.5
    multiply(rotation, error, result)


@compiled
def quaternion_from_rotation(rotation: Array) -> Array:
    """Unit quaternion (4,), x y z w with w >= 0, of a rotation (3, 3)."""
    trace = rotation[0, 0] + rotation[1, 1] + rotation[2, 2]
    result: Array = np.empty(4)
    # Of the four forms the one with the largest divisor loses no digits.
    largest = 3
    for i in range(3):
        if rotation[i, i] > trace and (largest == 3 or rotation[i, i] > rotation[largest, largest]):
            largest = i
    if largest == 3:
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            result[i] = rotation[k, j] - rotation[j, k]
        result[3] = 1.0 + trace
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        result[i] = 1.0 + 2.0 * rotation[i, i] - trace
        result[j] = rotation[j, i] + rotation[i, j]
        result[k] = rotation[k, i] + rotation[i, k]
        result[3] = rotation[k, j] - rotation[j, k]
    norm = np.sqrt(result[0] ** 2 + result[1] ** 2 + result[2] ** 2 + result[3] ** 2)
    scale = 1.0 / (norm if result[3] >= 0.0 else -norm)
    for i in range(4):
        result[i] *= scale
    return result


@compiled
def symmetric_inverse(m: Array, result: Array) -> None:
    """Inverse of a symmetric positive matrix (3, 3) by cofactors."""
    a = m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1]
    b = m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2]
    c = m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0]
    scale = 1.0 / (m[0, 0] * a + m[0, 1] * b + m[0, 2] * c)
    result[0, 0] = a * scale
    result[0, 1] = result[1, 0] = b * scale
    result[0, 2] = result[2, 0] = c * scale
    result[1, 1] = (m[0, 0] * m[2, 2] - m[0, 2] * m[2, 0]) * scale
    result[1, 2] = result[2, 1] = (m[0, 1] * m[2, 0] - m[0, 0] * m[2, 1]) * scale
    result[2, 2] = (m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]) * scale
