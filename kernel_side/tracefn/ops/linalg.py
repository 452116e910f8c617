"""Linear algebra: decompositions, equations, inverses, norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import minimum, product
from ..ir.op import op
from .contraction import dot_shape
from .derivatives.matrices import decompositions, norms
from .derivatives.matrices import inverses as derivative
from .gufunc import gufunc_shape
from .join import parts_of
from .rules import (
    Length,
    Shape,
    TensorType,
    axes_of,
    broadcast_shapes,
    fresh_dim,
    operand,
    perhaps,
    probe,
    probed,
    reduced_shape,
    require_broadcast,
    require_same,
    typed,
)

NO_VALUE: Any = np._NoValue


def _square(a: Any) -> tuple[TensorType, Shape, Length]:
    """A stack of square matrices: its type, the shape of the stack, and the length of a side."""
    a = operand(a)
    *stack, rows, columns = a.shape
    return a, tuple(stack), require_same(rows, columns)


def _matrices(a: Any) -> tuple[TensorType, Shape, Length, Length]:
    """A stack of matrices: its type, the shape of the stack, rows and columns."""
    a = operand(a)
    *stack, rows, columns = a.shape
    return a, tuple(stack), rows, columns


def _several(values: Any, *shapes: Shape) -> tuple[TensorType, ...]:
    """The types of a probed tuple with other shapes, in NumPy's own container."""
    types = [typed(value, shape) for value, shape in zip(values, shapes, strict=True)]
    return type(values)(*types) if hasattr(values, "_fields") else tuple(types)


@op(np.linalg.inv, raises=perhaps, vjp=derivative.inv)
def inv(a: Any) -> TensorType:
    a, stack, n = _square(a)
    return probed((*stack, n, n), np.linalg.inv, a)


@op(np.linalg.pinv, raises=perhaps, static=frozenset({"hermitian"}), vjp=derivative.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NO_VALUE) -> TensorType:
    a, stack, rows, columns = _matrices(a)
    if hermitian:
        require_same(rows, columns)
    for cutoff in (rcond, rtol):
        if cutoff is not None and cutoff is not NO_VALUE:
            require_broadcast(operand(cutoff).shape, stack)
    return probed((*stack, columns, rows), np.linalg.pinv, a, rcond, hermitian, rtol=rtol)


@op(np.linalg.det, vjp=derivative.det)
def det(a: Any) -> TensorType:
    a, stack, _ = _square(a)
    return probed(stack, np.linalg.det, a)


@op(np.linalg.slogdet, vjp=derivative.slogdet)
def slogdet(a: Any) -> tuple[TensorType, ...]:
    a, stack, _ = _square(a)
    return _several(probe(np.linalg.slogdet, a), stack, stack)


