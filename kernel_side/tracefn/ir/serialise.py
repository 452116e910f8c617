"""Serialised graphs: JSON and bytes, from which another process makes the same graph. Reading them runs nothing.

Functions of other libraries, and other objects of this process, are `NotSerialisable`. Scopes, and the names of the
results of branches, are for people: they are serialised if the graph is to be shown.
"""

from __future__ import annotations

import builtins
import enum
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .bail_out import RunsEagerlyOnce
from .dims import Dim
from .graph import Constant, Graph, Node
from .module_name import module_of
from .op import by_name
from .packed import pack, unpack
from .place import Scope, Source, WayBack
from .template import PLAIN, Body, DictOf, Field, ListOf, Ref, SliceOf, TextOf, reference
from .types import Kind, TensorType

MOST_BYTES = 64 << 20
"""Graphs with more bytes in constants than this are not serialised."""

_JSON = frozenset({int, float, bool, str, type(None)})
_MOST_BITS = 1000
"""Longer ints are written in base 16: Python refuses to write more than 4300 decimal digits."""

_NATIVE = frozenset("?bhilqBHILQefdgFDG")


class NotSerialisable(Exception):
    """A value that has no serialised form, or bytes that this process cannot deserialise."""


def serialise(
    graph: Graph, places: Mapping[Source, int] | None = None, scopes: bool = False, objects: Sequence[Any] = ()
) -> bytes:
    """The graph as bytes. `places` numbers places in the code, which the reader knows; others are left out. `scopes`
    includes the parts for display. `objects` are written as their numbers. Raises NotSerialisable."""
    serialiser = Serialiser(places, scopes, objects)
    found = serialiser.graph(graph)
    tables = {"graph": found, "types": serialiser.types, "sources": serialiser.sources, "scopes": serialiser.scopes}
    return pack(tables, serialiser.content())


def deserialise(
    content: bytes,
    sources: Sequence[Source | None] | None = None,
    files: Mapping[str, str] | None = None,
    objects: Sequence[Any] = (),
) -> Graph:
    """The graph from its bytes. `sources` are the places in the code by their numbers, `files` maps names of files to
    those here, `objects` are the objects by their numbers. Raises NotSerialisable for bytes that have parts which this
    process does not know."""
    try:
        tables, blobs = unpack(content)
        return Deserialiser(tables, blobs, sources, files, objects).graph(tables["graph"])
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise NotSerialisable(f"{type(error).__name__}: {error}") from error


# --- as text


