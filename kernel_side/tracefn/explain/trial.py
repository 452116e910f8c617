"""A trial of a fix: the function is traced once more, as the fix would have it, and the trace is thrown away.

The keys of calls tell how many traces a change would take. Whether the one trace can be made at all, and gives results
of the same types, only tracing tells: Python code may do anything with a number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import CodeType
from typing import Any

import numpy as np

from ..function import ConcreteFunction, Function
from ..function.build import Built, build
from ..function.history import TraceRecord
from ..function.phases import Clock
from ..trace.autograph import converted_code, is_plain
from ..trace.signature import CallSignature, TensorSpec, ValueSpec
from ..trace.tree import unflatten
from .canonical import NUMBERS, all_nodes, literals

MAX_TRIED = 8
"""Trials that are remembered for each function."""


def trial(function: Function, leaves: Mapping[str, TensorSpec], may_run: bool = True) -> str | None:
    """Why one trace cannot serve the calls with these specs in the place of their leaves; None where it can.

    `leaves` maps paths to specs. A function with effects that happen while it is traced is not tried: they would
    happen again. Where it `may_run` nothing of the user's, only what was tried before is known.
    """
    record = next((r for r in reversed(function._history.records) if r.concrete is not None), None)
    if record is None or record.concrete is None:
        return "all its traces are gone"
    pairs = zip(record.call.paths, record.call.leaves, strict=True)
    signature = dataclasses.replace(record.call, leaves=tuple([leaves.get(path, leaf) for path, leaf in pairs]))
    key = (record.number, signature.key())
    tried = function._history.tried
    if key not in tried and not may_run:
        return "it was not tried"
    if key not in tried:
        while len(tried) >= MAX_TRIED:
            del tried[next(iter(tried))]
        tried[key] = _refusal(function, record, record.concrete, signature)
    return tried[key]


def _refusal(
    function: Function, record: TraceRecord, concrete: ConcreteFunction, signature: CallSignature
) -> str | None:
    if concrete.side_effects or not _is_seen_through(function):
        return "its effects while tracing would happen again, so that it was not tried"
    values = [_stand_in(was, now) for was, now in zip(record.call.leaves, signature.leaves, strict=True)]
    if any(v is None and not _is_none(leaf) for v, leaf in zip(values, signature.leaves, strict=True)):
        return "its arguments are gone or Variables, so that it was not tried"
    parts = iter(values)
    arguments = {name: unflatten(tree, [next(parts) for _ in range(tree.count())]) for name, tree in signature.trees}
    code = function._wrapped.code
    rewritten = function.autograph and code is not None and not is_plain(code)
    try:
        with function._lock:
            built = build(
                function._wrapped.function,
                function.name,
                f"{function.function_id}/trial",
                function._parameters,
                arguments,
                signature,
                Clock(_ignore),
                rewritten=rewritten,
                creation=function._creation,
            )
    except Exception as error:  # whatever the user's code raises
        return f"it cannot be traced so ({type(error).__name__})"
    if built.created:
        built.created.undo()
    if built.created or built.effects:
        return "it has effects while tracing"
    if built.dim_guards:
        return "it asks for lengths: each answer needs a trace"
    if not _numbers(built) <= _numbers(concrete) | _written(function, concrete):
        return "it makes other numbers of its arguments in Python"
    return None if _same_results(built, concrete) else "its results would have other types"


def _ignore(phase: str, duration_ns: int) -> None: ...


def _is_seen_through(function: Function) -> bool:
    """True if all that it does while tracing is known."""
    code = function._wrapped.code
    return code is not None and (is_plain(code) or (function.autograph and converted_code(code) is not None))


def _stand_in(was: Any, now: Any) -> Any:
    """A value for a leaf of the trial. None where there is none."""
    if isinstance(now, TensorSpec):
        lengths = was.shape if isinstance(was, TensorSpec) else ()
        shape = tuple([n for n in lengths if n is not None])
        if len(shape) < len(lengths) or now.device != "cpu":
            return now
        zeros = np.zeros(shape, now.dtype)
        return zeros if now.shape or now.kind is None or now.kind.value == "array" else zeros[()]
    return now.value if isinstance(now, ValueSpec) else getattr(now, "target", None)


def _is_none(leaf: Any) -> bool:
    return isinstance(leaf, ValueSpec) and leaf.value is None


def _numbers(traced: Any) -> set[str]:
    """The numbers in a graph."""
    graph = traced.traced if isinstance(traced, Built) else traced.traced_graph
    return {repr(value) for node in all_nodes(graph) for _, value in literals(node)}


def _written(function: Function, concrete: ConcreteFunction) -> set[str]:
    """The numbers in the source of the function, and of those that it calls; 0 and 1 are everywhere."""
    codes = [function._wrapped.code, *[getattr(i.target, "__code__", None) for i in concrete._target.identities]]
    found = {"0", "1"}
    while codes:
        code = codes.pop()
        for constant in () if code is None else code.co_consts:
            parts = constant if isinstance(constant, tuple) else (constant,)
            found |= {repr(p) for p in parts if isinstance(p, NUMBERS)}
            codes += [p for p in parts if isinstance(p, CodeType)]
    return found


def _same_results(built: Built, concrete: ConcreteFunction) -> bool:
    target = concrete._target
    if built.result != target.result or tuple(built.result_leaves) != target.result_leaves:
        return False
    outputs = zip(built.graph.outputs, concrete.graph.outputs, strict=True)
    return all(_alike(a.type, b.type) for a, b in outputs)


def _alike(new: Any, old: Any) -> bool:
    if (new.dtype, new.kind, len(new.shape)) != (old.dtype, old.kind, len(old.shape)):
        return False
    lengths = zip(new.shape, old.shape, strict=True)
    return all(n == m for n, m in lengths if isinstance(n, int) and isinstance(m, int))
