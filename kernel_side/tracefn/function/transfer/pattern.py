"""A trace as a pattern for others: its graph and program, and all that it knows of objects by their identity."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from ...codegen import Program
from ...codegen.numpy_program import program_of
from ...ir.dims import Dim
from ...ir.graph import Constant, Graph, Node
from ...ir.template import Body, Ref, leaves
from ...records import dataclass
from ...runtime.calls.memory_guards import MemoryGuard
from ...trace.code.bytecode import instructions
from ...trace.foreign import Checkpoint
from ...trace.signature import CallSignature, ObjectSpec
from ...trace.state.paths import Path, ValueCapture
from ..concrete import ConcreteFunction
from ..fallback.retry import simple_retry
from ..guards import Now
from ..made.built import OTHER_OBJECTS, Built
from .objects import Classes, Objects, Unlike, classes_of, is_the_same_for_all

_HARMLESS = frozenset({"raise_error", "update", "checkpoint"})
"""Ops that are not pure, and know no object but a checkpoint."""


@dataclass(eq=False)
class TransferredBuilt(Built):
    """A trace that was made for other objects."""

    taken_from: ClassVar[str] = OTHER_OBJECTS


class Pattern:
    """A trace, and the classes of the objects that it knows by identity."""

    def __init__(self, concrete: ConcreteFunction, classes: Classes, functions: Iterable[types.FunctionType]) -> None:
        self._built = concrete._built  # and not the concrete function, which holds the function of its instance
        self._signature = concrete.signature
        self._own = concrete._execution.target.own
        self._classes = classes
        self._codes = [function.__code__ for function in functions]

    @classmethod
    def of(cls, concrete: ConcreteFunction, functions: Iterable[types.FunctionType]) -> Pattern | None:
        """That of a new trace, which met these functions. None where it holds for its own objects alone."""
        found = classes_of(concrete.signature, concrete._built.identities)
        return cls(concrete, found, functions) if found and _may_serve_others(concrete._built) else None

    @functools.cached_property
    def _serves_others(self) -> bool:
        """True if the program and the results hold no object but by a path."""
        built = self._built
        return (
            is_the_same_for_all(built.result)
            and not any(map(_makes_sets, self._codes))
            and all(map(_is_known, [*built.graph.nodes, *built.traced.nodes]))
        )

    def for_call(self, call: CallSignature, now: Now, name: str) -> tuple[Built, CallSignature] | None:
        """The trace for the objects of a call, as the one called `name`, and its signature. None where it cannot be
        taken over. Its guards are still to be asked."""
        built, old, own = self._built, self._signature, self._own
        if old.trees != call.trees or own is None or not own.holds:
            return None
        try:
            objects = Objects(self._classes, old, call, now)
            objects.follow(built.identities)
            transferred = _transferred(built, objects, name) if self._serves_others else None
        except Unlike:
            return None
        if transferred is None:
            return None
        pairs = zip(old.leaves, call.leaves, strict=True)
        specs = tuple([new if type(mine) is ObjectSpec else mine for mine, new in pairs])
        return transferred, dataclasses.replace(old, leaves=specs)


def _may_serve_others(built: Built) -> bool:
    """False for a trace that other objects need one of their own of, for all that it did or changes."""
    is_seen = built.for_its_objects or any(effect.kind != "iterator" for effect in built.effects)
    makes_sets = any(identity.target in (set, frozenset) for identity in built.libraries)
    changes = built.created or built.aliases or built.replayed or built.assignments
    return not (is_seen or makes_sets or changes) and (built.retry is None or built.retry.is_simple)


@functools.lru_cache(maxsize=1024)
def _makes_sets(code: types.CodeType) -> bool:
    """True for code that may make a set of objects: their addresses decide its order."""
    inner = [constant for constant in code.co_consts if type(constant) is types.CodeType]
    return any(name in ("BUILD_SET", "SET_ADD") for name, _ in instructions(code)) or any(map(_makes_sets, inner))


def _is_known(node: Node) -> bool:
    inner = [n for body in node.bodies for n in body.graph.nodes]
    if any(n.op.name == "checkpoint" or not _is_known(n) for n in inner):
        return False
    if not (node.op.pure or node.op.style in ("draw", "control") or node.op.name in _HARMLESS):
        return False
    given = leaves((node.args, tuple([value for _, value in node.kwargs])))
    held = [value.value if type(value) is Constant else value for value in given]
    return all(type(v) in _IN_TEMPLATES or (is_the_same_for_all(v) and not _is_address(v)) for v in held)


_IN_TEMPLATES = frozenset({Ref, Dim, Body, Checkpoint, int, float, bool, type(None), slice})


def _is_address(value: Any) -> bool:
    """True for the text of an object that has none of its own."""
    return isinstance(value, str | bytes) and ("0x" in value if isinstance(value, str) else b"0x" in value)


def _transferred(built: Built, objects: Objects, name: str) -> TransferredBuilt:
    has_checkpoint = any(type(value) is Checkpoint for value in built.program.constants.values())
    own = Checkpoint() if has_checkpoint else None
    retry = built.retry
    if retry is not None and retry.checkpoint is not None:
        retry = simple_retry(retry.always, own)
    graph = _with(own, built.graph)
    fields = {field.name: getattr(built, field.name) for field in dataclasses.fields(Built)}
    fields |= {
        "graph": graph,
        "traced": graph if built.traced is built.graph else _with(own, built.traced),
        "program": _program(built, own, name),
        "retry": retry,
        "captures": tuple([_capture(path, objects) for path in built.captures]),
        "values": tuple([dataclasses.replace(v, path=objects.path(v.path)) for v in map(_checked, built.values)]),
        "identities": tuple([objects.identity(identity) for identity in built.identities]),
        "libraries": tuple([dataclasses.replace(i, path=objects.path(i.path)) for i in built.libraries]),
        "contents": tuple([guard.at(objects.path(guard.path)) for guard in built.contents]),
        "memory": tuple([_memory(guard, objects) for guard in built.memory]),
        "store": None if built.store is None else built.store.with_objects(objects.constant, objects.path),
        "result_leaves": tuple([_leaf(kind, value) for kind, value in built.result_leaves]),
        "phases": {},
    }
    return TransferredBuilt(**fields)


def _capture(path: Any, objects: Objects) -> Any:
    if isinstance(path, Path):
        return objects.path(path)
    if path is np.random.mtrand._rand:
        return path
    raise Unlike


def _checked(guard: ValueCapture) -> ValueCapture:
    if not is_the_same_for_all(guard.value):
        raise Unlike
    return guard


def _memory(guard: MemoryGuard, objects: Objects) -> MemoryGuard:
    left = objects.path(guard.left) if isinstance(guard.left, Path) else guard.left
    right = objects.path(guard.right) if isinstance(guard.right, Path) else guard.right
    return dataclasses.replace(guard, left=left, right=right)


def _leaf(kind: str, value: Any) -> tuple[str, Any]:
    if kind == "value" and (not is_the_same_for_all(value) or _is_address(value)):
        raise Unlike
    return kind, value


def _program(built: Built, checkpoint: Checkpoint | None, name: str) -> Program:
    """The program with a checkpoint of its own: one call may run while another has not ended."""
    program = built.program
    if checkpoint is None:
        return program
    constants = {n: checkpoint if type(v) is Checkpoint else v for n, v in program.constants.items()}
    code = program.function.__code__
    return program_of(
        code, program.source, program.sources, constants, built.graph.name, program.captures, name, built.module
    )


def _with(checkpoint: Checkpoint | None, graph: Graph) -> Graph:
    """The graph with another checkpoint."""
    if checkpoint is None:
        return graph
    nodes = [
        dataclasses.replace(node, args=(checkpoint, *node.args[1:])) if node.op.name == "checkpoint" else node
        for node in graph.nodes
    ]
    return Graph(graph.name, tuple(nodes), graph.inputs, graph.outputs, graph.results)
