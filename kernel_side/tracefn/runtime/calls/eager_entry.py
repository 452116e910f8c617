"""The fast path of calls that run eagerly: a generated Python function that checks a call and runs the user's."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...events.counters import SAMPLE_EVERY
from ...trace.active import TRACING
from ...trace.signature import CallSignature
from .. import own_frames
from .entry import CallSource, form_parameters, hides, signature_leaves
from .source import Source
from .target import Form, timed_run

LOOK_FIRST = 16
"""The first calls of an eager signature check whether the fallback still holds; later one in `SAMPLE_EVERY` does."""


Checked = Callable[[CallSource, Form], list[str] | None]
Make = Callable[[Callable[..., Any]], Callable[..., Any] | None]
"""Makes a function that takes some calls, and leaves all others to the given one; None where that cannot be."""


class Eagerly(NamedTuple):
    """Eager calls: `function` is the Python function; `look(leaves)` checks, now and then, whether the fallback still
    holds."""

    function: Callable[..., Any]
    counter: Any
    look: Callable[[Any], bool]


def eager_entry(checked: Checked, form: Form, run: Eagerly) -> Callable[..., Any] | None:
    """The entry of eager calls of one form: it calls the Python function with the arguments as they are. `checked` adds
    the checks of the signature, and gives the expressions of its leaves; None where there are no such expressions."""
    source = CallSource()
    if (leaves := checked(source, form)) is None:
        return None
    _finish_eagerly(source, _given(form), run, leaves)
    return source.function(form_parameters(form))


def _given(form: Form) -> list[str]:
    """The arguments of a call of this form."""
    return [*[f"_a{i}" for i in range(form.positional)], *[f"{k}={k}" for k in form.keywords]]


def always_eager_entry(run: Eagerly) -> Callable[..., Any]:
    """The same for calls of any form, all of which run eagerly."""
    source = Source()
    _finish_eagerly(source, ["*_args", "**_kwargs"], run, [])
    return source.function("*_args, **_kwargs")


def eager_call(
    checked: Checked, run: Eagerly, parameters: Sequence[inspect.Parameter], form: Form, otherwise: Callable[..., Any]
) -> Callable[..., Any] | None:
    """The `__call__` of a class whose calls run eagerly, with the parameters of the Python function: Python binds them.
    Other calls go to `otherwise`. A function that takes any number of arguments is called in one
    form."""
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or hides(p.name) for p in parameters):
        return _eager_call_of_form(checked, run, form, otherwise)
    given = [f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name for p in parameters]
    if any(p.default is not p.empty for p in parameters):
        positions = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        otherwise = functools.partial(_as_given, positions, otherwise)
    source = CallSource(f"_otherwise({', '.join(given)})")
    source.namespace |= {"_otherwise": otherwise, "_tracing": TRACING}
    source.miss_if("_tracing")
    _take_defaults(source, parameters, run.function)
    if (leaves := checked(source, Form(0, tuple(p.name for p in parameters)))) is None:
        return None
    _finish_eagerly(source, given, run, leaves)
    _hide_own_frames(source)
    written = source.function(_declared(source, parameters))
    written.__name__, written.__qualname__ = run.function.__name__, run.function.__qualname__  # for Python's own errors
    return written


def _take_defaults(source: CallSource, parameters: Sequence[inspect.Parameter], function: Any) -> None:
    """Gives arguments that a call leaves out their defaults: those of this moment, where defaults by name have changed
    in place."""
    optional = [p for p in parameters if p.default is not p.empty]
    if not optional:
        return
    source.namespace["_ABSENT"] = _ABSENT
    called, known = source.constant(function, "called"), function.__kwdefaults__
    source.miss_if(f"{called}.__defaults__ is not {source.constant(function.__defaults__, 'defaults')}")
    source.miss_if(f"{called}.__kwdefaults__ is not {source.constant(known, 'named')}")
    for p in optional:
        value = source.constant(p.default, "default")
        if p.kind is p.KEYWORD_ONLY:
            value = f"{source.constant(known, 'named')}.get({p.name!r}, _ABSENT)"
        source.lines.append(f"if {p.name} is _ABSENT: {p.name} = {value}")
        if p.kind is p.KEYWORD_ONLY:
            source.miss_if(f"{p.name} is _ABSENT")


_ABSENT: Any = object()
"""Stands for an argument that a call leaves out."""


def _as_given(positions: Sequence[str], function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A call without the arguments that were left out."""
    first = next((i for i, value in enumerate(args) if value is _ABSENT), len(args))
    named = {**dict(zip(positions[first:], args[first:], strict=True)), **kwargs}
    return function(*args[:first], **{name: value for name, value in named.items() if value is not _ABSENT})


