"""Statistics of samples: histograms and covariances."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.dims import definitely_different, maximum
from ..ir.op import Op, op, register
from .derivatives import statistics as d
from .rules import (
    Length,
    RuleError,
    Shape,
    TensorType,
    array,
    as_one,
    fresh_dim,
    holds_type,
    operand,
    perhaps,
    probe,
    probed,
    require_same,
    typed,
)


def _given_edges(args: tuple[Any, ...], kwargs: dict[str, Any], output: int) -> Any:
    """NumPy hands back the edges that it was given."""
    return kwargs.get("bins") if output == 1 else None


@op(
    np.histogram,
    view=_given_edges,
    fresh_dims=True,
    static=frozenset({"range", "density"}),
    raises=perhaps,
    vjp=d.of_histogram,
)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[TensorType, TensorType]:
    a = operand(a)
    _require_weights(weights, a.shape)
    counts, edges = probe(np.histogram, a, _known(bins), range, density, as_one(weights))
    count, edge_count = _bins(bins)
    return typed(counts, (count,)), typed(edges, (edge_count,))


@op(
    np.histogram_bin_edges,
    view=lambda args, kwargs, output: kwargs.get("bins"),
    fresh_dims=True,
    static=frozenset({"range"}),
    raises=perhaps,
    vjp=d.of_histogram_bin_edges,
)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> TensorType:
    a = operand(a)
    _require_weights(weights, a.shape)
    count = fresh_dim() if isinstance(bins, str) or isinstance(bins, TensorType) and not bins.shape else _bins(bins)[1]
    return probed((count,), np.histogram_bin_edges, a, _known(bins), range, as_one(weights))


@op(
    np.histogram2d,
    fresh_dims=True,
    static=frozenset({"bins", "range", "density"}),
    raises=perhaps,
    vjp=d.of_histogram2d,
)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[TensorType, ...]:
    x, y = operand(x), operand(y)
    require_same(x.size, y.size)
    if weights is not None:
        require_same(x.size, operand(weights).size)
    values = probe(np.histogram2d, x, y, bins, range, density, as_one(weights))
    counts = values[0].shape
    return tuple([typed(v, s) for v, s in zip(values, (counts, (counts[0] + 1,), (counts[1] + 1,)), strict=True)])


def _parts(sample: Any, bins: Any, range: Any, density: Any, weights: Any) -> tuple[Any, ...]:
    counts, edges = np.histogramdd(sample, bins, range, density, weights)
    return counts, *edges


def _parts_lines(targets: str, arguments: list[str]) -> list[str]:
    counts, _, edges = targets.partition(", ")
    return [f"{counts}, ({edges.removesuffix(',')},) = np.histogramdd({', '.join(arguments)})"]


def _parts_rule(sample: Any, bins: Any, range: Any, density: Any, weights: Any) -> tuple[TensorType, ...]:
    sample = operand(sample)
    if sample.ndim > 1 and not isinstance(sample.shape[-1], int):
        raise RuleError("the number of dimensions of the histogram must be known")
    points = sample if sample.ndim > 1 else array(sample.dtype, (sample.size, 1))
    if weights is not None:
        require_same(points.shape[0], operand(weights).shape[0])
    stand_in = array(points.dtype, (1, points.shape[1]))
    counts, *edges = _parts(np.ones(stand_in.shape, stand_in.dtype), bins, range, density, None)
    return array(counts.dtype, counts.shape), *[array(e.dtype, e.shape) for e in edges]


HISTOGRAMDD = register(
    Op(
        "histogramdd_parts",
        _parts,
        _parts_rule,
        lines=_parts_lines,
        static=frozenset({"bins", "range", "density"}),
        vjp=d.of_histogramdd,
    )
)
"""`np.histogramdd` with its results in one row: the counts, then the edges along each dimension."""


def _require_weights(weights: Any, shape: Shape) -> None:
    if weights is not None:
        for length, found in zip(shape, operand(weights).shape, strict=True):
            require_same(length, found)


def _known(bins: Any) -> Any:
    """The argument as it is where its values are known: NumPy then sees whether they increase."""
    return operand(bins) if holds_type(bins) else bins


def _bins(bins: Any) -> tuple[Length, Length]:
    """The number of bins that an argument makes, and the number of their edges."""
    if not isinstance(bins, str) and operand(bins).shape:
        edges = operand(bins).shape[0]
        return maximum(edges - 1, 0), edges
    count = fresh_dim() if isinstance(bins, str | TensorType) else operator.index(bins)
    return count, count + 1


@op(np.cov, static=frozenset({"rowvar", "bias", "ddof", "dtype"}), vjp=d.of_cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> TensorType:
    m, y, fweights, aweights = as_one(m), as_one(y), as_one(fweights), as_one(aweights)
    value = probe(np.cov, m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
    count, samples = _variables(m, y, rowvar)
    for weights in (fweights, aweights):
        if weights is not None:
            require_same(operand(weights).shape[0], samples)
    return _matrix(value, count)


@op(np.corrcoef, static=frozenset({"rowvar", "dtype"}), vjp=d.of_corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> TensorType:
    x, y = as_one(x), as_one(y)
    value = probe(np.corrcoef, x, y, rowvar, dtype=dtype)
    return _matrix(value, _variables(x, y, rowvar)[0])


def _variables(m: Any, y: Any, rowvar: Any) -> tuple[Length, Length]:
    """The numbers of variables and of samples."""
    count, samples = _rows_and_columns(operand(m).shape)
    if not rowvar and operand(m).ndim == 2:
        count, samples = samples, count
    if y is not None:
        more, others = _rows_and_columns(operand(y).shape)
        if not rowvar and more != 1:
            if not definitely_different(more, 1):
                raise RuleError("the number of rows of y must be known: NumPy takes a single row for one variable")
            more, others = others, more
        require_same(samples, others)
        count = count + more
    return count, samples


def _rows_and_columns(shape: Shape) -> tuple[Length, Length]:
    rows, columns = ((1, 1) + shape)[-2:]
    return rows, columns


def _matrix(value: Any, count: Length) -> TensorType:
    """The type of a matrix of `count` variables, which NumPy makes a number where there is one variable."""
    if count == 1:
        return typed(value, ())
    if not definitely_different(count, 1):
        raise RuleError("the number of variables must be known: the result for one variable is a number, not a matrix")
    return array(np.asarray(value).dtype, (count, count))
