"""Iterators from outside: each call takes what comes next, and a trace that is given up gives back what it took."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ...errors import UnsupportedFunctionError, message
from ..context import Trace, current
from ..foreign import call
from ..origin import user_source, where
from ..state.taken import take
from .running import runs_alone


def advanced(trace: Trace, iterator: Any, default: tuple[Any, ...]) -> Any:
    """`next(iterator, default)`, a step of the graph."""
    if not runs_alone(trace, iterator):
        refuse_generator(iterator)
    taken = trace.root.taken

    def noted() -> Any:
        value = take(iterator)
        taken.append((iterator, value))
        return value

    step = _First(_or_default(noted, default), _or_default(functools.partial(take, iterator), default))
    return call(step, (), {}, name="next")


def _or_default(taking: Callable[[], Any], default: tuple[Any, ...]) -> Callable[[], Any]:
    def found() -> Any:
        try:
            return taking()
        except StopIteration:
            if default:
                return default[0]
            raise

    return found if default else taking


class _First:
    """What is taken while tracing is noted; what is taken later is not."""

    def __init__(self, first: Any, again: Any) -> None:
        self._first = first
        self._again = again
        self.__name__ = "next"

    def __call__(self) -> Any:
        function, self._first = self._first or self._again, None
        return function()


def refuse_generator(iterator: Any) -> NoReturn:
    """Raises for an iterator that runs code of the user's, which sees and changes what is outside."""
    raise UnsupportedFunctionError(
        message(
            f"a {type(iterator).__name__} from outside runs code that reads or changes more than it holds itself",
            where(user_source(3)),
            "Take from it outside the traced function, and pass what it gives.",
        )
    )


def refuse_iterator(value: Any) -> None:
    """Raises for a loop over an iterator from outside, which it would empty while tracing."""
    trace = current()
    if trace is not None and isinstance(value, Iterator) and trace.is_outside(value):
        raise UnsupportedFunctionError(
            message(
                f"a loop goes over a {type(value).__name__} from outside, which each call would have to empty",
                where(user_source(3)),
                "Pass a list or an array, or loop over a tracefn.data.Dataset.",
            )
        )
