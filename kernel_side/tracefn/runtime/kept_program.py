"""Native programs as bytes: on disk, where an earlier process has built them, and from a process that builds for this
one. They run a few milliseconds after the trace, and need not be built again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..codegen.machine import abi, engine, object_cache
from ..codegen.numpy_program import Program, program
from ..ir.graph import Graph, Node
from ..ir.op import CONSTANT, by_name
from ..ir.packed import pack, unpack
from ..ir.place import Source
from ..ir.serialise import NotSerialisable
from .calls.steps import Known, Step, Steps
from .code_version import code_version
from .kept_kernel import Gone, KeptKernel, serialise_kernel

_MOST_BYTES = 1 << 14
"""Larger arrays that passes made are not serialised again."""


class KeptProgram:
    """A native program that was built elsewhere, from its serialised form. `whole` builds it here, for those who
    look at its parts."""

    is_better = True

    def __init__(self, content: bytes, graph: Graph, name: str, module: Any, whole: Callable[[], Any]) -> None:
        kept, bodies = unpack(content)
        nodes = list(_nodes(graph))
        sources = [node.source for node in nodes]
        kernels = [
            KeptKernel(text, body, sources, f"{name} {text['name']}", module)
            for text, body in zip(kept["kernels"], bodies, strict=True)
        ]
        constants = {variable: _constant(record, nodes) for variable, record in kept["constants"].items()}
        constants |= {v: kernel.function for v, kernel in zip(kept["variables"], kernels, strict=True)}
        lines = {int(line): sources[place] for line, place in kept["lines"].items()}
        known = {line: source for line, source in lines.items() if source is not None}
        self.size = sum(kernel.size for kernel in kernels)
        self.program: Program = program(kept["source"], known, constants, graph, name, module)
        self.order: list[int] | None = kept["order"]
        self.steps = None if kept["steps"] is None else _steps(kept["steps"], kernels)
        self.run: Callable[..., Any] = self.program.function if self.order is None else kernels[0].function
        self.direct: Any = None
        self._whole = whole

    @property
    def graph(self) -> Graph:
        return self._whole().graph

    @property
    def nodes(self) -> dict[int, Node]:
        found: dict[int, Node] = self._whole().nodes
        return found

    @property
    def kernels(self) -> list[Any]:
        return self._whole().kernels


class NotBetter:
    """The record of a native program that was not better: it is not built again."""

    is_better = False


_NOT_BETTER = b"not better"


def load(
    graph: Graph, name: str, module: Any, precise: bool, whole: Callable[[], Any]
) -> KeptProgram | NotBetter | None:
    """The native program of a graph from disk, or that it is not better. None where there is none, or its code is not
    there any more."""
    if object_cache.folder() is None or abi.unknown():
        return None
    try:
        content = object_cache.load(_key(graph, precise))
        if content is None:
            return None
        return NotBetter() if content == _NOT_BETTER else KeptProgram(content, graph, name, module, whole)
    except (ImportError, Gone):
        return None


def keep(native: Any, graph: Graph, precise: bool) -> None:
    """Keeps a native program for later processes, where it has nothing that only this one knows, or that it is not
    better."""
    if object_cache.folder() is None:
        return
    try:
        content = serialise(native, graph) if native.is_better else _NOT_BETTER
    except NotSerialisable:
        return
    object_cache.store(_key(graph, precise), content)


def _key(graph: Graph, precise: bool) -> str:
    return object_cache.key(graph.name, graph.hash, str(precise), code_version(), *engine.surroundings())


def _nodes(graph: Graph) -> Iterator[Node]:
    for node in graph.nodes:
        yield node
        for body in node.bodies:
            yield from _nodes(body.graph)


# --- as text, and back


def serialise(native: Any, graph: Graph) -> bytes:
    """A native program as bytes. Raises NotSerialisable where it has something that only this process knows."""
    functions = {id(kernel.function): k for k, kernel in enumerate(native.kernels)}
    places: dict[Source, int] = {}
    values: dict[int, int] = {}
    for place, node in enumerate(_nodes(graph)):
        if node.source is not None:
            places.setdefault(node.source, place)
        if node.op is CONSTANT:
            values.setdefault(id(node.args[0].value), place)
    variables, constants = {}, {}
    for name, value in native.program.constants.items():
        if id(value) in functions:
            variables[functions[id(value)]] = name
        else:
            constants[name] = ["node", values[id(value)]] if id(value) in values else _serialise_constant(value)
    kernels = [serialise_kernel(kernel, places) for kernel in native.kernels]
    text = {
        "source": native.program.source,
        "lines": {line: places[source] for line, source in native.program.sources.items() if source in places},
        "constants": constants,
        "variables": [variables[k] for k in range(len(functions))],
        "kernels": [{**text, "name": k.graph.name} for k, (text, _) in zip(native.kernels, kernels, strict=True)],
        "order": native.order,
        "steps": None if native.steps is None else _serialise_steps(native.steps, functions),
    }
    return pack(text, [body for _, body in kernels])


def _serialise_steps(steps: Steps, functions: Mapping[int, int]) -> dict[str, Any]:
    """The steps of a short program. Values have numbers in the place of nodes."""
    numbers: dict[Any, int] = {}

    def numbered(values: Iterable[Any]) -> list[int]:
        return [numbers.setdefault(value, len(numbers)) for value in values]

    def operand(given: Any) -> list[Any]:
        if not isinstance(given, Known):
            return ["value", *numbered([given])]
        if type(given.value) not in (bool, int, float):
            raise NotSerialisable(repr(given.value))
        return ["known", given.value]

    inputs, all_steps = numbered(steps.inputs), []
    for step, op in zip(steps.all, steps.ops, strict=True):
        called = op if op else functions[id(step.function)]
        all_steps.append([called, [operand(given) for given in step.given], numbered(step.made)])
    return {"inputs": inputs, "steps": all_steps, "outputs": numbered(steps.outputs)}


def _steps(text: Mapping[str, Any], kernels: list[KeptKernel]) -> Steps:
    def operand(record: list[Any]) -> Any:
        return Known(record[1]) if record[0] == "known" else record[1]

    steps, ops = [], []
    for called, given, made in text["steps"]:
        function = by_name(called).call if isinstance(called, str) else kernels[called].function
        steps.append(Step(function, tuple(map(operand, given)), tuple(made)))
        ops.append(called if isinstance(called, str) else "")
    return Steps(tuple(steps), tuple(text["inputs"]), tuple(text["outputs"]), tuple(ops))


def _serialise_constant(value: Any) -> list[Any]:
    """A range, a number, or an array that is not large."""
    if isinstance(value, range):
        return ["range", value.start, value.stop, value.step]
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc" and value.nbytes <= _MOST_BYTES:
        if value.flags.c_contiguous:
            kind = "array" if isinstance(value, np.ndarray) else "scalar"
            return [kind, value.dtype.str, value.shape, value.tobytes().hex()]
    raise NotSerialisable(type(value).__name__)


def _constant(record: list[Any], nodes: list[Node]) -> Any:
    if record[0] == "node":
        return nodes[record[1]].args[0].value
    if record[0] == "range":
        return range(*record[1:])
    kind, dtype, shape, content = record
    array = np.frombuffer(bytes.fromhex(content), dtype).reshape(shape)
    return array.copy() if kind == "array" else array[()]
