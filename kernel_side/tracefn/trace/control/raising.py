"""Exceptions in the graph: raised at the call, with texts that hold the values of that call."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ...errors import ControlFlowError, message
from ...ir.bail_out import RunsEagerlyOnce
from ...ir.op import by_name
from ...ir.template import Field, TextOf
from .. import provided
from ..active import current
from ..body import NeverReturns
from ..kinds import is_choice
from ..origin import error_source, user_source, where
from ..recording.types_met import types_met
from ..tensor import Tensor
from ..tensor_parts.formatting import FORMATTING
from ..values.traced_text import Text

_MARK = re.compile("\0(\\d+)\0")


class Texts:
    """The traced values that were turned into text inside `formatting`."""

    def __init__(self, values: list[tuple[Tensor, str, str]]) -> None:
        self._values = values

    def is_traced(self, error: BaseException) -> bool:
        """True if an argument of the exception holds a traced value."""
        return any(isinstance(a, str) and _MARK.search(a) or type(a) in (Tensor, Text) for a in error.args)

    def template(self, argument: Any) -> Any:
        """An argument of the exception; a text with marks is one with values to be filled in."""
        if type(argument) is Text:
            return argument.tensor
        if not isinstance(argument, str) or not _MARK.search(argument):
            return argument
        pieces: list[Any] = _MARK.split(argument)
        pieces[1::2] = [Field(*self._values[int(number)]) for number in pieces[1::2]]
        return TextOf(tuple([p for p in pieces if p != ""]))


@contextlib.contextmanager
def formatting() -> Iterator[Texts]:
    """Texts that are made inside keep the places of traced values."""
    values: list[tuple[Tensor, str, str]] = []
    FORMATTING.stack.append(values)
    try:
        yield Texts(values)
    finally:
        FORMATTING.stack.pop()


def raise_in_graph(error: Any, texts: Texts | None = None) -> NoReturn:
    """Records that the call raises here, and ends the tracing of later code."""
    if isinstance(error, type):
        error = error()
    make: Callable[..., Any] = type(error)
    choice = next((a for a in error.args if is_choice(a)), None)
    if choice is not None:  # a text that a traced value chooses
        choice.split(lambda option: raise_in_graph(make(*[option if a is choice else a for a in error.args]), texts))
    trace = current()
    assert trace is not None
    if isinstance(error, StopIteration):
        raise ControlFlowError(
            message(
                "a traced value decides when an iterator ends",
                where(user_source(3)),
                "Loop over an array, or over a range whose length the value gives.",
            )
        )
    arguments = tuple([texts.template(a) for a in error.args]) if texts is not None else error.args
    if texts is None or not texts.is_traced(error):
        is_made_of_arguments = type(error).__init__ is BaseException.__init__ or isinstance(error, RunsEagerlyOnce)
        if not is_made_of_arguments and type(error).__module__ != "builtins":
            make, arguments = Copies(error), ()
    met = _types_met(trace, error) if texts is None else None
    trace.record(by_name("raise_error"), (make, *arguments), {} if met is None else {"met": met})
    if (line := error_source(error)) is not None:
        trace.nodes[-1] = dataclasses.replace(trace.nodes[-1], source=line)
    raise NeverReturns


def _types_met(trace: Any, error: BaseException) -> str | None:
    """The operation and operands of the call that raised this while tracing; None where no call did."""
    refused = trace.root.refused
    return (
        types_met(refused.node) if refused is not None and refused.text == str(error) and refused.node.inputs else None
    )


class Copies:
    """Makes copies of an exception that cannot be made from its arguments."""

    def __init__(self, error: BaseException) -> None:
        self._error = copy.copy(error)  # without its traceback, which holds objects of the traced code

    def __call__(self) -> BaseException:
        return copy.copy(self._error)


provided.raise_in_graph = raise_in_graph
