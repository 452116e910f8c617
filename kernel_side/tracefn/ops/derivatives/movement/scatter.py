"""Helpers that the rules of ops that move elements share: scattering, and cotangents that are not there."""

from __future__ import annotations

from typing import Any

import numpy as np


def reshaped(g: Any, out: Any, a: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """The rule of an op that gives the elements, in their order, another shape."""
    return (np.reshape(g, np.shape(a)),)


def unchanged(g: Any, out: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """The rule of an op whose result equals its first argument."""
    return (g,)


def at_axis(axis: int, index: Any) -> tuple[Any, ...]:
    """The index that picks along one axis, which is not counted from the end."""
    return (*[slice(None)] * axis, index)


def scattered(g: Any, like: Any, index: Any) -> Any:
    """An array like `like` that has at each index the sum of the elements of `g` for it, and 0 elsewhere."""
    made = np.zeros_like(g, shape=np.shape(like))
    np.add.at(made, index, g)
    return made


def placed(g: Any, like: Any, index: Any) -> Any:
    """As `scattered`, where no element is picked twice."""
    made = np.zeros_like(like, dtype=g.dtype)
    made[index] = g
    return made


def counting(length: Any, like: Any) -> Any:
    """The numbers below a length, which is open perhaps; `like` is any value of the trace."""
    return np.arange(length, like=like) if hasattr(like, "__array_function__") else np.arange(length)


def positions(a: Any) -> Any:
    """The position of each element in C order, in an array that lies in memory as `a` does."""
    made = np.empty_like(a, dtype=np.intp)
    made[...] = np.reshape(counting(np.size(a), a), np.shape(a))
    return made


def scattered_flat(g: Any, like: Any, places: Any) -> Any:
    """As `scattered`, for positions in C order."""
    made = np.zeros_like(np.reshape(like, -1), dtype=g.dtype)
    length = np.size(like)
    if isinstance(length, int) and not length:
        return np.reshape(made, np.shape(like))
    np.add.at(made, places, g)
    return np.reshape(made, np.shape(like))


def or_zeros(g: Any, like: Any) -> Any:
    """A cotangent, zeros where there is none."""
    return np.zeros_like(like) if g is None else g


def as_given(arrays: Any, parts: list[Any]) -> Any:
    """The cotangent of a sequence argument: a list, or an array where one array was given for the sequence."""
    return parts if isinstance(arrays, list | tuple) else np.stack(parts)
