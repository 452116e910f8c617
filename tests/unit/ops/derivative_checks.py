"""Rules of derivatives against central finite differences, for calls of NumPy's functions on plain arrays.

Samples are taken in float64 and complex128. Where two steps of different lengths disagree, the function is not smooth
at its sample (a tie, a NaN, an edge), and there is nothing to compare with.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from tracefn.ir.op import Op
from tracefn.ops.derivatives.common import unbroadcast

STEP = 1e-6

READS_A_TRIANGLE = frozenset(["linalg.cholesky", "linalg.eigh", "linalg.eigvalsh"])
"""Functions of Hermitian matrices: they are compared along Hermitian directions."""


class NotSmooth(Exception):
    """Finite differences say nothing about this sample."""


def widened(value: Any, rng: np.random.Generator | None) -> Any:
    """Floats in double precision, in lists and tuples, too; all else as it is. With a generator, a little different
    from one another."""
    if isinstance(value, list | tuple):
        return type(value)([widened(v, rng) for v in value])
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc":
        wide = value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
        return wide if rng is None else (wide + random_like(wide, rng) / 1000)
    return value


def generic(value: Any) -> Any:
    """A matrix that is a little off, so that it has full rank, no two equal singular values, and no zeros; a Hermitian
    one is so still. All else as it is."""
    if not isinstance(value, np.ndarray) or value.ndim < 2 or value.dtype.kind not in "fc":
        return value
    noise = random_like(value, np.random.default_rng(1)) / 8
    if value.shape[-1] == value.shape[-2]:
        noise = noise + np.conj(np.swapaxes(noise, -1, -2))
    return (value + noise).astype(value.dtype)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The arrays of floats in an argument, with the way to each."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc":
        yield path, value
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        if value is None:
            return None
        value = value[key] if not isinstance(value, dict) else value.get(key)
    return value


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    if isinstance(value, dict):
        return {k: replaced(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return type(value)([replaced(v, path[1:], new) if i == path[0] else v for i, v in enumerate(value)])


def by_rule(op: Op, g: Any, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The cotangents of positional and of keyword arguments, as the engine takes them from the block of an op."""
    if op.partials is not None:
        if "where" in kwargs:
            g = np.where(kwargs["where"], g, 0)
        return tuple([g * p(out, *args) if callable(p) else g * p if p else None for p in op.partials]), {}
    assert op.vjp is not None
    found = op.vjp(g, out, *args, **kwargs)
    if found is NotImplemented:
        raise NotSmooth
    return (found[:-1], found[-1]) if len(found) > len(args) else (found, {})


def fitted(cotangent: Any, value: Any) -> Any:
    """The cotangent as that of a value: without broadcast axes, real where the value is real."""
    found = unbroadcast(np.asarray(cotangent), value)
    return found if np.iscomplexobj(value) else found.real


def random_like(value: Any, rng: np.random.Generator) -> Any:
    found = rng.standard_normal(np.shape(value))
    return found + 1j * rng.standard_normal(np.shape(value)) if np.iscomplexobj(value) else found


def change(
    call: Callable[..., Any], arguments: dict[str, Any], outs: list[Any], path: Any, direction: Any, step: float
) -> list[Any]:
    """The slope of each result along a direction of one argument."""
    ends = []
    for h in (step, -step):
        given = replaced(arguments, path, at(arguments, path) + h * direction)
        found = call(*given["args"], **given["kwargs"])
        ends.append(list(found) if isinstance(found, tuple | list) else [found])
    if any(np.shape(a) != np.shape(b) or np.shape(a) != np.shape(o) for a, b, o in zip(*ends, outs, strict=True)):
        raise NotSmooth
    return [(a - b) / (2 * step) if _has_slope(a) else None for a, b in zip(*ends, strict=True)]


def _has_slope(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "fc"


def inner(g: list[Any], slopes: list[Any]) -> float:
    parts = [np.sum(np.asarray(a * b).real) for a, b in zip(g, slopes, strict=True) if a is not None and b is not None]
    return float(sum(parts))


def check_rule(
    call: Callable[..., Any], op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], without_ties: bool = False
) -> int:
    """Asserts that the rule of an op gives the slopes of a call along random directions of each of its arrays.

    Elements are a little changed where the sample should have no ties. Returns the number of arrays that were compared.
    Raises `NotSmooth` where none could be.
    """
    rng = np.random.default_rng(0)
    ties = rng if without_ties else None
    args, kwargs = tuple([widened(a, ties) for a in args]), {k: widened(v, ties) for k, v in kwargs.items()}
    args, kwargs = op.parameters.canonical(args, kwargs)
    if kwargs.get("dtype") is not None and np.dtype(kwargs["dtype"]).kind in "fc":
        kwargs["dtype"] = np.result_type(kwargs["dtype"], np.float64)
    arguments = {"args": args, "kwargs": kwargs}
    compared = 0
    if any(np.isinf(value).any() for _, value in leaves(arguments)):
        raise NotSmooth
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            out = call(*args, **kwargs)
        except ValueError as widened_too_far:  # elements of other sizes cannot be read as what the sample says
            raise NotSmooth from widened_too_far
        outs = list(out) if isinstance(out, tuple | list) else [out]
        g = [random_like(o, rng) if _has_slope(o) else None for o in outs]
        if all(part is None for part in g) or any(np.asarray(o).dtype in (np.float32, np.complex64) for o in outs):
            raise NotSmooth
        found_args, found_kwargs = by_rule(op, tuple(g) if isinstance(out, tuple | list) else g[0], out, args, kwargs)
        found = {"args": found_args, "kwargs": found_kwargs}
        for path, value in leaves(arguments):
            cotangent = at(found, path)
            cotangent = np.zeros_like(value) if cotangent is None else fitted(cotangent, value)
            assert cotangent.shape == value.shape, f"{path}: a cotangent of shape {cotangent.shape} for {value.shape}"
            direction = random_like(value, rng)
            if op.name in READS_A_TRIANGLE or kwargs.get("hermitian"):
                direction = (direction + np.conj(np.swapaxes(direction, -1, -2))) / 2
            expected, again = [
                inner(g, change(call, arguments, outs, path, direction, step)) for step in (STEP, STEP / 4)
            ]
            if not np.isclose(expected, again, rtol=1e-4, atol=1e-5):
                continue
            slope = inner([cotangent], [direction])
            assert np.isclose(slope, expected, rtol=1e-5, atol=1e-6), f"{path}: {slope} instead of {expected}"
            compared += 1
    if not compared:
        raise NotSmooth
    return compared
