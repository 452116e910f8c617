"""The fast path of calls that run eagerly: a generated Python function that checks a call and runs the user's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
    signature: CallSignature,
    form: Form,
    parameters: Sequence[inspect.Parameter],
    defaults: dict[str, Any],
    run: Eagerly,
    otherwise: Callable[..., Any] | None = None,
) -> Callable[..., Any] | None:
    """The function that takes calls of one form whose signature runs eagerly: it calls the Python function as it was
    called. With `otherwise`, it is the `__call__` of a class, and hands calls on that are none of these."""
    given = [*[f"_a{i}" for i in range(form.positional)], *[f"{k}={k}" for k in form.keywords]]
    source = Source() if otherwise is None else Source(f"_otherwise({', '.join(given)})")
    if otherwise is not None:
        _take_all_forms(source, form, otherwise)
    leaves = take_leaves(source, signature, form, parameters, defaults, {})
    if leaves is None or (otherwise is not None and form.keywords):
        return None
    check_leaves(source, leaves, signature)
    _finish_eagerly(source, given, run, f"({''.join(f'{e}, ' for e in leaves)})")
    if otherwise is None:
        return source.function(form_parameters(form))
    optional = "".join(f"_a{i}=_MISS, " for i in range(form.positional))
    return source.function(f"{optional}{'/, ' if optional else ''}*_more, **_named")


def _take_all_forms(source: Source, form: Form, otherwise: Callable[..., Any]) -> None:
    """Hands on calls of another form, and those within a trace."""
    source.namespace |= {"_otherwise": otherwise, "_tracing": TRACING}
    names = [f"_a{i}" for i in range(form.positional)]
    another = "".join(f" or {n} is _MISS" for n in names[-1:])
    there = f"*[a for a in ({', '.join(names)},) if a is not _MISS], " if names else ""
    source.lines.append(f"if _tracing or _more or _named{another}: return _otherwise({there}*_more, **_named)")


def always_eager_entry(run: Eagerly, otherwise: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The same for calls of any form, all of which run eagerly."""
    source = Source()
    if otherwise is not None:
        source.namespace |= {"_otherwise": otherwise, "_tracing": TRACING}
        source.lines.append("if _tracing: return _otherwise(*_args, **_kwargs)")
    _finish_eagerly(source, ["*_args", "**_kwargs"], run, "()")
    return source.function("*_args, **_kwargs")


def _finish_eagerly(source: Source, given: Sequence[str], run: Eagerly, leaves: str) -> None:
    source.namespace |= {"_counter": run.counter, "_function": run.function, "_look": run.look, "_timed": timed_run}
    source.lines.append("_count = _counter.counted = _counter.counted + 1")
    source.lines.append(f"if _count < {LOOK_FIRST} or not _count % {SAMPLE_EVERY}:")
    source.lines += [f"    if not _look({leaves}):", "        _counter.counted -= 1", f"        return {source.miss}"]
    source.lines.append(f"    return _timed({', '.join(['_counter', '_function', *given])})")
    source.lines.append(f"return _function({', '.join(given)})")
