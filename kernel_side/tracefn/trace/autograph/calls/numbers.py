"""Functions that make Python numbers, and those of `math`: nodes where they are given traced values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....ir.op import Op, by_name
from ...active import current
from ...tensor import Tensor
from ...values.symbolic_int import SymbolicInt
from ..hooks.conditions import condition


def _parts(real: Any = 0, *rest: Any, **imag: Any) -> tuple[Any, ...]:
    """The arguments of `complex` by their positions."""
    return (real, *rest, *imag.values())


def to_number(name: str, number: Any) -> Callable[..., Any]:
    keywords = {"real", "imag"} if number is complex else set()

    def convert(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or not kwargs.keys() <= keywords:
            return number(*args, **kwargs)
        if kwargs:
            args = _parts(*args, **kwargs)
        if number is complex and len(args) == 2 and any(type(a) is Tensor for a in args):
            return trace.record(by_name("complex.__call__"), args, {})
        if len(args) == 1 and type(args[0]) is SymbolicInt and number in (int, float):
            return trace.public(args[0].dim) if number is int else trace.record(by_name(name), args, {})
        if len(args) != 1 or type(args[0]) is not Tensor:
            return number(*args)
        known = args[0]._known()
        return trace.record(by_name(name), args, {}) if known is None else number(known[0])

    return convert


_number_bool = to_number("bool", bool)


def to_bool(*args: Any) -> Any:
    return _number_bool(*map(condition, args))


def of_numbers(function: Callable[..., Any], op: Op) -> Callable[..., Any]:
    """A function of Python numbers, on traced ones: a node."""

    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        args = tuple([known[0] if type(a) is Tensor and (known := a._known()) is not None else a for a in args])
        if trace is None or not any(_is_unknown(a) for a in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        return trace.record(op, args, kwargs)

    return call


def _is_unknown(value: Any) -> bool:
    """True for values that have no number while tracing. Lengths that the call has take theirs, and a guard."""
    return type(value) is Tensor or (type(value) is SymbolicInt and value.dim.depends_on_values)
