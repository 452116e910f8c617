"""NumPy's dispatch: `__array_ufunc__` and `__array_function__` calls on Tensors become nodes of the trace."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...ir.op import Op, by_call, by_name, numpy_name
from ...ir.types import Kind, ghost
from ...ops.ufunc_methods import method_op
from ...ops.write import WRITING
from .. import provided
from ..active import current
from ..aliasing.views import is_view_of_some, roots
from ..aliasing.writes import base_for_writing, write
from ..control.choices import of_chosen
from ..control.one_of import OneOf
from ..tensor import Tensor
from .composed import COMPOSED
from .shared_outputs import SharedOutputs

if TYPE_CHECKING:
    from ..context import Trace
from .in_place import _assigned, _holds_tensor, _refuse, same_shape, verdict, write_in_place

SIMPLE = frozenset({Tensor, int, float, complex})
"""The types of nearly all operands, which need no closer look."""


def call_ufunc(trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc, or one of its methods, on operands of which at least one is traced."""
    trace = current() or trace
    op = by_call(ufunc)
    if op is None:
        return _call_unknown(trace, ufunc, method, inputs, kwargs)
    if method == "__call__" and not kwargs:
        return trace.record(op, tuple([operand(trace, value) for value in inputs]), {})
    if method == "at":
        target, indices, *values = inputs
        added = [operand(trace, value) for value in values]
        write(target, "ufunc_at", (numpy_name(ufunc), indices, *added), {}, f"np.{numpy_name(ufunc)}.at")
        return None
    out = kwargs.pop("out", None)
    _require_arrays(out)
    if method == "__call__":
        kwargs = _plain_options(ufunc, kwargs)
    if method == "reduceat" and isinstance(inputs[1], list | tuple) and not _holds_tensor(inputs[1]):
        inputs = (inputs[0], np.array(inputs[1], np.intp))
    operands = tuple([operand(trace, value) for value in inputs])
    kwargs = {k: v for k, v in kwargs.items() if not (k == "where" and v is True)}
    if method != "__call__":
        op = method_op(ufunc, method)
        if not _is_no_output(out):
            return _call_into(trace, op, operands, kwargs, out)
    if "where" in kwargs and method == "__call__" and not _is_no_output(out):
        return _into_where(trace, ufunc, operands, out if isinstance(out, tuple) else (out,), kwargs)
    try:
        result = trace.record(op, operands, kwargs)
    except Exception:
        outs = out if isinstance(out, tuple) else (out,)
        if any(isinstance(target, Tensor) for target in outs):  # NumPy may find fault with these first
            verdict(ufunc, operands, kwargs, outs)
        raise
    return result if _is_no_output(out) else _into(out, result, ufunc, operands, kwargs)


def _plain_options(ufunc: np.ufunc, options: dict[str, Any]) -> dict[str, Any]:
    """Keywords of a ufunc without those that say nothing about arrays, or the same as `dtype`."""
    loop = options.get("sig", options.get("signature"))
    plain = {k: v for k, v in options.items() if not (k in ("sig", "signature") or (k == "subok" and type(v) is bool))}
    return plain if loop is None else plain | {"dtype": _dtype_of_loop(ufunc, loop)}


def _dtype_of_loop(ufunc: np.ufunc, loop: Any) -> Any:
    """The `dtype` that chooses the same loop as a signature does: `"dd->d"`, `(None, None, float)`."""
    with np.errstate(all="ignore"):
        ufunc(*[np.ones((), bool)] * ufunc.nin, signature=loop)  # NumPy's own errors
    names = loop.replace("->", "") if isinstance(loop, str) else loop
    dtypes = {np.dtype(name) for name in names if name is not None}
    if len(dtypes) != 1 or names[-1] is None:
        fix = "Convert the operands with astype, or give `dtype`."
        _refuse(f"np.{numpy_name(ufunc)} with a signature of several dtypes is not traced", fix)
    return dtypes.pop()


