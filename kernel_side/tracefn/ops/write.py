"""Writing into arrays, as new arrays: each op gives the old array with some elements replaced.

The target of a write may be a view: `path` has the steps that lead from the array to it, each an `(op, arguments,
keywords)` whose result is a view of its first argument, or `("item", number)`. Programs write into the array itself
where its old content is dead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import GuessedLengths, Length, definitely_different
from ..ir.infer import RuleError, accepted_for_some_lengths
from ..ir.op import Op, by_call, by_name, numpy_name, register
from ..ir.types import ghost
from .derivatives.movement import write as derivative
from .index import item_type, may_lie_outside
from .rules import Shape, TensorType, array, may_not_fit, operand, perhaps, probe, probe_at, require_assignable

Path = tuple[tuple[Any, ...], ...]


def view_of(array: Any, path: Path) -> Any:
    """The view of an array that a path leads to."""
    for name, *step in path:
        array = array[step[0]] if name == "item" else by_name(name).call(array, *step[0], **dict(step[1]))
    return array


def view_type(a: TensorType, path: Path) -> Any:
    """The type of that view."""
    found: Any = a
    for name, *step in path:
        found = found[step[0]] if name == "item" else by_name(name).rule(found, *step[0], **dict(step[1]))
    return found


def writer(
    name: str,
    write: Callable[..., Any],
    lines: Callable[[str, list[str]], list[str]],
    rule: Callable[..., Any],
    raises: Callable[..., bool] | None = None,
    vjp: Callable[..., Any] | None = None,
    parts: str = "",
) -> Op:
    """Registers the op for `write(view, ...)`, whose result, if any, takes the array's place. `lines(view, arguments)`
    are its statements; `rule(type of the view, ...)` raises errors that are certain, and NumPy the others at
    the call, as `raises(type of the view, ...)` tells (`Op.raises`)."""

    def call(a: Any, path: Path, *args: Any, **kwargs: Any) -> Any:
        made = a.copy(order="K")
        replaced = write(view_of(made, path), *args, **kwargs)
        return made if replaced is None else replaced

    def result(a: Any, path: Path, *args: Any, **kwargs: Any) -> TensorType:
        rule(view_type(operand(a), path), *args, **kwargs)
        return operand(a)

    def may_raise(a: Any, path: Path, *args: Any, **kwargs: Any) -> bool:
        assert raises is not None
        return any(_index_may_raise(a, path, n) for n in range(len(path))) or raises(
            view_type(a, path), *args, **kwargs
        )

    refuses = may_raise if raises else None
    return register(Op(name, call, result, style="write", lines=lines, raises=refuses, vjp=vjp, parts=parts))


def _index_may_raise(a: Any, path: Path, step: int) -> bool:
    name, *arguments = path[step]
    raises = None if name == "item" else by_name(name).raises
    return raises is not None and raises(view_type(a, path[:step]), *arguments[0], **dict(arguments[1]))


def _write_item(a: Any, index: Any, value: Any) -> None:
    a[index] = value


def _item_rule(a: Any, index: Any, value: Any) -> None:
    given, part = operand(value), item_type(a, index)
    shape = given.shape
    if given.ndim > 1 and _is_mask(index, operand(a)):
        raise TypeError("a mask picks elements, and they are given an array of more than one axis")
    while len(shape) > len(part.shape) and shape[0] == 1:  # leading axes of length 1 do not count
        shape = shape[1:]
    require_assignable(shape, part.shape)
    if given.dtype.kind not in "biuf" or part.dtype.kind not in "biufc":  # real numbers can be put into all of these
        probe_at(1, _cast, TensorType(part.dtype, ()), TensorType(given.dtype, (), given.kind))


def _is_mask(index: Any, a: TensorType) -> bool:
    """True for a mask of all axes."""
    found = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    return isinstance(found, TensorType) and found.dtype == bool and found.ndim == a.ndim > 0


def _cast(old: Any, new: Any) -> Any:
    """NumPy's verdict on whether values of one dtype can be put into arrays of another."""
    made = np.zeros(1, old.dtype)
    made[0] = new
    return made


def _item_lines(view: str, arguments: list[str]) -> list[str]:
    index, value = arguments
    return [f"{view}[{index}] = {value}"]


def _item_may_raise(a: Any, index: Any, value: Any) -> bool:
    """Also where an open slice or a mask may pick another number of elements than there are values."""
    part = item_type(a, index)
    lengths = zip(operand(value).shape[::-1], part.shape[::-1], strict=False)
    return may_lie_outside(a, index) or any(n not in (1, m) for n, m in lengths) or may_not_fit(part.dtype, value)


setitem = writer("setitem", _write_item, _item_lines, _item_rule, _item_may_raise, derivative.setitem)


def _write_flat(a: Any, index: Any, value: Any) -> None:
    a.flat[index] = value


