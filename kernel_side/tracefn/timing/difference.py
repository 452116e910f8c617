"""Whether two results are the same, and if not, where and how they differ.

The same means: same structure and container types, and for each leaf same type, dtype, shape and values. NaN equals
NaN, 0.0 does not equal -0.0, and there is no tolerance: the NumPy program calls the functions that eager code calls.
Only native programs round functions like exp and sums in another way; how far that may go is up to the caller.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tracefn.timing.arguments import is_array
from tracefn.trace.tree import flatten


def difference(eager: Any, graph: Any, name: str = "result", rounding: float = 0.0) -> str | None:
    """One or more lines that say how `graph` differs from `eager`; None where they are the same.

    Floats may differ by `rounding` times the precision of their dtype, relative to the largest number beside them.

    >>> print(difference([1.0, 2.0], [1.0, 2.5]))
    result[1]: eager 2.0, graph 2.5
    """
    eager_leaves, eager_tree = flatten(eager, name)
    graph_leaves, graph_tree = flatten(graph, name)
    if eager_tree != graph_tree:
        return f"{name}: the structures differ: eager {_outline(eager)}, graph {_outline(graph)}"
    pairs = zip(eager_leaves, graph_leaves, strict=True)
    lines = [line for (path, a), (_, b) in pairs if (line := _leaf_difference(path, a, b, rounding))]
    return "\n".join(lines) or None


def _leaf_difference(path: str, eager: Any, graph: Any, rounding: float) -> str | None:
    if type(eager) is not type(graph):
        return f"{path}: eager gives {_kind(eager)}, graph gives {_kind(graph)}"
    if is_array(eager) or isinstance(eager, np.generic):
        return _array_difference(path, eager, graph, rounding)
    if eager is graph or eager == graph or (eager != eager and graph != graph):
        return None
    return f"{path}: eager {eager!r:.200}, graph {graph!r:.200}"


def _array_difference(path: str, eager: Any, graph: Any, rounding: float) -> str | None:
    if eager.dtype != graph.dtype:
        return f"{path}: dtype {eager.dtype} eager, {graph.dtype} in the graph"
    if eager.shape != graph.shape:
        return f"{path}: shape {eager.shape} eager, {graph.shape} in the graph"
    a, b = _on_host(eager), _on_host(graph)
    differs = ~(_same_elements(a, b) | _near(a, b, rounding))
    number = int(np.count_nonzero(differs))
    if number == 0:
        return None
    index = tuple(int(i) for i in np.argwhere(differs)[0])
    place = f"{path}[{', '.join(map(str, index))}]" if index else path
    text = f"{place}: eager {a[index]!s}, graph {b[index]!s}"
    return text if number == 1 else f"{text}; {number} of {a.size} elements differ{_largest(a, b)}"


def _same_elements(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind == "c":
        return _same_elements(a.real, b.real) & _same_elements(a.imag, b.imag)
    same = np.asarray(a == b)
    if a.dtype.kind == "f":
        return (same & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
    if a.dtype.kind in "mM":
        return same | (np.isnat(a) & np.isnat(b))
    return same


def _near(a: np.ndarray, b: np.ndarray, rounding: float) -> Any:
    """Where two arrays of floats differ by no more than rounding."""
    if not rounding or a.dtype.kind not in "fc":
        return False
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(a), where=np.isfinite(a), initial=0)
        return np.abs(a - b) <= rounding * np.finfo(a.dtype).eps * largest


def _largest(a: np.ndarray, b: np.ndarray) -> str:
    if a.dtype.kind not in "fc":
        return ""
    with np.errstate(all="ignore"):
        distances = np.abs(a - b)
    finite = distances[np.isfinite(distances)]
    return f", by at most {finite.max():.3g}" if finite.size else ""


def _on_host(value: Any) -> np.ndarray:
    return np.asarray(value.get() if hasattr(value, "get") else value)


def _kind(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return type(value).__name__ if dtype is None else f"{type(value).__name__} of {dtype}{list(value.shape)}"


def _outline(value: Any) -> str:
    leaves, tree = flatten(value)
    kind = "one value" if tree.is_leaf else f"{type(value).__name__} of {len(tree.children)}"
    return f"{kind}, {len(leaves)} leaves: {', '.join(path or 'itself' for path, _ in leaves[:8])}"
