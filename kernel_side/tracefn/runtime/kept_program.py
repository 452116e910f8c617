"""Native programs on disk: what an earlier process built runs a few milliseconds after the trace.

This process builds its own meanwhile, which takes over, and is kept in its place where it is another one. Until then it
is asked for the calls that machine code leaves to Python.
"""

from __future__ import annotations

import builtins
import functools
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..codegen.machine import abi, engine, object_cache
from ..codegen.numpy_program import Program, program
from ..ir.graph import Graph, Node, Source
from ..ir.op import CONSTANT
from .builtin import KernelCode
from .freed_memory import keep_freed_memory

_MOST_BYTES = 1 << 14
"""Larger arrays that passes made are not written to disk a second time, as text."""


class KeptProgram:
    """A native program from disk. `whole` gives the one that is built here, with the same kernels."""

    is_better = True
    direct = None
    order = None

    def __init__(self, kept: Mapping[str, Any], graph: Graph, name: str, module: Any, whole: Callable[[], Any]) -> None:
        keep_freed_memory()
        codes = [_kernel(found) for found in kept["kernels"]]
        nodes = list(_nodes(graph))
        constants = {variable: _constant(told, nodes) for variable, told in kept["constants"].items()}
        for k, (variable, code) in enumerate(zip(kept["variables"], codes, strict=True)):
            other = functools.partial(_left, whole, k)
            constants[variable] = code.function(np.array(code.words, np.int64), *[other] * code.others)
        sources = {int(line): nodes[place].source for line, place in kept["lines"].items()}
        known = {line: source for line, source in sources.items() if source is not None}
        self.size = sum(code.run.size + code.entry.size for code in codes)
        self.program: Program = program(kept["source"], known, constants, graph, name, module)
        self.run = self.program.function
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


def load(graph: Graph, name: str, module: Any, precise: bool, whole: Callable[[], Any]) -> KeptProgram | None:
    """The native program of a graph from disk. None where there is none, or its code is not there any more."""
    if object_cache.folder() is None or abi.unknown():
        return None
    try:
        content = object_cache.load(_key(graph, precise))
        return None if content is None else KeptProgram(json.loads(content), graph, name, module, whole)
    except (ImportError, _Gone):
        return None


def keep(native: Any, graph: Graph, precise: bool) -> None:
    """Keeps a native program for later processes, where it has nothing that only this one knows."""
    if object_cache.folder() is None or not native.kernels:
        return
    try:
        told = _told(native, graph)
    except _Untold:
        return
    object_cache.store(_key(graph, precise), json.dumps(told).encode())


class _Untold(Exception):
    """Something that has no text."""


class _Gone(Exception):
    """Machine code that is not on disk any more."""


def _key(graph: Graph, precise: bool) -> str:
    return object_cache.key(graph.name, graph.hash, str(precise), _version(), *engine.surroundings())


@functools.cache
def _version() -> str:
    """What tells the code that builds programs from that of other versions, or of a minute ago: its newest files."""
    package = os.path.dirname(os.path.dirname(__file__))
    rooms = [room for part in ("ir", "ops", "passes", "codegen", "runtime") for room in os.walk(f"{package}/{part}")]
    files = [os.path.join(folder, f) for folder, _, names in rooms for f in names if f.endswith(".py")]
    return f"{len(files)} {max(os.stat(f).st_mtime_ns for f in files)}"


def _left(whole: Callable[[], Any], place: int, *args: Any) -> Any:
    """A call that machine code does not take."""
    return whole().kernels[place].function(*args)


def _nodes(graph: Graph) -> Iterator[Node]:
    for node in graph.nodes:
        yield node
        for body in node.bodies:
            yield from _nodes(body.graph)


# --- as text, and back


def _told(native: Any, graph: Graph) -> dict[str, Any]:
    """Raises _Untold."""
    functions = [kernel.function for kernel in native.kernels]
    nodes = list(_nodes(graph))
    places: dict[Source, int] = {}
    for place, node in enumerate(nodes):
        if node.source is not None:
            places.setdefault(node.source, place)
    variables, constants = {}, {}
    for name, value in native.program.constants.items():
        found = next((k for k, function in enumerate(functions) if function is value), None)
        if found is None:
            constants[name] = _told_constant(value, nodes)
        else:
            variables[found] = name
    return {
        "source": native.program.source,
        "lines": {line: places[source] for line, source in native.program.sources.items() if source in places},
        "constants": constants,
        "variables": [variables[k] for k in range(len(functions))],
        "kernels": [_told_kernel(kernel.code) for kernel in native.kernels],
    }


def _told_constant(value: Any, nodes: list[Node]) -> list[Any]:
    """A constant of the graph, a range, a number, or an array that is not large."""
    for place, node in enumerate(nodes):
        if node.op is CONSTANT and node.args[0].value is value:
            return ["node", place]
    if isinstance(value, range):
        return ["range", value.start, value.stop, value.step]
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc" and value.nbytes <= _MOST_BYTES:
        if value.flags.c_contiguous:
            kind = "array" if isinstance(value, np.ndarray) else "scalar"
            return [kind, value.dtype.str, value.shape, value.tobytes().hex()]
    raise _Untold


def _constant(told: list[Any], nodes: list[Node]) -> Any:
    if told[0] == "node":
        return nodes[told[1]].args[0].value
    if told[0] == "range":
        return range(*told[1:])
    kind, dtype, shape, content = told
    array = np.frombuffer(bytes.fromhex(content), dtype).reshape(shape)
    return array.copy() if kind == "array" else array[()]


def _told_kernel(code: KernelCode | None) -> dict[str, Any]:
    if code is None:
        raise _Untold
    names = {"entry": code.entry.name, "run": code.run.name}
    numbers = {"others": code.others, "words": code.words, "place": code.place}
    return {**names, **numbers, "objects": [_told_object(o) for o in code.objects]}


def _kernel(told: Mapping[str, Any]) -> KernelCode:
    entry, run = engine.kept(told["entry"]), engine.kept(told["run"])
    if entry is None or run is None:
        raise _Gone
    objects = tuple([_object(found) for found in told["objects"]])
    return KernelCode(entry, run, told["others"], tuple(told["words"]), told["place"], objects)


def _told_object(value: object) -> list[Any]:
    """An object that machine code compares with others, each of which there is once."""
    if value is True or value is False:
        return ["value", value]
    if isinstance(value, np.dtype) and np.dtype(value.char) is value:
        return ["dtype", value.char]
    if isinstance(value, type):
        if issubclass(value, np.generic) and np.dtype(value).type == value:
            return ["scalar type", np.dtype(value).char]
        if getattr(builtins, value.__name__, None) == value:
            return ["type", value.__name__]
    raise _Untold


def _object(told: list[Any]) -> Any:
    kind, value = told
    if kind == "value":
        return value
    if kind == "type":
        return getattr(builtins, value)
    return np.dtype(value) if kind == "dtype" else np.dtype(value).type
