"""Graphs as JSON and bytes, from which another process makes the same graph: nothing in them is run to read them.

What has no text, as the functions of other libraries, is `Untold`. Scopes, and what the code calls the results of
branches, are for people: they are told where these are to look at the graph.
"""

from __future__ import annotations

import builtins
import enum
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .dims import Dim
from .graph import Constant, Graph, Node
from .op import by_name
from .packed import pack, unpack
from .place import Scope, Source, WayBack
from .template import PLAIN, Body, DictOf, Field, ListOf, Ref, SliceOf, TextOf, reference
from .types import Kind, TensorType

MOST_BYTES = 64 << 20
"""Graphs with more bytes in constants than this are not told."""

_JSON = frozenset({int, float, bool, str, type(None)})
_NATIVE = frozenset("?bhilqBHILQefdgFDG")


class Untold(Exception):
    """Something that has no text, or a text that tells of nothing known."""


def told(
    graph: Graph, places: Mapping[Source, int] | None = None, scopes: bool = False, objects: Sequence[Any] = ()
) -> bytes:
    """The graph as bytes. `places` are numbers for places in the code, which the reader knows; others are left out.
    With `scopes` it has what people look at, too. The reader has `objects` of its own for these. Raises Untold."""
    teller = Teller(places, scopes, objects)
    found = teller.graph(graph)
    tables = {"graph": found, "types": teller.types, "sources": teller.sources, "scopes": teller.scopes}
    return pack(tables, teller.content())


def graph_of(
    content: bytes,
    sources: Sequence[Source | None] | None = None,
    files: Mapping[str, str] | None = None,
    objects: Sequence[Any] = (),
) -> Graph:
    """The graph that was told; `sources` are the places in the code by their numbers, `files` the files that have other
    names here, `objects` what stands here for those of the teller. Raises Untold where this process knows some of its
    parts not."""
    try:
        tables, blobs = unpack(content)
        return Remaker(tables, blobs, sources, files, objects).graph(tables["graph"])
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise Untold(f"{type(error).__name__}: {error}") from error


# --- as text