def _call_unknown(trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc that no op stands for: one that `np.frompyfunc` made, or one that is refused."""
    if not ufunc.__name__.endswith("(vectorized)") and not is_numpy_ufunc(ufunc) and ufunc.signature is None:
        if method == "__call__" and kwargs.keys() <= {"out", "dtype", "casting"}:
            out = kwargs.pop("out", None)
            operands = tuple([operand(trace, value) for value in inputs])
            made = trace.record(by_name("foreign_ufunc"), (ufunc, *operands), kwargs)
            return made if _is_no_output(out) else _into(out, made, ufunc, operands, kwargs)
    if not ufunc.__name__.endswith("(vectorized)"):
        name = numpy_name(ufunc) if method == "__call__" else f"{numpy_name(ufunc)}.{method}"
        _refuse(f"np.{name} is not traced", "See docs/numpy.md for the functions that are.")
    if method != "__call__" or kwargs:
        _refuse(f"np.frompyfunc's `{ufunc.__name__}` with arguments of ufuncs, or a method of it, is not traced",
                "Call it on arrays alone, or write a loop.")  # fmt: skip
    return provided.from_python(trace, ufunc, inputs)


@functools.cache
def _numpy_ufuncs() -> frozenset[int]:
    """NumPy's own ufuncs, by id."""
    modules = (np, np._core.umath, np._core.multiarray, np.strings, np.linalg._umath_linalg)
    return frozenset(id(v) for module in modules for v in vars(module).values() if isinstance(v, np.ufunc))


def is_numpy_ufunc(ufunc: np.ufunc) -> bool:
    """False for ufuncs of other packages, as those of scipy.special."""
    return id(ufunc) in _numpy_ufuncs()


def _into_where(trace: Trace, ufunc: np.ufunc, operands: Any, outs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`ufunc(..., out=x, where=mask)`: where the mask is false, elements of `x` stay."""
    if len(outs) != 1:
        _refuse(
            f"np.{numpy_name(ufunc)} with several outputs and `where=` is not traced", "Use np.where on the results."
        )
    write(
        outs[0], "ufunc_into", (numpy_name(ufunc), operands), kwargs, f"np.{numpy_name(ufunc)}(..., out=x, where=mask)"
    )
    return outs[0]


def operand(trace: Trace, value: Any) -> Any:
    """An operand of a ufunc: lists are arrays."""
    if issubclass(type(value), (list, tuple)):
        if _holds_tensor(value):
            return trace.record(by_name("array"), (list(value),), {})
        return np.asarray(value)
    return value


def _may_share_memory(targets: list[Any], spelled: str) -> bool:
    """True if several outputs may be in one array."""
    if len(targets) < 2:
        return False
    for target in targets:
        base_for_writing(target, spelled)
    found = [id(root) for target in targets for root in roots(target)]
    return len(set(found)) < len(found)


def _require_arrays(out: Any) -> None:
    for target in out if isinstance(out, tuple) else (out,):
        if isinstance(target, int | float | complex | np.generic | str | list):
            raise TypeError("return arrays must be of ArrayType")


def _is_no_output(out: Any) -> bool:
    return out is None or (type(out) is tuple and all(o is None for o in out))


def _into(out: Any, result: Any, ufunc: np.ufunc, operands: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Handles `out=`: the result is written into arrays."""
    outs = out if isinstance(out, tuple) else (out,)
    results = result if isinstance(result, tuple) else (result,)
    written = []
    spelled = f"np.{numpy_name(ufunc)}(..., out=x)"
    targets = [target for target in outs if target is not None]
    if len(targets) > 1:
        verdict(ufunc, operands, kwargs, outs)  # NumPy judges all before it writes into the first
        if not all(same_shape(targets[0], target) for target in targets[1:]):
            _refuse(f"`{spelled}` with outputs of several shapes is not traced", "Give it arrays of one shape.")
    if _may_share_memory(targets, spelled):
        _into_shared(outs, results, ufunc, operands, kwargs, spelled)
        return outs
    for position, (target, value) in enumerate(zip(outs, results, strict=True)):
        if type(value) is OneOf:
            value.refuse("written into an array", "Convert the operand whose type differs: `float(x)`.")
        if target is not None:
            value = write_in_place(target, value, spelled, ufunc, operands, kwargs, position)
        written.append(value)
    return tuple(written) if isinstance(result, tuple) else written[0]


def _into_shared(
    outs: tuple[Any, ...],
    results: tuple[Any, ...],
    ufunc: np.ufunc,
    operands: tuple[Any, ...],
    kwargs: dict[str, Any],
    spelled: str,
) -> None:
    """The same for outputs that may be in one array."""

    def refuse() -> NoReturn:
        _refuse(f"`{spelled}` with outputs that may share memory is not traced", "Give it arrays of their own.")

    def write_one(number: int, target: Tensor) -> None:
        write_in_place(target, results[number], spelled, ufunc, operands, kwargs, number)

    SharedOutputs(ufunc, kwargs, write_one, refuse).into(outs, operands)


def call_function(trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A NumPy function with traced arguments."""
    trace = current() or trace
    if function.__module__ == "numpy.lib.recfunctions":
        from . import structures  # noqa: F401 – fills the registries; as costly to import as NumPy's own module
    if (composed := COMPOSED.get(function)) is not None:
        return composed(*args, **kwargs)
    op = by_call(function)
    name = numpy_name(function)
    if (writing := WRITING.get(function)) is not None:
        _call_writing(trace, function, writing, args, kwargs)
        return None
    if op is None:
        _refuse(f"np.{name} is not traced", _ALTERNATIVES.get(name, "See docs/numpy.md for the functions that are."))
    out = kwargs.get("out")
    if "out" in kwargs:
        kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    elif "out" in op.parameters.keywords:
        position = op.parameters.positional.index("out") if "out" in op.parameters.positional else len(args)
        if position < len(args):
            out, args = args[position], (*args[:position], None, *args[position + 1 :])
    if not _is_no_output(out):
        return _call_into(trace, op, args, kwargs, out)
    if is_view_of_some(trace, op, args, kwargs):
        return of_chosen(trace, args[0], lambda array: call_function(trace, function, (array, *args[1:]), kwargs))
    return trace.record(op, args, kwargs)


def _call_into(trace: Trace, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> Any:
    """A call with `out=`, which may also decide the dtype of the calculation."""
    target = out[0] if isinstance(out, tuple) else out
    args, kwargs = op.parameters.canonical(args, kwargs)
    write(target, "call_into", (op.name, args), kwargs, f"np.{op.name}(..., out=x)")
    return target


def _call_writing(trace: Trace, function: Callable[..., Any], op: Op, args: Any, kwargs: dict[str, Any]) -> None:
    """A NumPy function that writes into its first argument."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None
    target, *rest = bound.items()
    if isinstance(target[1], Tensor) and target[1]._node.type.kind is not Kind.ARRAY:
        scalar = ghost(target[1]._node.type, {})
        function(scalar, *[ghost(v._node.type, {}) if isinstance(v, Tensor) else v for _, v in rest])
        return  # NumPy writes into a copy
    if function is np.copyto and rest[0][1] is target[1]:
        return  # nor does NumPy look whether it may be written into
    if function is np.copyto and isinstance(target[1], Tensor):
        source, how = rest[0][1], bound.get("casting", "same_kind")
        given_type = ghost(source._node.type, {}) if isinstance(source, Tensor) else source
        if isinstance(given_type, np.ndarray | np.generic | int | float | complex):
            np.copyto(np.empty(np.shape(given_type), target[1].dtype), given_type, casting=how)  # NumPy's error at once
    given = {name: _assigned(trace, value) if _holds_tensor(value) else value for name, value in rest}
    write(target[1], op.name, (), given, f"np.{function.__name__}(x, ...)")


_ALTERNATIVES = {
    "save": "Return the array from the traced function and save the result.",
    "savetxt": "Return the array from the traced function and save the result.",
    "savez": "Return the array from the traced function and save the result.",
    "savez_compressed": "Return the array from the traced function and save the result.",
    "array_repr": "Return the array and print the result.",
    "array_str": "Return the array and print the result.",
    "array2string": "Return the array and print the result.",
    "strings.encode": "The width of the result depends on the values: encode outside of the traced function.",
    "strings.decode": "The width of the result depends on the values: decode outside of the traced function.",
    "strings._split": "It gives a Python list for each string: call np.char.split outside of the traced function.",
    "strings._rsplit": "It gives a Python list for each string: call np.char.rsplit outside of the traced function.",
    "strings._splitlines": "It gives Python lists: call np.char.splitlines outside of the traced function.",
}


provided.call_ufunc = call_ufunc
provided.call_function = call_function
