"""How a trace sees the outside: the reads there by copies of functions and hooks of rewritten code."""

from __future__ import annotations

import functools
from typing import Any

from ...trace.autograph import HELPERS, converted_code, operators, refuse_unseen
from ...trace.autograph.containers.changes import refuse_moved, refuse_unknown
from ...trace.autograph.containers.foreseen import is_foreseen
from ...trace.recording.recorder import Recorder
from ...trace.state.captures import Captures
from ...trace.state.observe import Observer
from ...trace.state.paths import Path
from ...trace.state.place import Item, Outer, Place
from ...trace.state.substitute import FunctionCopies
from ...trace.tensor import Tensor
from .idle import WhileItComputes
from .journals import has_changed, is_changed, original, original_names
from .outside_arrays import captured


def copies_of(trace: Recorder, before: Captures, rewritten: bool) -> FunctionCopies:
    """The copies of functions that are run in place of the user's."""

    def tensor(array: Any) -> Any:
        return captured(trace, array)

    if before.numbers is not None:
        trace.open_axes = before.numbers.open_axes
    if not rewritten:
        return FunctionCopies(before, tensor)
    return FunctionCopies(
        before,
        tensor,
        converted_code,
        {HELPERS: operators},
        lambda: trace.knows(before.known_arrays()),
        functools.partial(_number, trace, before),
        refuse_unseen,
    )


def observer_of(trace: Recorder, before: Captures, copies: FunctionCopies, rewritten: bool) -> Observer:
    """Connects the trace with its reads outside. Code that is not rewritten has no hooks that would tell."""
    before.is_changed, before.original, before.original_names = has_changed, original, original_names
    observer = Observer(
        before,
        lambda a: captured(trace, a),
        has_changed,
        lambda: trace.knows(before.known_arrays()),
        functools.partial(_number, trace, before),
        trace.symbolic,
    )
    if rewritten:
        observer.check, observer.waits = functools.partial(refuse_unknown, trace), is_foreseen
        observer.moved, observer.refuse_moved = trace.moved, refuse_moved
        trace.observe, trace.read_whole = observer.read, observer.read_whole
        trace.observe_owner, trace.uses_method = observer.read_owner, observer.read_method
        trace.uses_descriptor, trace.uses_answer = observer.read_descriptor, observer.read_answer
        trace.read_length, trace.lacks, trace.lengths = observer.read_length, observer.lacks, observer.lengths()
        trace.is_outside, trace.is_changed = before.knows, is_changed
        trace.unseen.special, observer.given = before.special, trace.unseen.reads_whole
        trace.read_items, trace.read_original = observer.read_items, observer.read_original
        trace.read_size = observer.read_size
        trace.read_key = observer.read_key
        trace.asks_for, trace.read_names = observer.asks_for, observer.read_names
        trace.varies, trace.path_to, trace.is_asked = observer.varies, before.path_to, before.is_asked
        trace.read_variable = functools.partial(_read_variable, observer, copies)
    trace.function_copy = WhileItComputes(trace, copies.function).function
    trace.original_function = copies.original
    return observer


def _number(trace: Recorder, captures: Captures, path: Any, value: Any) -> Any:
    """A number from outside as an input of the graph."""
    label = captures.label(path)
    captures.number_paths[label] = path
    captures.numbers_met[label] = value
    return trace.number(label, value)


def _read_variable(observer: Observer, copies: FunctionCopies, place: Place, value: Any) -> Any:
    """The value of a global, or of a variable of an outer function, as each call finds it; any other as it is."""
    if type(value) is Tensor:
        return value
    if isinstance(place, Outer):
        cell = copies.original_cell(place.owner)
        if not copies.is_outside_cell(cell) or has_changed(place.owner, "cell", None):
            return value
        return observer.read_at(Path(("closure", cell, place.name.removeprefix("closure "))), value)
    original = copies.original_globals(place.owner)
    if not isinstance(place, Item) or original is place.owner or has_changed(place.owner, "item", place.item):
        return value
    return observer.read_at(Path(("global", original, place.item)), value)
