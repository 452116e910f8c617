"""Derivatives of calls of NumPy's functions as the engine takes them, against the rules on plain arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import tracefn
from tracefn.ir import template
from tracefn.ir.template import Ref
from unit.ops.derivative_checks import NotSmooth, at, by_rule, fitted, leaves, random_like, widened
from unit.ops.table import Row

STEP = 1e-5


class Traced:
    """A call of a row as a function of its arrays, whose result is one number: its results times fixed numbers."""

    def __init__(self, row: Row, without_ties: bool) -> None:
        rng = np.random.default_rng(0)
        ties = rng if without_ties else None
        args, kwargs = tuple([widened(a, ties) for a in row.args]), {k: widened(v, ties) for k, v in row.kwargs.items()}
        self.row, (self.args, self.kwargs) = row, row.op.parameters.canonical(args, kwargs)
        self.out = row.call(*self.args, **self.kwargs)
        self.is_many = isinstance(self.out, tuple | list)
        outs = list(self.out) if self.is_many else [self.out]
        if any(np.asarray(o).dtype in (np.float16, np.float32, np.complex64) for o in outs):
            raise NotSmooth
        self.weights = [random_like(o, rng) if np.asarray(o).dtype.kind in "fc" else None for o in outs]
        self.values: list[Any] = []
        self.paths: list[Any] = []
        names = [*row.op.parameters.positional, *[""] * len(self.args)]
        self._args = [self._freeze(n, a, ("args", i)) for i, (n, a) in enumerate(zip(names, self.args, strict=False))]
        self._kwargs = {name: self._freeze(name, v, ("kwargs", name)) for name, v in self.kwargs.items()}
        self.floats = tuple([i for i, v in enumerate(self.values) if v.dtype.kind in "fc"])
        if not self.floats or all(w is None for w in self.weights):
            raise NotSmooth

    def _freeze(self, name: str, value: Any, path: tuple[Any, ...]) -> Any:
        if name in self.row.op.static:
            return value

        def leaf(item: Any) -> Any:
            if not isinstance(item, np.ndarray) and not (isinstance(item, np.generic) and item.dtype.kind in "fc"):
                return item
            self.values.append(item)
            return Ref(len(self.values) - 1)

        self.paths += [found for found, _ in leaves(value, path)]
        return template.freeze(value, leaf)

    def cotangents(self) -> list[Any]:
        """The derivatives by the arrays of floats, as the rule of the op has them."""
        g = tuple(self.weights) if self.is_many else self.weights[0]
        args, kwargs = by_rule(self.row.op, g, self.out, self.args, self.kwargs)
        parts = [at({"args": args, "kwargs": kwargs}, path) for path in self.paths]
        floats = [self.values[i] for i in self.floats]
        return [np.zeros_like(v) if p is None else fitted(p, v) for p, v in zip(parts, floats, strict=True)]

    def gradient(self) -> Callable[..., Any]:
        """The derivative of the sum of the results times the weights."""
        call, args, kwargs, is_many, weights = self.row.call, self._args, self._kwargs, self.is_many, self.weights

        def loss(*arrays: Any) -> Any:
            def fill(frozen: Any) -> Any:
                return template.fill(frozen, lambda ref: arrays[ref.index])

            found = call(*map(fill, args), **{name: fill(v) for name, v in kwargs.items()})
            total = 0.0
            for weight, result in zip(weights, found if is_many else [found], strict=True):
                if weight is not None:
                    total = total + np.sum(np.real(weight * result))
            return total

        return tracefn.grad(loss, argnums=self.floats)


def check_traced(row: Row, without_ties: bool, open_lengths: bool) -> None:
    """Asserts that the engine gives what the rule gives, in the dtypes and shapes of the arrays. Raises `NotSmooth`
    where there is nothing to compare."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        traced = Traced(row, without_ties)
        expected, gradient = traced.cotangents(), traced.gradient()
        if open_lengths and all(isinstance(v, np.ndarray) for v in traced.values):
            specs = [
                tracefn.TensorSpec(tuple([n if n == 1 else None for n in v.shape]), v.dtype) for v in traced.values
            ]
            gradient = tracefn.function(lambda *arrays, gradient=gradient: gradient(*arrays), input_signature=specs)
        _compare(gradient(*traced.values), expected, [traced.values[i].dtype for i in traced.floats], 1e-9)


def check_second_order(row: Row, without_ties: bool) -> None:
    """Asserts that the derivative of a derivative is what finite differences of the first one give."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        traced = Traced(row, without_ties)
        first, rng = traced.gradient(), np.random.default_rng(1)
        directions = [random_like(traced.values[i], rng) for i in traced.floats]

        def along(*arrays: Any) -> Any:
            total = 0.0
            for part, direction in zip(first(*arrays), directions, strict=True):
                total = total + np.sum(np.real(part * direction))
            return total

        slopes = [_slopes(first, traced, directions, step) for step in (STEP, STEP / 4)]
        if not all(np.allclose(a, b, rtol=1e-3, atol=1e-4) for a, b in zip(*slopes, strict=True)):
            raise NotSmooth
        found = tracefn.grad(along, argnums=traced.floats)(*traced.values)
        _compare(found, slopes[0], [traced.values[i].dtype for i in traced.floats], 1e-4)


def _slopes(first: Callable[..., Any], traced: Traced, directions: list[Any], step: float) -> list[Any]:
    ends = []
    for h in (step, -step):
        moved = list(traced.values)
        for i, direction in zip(traced.floats, directions, strict=True):
            moved[i] = moved[i] + h * direction
        ends.append(first(*moved))
    return [(a - b) / (2 * step) for a, b in zip(*ends, strict=True)]


def _compare(found: Any, expected: list[Any], dtypes: list[Any], tolerance: float) -> None:
    for one, other, dtype in zip(found, expected, dtypes, strict=True):
        assert np.shape(one) == np.shape(other), f"shape {np.shape(one)} instead of {np.shape(other)}"
        assert one.dtype == dtype, f"{one.dtype} instead of {dtype}"
        assert np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True), f"{one} instead of {other}"
