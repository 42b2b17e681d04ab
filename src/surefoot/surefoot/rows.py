# SPDX-License-Identifier: Apache-2.0
"""Sums of short rows in compiled code, as many numbers at a time as the processor can take.

A loop over a dozen numbers is unrolled before anything looks whether a processor could do four of them at once. These are written down as
whole vectors from the start. Every number gets the same operations in the same order as in the loop, so that the bits are the same too.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _row(context: Any, builder: Any, array_type: Any, array: Any, size: int) -> Any:
    """Pointer to the first numbers of a contiguous array, as one vector."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(data, ir.VectorType(ir.DoubleType(), size).as_pointer())


def _loaded(builder: Any, pointer: Any) -> Any:
    value = builder.load(pointer)
    value.align = 8
    return value


def _scaled(builder: Any, scale: Any, row: Any, size: int) -> Any:
    vector = ir.VectorType(ir.DoubleType(), size)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), scale, ir.Constant(ir.IntType(32), 0))
    same = ir.Constant(ir.VectorType(ir.IntType(32), size), [ir.Constant(ir.IntType(32), 0)] * size)
    return builder.fmul(builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), same), row)


def _sum(size: Any, target: Any, terms: tuple[Any, ...], add: bool) -> Any:
    """Signature and code of target = a * first + b * second + ..., or target += the same."""
    given = terms[0] if len(terms) == 1 and isinstance(terms[0], types.BaseTuple) else terms
    rows = [target, *given[1::2]]
    whole = all(isinstance(row, types.Array) and row.layout == "C" and row.dtype == types.float64 for row in rows)
    if not isinstance(size, types.IntegerLiteral) or not whole:
        return None
    count = size.literal_value

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, total = cgutils.unpack_tuple(builder, arguments[2]), None
        for at in range(0, len(given), 2):
            scale = context.cast(builder, values[at], given[at], types.float64)
            row = _loaded(builder, _row(context, builder, given[at + 1], values[at + 1], count))
            part = _scaled(builder, scale, row, count)
            total = part if total is None else builder.fadd(total, part)
        pointer = _row(context, builder, signature.args[1], arguments[1], count)
        builder.store(builder.fadd(_loaded(builder, pointer), total) if add else total, pointer).align = 8
        return context.get_dummy_value()

    return types.none(size, target, types.StarArgTuple(given)), emit


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def set_rows(typingctx: Any, size: Any, target: Any, *terms: Any) -> Any:
    """target = a * first + b * second + ..., summed from the left.

    Args:
        size: how many numbers, a literal one.
        target: contiguous, (size,), float64.
        terms: each a number and another such array, in turn: a, first, b, second, ...
    """
    return _sum(size, target, terms, add=False)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def add_rows(typingctx: Any, size: Any, target: Any, *terms: Any) -> Any:
    """target += the same, which is summed before it is added; arguments as in `set_rows`."""
    return _sum(size, target, terms, add=True)
