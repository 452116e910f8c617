"""Generalized ufuncs: matrix and vector products with loop dimensions that broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import Op, numpy_name, register
from ..ir.types import ufunc_dtypes, weak_operand
from . import warns
from .derivatives import contraction as derivative
from .rules import Length, Shape, TensorType, axes_of, broadcast_shapes, operand, require_same, result

NO_VALUE: Any = np._NoValue


def product_ufunc(ufunc: np.ufunc, *aliases: Any, symbol: str = "", **facts: Any) -> Op:
    """Registers a generalized ufunc of two inputs and one output. `symbol` is the operator that means the same."""

    def rule(
        x1: Any,
        x2: Any,
        /,
        out: Any = None,
        *,
        axes: Any = NO_VALUE,
        axis: Any = NO_VALUE,
        keepdims: Any = False,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
        signature: Any = None,
    ) -> TensorType:
        if signature is not None:
            raise TypeError("signature= is not supported; use dtype=")
        shapes = [operand(x1).shape, operand(x2).shape]
        shape = gufunc_shape(ufunc.signature or "", shapes, axes, axis, keepdims)
        operands = tuple(weak_operand(x if not isinstance(x, list | tuple) else operand(x)) for x in (x1, x2))
        return result(ufunc_dtypes(ufunc, operands, dtype, casting)[-1], shape)

    static = frozenset({"axes", "axis", "keepdims", "casting", "order", "dtype", "subok", "signature"})
    style = "operator" if symbol else "function"
    return register(Op(numpy_name(ufunc), ufunc, rule, style=style, symbol=symbol, static=static, **facts), *aliases)


def gufunc_shape(
    signature: str, shapes: list[Shape], axes: Any = NO_VALUE, axis: Any = NO_VALUE, keepdims: Any = False
) -> Shape:
    """The shape of the one output of a generalized ufunc with this signature.

    >>> gufunc_shape("(n?,k),(k,m?)->(n?,m?)", [(5, 2, 3), (3,)])
    (5, 2)
    """
    inputs, output = core_dimensions(signature, shapes)
    if "?" in signature and (keepdims or axis is not NO_VALUE):
        raise TypeError("axis and keepdims are not for optional core dimensions")
    if keepdims:
        if output or len({len(core) for core in inputs}) != 1:
            raise TypeError("keepdims is only for outputs without core dimensions")
        output = inputs[0]
    places = _places(inputs, output, axes, axis, bool(keepdims))
    lengths: dict[str, Length] = {}
    loops: list[Shape] = []
    for shape, core, where in zip(shapes, inputs, places, strict=False):
        where = axes_of(where, len(shape))
        for name, i in zip(core, where, strict=True):
            lengths[name] = require_same(lengths.get(name, shape[i]), shape[i])
        loops.append(tuple(n for i, n in enumerate(shape) if i not in where))
    loop = iter(broadcast_shapes(*loops))
    ndim = max(map(len, loops)) + len(output)
    kept = dict(zip(axes_of(places[-1], ndim), output, strict=True))
    return tuple((1 if keepdims else lengths[kept[i]]) if i in kept else next(loop) for i in range(ndim))


def core_dimensions(signature: str, shapes: list[Shape]) -> tuple[list[list[str]], list[str]]:
    """The names of each input's core dimensions and of the output's, without the optional ones that are missing."""
    parts = [part[part.index("(") + 1 :] for part in signature.replace(" ", "").split(")")[:-1]]
    *inputs, output = [[name for name in part.split(",") if name] for part in parts]
    missing: set[str] = set()
    for shape, core in zip(shapes, inputs, strict=True):
        if len(shape) < len(core):
            missing.update(name for name in core if name.endswith("?"))
    inputs = [[name for name in core if name not in missing] for core in inputs]
    if any(len(shape) < len(core) for shape, core in zip(shapes, inputs, strict=True)):
        raise ValueError("an operand has too few dimensions")
    return inputs, [name for name in output if name not in missing]


def _places(inputs: list[list[str]], output: list[str], axes: Any, axis: Any, keepdims: bool) -> list[tuple[int, ...]]:
    """The axes that hold the core dimensions: of each input, then of the output."""
    cores = [*inputs, output]
    if axes is NO_VALUE and axis is NO_VALUE:
        return [tuple(range(-len(core), 0)) for core in cores]
    if axis is not NO_VALUE:
        if axes is not NO_VALUE or len(set(sum(inputs, []))) != 1 or any(len(core) > 1 for core in cores):
            raise TypeError("axis is only for a single core dimension that all operands share, and not beside axes")
        return [(axis,) * len(core) for core in cores]
    if not isinstance(axes, list):
        raise TypeError("axes must be a list")
    given = [(entry,) if not isinstance(entry, tuple) else entry for entry in axes]
    if len(given) == len(inputs) and (keepdims or not output):
        given.append(tuple(range(-len(output), 0)))
    if [len(entry) for entry in given] != [len(core) for core in cores]:
        raise ValueError("axes must have an entry for each operand with one axis for each of its core dimensions")
    return given


matmul = product_ufunc(
    np.matmul, np.linalg.matmul, symbol="@", warns=warns.unless_integer_arrays, fresh_memory=True, vjp=derivative.matmul
)
vecdot = product_ufunc(np.vecdot, np.linalg.vecdot, vjp=derivative.vecdot)
if hasattr(np, "matvec"):
    matvec = product_ufunc(np.matvec, vjp=derivative.matvec)
    vecmat = product_ufunc(np.vecmat, vjp=derivative.vecmat)