@op(np.linalg.cholesky, raises=perhaps, static=frozenset({"upper"}), vjp=decompositions.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> TensorType:
    a, stack, n = _square(a)
    return probed((*stack, n, n), np.linalg.cholesky, a)


@op(np.linalg.eig, raises=perhaps, vjp=decompositions.eig)
def eig(a: Any) -> tuple[TensorType, ...]:
    a, stack, n = _square(a)
    return _several(probe(np.linalg.eig, _complex(np.linalg.eig, a)), (*stack, n), (*stack, n, n))


@op(np.linalg.eigvals, raises=perhaps, vjp=decompositions.eigvals)
def eigvals(a: Any) -> TensorType:
    a, stack, n = _square(a)
    return probed((*stack, n), np.linalg.eigvals, _complex(np.linalg.eigvals, a))


EIGENVALUES_ARE_COMPLEX = np.linalg.eigvals(np.eye(1)).dtype.kind == "c"
"""True from NumPy 2.5 on, where those of real matrices are complex as well."""


def _complex(call: Callable[..., Any], a: TensorType) -> TensorType:
    """The matrix, where its eigenvalues are complex. Of a real one the values decide that before NumPy 2.5."""
    probe(call, a)
    if a.dtype.kind == "c" or EIGENVALUES_ARE_COMPLEX:
        return a
    name = f"np.linalg.{call.__name__}"
    raise TypeError(
        f"whether {name} of a real matrix gives real or complex numbers depends on the values, which are not known "
        f"while tracing; write {name}(x + 0j), or np.linalg.{call.__name__.replace('eig', 'eigh')}(x) if x is symmetric"
    )


def _complex_eig(a: Any) -> tuple[Any, ...]:
    return tuple([part.astype(_complex_dtype(part)) for part in np.linalg.eig(a)])


def _complex_eigvals(a: Any) -> Any:
    found = np.linalg.eigvals(a)
    return found.astype(_complex_dtype(found))


def _complex_dtype(found: Any) -> Any:
    return np.result_type(found.dtype, np.complex64)


def _eig_lines(target: str, arguments: list[str]) -> list[str]:
    of_part = f"for part in np.linalg.eig({arguments[0]})"
    return [f"{target} = tuple([part.astype(np.result_type(part, np.complex64)) {of_part}])"]


def _eigvals_lines(target: str, arguments: list[str]) -> list[str]:
    of_part = f"for part in [np.linalg.eigvals({arguments[0]})]"
    return [f"({target},) = [part.astype(np.result_type(part, np.complex64)) {of_part}]"]


@op(_complex_eig, name="complex_eig", raises=perhaps, lines=_eig_lines, vjp=decompositions.eig)
def complex_eig(a: Any, /) -> tuple[TensorType, ...]:
    """`np.linalg.eig` of a real matrix, as complex numbers."""
    a, stack, n = _square(a)
    return _several(probe(_complex_eig, a), (*stack, n), (*stack, n, n))


@op(_complex_eigvals, name="complex_eigvals", raises=perhaps, lines=_eigvals_lines, vjp=decompositions.complex_eigvals)
def complex_eigvals(a: Any, /) -> TensorType:
    """`np.linalg.eigvals` of a real matrix, as complex numbers."""
    a, stack, n = _square(a)
    return probed((*stack, n), _complex_eigvals, a)


@op(np.linalg.eigh, raises=perhaps, static=frozenset({"UPLO"}), vjp=decompositions.eigh)
def eigh(a: Any, UPLO: str = "L") -> tuple[TensorType, ...]:
    a, stack, n = _square(a)
    return _several(probe(np.linalg.eigh, a, UPLO), (*stack, n), (*stack, n, n))


@op(np.linalg.eigvalsh, raises=perhaps, static=frozenset({"UPLO"}), vjp=decompositions.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> TensorType:
    a, stack, n = _square(a)
    return probed((*stack, n), np.linalg.eigvalsh, a, UPLO)


@op(
    np.linalg.svd,
    raises=perhaps,
    static=frozenset({"full_matrices", "compute_uv", "hermitian"}),
    vjp=decompositions.svd,
)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    a, stack, m, n = _matrices(a)
    k = require_same(m, n) if hermitian else minimum(m, n)
    value = probe(np.linalg.svd, a, full_matrices, compute_uv, hermitian)
    if not compute_uv:
        return typed(value, (*stack, k))
    left, right = (m, n) if full_matrices else (k, k)
    return _several(value, (*stack, m, left), (*stack, k), (*stack, right, n))


@op(np.linalg.svdvals, raises=perhaps, vjp=decompositions.svdvals)
def svdvals(x: Any, /) -> TensorType:
    x, stack, m, n = _matrices(x)
    return probed((*stack, minimum(m, n)), np.linalg.svdvals, x)


@op(np.linalg.qr, static=frozenset({"mode"}), vjp=decompositions.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    a, stack, m, n = _matrices(a)
    value = probe(np.linalg.qr, a, mode)
    k = minimum(m, n)
    if mode == "r":
        return typed(value, (*stack, k, n))
    if mode == "raw":
        return _several(value, (*stack, n, m), (*stack, k))
    if mode in ("reduced", "complete"):
        k = m if mode == "complete" else k
        return _several(value, (*stack, m, k), (*stack, k, n))
    raise ValueError("mode must be 'reduced', 'complete', 'r' or 'raw'")


@op(np.linalg.solve, raises=perhaps, vjp=derivative.solve)
def solve(a: Any, b: Any) -> TensorType:
    a, b = operand(a), operand(b)
    signature = "(m,m),(m)->(m)" if b.ndim == 1 else "(m,m),(m,n)->(m,n)"
    return probed(gufunc_shape(signature, [a.shape, b.shape]), np.linalg.solve, a, b)


@op(np.linalg.lstsq, raises=perhaps, fresh_dims=True, vjp=derivative.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[TensorType, ...]:
    a, b = operand(a), operand(b)
    m, n = a.shape
    many = b.shape if b.ndim > 1 else (*b.shape, 1)
    require_same(m, many[0])
    (columns,) = many[1:]
    underdetermined = isinstance(m, int) and isinstance(n, int) and m <= n
    residuals = 0 if underdetermined else fresh_dim()
    shapes: list[Shape] = [(n, *b.shape[1:]), (residuals,), (), (minimum(m, n),)]
    return _several(probe(np.linalg.lstsq, a, b, rcond), *shapes)


@op(np.linalg.matrix_rank, raises=perhaps, static=frozenset({"hermitian"}))
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> TensorType:
    a = operand(A)
    if hermitian and a.ndim > 1:
        require_same(*a.shape[-2:])
    cutoff = rtol if tol is None else tol
    shape = a.shape[:-2] if cutoff is None else broadcast_shapes(a.shape[:-2], operand(cutoff).shape)
    return probed(shape, np.linalg.matrix_rank, a, tol, hermitian, rtol=rtol)


@op(
    np.linalg.matrix_power,
    raises=perhaps,
    view=lambda args, kwargs, output: args[0] if args[1] == 1 else None,
    static=frozenset({"n"}),
    vjp=derivative.matrix_power,
)
def matrix_power(a: Any, n: Any) -> TensorType:
    a, stack, side = _square(a)
    return probed((*stack, side, side), np.linalg.matrix_power, a, n)


@op(np.linalg.multi_dot, parts="list", vjp=derivative.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> TensorType:
    parts = parts_of(arrays)
    shape = parts[0].shape
    for part in parts[1:]:
        shape = dot_shape(shape, part.shape)
    return probed(shape, np.linalg.multi_dot, parts)


@op(np.linalg.tensorinv, raises=perhaps, static=frozenset({"ind"}), vjp=derivative.tensorinv)
def tensorinv(a: Any, ind: Any = 2) -> TensorType:
    a = operand(a)
    require_same(product(a.shape[:ind]), product(a.shape[ind:]))
    return probed((*a.shape[ind:], *a.shape[:ind]), np.linalg.tensorinv, a, ind)


@op(np.linalg.tensorsolve, raises=perhaps, static=frozenset({"axes"}), vjp=derivative.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> TensorType:
    a, b = operand(a), operand(b)
    order = list(range(a.ndim))
    for k in axes or ():
        order.remove(k)
        order.insert(a.ndim, k)
    shape = tuple(a.shape[i] for i in order)[-(a.ndim - b.ndim) :]
    side = product(shape)
    require_same(a.size, side * side)
    require_same(b.size, side)
    return probed(shape, np.linalg.tensorsolve, a, b, axes)


_NORM = frozenset({"ord", "axis", "keepdims"})


def _may_not_converge(x: Any, ord: Any = None, *args: Any, **kwargs: Any) -> bool:
    """True for norms that NumPy computes with singular values."""
    return ord in (2, -2, "nuc")


@op(np.linalg.norm, static=_NORM, raises=_may_not_converge, vjp=norms.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> TensorType:
    x = operand(x)
    shape = reduced_shape(x.shape, axes_of(axis, x.ndim), keepdims)
    return probed(shape, np.linalg.norm, x, ord, axis, keepdims)


@op(np.linalg.vector_norm, static=_NORM, vjp=norms.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> TensorType:
    x = operand(x)
    shape = reduced_shape(x.shape, axes_of(axis, x.ndim), keepdims)
    return probed(shape, np.linalg.vector_norm, x, axis=axis, keepdims=keepdims, ord=ord)


@op(np.linalg.matrix_norm, static=_NORM, raises=_may_not_converge, vjp=norms.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> TensorType:
    x = operand(x)
    shape = reduced_shape(x.shape, axes_of((-2, -1), x.ndim), keepdims)
    return probed(shape, np.linalg.matrix_norm, x, keepdims=keepdims, ord=ord)


@op(np.linalg.cond, raises=perhaps, static=frozenset({"p"}), vjp=norms.cond)
def cond(x: Any, p: Any = None) -> TensorType:
    x, stack, rows, columns = _matrices(x)
    if p is not None and p not in (2, -2):
        require_same(rows, columns)
    return probed(stack, np.linalg.cond, x, p)
