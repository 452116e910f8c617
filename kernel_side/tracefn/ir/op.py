"""The record of an op and the registry of all ops.

An op is one block in `ops/`: the NumPy callable it stands for, which is its dispatch key, its reference implementation
and the judge of its errors; a rule that gives the types of its results; and how it prints. The rule has the parameters
of the NumPy function and is called with `TensorType`s in place of arrays.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ..records import dataclass
from .types import TensorType

Types = TensorType | tuple[TensorType, ...] | list[TensorType]


def _always(result: Any, inputs: Sequence[Any]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Static:
    """The answer of a rule whose result is known while tracing and is no tensor: `np.shape(x)`, `np.ndim(x)`."""

    value: Any


@dataclass(frozen=True, slots=True)
class Combines:
    """How an op combines the elements along axes of its array, two at a time. `axis` is the default:
    None for all. NumPy's ufunc knows the neutral element: `ufunc.identity`.

    A mean divides by the number of elements, `takes_weights` perhaps; an op that `skips_nan` leaves NaNs out; one that
    `gives_position` gives the index of the extremum; a `is_running` one has a result for each element.
    """

    ufunc: np.ufunc
    axis: int | None = None
    is_mean: bool = False
    takes_weights: bool = False
    skips_nan: bool = False
    gives_position: bool = False
    is_running: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """The method of arrays that does the work of a function: it takes the arguments behind the array in the same order,
    and `keywords`. One that `warns` of floats would name a line of NumPy's."""

    keywords: frozenset[str]
    warns: bool = False


def method(keywords: str = "", warns: bool = False) -> Method:
    """The fact that a function has a method which takes these keywords."""
    return Method(frozenset(keywords.split()), warns)


@dataclass(frozen=True, eq=False)
class Op:
    """One operation.

    `name` is unique and prints after `np.` for style 'function'. `style` says how a call prints: 'function'
    (`np.tanh(x)`), 'operator' (`x + y` with `symbol`), 'method' (`x.astype(…)`), 'index' (`x[i]`), 'subscript'
    (`np.mgrid[0:n]`), 'leaf' for a node that is no call, 'effect' for a statement that may keep its arguments, 'draw'
    for a method of a random generator or a call that makes one, 'list' for one that works on a Python list.
    `elementwise` ops work element by element and can write into `out=`. The results of a `view` op may share memory
    with its first argument; where it is another one, or not in every call, `view` is a function that tells (`viewed`).
    Nothing may be written into the views of an op that is `read_only`.
    An op that is not `pure` draws or changes state: it is never merged, folded or dropped. `fresh_dims` marks results
    whose lengths depend on values, or that are changed in place later: two of them are never one. Parameters named in
    `static` decide shapes: they must be known while tracing, or else the op named `dynamic` takes its place.
    `raises(...)`, with the arguments of the rule, tells whether a call may raise for some values of its inputs: then it
    runs also where its result is dead. An op that `changes` its first argument gives that very object, as its only
    result or the first one. `warns(result, inputs)`, given their types, tells whether NumPy may warn of a call. The
    results of an op with `fresh_memory` are always arrays of their own; those that are `elementwise` are
    besides. `combines` is for reductions and running totals, `method` for functions that are methods, too. `fills` is
    the number that fills a new array, None where it is left open. `scalar_of` is the ufunc that an operator of Python
    is on NumPy's scalars. An `is_branch` op runs one of its bodies, an `is_loop` one a body many times or not at all.
    `lines(target, arguments)` gives the Python statements of an op that is no expression: `target` is the name of its
    result (but for the object that it `changes`), `arguments` are the sources of its arguments in order, keywords as
    `name=source`. Parameters named in `codes` say the types of values in the op's own way: no drawing shows them.
    `partials` are the derivatives of an elementwise op by its operands, one for each: a number, or a function
    `partial(out, *operands)` in NumPy's operations; those of a `singular` op may be infinite or NaN where the
    operands are finite. An op that `selects` may leave out elements that it is given: their cotangent is 0. `vjp(g,
    out, *args, **kwargs)` is that of any other op: it takes the cotangents of the results (None for one that has
    none; a tuple where there are several), the results, and the arguments of the call, and returns one cotangent
    for each positional argument, None where there is none. Where keyword arguments have cotangents, a dict of these
    by name follows as one entry more; an array among the keywords that it leaves out has no derivative that is
    known. A cotangent is cast to the dtype of its argument, of a complex one for a real argument the real part.
    Cotangents of complex numbers are not conjugated: that of a holomorphic function is `g * derivative`. A rule
    returns NotImplemented for a call whose derivative is not known, or in the place of the cotangent that is not. A
    list that stands for an array is an array to the rule. An operand with `parts` is a 'list' of arrays,
    or 'nested' ones: then a rule returns such lists, too. An op without `partials` and `vjp` has no derivative that
    is known; one whose derivative is 0 says so by `partials`.
    """

    name: str
    call: Callable[..., Any]
    rule: Callable[..., Any]
    style: str = "function"
    symbol: str = ""
    elementwise: bool = False
    view: bool | Callable[[tuple[Any, ...], dict[str, Any], int], Any] = False
    read_only: bool = False
    pure: bool = True
    fresh_dims: bool = False
    static: frozenset[str] = frozenset()
    dynamic: str = ""
    raises: Callable[..., bool] | None = None
    warns: Callable[[Any, Sequence[Any]], bool] = _always
    fresh_memory: bool = False
    combines: Combines | None = None
    method: Method | None = None
    fills: Any = ...
    scalar_of: np.ufunc | None = None
    changes: bool = False
    is_branch: bool = False
    is_loop: bool = False
    lines: Callable[[str, list[str]], list[str]] | None = None
    codes: frozenset[str] = frozenset()
    partials: tuple[Any, ...] | None = None
    singular: bool = False
    selects: bool = False
    parts: str = ""
    vjp: Callable[..., Any] | None = None

    @functools.cached_property
    def parameters(self) -> Parameters:
        """Those of the rule, found when the op is first met."""
        return Parameters.of(self.rule)

    def viewed(self, args: tuple[Any, ...], kwargs: Iterable[tuple[str, Any]], output: int = 0) -> Any:
        """The argument, in a call's template, whose memory an output may share. None where it has its own."""
        if callable(self.view):
            return self.view(args, dict(kwargs), output)
        return args[0] if self.view and args else None

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (by_name, (self.name,))