class Serialiser:
    """Collects the parts that graphs and values share: types, places in the code, and the bytes of constants."""

    def __init__(
        self, places: Mapping[Source, int] | None = None, scopes: bool = False, objects: Sequence[Any] = ()
    ) -> None:
        self._objects = {id(known): number for number, known in enumerate(objects)}
        self.types: list[Any] = []
        self.sources: list[Any] = []
        self.scopes: list[Any] = []
        self.blobs: list[bytes] = []
        self._scopes: dict[int, int] | None = {} if scopes else None
        self._types: dict[TensorType, int] = {}
        self._places = places
        self._sources: dict[Source, int] = {}
        self._constants: dict[int, list[Any]] = {}

    def content(self) -> list[bytes]:
        """The bytes of constants. Raises NotSerialisable where they are too many."""
        if sum(map(len, self.blobs)) > MOST_BYTES:
            raise NotSerialisable("constants are too large")
        return self.blobs

    def graph(self, graph: Graph) -> list[Any]:
        index = {node: i for i, node in enumerate(graph.nodes)}
        try:
            nodes = [self._node(node, index) for node in graph.nodes]
            ends = [index[n] for n in graph.inputs], [index[n] for n in graph.outputs]
        except KeyError as error:
            raise NotSerialisable(str(error)) from error
        return [graph.name, nodes, *ends, [] if self._scopes is None else graph.results]

    def _node(self, node: Node, index: dict[Node, int]) -> list[Any]:
        if by_name(node.op.name) is not node.op:
            raise NotSerialisable(node.op.name)
        return [
            node.op.name,
            [index[n] for n in node.inputs],
            [["r", a.index] if type(a) is Ref else self.template(a) for a in node.args],
            [[name, self.template(value)] for name, value in node.kwargs],
            [self.type_number(t) for t in node.types],
            None if node.container is None else _class_name(node.container),
            None if node.source is None else self._source(node.source),
            [[name, self.template(value)] for name, value in node.errors],
            self._scope(node.scope),
        ]

    def _scope(self, scope: str | None) -> int | None:
        if self._scopes is None or not scope or not isinstance(scope, Scope):
            return None
        if (found := self._scopes.get(id(scope))) is None:
            outer, site = self._scope(scope.outer), None if scope.site is None else self._source(scope.site)
            found = self._scopes[id(scope)] = len(self.scopes)
            back_of = [scope.forward, scope.op] if isinstance(scope, WayBack) else []
            self.scopes.append([str(scope), outer, site, *back_of])
        return found

    def body(self, body: Body) -> list[Any]:
        return ["body", body.name, self.graph(body.graph), [] if self._scopes is None else body.results]

    def type_number(self, value_type: TensorType) -> int:
        """The number of a type among `types`."""
        if (found := self._types.get(value_type)) is None:
            found = self._types[value_type] = len(self.types)
            kind = value_type.element_kind
            lengths = [n if type(n) is int else self.template(n) for n in value_type.shape]
            parts = [_dtype_name(value_type.dtype), lengths, value_type.kind.value]
            self.types.append([*parts, None if kind is None else kind.value])
        return found

    def _source(self, source: Source) -> int | None:
        if self._places is not None:
            return self._places.get(source)
        if (found := self._sources.get(source)) is None:
            found = self._sources[source] = len(self.sources)
            self.sources.append(list(source))
        return found

    def template(self, value: Any) -> Any:
        kind = type(value)
        if kind in _JSON:
            return ["int", hex(value)] if kind is int and value.bit_length() > _MOST_BITS else value
        write = _WRITERS.get(kind)
        if write is not None:
            return write(self, value)
        if isinstance(value, np.dtype):
            return ["dtype", _dtype_name(value)]
        if isinstance(value, np.generic | np.ndarray):
            return self.array(value)
        if isinstance(value, type):
            return ["class", _class_name(value)]
        if isinstance(value, enum.Enum) and module_of(kind).partition(".")[0] == "numpy":
            return ["enum", _class_name(kind), value.name]
        if id(value) in self._objects:
            return ["object", self._objects[id(value)]]
        raise NotSerialisable(kind.__name__)

    def constant(self, constant: Constant) -> list[Any]:
        value = constant.value
        if id(value) not in self._constants:
            self._constants[id(value)] = ["constant", len(self._constants), self.template(value)]
        return self._constants[id(value)]

    def array(self, value: Any) -> list[Any]:
        if type(value) is np.ndarray and value.ndim and not any(value.strides) and not value.flags.writeable:
            return ["filled", self.array(value[(slice(1),) * value.ndim].reshape(())), list(value.shape)]
        flags = value.flags
        is_array = type(value) is np.ndarray
        if not (is_array or isinstance(value, np.generic)) or value.dtype.hasobject or value.dtype.char == "T":
            raise NotSerialisable(type(value).__name__)
        if not flags.c_contiguous and not flags.f_contiguous:
            raise NotSerialisable("an array with gaps")
        order = "C" if flags.c_contiguous else "F"
        self.blobs.append(value.tobytes(order))
        place, form = len(self.blobs) - 1, [*value.shape]
        return ["array" if is_array else "scalar", _dtype_name(value.dtype), form, order, place, bool(flags.writeable)]


def _items(tag: str, parts: Callable[[Any], Any]) -> Callable[[Serialiser, Any], list[Any]]:
    return lambda serialiser, value: [tag, *[serialiser.template(v) for v in parts(value)]]


_WRITERS: dict[type, Callable[[Serialiser, Any], Any]] = {
    Ref: lambda w, v: ["r", v.index],
    tuple: _items("t", lambda v: v),
    ListOf: _items("l", lambda v: v.items),
    SliceOf: _items("s", lambda v: v),
    DictOf: _items("d", lambda v: v.items),
    TextOf: _items("text", lambda v: v.parts),
    Field: _items("field", lambda v: (v.value, v.conversion, v.spec)),
    Dim: _items("dim", lambda v: v.terms),
    Body: lambda w, v: w.body(v),
    Constant: lambda w, v: w.constant(v),
    complex: lambda w, v: ["complex", v.real, v.imag],
    bytes: lambda w, v: ["bytes", v.hex()],
    range: lambda w, v: ["range", v.start, v.stop, v.step],
    type(Ellipsis): lambda w, v: ["..."],
}
assert frozenset(_WRITERS) >= PLAIN - _JSON


def _dtype_name(dtype: np.dtype[Any]) -> str:
    if dtype.metadata is not None or dtype.names is not None or dtype.subdtype is not None:
        raise NotSerialisable(str(dtype))
    code = dtype.char if dtype.char in _NATIVE and dtype.isnative else dtype.str
    known = np.dtypes.StringDType() if dtype.char == "T" else np.dtype(code)
    if known != dtype or known.char != dtype.char:
        raise NotSerialisable(str(dtype))
    return "T" if dtype.char == "T" else code


_EAGERLY_ONCE = "tracefn:RunsEagerlyOnce"


def _class_name(value: type) -> str:
    """The name of a builtin class, of one of NumPy's, or of the signal to run eagerly."""
    if value is RunsEagerlyOnce:
        return _EAGERLY_ONCE
    if vars(builtins).get(value.__name__) is value:
        return value.__name__
    name = f"{value.__module__}:{value.__qualname__}"
    if module_of(value).partition(".")[0] != "numpy" or _class(name) is not value:
        raise NotSerialisable(name)
    return name


