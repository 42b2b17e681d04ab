# SPDX-License-Identifier: Apache-2.0
"""Small vector algebra for compiled functions: every result goes into an array that the caller owns."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.stack_arrays import stack_matrix

Array = NDArray[np.float64]


@compiled
def cross(a: Array, b: Array, out: Array) -> None:
    """out = a x b; out must be neither a nor b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@compiled
def dot(a: Array, b: Array) -> float:
    """Inner product of two 3-vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]  # type: ignore[no-any-return]


@compiled
def rotate(rotation: Array, vector: Array, out: Array) -> None:
    """out = rotation vector; out must not be vector."""
    for i in range(3):
        out[i] = rotation[i, 0] * vector[0] + rotation[i, 1] * vector[1] + rotation[i, 2] * vector[2]


@compiled
def rotate_back(rotation: Array, vector: Array, out: Array) -> None:
    """out = rotation^T vector; out must not be vector."""
    for i in range(3):
        out[i] = rotation[0, i] * vector[0] + rotation[1, i] * vector[1] + rotation[2, i] * vector[2]


@compiled
def multiply(a: Array, b: Array, out: Array) -> None:
    """out = a b for (3, 3) matrices; out must be neither a nor b."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@compiled
def rotation_about(axis: Array, angle: float, out: Array) -> None:
    """Rotation matrix about a unit axis (Rodrigues)."""
    s, c = math.sin(angle), math.cos(angle)
    x, y, z = axis[0], axis[1], axis[2]
    t = 1.0 - c
    out[0, 0], out[0, 1], out[0, 2] = c + t * x * x, t * x * y - s * z, t * x * z + s * y
    out[1, 0], out[1, 1], out[1, 2] = t * x * y + s * z, c + t * y * y, t * y * z - s * x
    out[2, 0], out[2, 1], out[2, 2] = t * x * z - s * y, t * y * z + s * x, c + t * z * z


