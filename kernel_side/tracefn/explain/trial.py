"""A trial of a fix: the function is traced once more, as the fix would have it, and the trace is thrown away.

The keys of calls tell how many traces a change would take. Whether the one trace can be made at all, and gives results
of the same types, only tracing tells: Python code may do anything with a number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence, Set
from types import CodeType
from typing import Any

import numpy as np

from ..function import ConcreteFunction, Function
from ..function.history.traces import TraceRecord
from ..function.made.built import Built
from ..function.tracing.build import Request, build
from ..function.tracing.phases import Clock
from ..ir.graph import Graph
from ..ir.types import Kind, random_class, type_of
from ..records import dataclass
from ..trace.autograph import converted_code, is_plain
from ..trace.origin import where
from ..trace.signature import CallSignature, GeneratorSpec, TensorSpec, ValueSpec, VariableSpec
from ..trace.tree import LEAF, unflatten
from ..trace.variables.variable import Variable
from .canonical import NUMBERS, all_nodes, literals
from .patch import Patch

MAX_TRIED = 8
"""Trials that are remembered for each function."""

HARMLESS = {"write", "print", "time"}
"""Effects of tracing that a trial takes back, does not have, or that are not visible."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a fix is not proved. `kind` is 'refused' (a trial showed that something would change), 'untried' (there can
    be no trial), or 'unasked' (there was none so far, and nothing of the user's may run now)."""

    kind: str
    text: str


UNASKED = Obstacle("unasked", "it was not tried")


def trial(function: Function, leaves: Mapping[str, TensorSpec], may_run: bool = True) -> Obstacle | None:
    """Why one trace is not proved to serve the calls with these specs in the place of their leaves; None where it is.

    `leaves` maps paths to specs. A trial leaves nothing: the function's changes of state while it is traced are taken
    back, it prints nothing, and Variables and generators among its arguments are others. A function with effects that
    cannot be taken back is not tried. Where it `may_run` no code of the user's, only earlier trials are known.
    """
    record = next((r for r in reversed(function._history.records) if r.concrete is not None), None)
    if record is None or record.concrete is None:
        return Obstacle("refused", "all its traces are gone")
    pairs = zip(record.call.paths, record.call.leaves, strict=True)
    signature = dataclasses.replace(record.call, leaves=tuple([leaves.get(path, leaf) for path, leaf in pairs]))
    patch = Patch(())
    return _once(function, (record.number, signature.key()), may_run, record, record.concrete, signature, patch)


def trial_of_lists(function: Function, names: Set[str], may_run: bool = True) -> Obstacle | None:
    """The same for arguments that are lists of numbers, and would be arrays."""
    record = next((r for r in reversed(function._history.records) if r.concrete is not None), None)
    if record is None or record.concrete is None:
        return Obstacle("refused", "all its traces are gone")
    call, as_arrays, position = record.call, CallSignature((), (), ()), 0
    for name, tree in call.trees:
        part = slice(position, position + tree.count())
        position += tree.count()
        paths, leaves, shape = call.paths[part], call.leaves[part], tree
        if name in names:
            values = np.asarray([leaf.value for leaf in leaves if isinstance(leaf, ValueSpec)])
            paths, leaves, shape = (name,), (TensorSpec.from_value(values),), LEAF
        as_arrays = CallSignature(
            (*as_arrays.trees, (name, shape)), (*as_arrays.paths, *paths), (*as_arrays.leaves, *leaves)
        )
    asked = dataclasses.replace(record, call=as_arrays)
    return _once(function, (record.number, as_arrays.key()), may_run, asked, record.concrete, as_arrays, Patch(()))


def trial_outside(function: Function, casts: Mapping[str, str], may_run: bool = True) -> Obstacle | None:
    """The same for numbers from outside, by their paths, that would be the arrays that `casts` make of them."""
    record = next((r for r in reversed(function._history.records) if r.concrete is not None), None)
    if record is None or record.concrete is None:
        return Obstacle("refused", "all its traces are gone")
    arrays = []
    for guard in record.concrete._execution.target.values:
        if guard.path.text in casts:
            dtype = casts[guard.path.text].partition(", np.")[2].removesuffix(")")
            arrays.append((guard.path, np.asarray(guard.value, dtype or None)))
    key = (record.number, tuple(sorted(casts.items())))
    return _once(function, key, may_run, record, record.concrete, record.call, Patch(arrays))


def _once(function: Function, key: Any, may_run: bool, *arguments: Any) -> Obstacle | None:
    tried = function._history.tried
    if key not in tried and not may_run:
        return UNASKED
    if key not in tried:
        while len(tried) >= MAX_TRIED:
            del tried[next(iter(tried))]
        tried[key] = _obstacle(function, *arguments)
    return tried[key]


def _obstacle(
    function: Function, record: TraceRecord, concrete: ConcreteFunction, signature: CallSignature, patch: Patch
) -> Obstacle | None:
    lasting = [effect for effect in concrete.side_effects if effect.kind not in HARMLESS]
    if lasting:
        return _untried(record, concrete, function, f"{lasting[0].text} ({where(lasting[0].source)}), and would again")
    if not _is_seen_through(function):
        return _untried(record, concrete, function, "its effects while it is traced cannot be seen")
    values = _stand_ins(record, signature)
    if any(v is None and not _is_none(leaf) for v, leaf in zip(values, signature.leaves, strict=True)):
        return Obstacle("refused", "its arguments are gone")
    try:
        python_function = patch.function(function._wrapped.function)
        values = patch.arguments(signature.paths, values)
    except Exception as error:  # an object of the user's that cannot be copied
        return _untried(record, concrete, function, f"no copy can be made for it ({type(error).__name__})")
    built = _tried(function, python_function, signature, values)
    if isinstance(built, str):
        return Obstacle("refused", built)
    if refused := _difference(function, built, concrete):
        return Obstacle("refused", refused)
    if missed := patch.missed(built):
        return _untried(record, concrete, function, f"{', '.join(missed)} is read where no array can be put on trial")
    return None


def _untried(record: TraceRecord, concrete: ConcreteFunction, function: Function, why: str) -> Obstacle:
    """Without a trial, numbers in the graph must be arguments as they are: Python has made nothing of them."""
    arguments = {_number(leaf.value) for leaf in record.call.leaves if isinstance(leaf, ValueSpec)}
    arguments |= {_number(number) for number in record.numbers.values()}
    if not _numbers(concrete) <= arguments | _written(function, concrete):
        return Obstacle("refused", "it makes other numbers of its arguments in Python")
    return Obstacle("untried", why)


def _tried(function: Function, python_function: Any, signature: CallSignature, values: Sequence[Any]) -> Built | str:
    """A trace of the function for this signature; why there is none."""
    parts = iter(values)
    arguments = {name: unflatten(tree, [next(parts) for _ in range(tree.count())]) for name, tree in signature.trees}
    code = function._wrapped.code
    is_simple = code is None or is_plain(function._wrapped.function, arguments.values())
    undo: list[Callable[[], None]] = []
    try:
        return build(
            Request(
                python_function,
                function.name,
                f"{function.function_id}/trial",
                function._parameters,
                arguments,
                signature,
                Clock(_ignore),
                rewritten=function.autograph and not is_simple,
                creation=function._creation,
                undo=undo,
                numbers=function._changing.numbers(),
            )
        )
    except Exception as error:  # whatever the user's code raises
        return f"it cannot be traced so ({type(error).__name__})"
    finally:
        for step in undo:
            step()


def _difference(function: Function, built: Built, concrete: ConcreteFunction) -> str | None:
    """The change that a tried trace would make; None where there is none."""
    if built.created:
        return "it makes Variables"
    if not {effect.kind for effect in built.effects} <= HARMLESS:
        return "it has effects while tracing"
    if built.dim_guards:
        return "it asks for lengths: each answer needs a trace"
    if not _numbers(built) <= _numbers(concrete) | _written(function, concrete):
        return "it makes other numbers of its arguments in Python"
    if _stores(built) != _stores(concrete._built):
        return "it would write other values outside, at each call"
    return None if _same_results(built, concrete) else "its results would have other types"


def _stores(traced: Built) -> str:
    """The writes of a trace besides arrays."""
    return traced.store.source if traced.store else ""


def _ignore(phase: str, duration_ns: int) -> None: ...


def _is_seen_through(function: Function) -> bool:
    """True if all that it does while tracing is known."""
    code = function._wrapped.code
    return code is not None and (
        is_plain(function._wrapped.function) or (function.autograph and converted_code(code) is not None)
    )


def _stand_ins(record: TraceRecord, signature: CallSignature) -> list[Any]:
    """A value for each leaf of the trial; None for one that has none."""
    values: list[Any] = []
    for was, now in zip(record.call.leaves, signature.leaves, strict=True):
        if isinstance(now, VariableSpec | GeneratorSpec) and now.alias < len(values):
            values.append(values[now.alias])
        elif isinstance(now, VariableSpec):
            values.append(Variable(np.zeros(now.shape, now.dtype), shape=now.declared))
        elif isinstance(now, GeneratorSpec):
            values.append(None if now.bits is None or now.kind is Kind.OBJECT else random_class(now.kind)(now.bits()))
        else:
            values.append(_stand_in(was, now))
    return values


def _stand_in(was: Any, now: Any) -> Any:
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


def _numbers(traced: Any) -> set[Any]:
    """The numbers in a graph."""
    graph = traced.traced if isinstance(traced, Built) else traced.traced_graph
    return {_number(value) for node in all_nodes(graph) for _, value in literals(node)}


def _number(value: Any) -> Any:
    """A number, whichever type it has: `np.float64(0)` is made of the 0 in the source."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, NUMBERS) else repr(value)


def _written(function: Function, concrete: ConcreteFunction) -> set[Any]:
    """The numbers in the source of the function, and of those that it calls; 0 and 1 are everywhere."""
    codes = [
        function._wrapped.code,
        *[getattr(i.target, "__code__", None) for i in concrete._execution.target.identities],
    ]
    found: set[Any] = {0, 1}
    while codes:
        code = codes.pop()
        for constant in () if code is None else code.co_consts:
            parts = constant if isinstance(constant, tuple) else (constant,)
            found |= {p for p in parts if isinstance(p, NUMBERS)}
            codes += [p for p in parts if isinstance(p, CodeType)]
    return found


def _same_results(built: Built, concrete: ConcreteFunction) -> bool:
    target = concrete._execution.target
    if built.result != target.result or len(built.result_leaves) != len(target.result_leaves):
        return False
    pairs = zip(built.result_leaves, target.result_leaves, strict=True)
    return all(_same_leaf(built.graph, new, concrete.graph, old) for new, old in pairs)


def _same_leaf(new_graph: Graph, new: tuple[str, Any], old_graph: Graph, old: tuple[str, Any]) -> bool:
    """True where one part of the results stays as it is; a constant array or NumPy scalar may become a computed one."""
    if new[0] == "output":
        is_array = old[0] == "value" and isinstance(old[1], np.ndarray | np.generic)
        before = old_graph.outputs[old[1]].type if old[0] == "output" else type_of(old[1]) if is_array else None
        return before is not None and _alike(new_graph.outputs[new[1]].type, before)
    return new[0] == old[0] and (new[1] is old[1] or bool(np.all(new[1] == old[1])))


def _alike(new: Any, old: Any) -> bool:
    if (new.dtype, new.kind, len(new.shape)) != (old.dtype, old.kind, len(old.shape)):
        return False
    lengths = zip(new.shape, old.shape, strict=True)
    return all(n == m for n, m in lengths if isinstance(n, int) and isinstance(m, int))
