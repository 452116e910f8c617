"""`min` and `max` of traced values."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ...active import current
from ...control.branches import choose, run_side
from ...tensor import Tensor
from ...this_call import now
from ...values.graph_list import GraphList
from ...values.symbolic_int import SymbolicInt
from ..containers.contents import compared
from ..hooks.loops import UNROLL, each
from .ordering import best_by_key, kept_keys


def least(name: str, better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """`min` and `max`: Python's compare one by one, and keep the first of equals."""
    plain = getattr(builtins, name)

    def pick(*args: Any, **kwargs: Any) -> Any:
        values = args if len(args) != 1 else args[0]
        if type(values) is GraphList and values.is_staged and kwargs.keys() <= {"key"}:
            if values.is_of_numbers and kwargs.get("key") is None:
                return _least_of_list(plain, better, values)
            return _best_of_list(name, values, kwargs.get("key"))
        if type(values) is Tensor and not kwargs and _is_long(values):
            return _least_of_all(better, values)
        if len(args) == 1 and type(values) is Tensor and kwargs.keys() <= {"key"}:
            values = list(_rows(values))
        if len(args) == 1 and hasattr(type(values), "__next__"):
            values = list(values)
            args = (values,)
        if isinstance(values, tuple | list):
            values = [v._trace.dimension(v.dim) if type(v) is SymbolicInt and v.is_traced else v for v in values]
        if kwargs.keys() == {"key"} and kwargs["key"] is not None:
            values = list(values)
            return best_by_key(values, kwargs["key"], better, _choices) if values else plain(values)
        if kwargs.keys() == {"default"} and isinstance(values, list | tuple) and values and len(args) == 1:
            kwargs = {}
            args = (values,)
        compared(values)
        is_traced = isinstance(values, list) and any(type(v) is Tensor for v in values)
        if kwargs or not is_traced:
            return plain(*args, **kwargs)
        best = values[0]
        for value in values[1:]:
            best = _choice(better(value, best), value, best)
        return best

    return pick


def _least_of_list(plain: Callable[..., Any], better: Callable[[Any, Any], Any], values: GraphList) -> Any:
    """The same of a list in the graph."""
    trace = current()
    assert trace is not None
    sides = [
        run_side(trace, "if_empty", lambda: {"the value": plain([])}),  # raises
        run_side(trace, "if_not_empty", lambda: {"the value": 0}),
    ]
    choose(trace, "cond", values.length() == 0, sides)
    return _least_of_all(better, values)


def _best_of_list(name: str, values: GraphList, key: Any) -> Any:
    """The same of a list in the graph by a key, or of tuples."""
    keys = values if key is None else kept_keys(values, key)
    return values[keys.position_of_best("list_least" if name == "min" else "list_greatest")]


def _is_long(values: Tensor) -> bool:
    """True for an array of numbers that are too many for a branch each."""
    shape = values.shape
    return len(shape) == 1 and type(shape[0]) is int and shape[0] > UNROLL and values.dtype.kind in "biuf"


def _least_of_all(better: Callable[[Any, Any], Any], values: Any) -> Any:
    """The same in a loop of the graph, of values of which there is one."""
    best = [values[0]]

    def compare(item: Any) -> None:
        best[0] = _choice(better(item, best[0]), item, best[0])

    def put(state: tuple[Any, ...]) -> None:
        best[0] = state[0]

    each(values, compare, lambda: (best[0],), put, ("best",))
    return best[0]


def _rows(values: Tensor) -> Any:
    return iter(values)


def _choice(test: Any, value: Any, other: Any) -> Any:
    return _choices(test, {"the value": value}, {"the value": other})["the value"]


def _choices(test: Any, values: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    trace, test = current(), now(test)
    if trace is None or type(test) is not Tensor:
        return values if test else others
    sides = [run_side(trace, "if_true", lambda: dict(values)), run_side(trace, "if_false", lambda: dict(others))]
    return choose(trace, "cond", test, sides)
