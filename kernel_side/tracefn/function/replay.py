"""The graph of a traced function, recorded once more in a trace that differentiates it: its Python does not run again.

That is done for graphs without control flow, of traces that only compute results from arrays and NumPy scalars. The
guards of the trace become guards of the new one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.graph import Graph, Node
from ..ir.op import CAPTURE, INPUT
from ..ir.place import Scope
from ..ir.types import Kind
from ..runtime.calls.source import MISS
from ..trace.context import Trace
from ..trace.signature import CallSignature
from ..trace.state.paths import Path
from ..trace.tensor import Tensor
from ..trace.tree import unflatten
from .concrete import ConcreteFunction
from .guards import Now
from .made.built import Built
from .traced import Function


def replayed(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call of `function`, recorded from a graph that it has already. MISS if no graph fits the call."""
    if trace is not trace.root or trace.take_guards is None or not isinstance(function, Function):
        return MISS
    if function._declared is not None or function._wrapped.has_own or not function.concrete_functions:
        return MISS
    try:
        arguments = function._bind(args, kwargs)
        signature, leaves = CallSignature.of(arguments)
    except TypeError:  # the Python function raises the error, or takes a value without a signature
        return MISS
    now = Now(signature, leaves, arguments)
    for concrete in function._cache.of_key(signature.key()):
        if (inputs := _inputs(trace, concrete, now)) is None or not _holds(concrete, now):
            continue
        built = concrete._built
        if trace.take_guards(built.values, built.identities, built.libraries):
            return _record(trace, function, concrete, inputs)
    return MISS


def _holds(concrete: ConcreteFunction, now: Now) -> bool:
    return next(concrete._execution.broken_guards(now), None) is None


def _inputs(trace: Trace, concrete: ConcreteFunction, now: Now) -> dict[Node, Node] | None:
    """The nodes of this trace for the inputs and captures of a graph. None for a graph that is not recorded again."""
    built, graph = concrete._built, concrete._built.traced
    if not _only_computes(built) or not all(n.op.pure and not n.bodies for n in graph.nodes):
        return None
    if any(n.op.view or n.op is INPUT or n.op is CAPTURE for n in graph.outputs):
        return None
    found: dict[Node, Node] = {}
    for node in graph.inputs:
        leaf = now.by_path.get(node.args[0])
        if type(leaf) is not Tensor or leaf._base is not None or leaf._choice is not None or leaf._trace is not trace:
            return None
        found[node] = leaf._node
    paths = {n.args[0]: path for n, path in zip(built.program.captures, built.captures, strict=True)}
    for node in graph.captures:
        path = paths.get(node.args[0])
        array = now.load(path) if isinstance(path, Path) else None
        if type(array) is not np.ndarray or not trace.knows_array(array):
            return None
        found[node] = trace.node_of(trace.captured(array))
    plain = (Kind.ARRAY, Kind.SCALAR)
    if any(old.types != new.types or old.type.kind not in plain for old, new in found.items()):
        return None
    return found


def _only_computes(built: Built) -> bool:
    """True for a trace that its graph, its guards and the structure of its results describe completely."""
    does_more = built.effects or built.store or built.assignments or built.created or built.aliases or built.stored
    assumes = built.memory or built.dim_guards or built.symbols or built.contents or built.not_converted
    is_plain = not (does_more or assumes or built.gives_derivatives)
    return is_plain and all(kind == "output" for kind, _ in built.result_leaves)


def _record(trace: Trace, function: Function[Any, Any], concrete: ConcreteFunction, found: dict[Node, Node]) -> Any:
    """The nodes of the graph, in the scope of a call of the function. The result is that of the call."""
    graph: Graph = concrete._built.traced
    with trace.name_scope(function.name):
        scopes: dict[str, Scope] = {"": trace.scope}

        def scope_of(scope: Scope | str) -> Scope:
            if (known := scopes.get(scope)) is None:
                outer = scope_of(getattr(scope, "outer", None) or "")
                known = scopes[scope] = Scope.inside(outer, scope.rpartition("/")[2], getattr(scope, "site", None))
            return known

        for node in graph.nodes:
            if node not in found:
                inputs = tuple([found[n] for n in node.inputs])
                parts = node.op, inputs, node.args, node.kwargs, node.types, node.container
                found[node] = made = Node(*parts, scope_of(node.scope), node.source, node.errors)
                trace.nodes.append(made)
    trace.replayed.append(concrete.signature_id)
    outputs = [Tensor(found[n], trace, owned=False) for n in graph.outputs]
    built = concrete._built
    return unflatten(built.result, [outputs[number] for _, number in built.result_leaves])
