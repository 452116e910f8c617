"""Runs a case eagerly and traced, on objects of its own each time, and compares results, errors and effects."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import tracefn


@dataclasses.dataclass(frozen=True)
class Case:
    """`make()` gives the function, the arguments of each call, and a function that gives the state (or None).

    `graph` is False for what runs eagerly.
    """

    name: str
    make: Callable[[], tuple[Any, ...]]
    graph: bool = True


CASES: list[Case] = []


def case(graph: bool = True) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Registers a function that makes a case."""

    def register(make: Callable[[], Any]) -> Callable[[], Any]:
        CASES.append(Case(make.__name__, make, graph))
        return make

    return register


def arrays(*lengths: int, seed: int = 0) -> list[tuple[Any, ...]]:
    """One random array a call."""
    rng = np.random.default_rng(seed)
    return [(rng.normal(size=n),) for n in lengths]


def matrices(*shapes: tuple[int, ...], seed: int = 0) -> list[tuple[Any, ...]]:
    """One random array of a shape a call."""
    rng = np.random.default_rng(seed)
    return [(rng.normal(size=shape),) for shape in shapes]


class Run:
    """What the calls of a case gave: results or errors, warnings, the arguments after each call, and the state. `kept`
    are the results as they are after all calls."""

    def __init__(self, case: Case, traced: bool) -> None:
        function, calls, *state = case.make()
        np.random.seed(7)
        self.function = tracefn.function(function, on_unsupported="eager") if traced else function
        self.outcomes: list[Any] = []
        self.kept: list[Any] = []
        for args in calls:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                try:
                    result = self.function(*args)
                except Exception as error:
                    result = (type(error), str(error))
            self.kept.append(result)
            held = [copy.deepcopy(s()) for s in state]
            seen_by = _copied(result), sorted(filter(None, map(_category, seen)))
            self.outcomes.append((*seen_by, copy.deepcopy(list(args)), held, float(np.random.rand())))

    @property
    def is_graph(self) -> bool:
        return bool(self.function.concrete_functions) and not self.function.fallbacks

    @property
    def reasons(self) -> list[str]:
        return [f.text for f in self.function.fallbacks]


def _copied(result: Any) -> Any:
    try:
        return copy.deepcopy(result)
    except Exception:  # it cannot be copied, and is compared as it is at the end
        return result


def _category(warning: warnings.WarningMessage) -> str:
    """What a warning is of; '' for tracefn's own, and those that come when Python happens to collect garbage."""
    found = warning.category
    return "" if found.__module__.startswith("tracefn") or found is ResourceWarning else found.__name__


def difference(left: Any, right: Any, path: str = "result") -> str:
    """Where two values differ, '' where they do not."""
    if type(left) is not type(right):
        return f"{path}: {type(left)} and {type(right)}"
    if isinstance(left, np.ndarray):
        same = left.dtype == right.dtype and left.shape == right.shape
        return (
            ""
            if same and np.array_equal(left, right, equal_nan=left.dtype.kind in "fc")
            else f"{path}: {left!r} and {right!r}"
        )
    if isinstance(left, dict):
        if list(left) != list(right):
            return f"{path}: keys {list(left)} and {list(right)}"
        return next((d for k in left if (d := difference(left[k], right[k], f"{path}[{k!r}]"))), "")
    if isinstance(left, list | tuple):
        if len(left) != len(right):
            return f"{path}: lengths {len(left)} and {len(right)}"
        pairs = enumerate(zip(left, right, strict=True))
        return next((d for i, (a, b) in pairs if (d := difference(a, b, f"{path}[{i}]"))), "")
    if hasattr(left, "equals"):
        return "" if left.equals(right) else f"{path}: {left!r} and {right!r}"
    if hasattr(left, "toarray"):
        return difference(left.toarray(), right.toarray(), path)
    if hasattr(left, "tobytes") and hasattr(left, "mode"):
        return "" if (left.mode, left.size, left.tobytes()) == (right.mode, right.size, right.tobytes()) else path
    if isinstance(left, np.random.Generator):
        return difference(left.bit_generator.state, right.bit_generator.state, path)
    if isinstance(left, float | np.floating):
        return "" if left == right or (np.isnan(left) and np.isnan(right)) else f"{path}: {left!r} and {right!r}"
    if hasattr(left, "__dict__") and not isinstance(left, type):
        return difference(vars(left), vars(right), f"{path}.__dict__")
    try:
        return "" if bool(left == right) else f"{path}: {left!r} and {right!r}"
    except Exception:
        return ""
