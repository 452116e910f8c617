"""Random numbers: the methods of `np.random.Generator` and `np.random.RandomState`, and their constructors.

They change the generator that they are called on: impure, in program order, once for each time that they run. Types
are found by a draw of one number from a generator that is thrown away; whether parameters make sense, NumPy says at the
call.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import Dim
from ..ir.infer import RuleError
from ..ir.op import Op, register
from ..ir.types import Kind, TensorType, array, random_type, result, type_of
from .derivatives import random as derivative
from .make import shape_of_lengths
from .random_tables import GENERATOR, MAKERS, RANDOM_STATE, SAFE
from .rules import Shape, axis_of, broadcast_shapes, operand, typed

PREFIX = {Kind.GENERATOR: "Generator", Kind.RANDOM_STATE: "RandomState"}


_signature_of = functools.cache(inspect.signature)


def draws(kind: Kind, name: str) -> str:
    """The name of the op that stands for a method."""
    return f"{PREFIX[kind]}.{name}"


def _throw_away(kind: Kind) -> Any:
    return np.random.RandomState(0) if kind is Kind.RANDOM_STATE else np.random.default_rng(0)


def _probe(kind: Kind, name: str, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(_throw_away(kind), name)(*args, **kwargs)


def _size(size: Any) -> Shape:
    """A `size` argument as a shape."""
    if isinstance(size, np.ndarray):
        size = size.tolist()
    if isinstance(size, TensorType) and size.shape:
        raise RuleError(f"`size` is a {size!r}: give an int or a tuple of ints")
    return shape_of_lengths(size)


def _distribution(kind: Kind, name: str, parameters: Callable[..., tuple[Any, ...]]) -> Callable[..., Any]:
    """The rule of a method that draws numbers one by one, for parameters that are broadcast."""

    def rule(*args: Any, **kwargs: Any) -> TensorType:
        given = _signature_of(parameters).bind(*args, **kwargs).arguments
        if given.get("out") is not None:
            return type_of(given["out"])
        options = {option: given[option] for option in ("dtype", "endpoint") if option in given}
        numbers = parameters(*args, **kwargs)
        if all(n is None or type(n) in (int, float) for n in numbers) and type(options.get("endpoint", True)) is bool:
            safe = numbers  # NumPy refuses some
        else:
            safe = SAFE.get(name, (1,) * len(numbers))
            options.pop("endpoint", None)
        if given.get("size") is not None:
            shape = _size(given["size"])
            return array(_probe(kind, name, *safe, size=(1,), **options).dtype, shape)
        shape = broadcast_shapes(*[operand(p).shape for p in numbers if p is not None])
        return typed(_probe(kind, name, *safe, size=(1,) if shape else None, **options), shape)

    rule.__wrapped__ = parameters  # type: ignore[attr-defined]  # its signature is the rule's
    return rule


def _of_vectors(kind: Kind, name: str, parts: Callable[..., tuple[Shape, Any, Any]]) -> Callable[..., Any]:
    """The rule of a method that draws vectors: `parts` gives the shape without `size`, the length, and the dtype."""

    def rule(*args: Any, **kwargs: Any) -> TensorType:
        size = _signature_of(parts).bind(*args, **kwargs).arguments.get("size")
        shape, length, dtype = parts(*args, **kwargs)
        return array(dtype, (*(shape if size is None else _size(size)), length))

    rule.__wrapped__ = parts  # type: ignore[attr-defined]
    return rule


def _length(values: Any, name: str) -> Any:
    shape = operand(values).shape
    if not shape:
        raise ValueError(f"{name} must be at least one-dimensional")
    return shape[-1]


def _multinomial(generator: Any, n: Any, pvals: Any, size: Any = None) -> Any:
    probabilities = operand(pvals).shape
    return broadcast_shapes(operand(n).shape, probabilities[:-1]), _length(pvals, "pvals"), np.int64


def _legacy_multinomial(generator: Any, n: Any, pvals: Any, size: Any = None) -> Any:
    return (), _length(pvals, "pvals"), _probe(Kind.RANDOM_STATE, "multinomial", 1, [1.0]).dtype


def _dirichlet(generator: Any, alpha: Any, size: Any = None) -> Any:
    return (), _length(alpha, "alpha"), np.float64


def _hypergeometric(generator: Any, colors: Any, nsample: Any, size: Any = None, method: str = "marginals") -> Any:
    return (), _length(colors, "colors"), np.int64


def _normal(
    generator: Any, mean: Any, cov: Any, size: Any = None, check_valid: Any = "warn", tol: Any = 1e-8, *,
    method: str = "svd",
) -> Any:  # fmt: skip
    return (), _length(mean, "mean"), np.float64


def _legacy_normal(
    generator: Any, mean: Any, cov: Any, size: Any = None, check_valid: Any = "warn", tol: Any = 1e-8
) -> Any:
    return (), _length(mean, "mean"), np.float64


def _is_count(value: TensorType) -> bool:
    return not value.shape and value.dtype.kind in "iu"


def _choice(kind: Kind, a: Any, size: Any, axis: Any) -> TensorType:
    population = operand(a)
    counted = _is_count(population)
    if not counted and not population.shape:
        raise ValueError("a must be a sequence or an integer")
    if size is None and population.ndim < 2:
        return typed(_probe(kind, "choice", 1), ()) if counted else result(population.dtype, ())
    drawn = () if size is None else _size(size)
    if counted:
        return array(_probe(kind, "choice", 1, (1,)).dtype, drawn)
    axis = axis_of(axis, population.ndim)
    return array(population.dtype, (*population.shape[:axis], *drawn, *population.shape[axis + 1 :]))


def _generator_choice(
    generator: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True
) -> TensorType:
    return _choice(Kind.GENERATOR, a, size, axis)


def _legacy_choice(generator: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> TensorType:
    if operand(a).ndim > 1:
        raise ValueError("a must be 1-dimensional")
    return _choice(Kind.RANDOM_STATE, a, size, 0)


def _permutation(generator: Any, x: Any, axis: Any = 0) -> TensorType:
    found = operand(x)
    if not _is_count(found):
        axis_of(axis, found.ndim)
        return array(found.dtype, found.shape)
    return array(np.int64, shape_of_lengths(x if isinstance(x, TensorType | Dim) else int(x)))


def _legacy_permutation(generator: Any, x: Any) -> TensorType:
    return _permutation(generator, x)


def _permuted(generator: Any, x: Any, *, axis: Any = None, out: Any = None) -> TensorType:
    found = operand(x) if out is None else type_of(out)
    return array(found.dtype, found.shape)


def _shuffled(generator: Any, x: Any, axis: Any = 0) -> TensorType:
    axis_of(axis, operand(x).ndim)
    return type_of(x)


def _legacy_shuffled(generator: Any, x: Any) -> TensorType:
    return _shuffled(generator, x)


def _seed(generator: Any, seed: Any = None) -> tuple[TensorType, ...]:
    return ()


def _spawn(generator: Any, n_children: int) -> list[TensorType]:
    return [random_type(Kind.GENERATOR)] * n_children


def _sized(kind: Kind, name: str) -> Callable[..., Any]:
    """The rule of `rand` and `randn`, whose arguments are the lengths."""

    def rule(generator: Any, *args: Any) -> TensorType:
        return array(np.float64, shape_of_lengths(args)) if args else typed(_probe(kind, name), ())

    return rule


def _method(name: str) -> Callable[..., Any]:
    """The function of a method's op. An array that the method fills is a copy."""

    def call(generator: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is not None:
            kwargs["out"] = kwargs["out"].copy("K")
        return getattr(generator, name)(*args, **kwargs)

    return call


def _shuffle(generator: Any, x: Any, **kwargs: Any) -> Any:
    shuffled = x.copy("K")
    generator.shuffle(shuffled, **kwargs)
    return shuffled


def _method_lines(name: str) -> Callable[[str, list[str]], list[str]]:
    def lines(target: str, arguments: list[str]) -> list[str]:
        generator, *rest = arguments
        rest = [f"{a}.copy('K')" if a.startswith("out=") else a for a in rest]
        call = f"{generator}.{name}({', '.join(rest)})"
        return [f"{target} = {call}" if target else call]

    return lines


def _shuffle_lines(target: str, arguments: list[str]) -> list[str]:
    generator, x, *rest = arguments
    if not target:
        return [f"{generator}.shuffle({', '.join([x, *rest])})"]
    return [f"{target} = {x}.copy('K'); {generator}.shuffle({', '.join([target, *rest])})"]


def _register(kind: Kind, name: str, rule: Callable[..., Any]) -> None:
    register(
        Op(
            draws(kind, name),
            _shuffle if name == "shuffle" else _method(name),
            rule,
            style="draw",
            pure=False,
            fresh_dims=True,
            static=frozenset({"dtype", "axis", "n_children"}),
            lines=_shuffle_lines if name == "shuffle" else _method_lines(name),
            vjp=derivative.OF.get(name),
        )
    )


_SPECIAL: dict[Kind, dict[str, Callable[..., Any]]] = {
    Kind.GENERATOR: {
        "choice": _generator_choice, "permutation": _permutation, "permuted": _permuted, "shuffle": _shuffled,
        "spawn": _spawn,
    },
    Kind.RANDOM_STATE: {
        "choice": _legacy_choice, "permutation": _legacy_permutation, "shuffle": _legacy_shuffled, "seed": _seed,
        "rand": _sized(Kind.RANDOM_STATE, "rand"), "randn": _sized(Kind.RANDOM_STATE, "randn"),
    },
}  # fmt: skip
_VECTORS: dict[Kind, dict[str, Callable[..., Any]]] = {
    Kind.GENERATOR: {
        "dirichlet": _dirichlet, "multinomial": _multinomial, "multivariate_hypergeometric": _hypergeometric,
        "multivariate_normal": _normal,
    },
    Kind.RANDOM_STATE: {
        "dirichlet": _dirichlet, "multinomial": _legacy_multinomial, "multivariate_normal": _legacy_normal,
    },
}  # fmt: skip

for _kind, _table in ((Kind.GENERATOR, GENERATOR), (Kind.RANDOM_STATE, RANDOM_STATE)):
    for _name, _parameters in _table.items():
        _register(_kind, _name, _distribution(_kind, _name, _parameters))
    for _name, _parts in _VECTORS[_kind].items():
        _register(_kind, _name, _of_vectors(_kind, _name, _parts))
    for _name, _rule in _SPECIAL[_kind].items():
        _register(_kind, _name, _rule)


def methods() -> list[tuple[Kind, str]]:
    """The methods that are traced, as (kind of generator, name)."""
    return [
        (kind, name)
        for kind, table in ((Kind.GENERATOR, GENERATOR), (Kind.RANDOM_STATE, RANDOM_STATE))
        for name in (*table, *_VECTORS[kind], *_SPECIAL[kind])
    ]


def _maker(name: str, signature: Callable[..., Any]) -> None:
    """Registers a function that makes a generator, or a seed for one: a new one at each call."""
    kind = {"default_rng": Kind.GENERATOR, "Generator": Kind.GENERATOR, "RandomState": Kind.RANDOM_STATE}
    made = random_type(kind.get(name, Kind.SEED))

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(np.random, name)(*args, **kwargs)

    def rule(*args: Any, **kwargs: Any) -> TensorType:
        return made

    def lines(target: str, arguments: list[str]) -> list[str]:
        made = f"np.random.{name}({', '.join(arguments)})"
        return [f"{target} = {made}" if target else made]

    rule.__signature__ = inspect.signature(signature)  # type: ignore[attr-defined]
    register(Op(f"random.{name}", call, rule, style="draw", pure=False, fresh_dims=True, lines=lines))


for _name, _signature in MAKERS.items():
    _maker(_name, _signature)
