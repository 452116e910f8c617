"""Whether native code is worth building, as far as the graph tells: an estimate, made in microseconds.

Its constants were measured on x86 with AVX2, and are right within a factor of a few elsewhere: it decides only
cases that are far from even.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ir.dims import Dim
from ..ir.graph import Graph, Node
from ..ir.op import DIM, ITEM
from ..ir.template import Ref, leaves
from ..ir.types import Kind

START_NS, NODE_NS = 50_000_000, 700_000
"""Processor time of building: a constant, and one for each node."""

LEAST_SHARE = 0.1
"""The part of a call's time that machine code must be able to shorten."""

_CALL_NS, _ELEMENT_NS, _FUNCTION_NS = 700, 2.0, 8.0
"""The overhead of a NumPy call, its time for each element, and that of a function like exp."""

_LIBRARIES = {
    "contraction": "BLAS",
    "gufunc": "BLAS",
    "einsum": "BLAS",
    "linalg": "LAPACK",
    "fft": "the FFT library",
    "sort": "sorting",
}
"""Families of ops whose work machine code leaves to NumPy, and who does it there."""


def cost_ns(nodes: int) -> int:
    """Processor time of building the native program of a graph, in ns."""
    return START_NS + NODE_NS * nodes


def futile(graph: Graph) -> str:
    """Why machine code can shorten the calls of a graph by little. Empty where it may by more, or where that is not
    known."""
    times: dict[str, float] = {}
    try:
        _add(graph, times)
    except _Unknown:
        return ""
    theirs = {who: time for who, time in times.items() if who}
    total = sum(times.values())
    if not theirs or times.get("", 0.0) >= LEAST_SHARE * total:
        return ""
    return f"{sum(theirs.values()) / total:.0%} of its time is that of {max(theirs, key=theirs.__getitem__)}"


class _Unknown(Exception):
    """Nothing is known of how long something takes."""


def _add(graph: Graph, times: dict[str, float]) -> None:
    """Adds the times of a graph's nodes in ns, by the library that runs them; '' for nodes that machine code may run. A
    loop may have any number of rounds, which all take the same. Raises _Unknown."""
    for node in graph.nodes:
        if node.is_leaf or node.op in (ITEM, DIM):
            continue
        for body in node.bodies:
            _add(body.graph, times)
        if node.op.view or node.bodies:
            times[""] = times.get("", 0.0) + _CALL_NS
            continue
        library = _LIBRARIES.get(node.op.rule.__module__.rpartition(".")[2], "")
        if library and _is_reordered(node, library):
            raise _Unknown
        times[library] = times.get(library, 0.0) + _time(node, library)


def _is_reordered(node: Node, library: str) -> bool:
    """True for products of products, which another order may make much shorter."""
    return library == "BLAS" and any(
        _LIBRARIES.get(n.op.rule.__module__.rpartition(".")[2]) == "BLAS" for n in node.inputs
    )


def _time(node: Node, library: str) -> float:
    given = [node.inputs[ref.index] for ref in leaves(node.args) if type(ref) is Ref]
    sizes = [_size(n.types[0]) for n in given if n.types]
    largest, made = max(sizes, default=1), sum(map(_size, node.types))
    if library == "BLAS":  # of (m, k) and (k, n): m * k * n
        return _CALL_NS + 0.1 * math.sqrt(math.prod(sizes) * made) + 0.5 * sum(sizes)
    if library == "LAPACK":
        return _CALL_NS + 10 * _CALL_NS + largest**1.5
    if library:
        return _CALL_NS + 2 * largest * math.log2(largest + 1)
    return _CALL_NS + (_FUNCTION_NS if _is_function(node.op.call) else _ELEMENT_NS) * max(largest, made)


def _is_function(call: Any) -> bool:
    """True for a function like exp: a ufunc of one number that is for floats alone."""
    return isinstance(call, np.ufunc) and call.nin == 1 and not any(types[0] in "bBlL" for types in call.types)


def _size(value_type: Any) -> int:
    size = value_type.size
    if isinstance(size, Dim) or value_type.kind is Kind.OBJECT:
        raise _Unknown
    return int(size)