# --- and back


class Deserialiser:
    """Restores the output of a `Serialiser`."""

    def __init__(
        self,
        tables: dict[str, Any],
        blobs: Sequence[bytes],
        sources: Sequence[Source | None] | None = None,
        files: Mapping[str, str] | None = None,
        objects: Sequence[Any] = (),
    ) -> None:
        here = files or {}
        self.objects = objects
        self._blobs = blobs
        self._constants: dict[int, Constant] = {}
        self._sources = [Source(here.get(f, f), line) for f, line in tables["sources"]] if sources is None else sources
        self._types = [self._type(*record) for record in tables["types"]]
        self._scopes: list[Scope] = []
        for text, outer, site, *back_of in tables["scopes"]:
            scope = WayBack.of(back_of[0], back_of[1], Scope(text)) if back_of else Scope(text)
            scope.outer = None if outer is None else self._scopes[outer]
            scope.site = None if site is None else self._sources[site]
            self._scopes.append(scope)

    def _type(self, dtype: str, lengths: list[Any], kind: str, element: str | None) -> TensorType:
        shape = tuple([n if type(n) is int else self.template(n) for n in lengths])
        return TensorType(_dtype(dtype), shape, Kind(kind), None if element is None else Kind(element))

    def graph(self, record: list[Any]) -> Graph:
        name, records, inputs, outputs, results = record
        nodes: list[Node] = []
        for op, given, args, kwargs, types, container, source, errors, scope in records:
            node = Node(
                by_name(op),
                tuple([nodes[i] for i in given]),
                tuple([self.template(a) for a in args]),
                tuple([(key, self.template(value)) for key, value in kwargs]),
                tuple([self._types[t] for t in types]),
                None if container is None else _class(container),
                "" if scope is None else self._scopes[scope],
                None if source is None else self._sources[source],
                tuple([(key, self.template(value)) for key, value in errors]),
            )
            nodes.append(node)
        ends = tuple([nodes[i] for i in inputs]), tuple([nodes[i] for i in outputs])
        return Graph(name, tuple(nodes), *ends, tuple(results))

    def type_of(self, number: int) -> TensorType:
        """The type with this number."""
        return self._types[number]

    def template(self, record: Any) -> Any:
        return _READERS[record[0]](self, record) if type(record) is list else record

    def items(self, record: list[Any]) -> tuple[Any, ...]:
        return tuple([self.template(t) for t in record[1:]])

    def constant(self, record: list[Any]) -> Constant:
        if record[1] not in self._constants:
            self._constants[record[1]] = Constant(self.template(record[2]))
        return self._constants[record[1]]

    def array(self, record: list[Any]) -> Any:
        kind, dtype, shape, order, place, writeable = record
        array = np.frombuffer(self._blobs[place], _dtype(dtype)).reshape(shape, order=order)
        if kind == "scalar":
            return array[()]
        found = array.copy("K")
        found.flags.writeable = writeable
        return found


_READERS: dict[str, Callable[[Deserialiser, list[Any]], Any]] = {
    "r": lambda r, record: reference(record[1]),
    "t": lambda r, record: r.items(record),
    "l": lambda r, record: ListOf(r.items(record)),
    "s": lambda r, record: SliceOf(*r.items(record)),
    "d": lambda r, record: DictOf(r.items(record)),
    "text": lambda r, record: TextOf(r.items(record)),
    "field": lambda r, record: Field(*r.items(record)),
    "dim": lambda r, record: Dim(r.items(record)),
    "body": lambda r, record: Body(record[1], r.graph(record[2]), tuple(record[3])),
    "constant": lambda r, record: r.constant(record),
    "array": lambda r, record: r.array(record),
    "scalar": lambda r, record: r.array(record),
    "filled": lambda r, record: np.broadcast_to(r.array(record[1]), record[2]),
    "int": lambda r, record: int(record[1], 16),
    "complex": lambda r, record: complex(record[1], record[2]),
    "bytes": lambda r, record: bytes.fromhex(record[1]),
    "range": lambda r, record: range(*record[1:]),
    "dtype": lambda r, record: _dtype(record[1]),
    "class": lambda r, record: _class(record[1]),
    "enum": lambda r, record: enum.EnumType.__getitem__(_class(record[1]), record[2]),
    "object": lambda r, record: r.objects[record[1]],
    "...": lambda r, record: ...,
}


def _dtype(code: str) -> np.dtype[Any]:
    return np.dtypes.StringDType() if code == "T" else np.dtype(code)


def _class(name: str) -> Any:
    if name == _EAGERLY_ONCE:
        return RunsEagerlyOnce
    module, _, name = name.rpartition(":")
    if module and module.partition(".")[0] != "numpy":
        raise NotSerialisable(name)
    found: Any = importlib.import_module(module) if module else builtins
    for part in name.split("."):
        found = getattr(found, part)
    if not isinstance(found, type):
        raise NotSerialisable(name)
    return found