def _any(a: Any, *args: Any, **kwargs: Any) -> None:
    """NumPy judges at the call."""


set_flat = writer(
    "set_flat",
    _write_flat,
    lambda view, args: [f"{view}.flat[{args[0]}] = {args[1]}"],
    _any,
    perhaps,
    derivative.set_flat,
)


def _came_from(
    call: Callable[..., Any], a: Any, op: str, path: Path, source: Path, before: Any, after: tuple[Any, ...]
) -> Any:
    numbers = np.empty_like(a, dtype=np.intp)
    numbers[...] = np.arange(numbers.size).reshape(numbers.shape)
    made = _ONE_BY_ONE[op](view_of(numbers, path), *before, view_of(numbers, source), *after)
    assert made is None
    return numbers


def _came_from_rule(call: Any, a: Any, *args: Any) -> TensorType:
    return array(np.intp, operand(a).shape)


came_from = register(
    Op(
        "came_from",
        _came_from,
        _came_from_rule,
        lines=lambda target, args: [f"{target} = {args[0]}({', '.join(args)})"],
        raises=perhaps,
        partials=(),
    )
)
"""Where each element comes from, in C order, once `op` has written a view of the array (`source`) into another view of
it (`path`) element after element, and so has read its own writes. `before` and `after` are the arguments around
the value; `call` is the function of this op, for the program to name."""

_ONE_BY_ONE: dict[str, Callable[..., Any]] = {
    "setitem": _write_item,
    "set_flat": _write_flat,
    "fill_diagonal_in_place": np.fill_diagonal,
}


def _method(
    name: str,
    raises: Callable[..., bool] | None = None,
    vjp: Callable[..., Any] | None = None,
    rule: Callable[..., Any] = _any,
) -> Op:
    """The writing method `name` of arrays."""

    def write(a: Any, *args: Any, **kwargs: Any) -> None:
        getattr(a, name)(*args, **kwargs)

    return writer(
        f"{name}_in_place", write, lambda view, args: [f"{view}.{name}({', '.join(args)})"], rule, raises, vjp
    )


def _fill_rule(a: TensorType, value: Any) -> None:
    """NumPy's verdict: a value without axes, or with one element for truth."""
    probe(_fill, array(a.dtype, ()), value)


def _fill(old: Any, value: Any) -> None:
    np.zeros(1, old.dtype).fill(value)


def _may_not_fill(a: TensorType, value: Any) -> bool:
    return may_not_fit(a.dtype, value) or isinstance(value, TensorType) and value.ndim > 0


sort = _method("sort", vjp=derivative.sort)
partition = _method("partition", vjp=derivative.partition)
fill = _method("fill", _may_not_fill, derivative.fill, _fill_rule)


def writing_function(function: Callable[..., Any]) -> Op:
    """Registers the op for a NumPy function that writes into its first argument."""
    name = function.__name__

    def lines(view: str, arguments: list[str]) -> list[str]:
        return [f"np.{numpy_name(function)}({', '.join([view, *arguments])})"]

    return writer(f"{name}_in_place", function, lines, _RULES.get(function, _any), perhaps, derivative.OF.get(name))


def _diagonal_rule(a: TensorType, val: Any, wrap: Any = False) -> None:
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1 and all(isinstance(n, int) for n in a.shape):
        raise ValueError("All dimensions of input must be of equal length")


_RULES = {np.fill_diagonal: _diagonal_rule}


WRITING: dict[Callable[..., Any], Op] = {
    function: writing_function(function)
    for function in (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
}
"""The op for each NumPy function that writes into its first argument."""


def _write_at(a: Any, ufunc: str, *args: Any) -> None:
    getattr(np, ufunc).at(a, *args)


def _at_lines(view: str, arguments: list[str]) -> list[str]:
    ufunc, *args = arguments
    return [f"np.{ufunc[1:-1]}.at({', '.join([view, *args])})"]


ufunc_at = writer("ufunc_at", _write_at, _at_lines, _any, perhaps, derivative.ufunc_at)


_AUGMENTED = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<", "right_shift": ">>",
}  # fmt: skip
"""The ufuncs that `x op= y` calls on an array with `out=x`, in less time. That of `x ** y` takes short cuts."""


def _write_ufunc(a: Any, ufunc: str, operands: tuple[Any, ...], **kwargs: Any) -> Any:
    if isinstance(a, np.generic):  # the start of a loop: `total += x` makes an array of it in the first round
        return getattr(np, ufunc)(*operands, **kwargs)
    getattr(np, ufunc)(*operands, out=a, **kwargs)