def _eager_call_of_form(
    checked: Checked, run: Eagerly, form: Form, otherwise: Callable[..., Any]
) -> Callable[..., Any] | None:
    if any(map(hides, form.keywords)):
        return None
    source = CallSource("_otherwise(*_args, **_kwargs)")
    source.namespace |= {"_otherwise": otherwise, "_tracing": TRACING}
    source.miss_if(f"_tracing or len(_args) != {form.positional}")
    source.miss_if(f"tuple(_kwargs) != {form.keywords!r}" if form.keywords else "_kwargs")
    source.lines += [f"_a{i} = _args[{i}]" for i in range(form.positional)]
    source.lines += [f"{name} = _kwargs[{name!r}]" for name in form.keywords]
    if (leaves := checked(source, form)) is None:
        return None
    _finish_eagerly(source, _given(form), run, leaves)
    _hide_own_frames(source)
    return source.function("*_args, **_kwargs")


def _declared(source: Source, parameters: Sequence[inspect.Parameter]) -> str:
    """Parameters as a `def` has them, their defaults by name."""
    texts = []
    for number, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and (number == 0 or parameters[number - 1].kind is not p.KEYWORD_ONLY):
            texts.append("*")
        texts.append(p.name if p.default is p.empty else f"{p.name}=_ABSENT")
        is_last = number + 1 == len(parameters) or parameters[number + 1].kind is not p.POSITIONAL_ONLY
        if p.kind is p.POSITIONAL_ONLY and is_last:
            texts.append("/")
    return ", ".join(texts)


def of_signature(
    signature: CallSignature, parameters: Sequence[inspect.Parameter], source: CallSource, form: Form
) -> list[str] | None:
    """Checks that a call is of this signature."""
    return signature_leaves(source, signature, form, parameters)


def of_types(args: Sequence[Any], named: dict[str, Any], source: Source, form: Form) -> list[str] | None:
    """Checks that the arguments of a call, none of them a container, are of the same types and dtypes as those of
    another: `args` by position, or `named` by parameter and keyword."""
    found = {**{f"_a{i}": args[i] for i in range(form.positional)}, **{k: named[k] for k in form.keywords}}
    if any(isinstance(value, _CONTAINERS) for value in found.values()):
        return None
    for name, value in found.items():
        source.miss_if(f"type({name}) is not {source.constant(type(value))}")
        if isinstance(value, np.ndarray):
            source.miss_if(f"{name}.dtype != {source.constant(value.dtype)}")
    return []


def of_any(source: Source, form: Form) -> list[str]:
    """No checks: all calls fit."""
    return []


_CONTAINERS = (list, tuple, dict, set, frozenset)


def _finish_eagerly(source: Source, given: Sequence[str], run: Eagerly, leaves: Sequence[str]) -> None:
    source.namespace |= {"_counter": run.counter, "_function": run.function, "_timed": timed_run}
    source.namespace["_look"] = functools.partial(_look, run)
    source.lines.append(f"for _ in _counter.turn: return _function({', '.join(given)})")
    source.miss_if(f"not _look(({''.join(f'{e}, ' for e in leaves)}))")
    source.lines.append(f"return _timed({', '.join(['_counter', '_function', *given])})")


def _hide_own_frames(source: Source) -> None:
    """For a function that Python calls in the place of the user's: errors leave it without its own frame."""
    inner = [f"    {line}" for line in source.lines]
    source.lines[:] = ["try:", *inner, "except BaseException as _error:", "    _cut(_error)", "    raise"]
    source.namespace["_cut"] = own_frames.cut


def _look(run: Eagerly, leaves: Any) -> bool:
    """Whether the fallback still holds, at a call with which a turn of calls that do not ask is over."""
    counter = run.counter
    counter.counted += 1
    if not run.look(leaves):
        counter.counted -= 1
        return False
    is_sampled = counter.native is not None  # machine code forwards sampled calls only
    asks_each_time = counter.count < LOOK_FIRST or is_sampled
    counter.begin_turn(0 if asks_each_time else SAMPLE_EVERY - 1)
    return True
