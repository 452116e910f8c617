"""`tracefn.no_retrace`: a block of code in which a retrace is an error that explains itself."""

from __future__ import annotations

from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any

from ..errors import RetraceError, message
from ..function import Function
from ..function.history.traces import TraceRecord
from .words import all_changes, place

_BLOCKS: ContextVar[tuple[no_retrace, ...]] = ContextVar("no_retrace blocks", default=())


class no_retrace:
    """A block in which a call that needs a new trace raises `RetraceError` with the full explanation.

    Parameters
    ----------
    function: Function, optional
        The only function that must not retrace. None: all of them.
    after: int
        How many traces each function may still make in the block. 0: none, but for the first trace of a function that
        has none yet.

    It holds for the thread (or async task) that entered the block. A call that raises traces and runs nothing.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x, n: x * n)
    >>> with tracefn.no_retrace():
    ...     _ = f(np.ones(2), 1), f(np.ones(2), 1)
    >>> with tracefn.no_retrace(f):
    ...     f(np.ones(2), 2)
    Traceback (most recent call last):
    tracefn.errors.RetraceError: `lambda` would be traced again (#2): n changed 1 → 2 (Python int)
      ...
    """

    def __init__(self, function: Any = None, after: int = 0) -> None:
        if after < 0:
            raise ValueError(f"after must be 0 or more, not {after}")
        self._function = None if function is None else _plain(function)
        self._after = after
        self._counts: dict[str, int] = {}
        self._tokens: list[Token[Any]] = []

    def __enter__(self) -> no_retrace:
        self._counts.clear()
        self._tokens.append(_BLOCKS.set((*_BLOCKS.get(), self)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _BLOCKS.reset(self._tokens.pop())

    def allows(self, function: Function, is_first: bool) -> bool:
        """Counts a trace that is about to be made. False where it must not be."""
        if self._function is not None and _plain(function) is not self._function:
            return True
        made = self._counts[function.function_id] = self._counts.get(function.function_id, 0) + 1
        return made <= self._after or is_first


def _plain(function: Any) -> Any:
    """The Python function behind a traced one, or behind a method of an instance."""
    wrapped = getattr(function, "_wrapped", None)
    if wrapped is None:
        raise TypeError(f"no_retrace takes a traced function, not {type(function).__name__}")
    return wrapped.function


def refuse(function: Function, record: TraceRecord) -> None:
    """Raises `RetraceError` where a block forbids the trace that is about to be made."""
    for block in _BLOCKS.get():
        if not block.allows(function, not function._history.records):
            raise RetraceError(_refusal(function, record))


def _refusal(function: Function, record: TraceRecord) -> str:
    from .advice import advise

    comparisons = function._history.compared(record)
    why = all_changes(comparisons[0].causes) if comparisons else "it has no trace yet"
    lines = [f"compared with #{c.earlier.number}: {c.text}" for c in comparisons]
    fix = advise(function) if comparisons else None
    what = f"`{function.name}` would be traced again (#{record.number}): {why}"
    advice = "Call it before the block with every kind of argument that it gets there, or pass arguments of its traces."
    where = place(record.location).removeprefix(" in ")
    return message(
        what,
        "\n  ".join([where, *lines]),
        advice if fix is None else f"{fix.sentence[0].upper()}{fix.sentence[1:]}. {advice}",
    )