def _ufunc_lines(view: str, arguments: list[str]) -> list[str]:
    ufunc, operands, *kwargs = arguments
    operands = operands[1:-1].removesuffix(",")
    symbol = _AUGMENTED.get(ufunc[1:-1])
    if symbol and not kwargs and view.isidentifier() and operands.startswith(f"{view}, "):
        return [f"{view} {symbol}= {operands.removeprefix(f'{view}, ')}"]
    return [f"np.{ufunc[1:-1]}({', '.join([operands, f'out={view}', *kwargs])})"]


def _ufunc_rule(a: Any, ufunc: str, operands: tuple[Any, ...], **kwargs: Any) -> None:
    """NumPy judges at the call, but for shapes and dtypes that certainly do not fit into the array."""
    function = getattr(np, ufunc)
    op = by_call(function)
    made = op.rule(*operands) if op is not None else None
    if not isinstance(made, TensorType):
        return
    if _certainly_too_large(made.shape, a.shape):
        function(*_ghosts(operands), out=np.zeros(ghost(a).shape, a.dtype), **_ghosts(kwargs))
    if not np.can_cast(made.dtype, a.dtype, kwargs.get("casting", "same_kind")):
        numbers = [np.zeros((), v.dtype) if isinstance(v, np.ndarray) else v for v in _ghosts(operands)]
        function(*numbers, out=np.zeros((), a.dtype), **{k: v for k, v in kwargs.items() if k in ("dtype", "casting")})


def _certainly_too_large(shape: Shape, out: Shape) -> bool:
    """True if values of one shape are certainly not broadcast to another."""
    aligned = zip(shape[::-1], out[::-1], strict=False)
    return len(shape) > len(out) or any(definitely_different(n, 1) and definitely_different(n, m) for n, m in aligned)


ufunc_into = writer("ufunc_into", _write_ufunc, _ufunc_lines, _ufunc_rule, vjp=derivative.ufunc_into, parts="list")
"""A ufunc called with `out=`, perhaps with `where=`."""


def _write_result(a: Any, op: str, args: tuple[Any, ...], **kwargs: Any) -> None:
    by_name(op).call(*args, out=a, **kwargs)


def _result_rule(a: Any, op: str, args: tuple[Any, ...], **kwargs: Any) -> None:
    """NumPy judges at the call, but for shapes that certainly differ: of these it accepts a few."""
    if not a.shape and op in ("cumsum", "cumprod"):
        raise RuleError("NumPy ends the process where a running total is written into an array without axes")
    try:
        made = by_name(op).rule(*args, **kwargs)
    except TypeError:  # texts are multiplied with an `out=` alone
        made = None
    if made is None or (isinstance(made, TensorType) and _certainly_differ(made.shape, a.shape)):
        accepted_for_some_lengths(
            lambda known: _write_result(
                np.zeros(ghost(a, known).shape, a.dtype), op, _ghosts(args, known), **_ghosts(kwargs, known)
            ),
            _lengths((a, args, kwargs)),
            {},
        )


def _certainly_differ(shape: Shape, other: Shape) -> bool:
    return len(shape) != len(other) or any(map(definitely_different, shape, other))


def _ghosts(value: Any, known: GuessedLengths | None = None) -> Any:
    """Arguments with ghosts in place of their types."""
    if isinstance(value, TensorType):
        return ghost(value, known)
    if isinstance(value, list | tuple):
        return type(value)([_ghosts(v, known) for v in value])
    return {k: _ghosts(v, known) for k, v in value.items()} if isinstance(value, dict) else value


def _lengths(value: Any) -> list[Length]:
    """The lengths of all arrays among some arguments."""
    if isinstance(value, TensorType):
        return list(value.shape)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [n for part in parts for n in _lengths(part)]


def _may_be_refused(a: TensorType, op: str, args: tuple[Any, ...], **kwargs: Any) -> bool:
    """True unless an array of the same dtype is written: each function has its own rule of casting, and
    `np.dot` asks for C order as well."""
    called = by_name(op)
    if op == "dot" or (called.raises is not None and called.raises(*args, **kwargs)):
        return True
    made = called.rule(*args, **kwargs)
    return not isinstance(made, TensorType) or made.dtype != a.dtype


call_into = writer(
    "call_into",
    _write_result,
    lambda view, args: [f"{args[0][:-1]}, out={view})"],
    _result_rule,
    _may_be_refused,
    derivative.call_into,
    "list",
)
"""A function called with `out=`. Its source comes whole, as that of the call without it."""


def _update(target: Any, value: Any) -> Any:
    if value is not target:
        target[...] = value
    return target


def _update_rule(target: Any, value: Any) -> TensorType:
    operand(value)
    return operand(target)


update = register(
    Op(
        "update",
        _update,
        _update_rule,
        style="effect",
        view=True,
        pure=False,
        lines=lambda _, args: [f"{args[0]}[...] = {args[1]}"],
    )
)
"""Gives an array from outside its last content, and is that array. Nothing is left to do where that was written into
the array itself."""