class Teller:
    """Collects what graphs and values share: types, places in the code, and the bytes of constants."""

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
        """The bytes of constants. Raises Untold where they are too many."""
        if sum(map(len, self.blobs)) > MOST_BYTES:
            raise Untold("constants are too large")
        return self.blobs

    def graph(self, graph: Graph) -> list[Any]:
        index = {node: i for i, node in enumerate(graph.nodes)}
        try:
            nodes = [self._node(node, index) for node in graph.nodes]
            ends = [index[n] for n in graph.inputs], [index[n] for n in graph.outputs]
        except KeyError as error:
            raise Untold(str(error)) from error
        return [graph.name, nodes, *ends]

    def _node(self, node: Node, index: dict[Node, int]) -> list[Any]:
        if by_name(node.op.name) is not node.op:
            raise Untold(node.op.name)
        return [
            node.op.name,
            [index[n] for n in node.inputs],
            [["r", a.index] if type(a) is Ref else a if type(a) in _JSON else self.template(a) for a in node.args],
            [[name, self.template(value)] for name, value in node.kwargs],
            [self.type_number(t) for t in node.types],
            None if node.container is None else _told_class(node.container),
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
            parts = [_told_dtype(value_type.dtype), lengths, value_type.kind.value]
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
            return value
        write = _WRITERS.get(kind)
        if write is not None:
            return write(self, value)
        if isinstance(value, np.dtype):
            return ["dtype", _told_dtype(value)]
        if isinstance(value, np.generic | np.ndarray):
            return self.array(value)
        if isinstance(value, type):
            return ["class", _told_class(value)]
        if isinstance(value, enum.Enum) and kind.__module__.partition(".")[0] == "numpy":
            return ["enum", _told_class(kind), value.name]
        if id(value) in self._objects:
            return ["object", self._objects[id(value)]]
        raise Untold(kind.__name__)

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
            raise Untold(type(value).__name__)
        if not flags.c_contiguous and not flags.f_contiguous:
            raise Untold("an array with gaps")
        order = "C" if flags.c_contiguous else "F"
        self.blobs.append(value.tobytes(order))
        place, form = len(self.blobs) - 1, [*value.shape]
        return ["array" if is_array else "scalar", _told_dtype(value.dtype), form, order, place, bool(flags.writeable)]


def _items(tag: str, parts: Callable[[Any], Any]) -> Callable[[Teller, Any], list[Any]]:
    return lambda teller, value: [tag, *[teller.template(v) for v in parts(value)]]


_WRITERS: dict[type, Callable[[Teller, Any], Any]] = {
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


def _told_dtype(dtype: np.dtype[Any]) -> str:
    if dtype.metadata is not None or dtype.names is not None or dtype.subdtype is not None:
        raise Untold(str(dtype))
    told = dtype.char if dtype.char in _NATIVE and dtype.isnative else dtype.str
    known = np.dtypes.StringDType() if dtype.char == "T" else np.dtype(told)
    if known != dtype or known.char != dtype.char:
        raise Untold(str(dtype))
    return "T" if dtype.char == "T" else told


def _told_class(value: type) -> str:
    """The name of a builtin class, or of one of NumPy's."""
    if vars(builtins).get(value.__name__) is value:
        return value.__name__
    name = f"{value.__module__}:{value.__qualname__}"
    if value.__module__.partition(".")[0] != "numpy" or _class(name) is not value:
        raise Untold(name)
    return name


# --- and back


class Remaker:
    """Makes again what a `Teller` told."""

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
        self._types = [self._type(*told) for told in tables["types"]]
        self._scopes: list[Scope] = []
        for text, outer, site, *back_of in tables["scopes"]:
            scope = WayBack.of(back_of[0], back_of[1], Scope(text)) if back_of else Scope(text)
            scope.outer = None if outer is None else self._scopes[outer]
            scope.site = None if site is None else self._sources[site]
            self._scopes.append(scope)

    def _type(self, dtype: str, lengths: list[Any], kind: str, element: str | None) -> TensorType:
        shape = tuple([n if type(n) is int else self.template(n) for n in lengths])
        return TensorType(_dtype(dtype), shape, Kind(kind), None if element is None else Kind(element))

    def graph(self, told: list[Any]) -> Graph:
        name, records, inputs, outputs = told
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
        return Graph(name, tuple(nodes), tuple([nodes[i] for i in inputs]), tuple([nodes[i] for i in outputs]))

    def type_of(self, number: int) -> TensorType:
        """The type with this number."""
        return self._types[number]

    def template(self, told: Any) -> Any:
        return _READERS[told[0]](self, told) if type(told) is list else told

    def items(self, told: list[Any]) -> tuple[Any, ...]:
        return tuple([self.template(t) for t in told[1:]])

    def constant(self, told: list[Any]) -> Constant:
        if told[1] not in self._constants:
            self._constants[told[1]] = Constant(self.template(told[2]))
        return self._constants[told[1]]

    def array(self, told: list[Any]) -> Any:
        kind, dtype, shape, order, place, writeable = told
        array = np.frombuffer(self._blobs[place], _dtype(dtype)).reshape(shape, order=order)
        if kind == "scalar":
            return array[()]
        found = array.copy("K")
        found.flags.writeable = writeable
        return found


_READERS: dict[str, Callable[[Remaker, list[Any]], Any]] = {
    "r": lambda r, told: reference(told[1]),
    "t": lambda r, told: r.items(told),
    "l": lambda r, told: ListOf(r.items(told)),
    "s": lambda r, told: SliceOf(*r.items(told)),
    "d": lambda r, told: DictOf(r.items(told)),
    "text": lambda r, told: TextOf(r.items(told)),
    "field": lambda r, told: Field(*r.items(told)),
    "dim": lambda r, told: Dim(r.items(told)),
    "body": lambda r, told: Body(told[1], r.graph(told[2]), tuple(told[3])),
    "constant": lambda r, told: r.constant(told),
    "array": lambda r, told: r.array(told),
    "scalar": lambda r, told: r.array(told),
    "filled": lambda r, told: np.broadcast_to(r.array(told[1]), told[2]),
    "complex": lambda r, told: complex(told[1], told[2]),
    "bytes": lambda r, told: bytes.fromhex(told[1]),
    "range": lambda r, told: range(*told[1:]),
    "dtype": lambda r, told: _dtype(told[1]),
    "class": lambda r, told: _class(told[1]),
    "enum": lambda r, told: enum.EnumType.__getitem__(_class(told[1]), told[2]),
    "object": lambda r, told: r.objects[told[1]],
    "...": lambda r, told: ...,
}


def _dtype(told: str) -> np.dtype[Any]:
    return np.dtypes.StringDType() if told == "T" else np.dtype(told)


def _class(told: str) -> Any:
    module, _, name = told.rpartition(":")
    if module and module.partition(".")[0] != "numpy":
        raise Untold(told)
    found: Any = importlib.import_module(module) if module else builtins
    for part in name.split("."):
        found = getattr(found, part)
    if not isinstance(found, type):
        raise Untold(told)
    return found
