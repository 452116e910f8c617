"""NumPy's dispatch: `__array_ufunc__` and `__array_function__` calls on Tensors become nodes of the trace."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.dims import Dim, GuessedLengths
from ...ir.infer import accepted_for_some_lengths
from ...ir.op import Op, by_call, by_name, numpy_name
from ...ir.types import Kind, class_name, ghost, python_type
from ...ops.index import getitem_op, is_field
from ...ops.ufunc_methods import method_op
from ...ops.write import WRITING
from .. import provided
from ..active import current
from ..aliasing.shared_outputs import SharedOutputs
from ..aliasing.views import is_view_of_some, roots
from ..aliasing.writes import base_for_writing, write
from ..control.choices import of_chosen
from ..origin import user_source, where
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt
from .composed import COMPOSED

if TYPE_CHECKING:
    from ..context import Trace


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
        for position, target in enumerate(out if isinstance(out, tuple) else (out,)):
            if isinstance(target, Tensor):  # NumPy may find fault with it first
                _verdict(ufunc, operands, kwargs, position, target)
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
        _refuse(f"np.{name} is not traced", "See docs/numpy.md for what is.")
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
    """`ufunc(..., out=x, where=mask)`: where the mask is false, what is in `x` stays."""
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


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_holds_tensor(v) for v in value)
    return isinstance(value, Tensor | SymbolicInt)


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
    if _may_share_memory([target for target in outs if target is not None], spelled):
        _into_shared(outs, results, ufunc, operands, kwargs, spelled)
        return outs
    for position, (target, value) in enumerate(zip(outs, results, strict=True)):
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

    for number, target in enumerate(outs):
        _verdict(ufunc, operands, kwargs, number, target)
    SharedOutputs(ufunc, kwargs, write_one, refuse).into(outs, operands)


def _verdict(ufunc: np.ufunc, operands: tuple[Any, ...], kwargs: dict[str, Any], position: int, target: Tensor) -> None:
    """Raises NumPy's own error for a call that writes output number `position` into an array."""
    base = target._base if target._base is not None else target
    is_read_only = base._outside and target._trace.root.outside.is_read_only(base)

    def call(known: GuessedLengths) -> None:
        given = [ghost(v._node.type, known) if isinstance(v, Tensor) else v for v in operands]
        options = {k: ghost(v._node.type, known) if isinstance(v, Tensor) else v for k, v in kwargs.items()}
        outs: list[Any] = [None] * ufunc.nout
        outs[position] = np.zeros(ghost(target._node.type, known).shape, target.dtype)
        outs[position].flags.writeable = not is_read_only
        ufunc(*given, out=tuple(outs), **options)

    traced = [v for v in (*operands, *kwargs.values(), target) if isinstance(v, Tensor)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        accepted_for_some_lengths(call, [n for v in traced for n in v._node.type.shape], target._trace.hints)


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
        _refuse(f"np.{name} is not traced", _ALTERNATIVES.get(name, "See docs/numpy.md for what is."))
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
    """A call with `out=`, which may also decide what it calculates in."""
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


def get_item(tensor: Tensor, index: Any) -> Any:
    """`tensor[index]`."""
    trace = current() or tensor._trace
    return trace.record(getitem_op(index), (tensor, index), {})


def to_python(tensor: Tensor) -> Any:
    """`tensor.item()`: the one element as a Python number."""
    trace = current() or tensor._trace
    if tensor._node.types[0].kind is Kind.PYTHON:
        return tensor
    if tensor.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    if tensor.ndim:
        tensor = trace.record(by_name("reshape"), (tensor, ()), {})  # of open lengths, a guard says that it is one
    return trace.record(by_name(python_type(tensor.dtype).__name__), (tensor,), {})


def cast(tensor: Tensor, dtype: np.dtype[Any], order: str, casting: str, subok: bool, copy: bool) -> Any:
    """`tensor.astype(dtype, …)`."""
    trace = current() or tensor._trace
    if not copy and order == "K" and tensor.dtype == dtype:
        return tensor
    if dtype.subdtype is not None:
        _refuse("a dtype that has a shape is not traced", "Cast to its base and use np.broadcast_to.")
    kwargs = {"order": order, "casting": casting, "subok": subok}
    return trace.record(by_name("astype"), (tensor, dtype), kwargs)


def reinterpret(tensor: Tensor, dtype: Any, subclass: Any) -> Any:
    """`tensor.view(dtype, type)`: the same memory, its bytes read as another dtype."""
    trace = current() or tensor._trace
    if isinstance(dtype, type) and issubclass(dtype, np.ndarray):
        dtype, subclass = None, dtype
    if subclass not in (None, np.ndarray):
        _refuse(f"a view as {subclass!r} is not traced", "Subclasses of np.ndarray are not traced: use plain arrays.")
    if dtype is None:
        return trace.record(by_name("view"), (tensor,), {}) if tensor._node.type.kind is Kind.ARRAY else tensor
    dtype = np.dtype(dtype)
    if dtype.subdtype is not None:
        _refuse("a dtype that has a shape is not traced", "View the array as its base and reshape.")
    found = ghost(tensor._node.type, trace.hints)
    np.zeros(found.shape[-1:], found.dtype)[() if not found.ndim else ...].view(dtype)  # raises NumPy's own errors
    return trace.record(by_name("view"), (tensor, dtype), {})


def write_in_place(
    target: Any,
    value: Tensor,
    spelled: str,
    ufunc: np.ufunc,
    operands: tuple[Any, ...],
    kwargs: dict[str, Any],
    position: int = 0,
) -> Tensor:
    """Makes `target` hold `value` from here on, which is output number `position` of a ufunc: NumPy's `out=target`.

    Raises NumPy's error where the value does not fit.
    """
    trace, _ = base_for_writing(target, spelled)
    old, new = target._node.types[0], value._node.types[0]
    lengths = (*old.shape, *new.shape)
    is_open = new.ndim <= old.ndim and any(isinstance(n, Dim) and n.depends_on_values for n in lengths)
    fits = (is_open or same_shape(target, value)) and np.can_cast(new.dtype, old.dtype, "same_kind")
    if not fits or "casting" in kwargs:
        try:
            _verdict(ufunc, operands, kwargs, position, target)
        except Exception:
            trace.forget(value)  # NumPy raises before it calculates
            raise
    if ufunc.nout == 1 and value._node.op is by_call(ufunc):
        trace.forget(value)
        write(target, "ufunc_into", (numpy_name(ufunc), operands), kwargs, spelled)
        return target
    if new.dtype != old.dtype:
        value = cast(value, old.dtype, "K", "unsafe", True, True)
    write(target, "setitem", (Ellipsis, value), {}, spelled)
    return target


def set_item(target: Tensor, index: Any, value: Any) -> None:
    """`target[index] = value`."""
    trace = current() or target._trace
    trace.node_of(target)
    if not target._node.types[0].has_memory:
        raise TypeError(f"{class_name(target._node.types[0])!r} object does not support item assignment")
    if target.dtype.names is not None and isinstance(value, list | tuple):
        _set_fields(target, index, value)
    else:
        dtype = target.dtype if target.dtype.kind in "iufc" else None
        write(target, "setitem", (index, _assigned(trace, value, dtype)), {}, "x[...] = value")


def _set_fields(target: Tensor, index: Any, value: Any) -> None:
    """`target[index] = (1, 2.5)` of a structured array, whose fields the tuple has one by one."""
    dtype = np.zeros((), target.dtype)[index].dtype if is_field(index) else target.dtype
    if dtype.names is None or not _holds_tensor(value):
        given = _assigned(target._trace, value) if dtype.names is None else np.array(value, dtype)
        write(target, "setitem", (index, given), {}, "x[...] = value")
    elif isinstance(value, tuple) and len(value) == len(dtype.names):
        for name, part in zip(dtype.names, value, strict=True):
            target[name][... if is_field(index) else index] = part
    else:
        _refuse("a list of structures with traced values is not traced", "Write field by field: `x['name'] = values`.")


def _assigned(trace: Trace, value: Any, dtype: np.dtype[Any] | None = None) -> Any:
    """The value that is written. A list becomes an array of `dtype`, as NumPy converts its numbers one by one: what
    does not fit raises there, and is cast in an array."""
    if not isinstance(value, list | tuple):
        return value
    if not _holds_tensor(value):
        return np.array(value, dtype)
    return trace.record(by_name("array"), (list(value),), {} if dtype is None else {"dtype": dtype})


def in_place_verdict(ufunc: np.ufunc, other: Any, target: Tensor) -> None:
    """Raises NumPy's own error for `ufunc(target, other, out=target)`; without `out` it may be another one."""
    _verdict(ufunc, (target, other), {}, 0, target)


def same_shape(left: Tensor, right: Tensor) -> bool:
    """True if the shapes are equal; where that depends on open lengths, in the call that is being traced (a guard)."""
    shapes = left._node.types[0].shape, right._node.types[0].shape
    return left.ndim == right.ndim and all(left._trace.public(n) == m for n, m in zip(*shapes, strict=True))


def _refuse(what: str, fix: str) -> NoReturn:
    raise UnsupportedFunctionError(message(what, where(user_source(3)), fix))


provided.to_python = to_python
provided.reinterpret = reinterpret
provided.cast = cast
provided.call_ufunc = call_ufunc
provided.call_function = call_function
provided.set_item = set_item