@compiled
def rotation_from_quaternion(quaternion: Array, out: Array) -> None:
    """Rotation matrix of a unit quaternion x y z w."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@compiled
def rotation_from_roll_pitch_yaw(roll: float, pitch: float, yaw: float, out: Array) -> None:
    """R_z(yaw) R_y(pitch) R_x(roll)."""
    sr, cr, sp, cp, sy, cy = math.sin(roll), math.cos(roll), math.sin(pitch), math.cos(pitch), math.sin(yaw), math.cos(yaw)
    out[0, 0], out[0, 1], out[0, 2] = cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr
    out[1, 0], out[1, 1], out[1, 2] = sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr
    out[2, 0], out[2, 1], out[2, 2] = -sp, cp * sr, cp * cr


@compiled
def yaw_of(rotation: Array) -> float:
    """Heading of a rotation matrix, rad."""
    return math.atan2(rotation[1, 0], rotation[0, 0])


@compiled
def rotation_vector(rotation: Array, out: Array) -> None:
    """Axis times angle of a rotation matrix, angle in 0 to pi, rad."""
    trace = rotation[0, 0] + rotation[1, 1] + rotation[2, 2]
    # Rounding can take the argument past 1; NaN passes through to where it is refused.
    cosine = min(1.0, max(-1.0, 0.5 * (trace - 1.0)))
    angle = math.acos(cosine)
    if angle < 1e-6:
        scale = 0.5
    elif angle > math.pi - 1e-4:
        # Near half a turn the skew part vanishes: the axis is read from the symmetric part.
        largest = 0
        for i in range(1, 3):
            if rotation[i, i] > rotation[largest, largest]:
                largest = i
        length = math.sqrt(max(0.0, 0.5 * (1.0 + rotation[largest, largest])))
        sign = 1.0
        j, k = (largest + 1) % 3, (largest + 2) % 3
        if rotation[k, j] - rotation[j, k] < 0.0:
            sign = -1.0
        for i in range(3):
            symmetric = rotation[largest, i] + rotation[i, largest]
            out[i] = sign * angle * (length if i == largest else 0.25 * symmetric / length)
        return
    else:
        scale = 0.5 * angle / math.sin(angle)
    out[0] = scale * (rotation[2, 1] - rotation[1, 2])
    out[1] = scale * (rotation[0, 2] - rotation[2, 0])
    out[2] = scale * (rotation[1, 0] - rotation[0, 1])


@compiled
def damped_inverse(matrix: Array, damping: float, out: Array) -> None:
    """Inverse of a (3, 3) matrix that stays finite where the matrix is singular.

    With a determinant well above zero it is the exact inverse; near a singularity it is M^T (M M^T + damping I)^-1.

    Args:
        matrix: (3, 3).
        damping: squared length below which the matrix counts as singular.
        out: (3, 3), written; must not be matrix.
    """
    scale = 0.0
    for i in range(3):
        for j in range(3):
            scale += matrix[i, j] * matrix[i, j]
    scale = max(scale, 1e-300)
    determinant = (
        matrix[0, 0] * (matrix[1, 1] * matrix[2, 2] - matrix[1, 2] * matrix[2, 1])
        - matrix[0, 1] * (matrix[1, 0] * matrix[2, 2] - matrix[1, 2] * matrix[2, 0])
        + matrix[0, 2] * (matrix[1, 0] * matrix[2, 1] - matrix[1, 1] * matrix[2, 0])
    )
    relative = abs(determinant) / (scale * math.sqrt(scale))
    if relative > damping:
        source = matrix
    else:
        square = stack_matrix(3, 3)
        # M M^T + lambda I, with lambda growing as the determinant vanishes.
        extra = scale * damping * (1.0 - relative / damping) + 1e-12 * scale
        for i in range(3):
            for j in range(3):
                square[i, j] = matrix[i, 0] * matrix[j, 0] + matrix[i, 1] * matrix[j, 1] + matrix[i, 2] * matrix[j, 2]
            square[i, i] += extra
        source = square
        determinant = (
            square[0, 0] * (square[1, 1] * square[2, 2] - square[1, 2] * square[2, 1])
            - square[0, 1] * (square[1, 0] * square[2, 2] - square[1, 2] * square[2, 0])
            + square[0, 2] * (square[1, 0] * square[2, 1] - square[1, 1] * square[2, 0])
        )
    adjugate = stack_matrix(3, 3)
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            adjugate[j, i] = (source[i1, j1] * source[i2, j2] - source[i1, j2] * source[i2, j1]) / determinant
    if relative > damping:
        out[:] = adjugate
    else:
        for i in range(3):
            for j in range(3):
                out[i, j] = matrix[0, i] * adjugate[0, j] + matrix[1, i] * adjugate[1, j] + matrix[2, i] * adjugate[2, j]


@compiled
def solve_positive_definite(matrix: Array, right: Array, size: int, columns: int) -> bool:
    """Solve matrix X = right in place for a symmetric positive definite matrix; both are overwritten.

    Args:
        matrix: (size, size); its lower triangle becomes the Cholesky factor.
        right: (size, columns), becomes X.

    Returns:
        False where the matrix is not positive definite.
    """
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                matrix[i, i] = math.sqrt(total)
            else:
                matrix[i, j] = total / matrix[j, j]
    for c in range(columns):
        for i in range(size):
            total = right[i, c]
            for k in range(i):
                total -= matrix[i, k] * right[k, c]
            right[i, c] = total / matrix[i, i]
        for i in range(size - 1, -1, -1):
            total = right[i, c]
            for k in range(i + 1, size):
                total -= matrix[k, i] * right[k, c]
            right[i, c] = total / matrix[i, i]
    return True


@compiled
def solve_general(matrix: Array, right: Array, size: int, columns: int) -> bool:
    """Solve matrix X = right in place by elimination with partial pivoting; both are overwritten, right becomes X.

    Returns:
        False where the matrix is singular.
    """
    for k in range(size):
        pivot = k
        for i in range(k + 1, size):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        if not abs(matrix[pivot, k]) > 1e-300:
            return False
        if pivot != k:
            for j in range(size):
                matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
            for j in range(columns):
                right[k, j], right[pivot, j] = right[pivot, j], right[k, j]
        for i in range(k + 1, size):
            factor = matrix[i, k] / matrix[k, k]
            for j in range(k, size):
                matrix[i, j] -= factor * matrix[k, j]
            for j in range(columns):
                right[i, j] -= factor * right[k, j]
    for c in range(columns):
        for i in range(size - 1, -1, -1):
            total = right[i, c]
            for k in range(i + 1, size):
                total -= matrix[i, k] * right[k, c]
            right[i, c] = total / matrix[i, i]
    return True
