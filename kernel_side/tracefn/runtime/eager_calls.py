"""The fast path of calls that run eagerly: a generated Python function that checks a call and runs the user's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..trace.context import TRACING
from ..trace.signature import CallSignature
from .checks import Source
from .dispatch import SAMPLE_EVERY, Form, check_leaves, form_parameters, take_leaves, timed_run

LOOK_FIRST = 16
"""So many calls of a signature that runs eagerly look whether it still has to; then one in `SAMPLE_EVERY`."""


class Eagerly(NamedTuple):
    """How calls run eagerly: `function` is the Python function; `look(leaves)` says, now and then, whether they still
    have to."""

    function: Callable[..., Any]
    counter: Any
    look: Callable[[Any], bool]


def eager_entry(
    checked: Callable[[Source], list[str] | None],
    form: Form,
    run: Eagerly,
    otherwise: Callable[..., Any] | None = None,
) -> Callable[..., Any] | None:
    """The function that takes calls of one form that run eagerly: it calls the Python function as it was called. With
    `otherwise`, it is the `__call__` of a class, and hands calls on that are none of these. `checked` adds what tells
    them apart, and gives the expressions of their leaves; None where that cannot be written down."""
    given = [*[f"_a{i}" for i in range(form.positional)], *[f"{k}={k}" for k in form.keywords]]
    source = Source() if otherwise is None else Source(f"_otherwise({', '.join(given)})")
    if otherwise is not None:
        _take_all_forms(source, form, otherwise)
    leaves = None if otherwise is not None and form.keywords else checked(source)
    if leaves is None:
        return None
    _finish_eagerly(source, given, run, f"({''.join(f'{e}, ' for e in leaves)})")
    if otherwise is None:
        return source.function(form_parameters(form))
    optional = "".join(f"_a{i}=_MISS, " for i in range(form.positional))
    return source.function(f"{optional}{'/, ' if optional else ''}*_more, **_named")


def of_signature(
    signature: CallSignature, form: Form, parameters: Sequence[inspect.Parameter], source: Source
) -> list[str] | None:
    """Checks that a call is of this signature."""
    leaves = take_leaves(source, signature, form, parameters, {p.name: p.default for p in parameters}, {})
    if leaves is not None:
        check_leaves(source, leaves, signature)
    return leaves


def of_types(values: Sequence[Any], form: Form, source: Source) -> list[str] | None:
    """Checks that the arguments of a call, none of them a container, are of the same types and dtypes as `values`."""
    if any(isinstance(value, _CONTAINERS) for value in values):
        return None
    for name, value in zip([*[f"_a{i}" for i in range(form.positional)], *form.keywords], values, strict=True):
        source.miss_if(f"type({name}) is not {source.constant(type(value))}")
        if isinstance(value, np.ndarray):
            source.miss_if(f"{name}.dtype != {source.constant(value.dtype)}")
    return []


_CONTAINERS = (list, tuple, dict, set, frozenset)


def _take_all_forms(source: Source, form: Form, otherwise: Callable[..., Any]) -> None:
    """Hands on calls of another form, and those within a trace."""
    source.namespace |= {"_otherwise": otherwise, "_tracing": TRACING}
    names = [f"_a{i}" for i in range(form.positional)]
    another = "".join(f" or {n} is _MISS" for n in names[-1:])
    there = f"*[a for a in ({', '.join(names)},) if a is not _MISS], " if names else ""
    source.lines.append(f"if _tracing or _more or _named{another}: return _otherwise({there}*_more, **_named)")


def always_eager_entry(run: Eagerly, otherwise: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The same for calls of any form, all of which run eagerly."""
    source = Source() if otherwise is None else Source("_otherwise(*_args, **_kwargs)")
    if otherwise is not None:
        source.namespace |= {"_otherwise": otherwise, "_tracing": TRACING}
        source.miss_if("_tracing")
    _finish_eagerly(source, ["*_args", "**_kwargs"], run, "()")
    return source.function("*_args, **_kwargs")


def _finish_eagerly(source: Source, given: Sequence[str], run: Eagerly, leaves: str) -> None:
    source.namespace |= {"_counter": run.counter, "_function": run.function, "_look": run.look, "_timed": timed_run}
    source.lines.append("_count = _counter.counted = _counter.counted + 1")
    source.lines.append(f"if _count < {LOOK_FIRST} or not _count % {SAMPLE_EVERY}:")
    source.lines += [f"    if not _look({leaves}):", "        _counter.counted -= 1", f"        return {source.miss}"]
    source.lines.append(f"    return _timed({', '.join(['_counter', '_function', *given])})")
    source.lines.append(f"return _function({', '.join(given)})")
