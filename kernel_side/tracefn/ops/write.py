"""Writing into arrays, as new arrays: each op gives the old array with some elements replaced.

What is written into may be a view: `path` has the steps that lead from the array to it, each an `(op, arguments,
keywords)` whose result is a view of its first argument, or `("item", number)`. Programs write into the array itself
where nobody needs its old content.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, by_name, register
from .index import item_type
from .rules import TensorType, operand, probe_at, require_assignable

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
    name: str, write: Callable[..., Any], lines: Callable[[str, list[str]], list[str]], rule: Callable[..., Any]
) -> Op:
    """Registers the op for `write(view, ...)`. `lines(view, arguments)` are its statements; `rule(type of the view,
    ...)` raises what is certain to be wrong, and NumPy the rest at the call."""

    def call(a: Any, path: Path, *args: Any, **kwargs: Any) -> Any:
        made = a.copy(order="K")
        write(view_of(made, path), *args, **kwargs)
        return made

    def result(a: Any, path: Path, *args: Any, **kwargs: Any) -> TensorType:
        rule(view_type(operand(a), path), *args, **kwargs)
        return operand(a)

    return register(Op(name, call, result, style="write", lines=lines))


def _write_item(a: Any, index: Any, value: Any) -> None:
    a[index] = value


def _item_rule(a: Any, index: Any, value: Any) -> None:
    given, part = operand(value), item_type(a, index)
    shape = given.shape
    while len(shape) > len(part.shape) and shape[0] == 1:  # leading axes of length 1 do not count
        shape = shape[1:]
    require_assignable(shape, part.shape)
    probe_at(1, _cast, TensorType(a.dtype, ()), TensorType(given.dtype, (), given.kind))


def _cast(old: Any, new: Any) -> Any:
    """NumPy's verdict on whether values of one dtype can be put into arrays of another."""
    made = np.zeros(1, old.dtype)
    made[0] = new
    return made


def _item_lines(view: str, arguments: list[str]) -> list[str]:
    index, value = arguments
    return [f"{view}[{index}] = {value}"]


setitem = writer("setitem", _write_item, _item_lines, _item_rule)


def _write_flat(a: Any, index: Any, value: Any) -> None:
    a.flat[index] = value


def _any(a: Any, *args: Any, **kwargs: Any) -> None:
    """NumPy judges at the call."""


set_flat = writer("set_flat", _write_flat, lambda view, args: [f"{view}.flat[{args[0]}] = {args[1]}"], _any)


def _method(name: str, *parameters: str) -> Op:
    """The writing method `name` of arrays."""

    def write(a: Any, *args: Any, **kwargs: Any) -> None:
        getattr(a, name)(*args, **kwargs)

    return writer(f"{name}_in_place", write, lambda view, args: [f"{view}.{name}({', '.join(args)})"], _any)


sort = _method("sort")
partition = _method("partition")
fill = _method("fill")


def _function(function: Callable[..., Any]) -> Op:
    """A NumPy function that writes into its first argument."""
    name = function.__name__
    return writer(f"{name}_in_place", function, lambda view, args: [f"np.{name}({', '.join([view, *args])})"], _any)


WRITING = {
    function: _function(function)
    for function in (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
}
"""The op for each NumPy function that writes into its first argument."""


def _write_at(a: Any, ufunc: str, *args: Any) -> None:
    getattr(np, ufunc).at(a, *args)


def _at_lines(view: str, arguments: list[str]) -> list[str]:
    ufunc, *args = arguments
    return [f"np.{ufunc[1:-1]}.at({', '.join([view, *args])})"]


ufunc_at = writer("ufunc_at", _write_at, _at_lines, _any)


def _write_where(a: Any, ufunc: str, operands: tuple[Any, ...], **kwargs: Any) -> None:
    getattr(np, ufunc)(*operands, out=a, **kwargs)


def _where_lines(view: str, arguments: list[str]) -> list[str]:
    ufunc, operands, *kwargs = arguments
    operands = operands[1:-1].removesuffix(",")
    return [f"np.{ufunc[1:-1]}({', '.join([operands, f'out={view}', *kwargs])})"]


ufunc_where = writer("ufunc_where", _write_where, _where_lines, _any)


def _write_result(a: Any, op: str, args: tuple[Any, ...], **kwargs: Any) -> None:
    by_name(op).call(*args, out=a, **kwargs)


call_into = writer("call_into", _write_result, lambda view, args: [f"{args[0][:-1]}, out={view})"], _any)
"""A function called with `out=`. Its source comes whole, as that of the call without it."""


def _update(target: Any, value: Any) -> tuple[()]:
    if value is not target:
        target[...] = value
    return ()


def _update_rule(target: Any, value: Any) -> tuple[TensorType, ...]:
    operand(target), operand(value)
    return ()


update = register(
    Op(
        "update",
        _update,
        _update_rule,
        style="effect",
        pure=False,
        lines=lambda _, args: [f"{args[0]}[...] = {args[1]}"],
    )
)
"""Gives an array from outside its last content. Nothing is left to do where that was written into the array itself."""
