"""Derivatives of histograms by their weights and edges, and of covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from .common import conjugated, places, widened
from .cumulative import of_difference

Cotangents = tuple[Any, ...]


def of_histogram(
    g: Any, out: Any, a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Cotangents:
    """A weight counts in its bin. The edges lie between the least and the greatest sample where none are given."""
    edges = out[1] if out[1] is not None else np.histogram_bin_edges(a, bins, range)
    by_edges, by_weights = _of_counts(g[0], [g[1]], out[0], [a], [edges], density, weights)
    found = {} if weights is None else {"weights": by_weights}
    if np.ndim(bins) == 1:
        return None, found | {"bins": by_edges[0]}
    return None if range is not None else _of_edges(by_edges[0], a), found


def of_histogram_bin_edges(
    g: Any, out: Any, a: Any, bins: Any = 10, range: Any = None, weights: Any = None
) -> Cotangents:
    if np.ndim(bins) == 1:
        return None, {"bins": g}
    return (None if range is not None else _of_edges(g, a),)


def of_histogram2d(
    g: Any, out: Any, x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Cotangents:
    known = [np.ravel(x), np.ravel(y)]
    edges = out[1:] if out[1] is not None and out[2] is not None else np.histogram2d(x, y, bins, range)[1:]
    by_edges, by_weights = _of_counts(g[0], g[1:], out[0], known, edges, density, weights)
    free = _free(bins, range, 2)
    by_samples = [_of_edges(e, s) if is_free else None for e, s, is_free in zip(by_edges, known, free, strict=True)]
    return (*by_samples, {} if weights is None else {"weights": by_weights})


def of_histogramdd(g: Any, out: Any, sample: Any, bins: Any, range: Any, density: Any, weights: Any) -> Cotangents:
    columns = np.transpose(np.atleast_2d(sample)) if np.ndim(sample) == 2 else np.reshape(sample, (1, -1))
    known = [columns[i] for i, _ in enumerate(out[1:])]
    edges = out[1:] if all(e is not None for e in out) else np.histogramdd(sample, bins, range)[1]
    by_edges, by_weights = _of_counts(g[0], g[1:], out[0], known, edges, density, weights)
    free = _free(bins, range, len(known))
    parts = [_of_edges(e, s) if is_free else None for e, s, is_free in zip(by_edges, known, free, strict=True)]
    rows = [np.zeros_like(s) if part is None else part for part, s in zip(parts, known, strict=True)]
    return np.reshape(np.stack(rows, axis=-1), np.shape(sample)), None, None, None, by_weights


def _free(bins: Any, range: Any, count: int) -> list[bool]:
    """Along which dimensions the samples decide the edges."""
    each = bins if isinstance(bins, list | tuple) and len(bins) == count else [bins] * count
    given = [None] * count if range is None else range
    return [np.ndim(b) == 0 and r is None for b, r in zip(each, given, strict=True)]


def _of_counts(
    g: Any, of_edges: Any, out: Any, samples: list[Any], edges: Any, density: Any, weights: Any
) -> tuple[list[Any], Any]:
    """The cotangents of the edges and of the weights, given those of the sums in the bins and of the edges."""
    of_edges = list(of_edges)
    if g is None:
        return of_edges, None
    inside: Any = True
    index = []
    for sample, line in zip(samples, edges, strict=True):
        last = np.shape(line)[0] - 2
        place = np.where(sample == line[-1], last, np.searchsorted(line, sample, side="right") - 1)
        inside = inside & (place >= 0) & (place <= last)
        index.append(np.clip(place, 0, last))
    if density:
        total = np.sum(inside) if weights is None else np.sum(np.where(inside, weights, 0))
        volume: Any = 1
        for axis, line in enumerate(edges):
            widths = np.diff(line)
            others = tuple([i for i, _ in enumerate(edges) if i != axis])
            by_widths = -np.sum(g * out, axis=others) / widths
            by_line = of_difference(by_widths)
            of_edges[axis] = by_line if of_edges[axis] is None else of_edges[axis] + by_line
            volume = volume * np.expand_dims(widths, others)
        g = (g / volume - np.sum(g * out)) / total
    return of_edges, np.where(inside, g[tuple(index)], 0)


def _of_edges(g: Any, a: Any) -> Any:
    """The cotangent of the samples, of which the least is the first edge and the greatest the last."""
    if g is None or np.size(a) == 0:
        return None
    share = places(g, 0) / (np.shape(g)[0] - 1)
    ends = [(np.min(a), np.sum(g * (1 - share))), (np.max(a), np.sum(g * share))]
    parts = [np.where(a == end, by_end / np.sum(a == end), 0) for end, by_end in ends]
    return parts[0] + parts[1]


def of_bincount(g: Any, out: Any, x: Any, weights: Any = None, minlength: Any = 0) -> Cotangents:
    return None, {} if weights is None else {"weights": g[x]}


def of_cov(
    g: Any, out: Any, m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, dtype: Any = None,
) -> Cotangents:  # fmt: skip
    """`C = A w A* / n` of the deviations A from the means, of which w and n are made of the weights."""
    samples = _variables(m, rowvar)
    if y is not None:
        samples = np.concatenate([samples, _variables(y, rowvar, True)])
    counts = 1 if fweights is None else widened(np.atleast_1d(fweights))
    weights = counts if aweights is None else counts * widened(np.atleast_1d(aweights))
    if fweights is None and aweights is None:
        mean, total = np.mean(samples, axis=1, keepdims=True), np.shape(samples)[1]
    else:
        total = np.sum(weights)
        mean = np.sum(samples * weights, axis=1, keepdims=True) / total
    less = (0 if bias else 1) if ddof is None else ddof
    norm = total - less
    if aweights is not None:
        norm = total - less * np.sum(weights * weights / counts) / total
    away = samples - mean
    g = np.reshape(g, (np.shape(samples)[0],) * 2)
    by_samples = (g + conjugated(np.transpose(g))) @ conjugated(away) * weights / norm
    count = np.shape(_variables(m, rowvar))[0]
    found: dict[str, Any] = {}
    if y is not None:
        found["y"] = _as(by_samples[count:], y, rowvar, True)
    if aweights is not None:
        by_weight = np.real(np.sum(g @ conjugated(away) * away, axis=0))
        squares = np.sum(weights * weights / counts)
        slope = counts - less * (2 * weights / total - squares * counts / (total * total))
        found["aweights"] = by_weight * counts / norm - np.real(np.sum(g * out)) * slope / norm
    return _as(by_samples[:count], m, rowvar), found


def of_corrcoef(g: Any, out: Any, x: Any, y: Any = None, rowvar: Any = True, dtype: Any = None) -> Cotangents:
    """A covariance over the roots of the two variances."""
    count = np.shape(_variables(x, rowvar))[0] + (0 if y is None else np.shape(_variables(y, rowvar, True))[0])
    g, out = np.reshape(g, (count, count)), np.reshape(out, (count, count))
    c = np.reshape(np.cov(x, y, rowvar=rowvar), (count, count))
    roots = np.sqrt(np.real(np.diagonal(c)))
    half = np.real(g * out) / 2
    by_variance = -(np.sum(half, axis=0) + np.sum(half, axis=1)) / np.real(np.diagonal(c))
    by_c = g / (np.expand_dims(roots, 1) * roots) + np.diag(by_variance)
    return of_cov(by_c, c, x, y, rowvar)


def _variables(m: Any, rowvar: Any, is_second: bool = False) -> Any:
    """The samples as rows, one for each variable."""
    return np.transpose(np.atleast_2d(m)) if _is_turned(m, rowvar, is_second) else np.atleast_2d(m)


def _is_turned(m: Any, rowvar: Any, is_second: bool) -> bool:
    """True where each column is a variable. A second array of one row is one variable all the same."""
    return not rowvar and np.ndim(m) == 2 and not (is_second and np.shape(m)[0] == 1)


def _as(rows: Any, m: Any, rowvar: Any, is_second: bool = False) -> Any:
    return np.reshape(np.transpose(rows) if _is_turned(m, rowvar, is_second) else rows, np.shape(m))