class Parameters:
    """The parameters of a rule, and calls brought to one canonical form by them.

    Required and positional-only parameters are passed by position, the others by keyword in the order of the signature,
    and those that equal their default are dropped, so that `np.sum(x, 0)` and `np.sum(x, axis=0)` are one call.
    """

    __slots__ = ("defaults", "keywords", "nameless", "positional", "required", "rest", "extra")

    def __init__(
        self, positional: list[str], nameless: set[str], defaults: dict[str, Any], rest: str | None, extra: bool
    ) -> None:
        self.positional = positional
        self.nameless = nameless & set(defaults)
        self.defaults = defaults
        self.required = [n for n in positional if n not in defaults]
        self.keywords = set(positional) | set(defaults)
        self.rest = rest
        self.extra = extra

    @classmethod
    def of(cls, rule: Callable[..., Any]) -> Parameters:
        if type(rule) is FunctionType and not vars(rule):  # which may name the signature of another
            return cls._of_code(rule.__code__, rule.__defaults__ or (), rule.__kwdefaults__ or {})
        positional, nameless, defaults, rest, extra = [], set(), {}, None, False
        for p in inspect.signature(rule).parameters.values():
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                positional.append(p.name)
            if p.kind is p.POSITIONAL_ONLY:
                nameless.add(p.name)
            if p.kind is p.VAR_POSITIONAL:
                rest = p.name
            elif p.kind is p.VAR_KEYWORD:
                extra = True
            elif p.default is not p.empty:
                defaults[p.name] = p.default
        return cls(positional, nameless, defaults, rest, extra)

    @classmethod
    def _of_code(cls, code: CodeType, defaults: tuple[Any, ...], keywords: dict[str, Any]) -> Parameters:
        """The same in a twentieth of the time."""
        count, names = code.co_argcount, code.co_varnames
        positional = list(names[:count])
        by_name = names[count : (end := count + code.co_kwonlyargcount)]
        known = dict(zip(positional[count - len(defaults) :], defaults, strict=True))
        known |= {name: keywords[name] for name in by_name if name in keywords}
        rest = names[end] if code.co_flags & inspect.CO_VARARGS else None
        return cls(
            positional, set(names[: code.co_posonlyargcount]), known, rest, bool(code.co_flags & inspect.CO_VARKEYWORDS)
        )

    def canonical(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call with required arguments by position and the others by keyword, without defaults.

        Raises TypeError where the call does not fit the signature.
        """
        if not kwargs and (len(args) == len(self.required) if self.rest is None else not self.positional):
            return args, kwargs
        if not kwargs and self.rest is not None and len(args) > len(self.positional):
            return args, kwargs
        given = dict(zip(self.positional, args, strict=False))
        surplus = args[len(self.positional) :]
        if surplus and self.rest is None:
            raise TypeError(f"takes {len(self.positional)} positional arguments but {len(args)} were given")
        if surplus:
            return args, {k: v for k, v in kwargs.items() if not self._is_default(k, v)}
        for name, value in kwargs.items():
            if name in given or (name not in self.keywords and not self.extra):
                raise TypeError(f"unexpected or repeated argument {name!r}")
            given[name] = value
        missing = [n for n in self.required if n not in given]
        if missing:
            raise TypeError(f"missing argument {missing[0]!r}")
        leading = [n for n in self.positional if n in given and n in self.nameless] if self.nameless else []
        first = tuple([given.pop(n) for n in (self.required + leading)])
        order = [n for n in self.defaults if n in given] + [n for n in given if n not in self.defaults]
        return first, {n: given[n] for n in order if not self._is_default(n, given[n])}

    def _is_default(self, name: str, value: Any) -> bool:
        if name not in self.defaults:
            return False
        default = self.defaults[name]
        return value is default or (type(value) is type(default) and isinstance(value, int | str) and value == default)


_by_call: dict[Any, Op] = {}
_by_name: dict[str, Op] = {}


def register(op: Op, *aliases: Callable[..., Any]) -> Op:
    """Adds an op to the registry under its callable and the aliases. Raises ValueError where the name is taken."""
    if op.name in _by_name:
        raise ValueError(f"op {op.name!r} is registered twice")
    _by_name[op.name] = op
    for call in (op.call, *aliases):
        _by_call[call] = op
    return op


def op(call: Callable[..., Any], *aliases: Callable[..., Any], name: str | None = None, **fields: Any) -> Any:
    """Registers the decorated rule as the op that stands for `call`; the rule itself comes back unchanged."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        register(Op(name or numpy_name(call), call, rule, **fields), *aliases)
        return rule

    return decorate


def numpy_name(call: Callable[..., Any]) -> str:
    """The name of a NumPy callable below `np.`: 'tanh', 'linalg.svd'."""
    name = call.__name__
    if isinstance(call, np.ufunc):
        return name if getattr(np, name, None) is call else f"strings.{name}"
    module = call.__module__.removeprefix("numpy").lstrip(".")
    return f"{module}.{name}" if module and getattr(np, name, None) is not call else name


by_call: Callable[[Any], Op | None] = _by_call.get
"""The op that stands for a NumPy callable, or None."""


def by_name(name: str) -> Op:
    """The op with this name. Raises KeyError where there is none."""
    return _by_name[name]


def all_ops() -> list[Op]:
    """Every registered op, in the order of registration."""
    return list(_by_name.values())


def _no_rule(*args: Any) -> Any:
    raise TypeError("this op is not called")


INPUT = register(Op("input", lambda: None, _no_rule, style="leaf"))
CAPTURE = register(Op("capture", lambda: None, _no_rule, style="leaf"))
CONSTANT = register(Op("constant", lambda: None, _no_rule, style="leaf"))
LEAVES = frozenset({INPUT, CAPTURE, CONSTANT})
ITEM = register(Op("item", lambda values, index: values[index], _no_rule, style="leaf"))
DIM = register(Op("dim", lambda value: value, _no_rule, style="leaf"))
