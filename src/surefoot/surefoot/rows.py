# SPDX-License-Identifier: Apache-2.0
"""Sums of short rows in compiled code, as many numbers at a time as the processor can take.

A loop over a dozen numbers is unrolled before anything looks whether a processor could do four of them at once. These are written down as
whole vectors from the start. Every number gets the same operations in the same order as in the loop, so that the bits are the same too.
"""

from typing import Any

from llvmlite import ir
from numba import types
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


def _addition(size: Any, target: Any, terms: tuple[Any, ...]) -> Any:
    """target += the sum, from the left, of scale * row."""
    rows = (target, *terms[1::2])
    if not isinstance(size, types.IntegerLiteral) or not all(isinstance(row, types.Array) and row.layout == "C" for row in rows):
        return None
    count = size.literal_value

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, total = _row(context, builder, signature.args[1], arguments[1], count), None
        for at in range(2, len(arguments), 2):
            row = _loaded(builder, _row(context, builder, signature.args[at + 1], arguments[at + 1], count))
            part = _scaled(builder, arguments[at], row, count)
            total = part if total is None else builder.fadd(total, part)
        builder.store(builder.fadd(_loaded(builder, pointer), total), pointer).align = 8
        return context.get_dummy_value()

    given = [types.float64 if k % 2 == 0 else term for k, term in enumerate(terms)]
    return types.none(size, target, *given), emit


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def add_row(typingctx: Any, size: Any, target: Any, scale: Any, row: Any) -> Any:
    """target += scale * row, of so many numbers, a literal one; arrays (size,) of float64."""
    return _addition(size, target, (scale, row))


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def add_three_rows(typingctx: Any, size: Any, target: Any, a: Any, first: Any, b: Any, second: Any, c: Any, third: Any) -> Any:
    """target += a * first + b * second + c * third, of so many numbers, a literal one; arrays (size,) of float64."""
    return _addition(size, target, (a, first, b, second, c, third))
