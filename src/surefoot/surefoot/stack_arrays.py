# SPDX-License-Identifier: Apache-2.0
"""Small arrays of fixed size on the stack of a compiled function: an array on the heap costs more than the arithmetic on it."""

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _emit(context: Any, builder: Any, array_type: Any, shape: tuple[int, ...]) -> Any:
    item = context.get_data_type(array_type.dtype)
    count, item_size = int(np.prod(shape)), context.get_abi_sizeof(item)
    # In the entry block: a loop that asks again gets the same memory.
    memory = cgutils.alloca_once(builder, item, size=count)
    memory.align = 32
    array = context.make_array(array_type)(context, builder)
    strides = [item_size * int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    context.populate_array(
        array,
        data=memory,
        shape=cgutils.pack_array(builder, [context.get_constant(types.intp, n) for n in shape]),
        strides=cgutils.pack_array(builder, [context.get_constant(types.intp, n) for n in strides]),
        itemsize=context.get_constant(types.intp, item_size),
        meminfo=None,
    )
    return array._getvalue()


def _vector_of(item: Any, size: Any) -> Any:
    if not isinstance(size, types.IntegerLiteral):
        return None
    array_type = types.Array(item, 1, "C")
    return array_type(size), lambda context, builder, signature, arguments: _emit(context, builder, array_type, (size.literal_value,))


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_vector(typingctx: Any, size: Any) -> Any:
    """Uninitialised (size,) of float64; see `stack_matrix`."""
    return _vector_of(types.float64, size)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_integers(typingctx: Any, size: Any) -> Any:
    """Uninitialised (size,) of int64; see `stack_matrix`."""
    return _vector_of(types.int64, size)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_matrix(typingctx: Any, rows: Any, columns: Any) -> Any:
    """Uninitialised (rows, columns) of float64.

    Sizes are literal numbers. The array ends with the function that made it: it may be handed to functions, never returned or kept.
    """
    if not (isinstance(rows, types.IntegerLiteral) and isinstance(columns, types.IntegerLiteral)):
        return None
    array_type, shape = types.Array(types.float64, 2, "C"), (rows.literal_value, columns.literal_value)
    return array_type(rows, columns), lambda context, builder, signature, arguments: _emit(context, builder, array_type, shape)
