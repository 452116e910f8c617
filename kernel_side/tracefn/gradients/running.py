"""The run of a function that all derivatives begin with: sources in the place of some arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import GradientError, message
from ..trace.control.one_of import refuse_choices
from ..trace.origin import user_source, where
from .differentiated import Differentiated, under_way

Argnums = int | Sequence[int]


def run_of(
    name: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    argnums: Argnums,
    has_aux: bool,
    allow_int: bool,
) -> tuple[Differentiated, Any, Any]:
    """The run of a function in the trace under way, its value, and its other results."""
    run = Differentiated(under_way(name), function, args, kwargs, positions(argnums, args, name), allow_int)
    value, aux = pair_of(run.returned, name) if has_aux else (run.returned, None)
    refuse_choices(value, "differentiated")
    return run, value, aux


def pair_of(returned: Any, name: str) -> tuple[Any, Any]:
    """The two results of a function with `has_aux`. Raises `GradientError` where they are no pair."""
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        what = f"tracefn.{name} with has_aux=True needs a function that returns a pair"
        raise GradientError(message(what, where(user_source(3)), "Return two things: `return value, aux`."))
    return returned[0], returned[1]


def checked_argnums(argnums: Any) -> int | tuple[int, ...]:
    """Positions of arguments as an int or a tuple of them. Raises TypeError for anything else."""
    if isinstance(argnums, Sequence):
        return tuple([operator.index(n) for n in argnums])
    return operator.index(argnums)


def positions(argnums: Argnums, args: Sequence[Any], name: str) -> list[int]:
    """The positions, counted from the start. Raises TypeError for one that a call has no argument for, and
    ValueError for one that comes twice."""
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)
    for number in numbers:
        if not -len(args) <= number < len(args):
            raise TypeError(f"tracefn.{name} with argnums={argnums!r} needs an argument {number} by position, "
                            f"and the call has {len(args)}")  # fmt: skip
    found = [number % len(args) for number in numbers]
    if len({*found}) < len(found):
        raise ValueError(f"tracefn.{name} with argnums={argnums!r} is asked twice for one argument")
    return found
