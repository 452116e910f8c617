"""A trace, serialised and restored: program and guards at once, graphs on demand.

The bytes have the program's code as Python's own caches of modules have it, and are loaded under the same condition as
machine code: the file is the user's own, and whole.
"""

from __future__ import annotations

import dataclasses
import marshal
import struct
import types
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from ...codegen.numpy_program import program_of
from ...events import PassCount
from ...ir.graph import Graph, capture_node
from ...ir.kept_graph import KeptGraph
from ...ir.packed import pack, unpack
from ...ir.place import Source
from ...ir.serialise import Deserialiser, NotSerialisable, Serialiser, deserialise, serialise
from ...records import dataclass
from ...trace.foreign import Checkpoint
from ...trace.signature import CallSignature, TensorSpec, ValueSpec
from ...trace.trace_parts.staging_log import Staged
from ...trace.tree import LEAF, Tree
from ...trace.values.graph_list import GraphList
from ..fallback.retry import simple_retry
from ..made.built import EARLIER_PROCESS, Built
from ..made.creation import Created
from .known import result_of, serialise_object, serialise_result
from .lists import list_of, serialise_list
from .made_as import made_as
from .outside import CameThrough, EnvironmentDeserialiser, EnvironmentSerialiser

_LINE = struct.Struct("<iii")
_KINDS: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}
_OF_GRAPH = "graph list"
_HARMLESS = frozenset({"raise_error", "update", "checkpoint"})
"""Ops that are not pure, and do the same in each process. Checkpoints are serialised as their numbers."""


# --- as bytes


def serialise_signature(signature: CallSignature, serialiser: Serialiser) -> list[Any]:
    """The signature of a trace, serialised. Raises NotSerialisable where other processes know parts of it not, such as
    objects."""
    trees = [[name, _serialise_tree(tree, serialiser)] for name, tree in signature.trees]
    return [trees, list(signature.paths), [_serialise_leaf(leaf, serialiser) for leaf in signature.leaves]]


def _serialise_leaf(leaf: Any, serialiser: Serialiser) -> list[Any]:
    if type(leaf) is TensorSpec and leaf.device == "cpu" and not leaf.any_rank and leaf.kind is not None:
        return ["array", serialiser.template(leaf.dtype), list(leaf.shape), leaf.kind.value]
    if type(leaf) is ValueSpec:
        return ["value", serialise_object(leaf.value, serialiser)]
    raise NotSerialisable(f"it is given {leaf.text}")


def _serialise_tree(tree: Tree, serialiser: Serialiser) -> list[Any]:
    if tree.kind == "leaf":
        return []
    if tree.type is GraphList:
        children = [_serialise_tree(child, serialiser) for child in tree.children]
        return [_OF_GRAPH, serialise_list(tree.metadata, serialiser), children]
    if _KINDS.get(tree.kind) is not tree.type:
        raise NotSerialisable(f"it takes or gives a {getattr(tree.type, '__name__', tree.kind)}")
    children = [_serialise_tree(child, serialiser) for child in tree.children]
    return [tree.kind, [serialiser.template(key) for key in tree.keys], children]


def serialise_trace(built: Built, traced: types.FunctionType, came_through: CameThrough) -> bytes:
    """A trace as bytes. Raises NotSerialisable where something that it rests on may be another in a later process."""
    checkpoints = _checkpoints(built)
    serialiser, program = Serialiser(objects=checkpoints), built.program
    outside = EnvironmentSerialiser(traced, came_through, serialiser)
    _check(built)
    if came_through.counts:
        raise NotSerialisable("its calls read numbers outside that change")
    head = {
        "names": outside.names,
        "functions": outside.functions,
        "files": list(outside.files.items()),
        "values": [outside.value(guard) for guard in built.values],
        "identities": [outside.identity(guard) for guard in built.identities],
        "libraries": [outside.identity(guard) for guard in built.libraries],
        "contents": [outside.content(guard) for guard in built.contents],
        "memory": [outside.memory(guard) for guard in built.memory],
        "captures": [outside.path(path) for path in built.captures],
        "captured": [[n.args[0], serialiser.type_number(n.type)] for n in program.captures],
        "result": _serialise_tree(built.result, serialiser),
        "leaves": [[k, serialise_result(v, serialiser) if k == "value" else v] for k, v in built.result_leaves],
        "retry": None if built.retry is None else [built.retry.always, len(checkpoints)],
        "staging": [dataclasses.astuple(staged) for staged in built.staging],
        "dims": [
            [c, serialiser.template(left), serialiser.template(right), o] for c, left, right, o in built.dim_guards
        ],
        "symbols": built.symbols,
        "passes": [dataclasses.astuple(count) for count in built.passes],
        "constants": {name: serialiser.template(value) for name, value in program.constants.items()},
        "file": program.function.__code__.co_filename if program.sources else None,
        "outputs": built.outputs,
        "nbytes": built.nbytes,
        "derivatives": built.gives_derivatives,
        "watches": built.watches_arrays,
        "graphs": [_facts(graph) for graph in _graphs(built)],
    }
    sources = program.sources
    if made_as(traced):  # a derivative has nodes at the line that calls it, which is elsewhere in another process
        sources = {line: source for line, source in sources.items() if source.file in outside.files}
    lines = _serialise_lines(sources, outside.files)
    bodies = [zlib.compress(serialise(graph, scopes=True, objects=checkpoints), 1) for graph in _graphs(built)]
    text = program.source.encode("utf-8", "surrogatepass")
    own = [marshal.dumps(program.function.__code__), text, lines, *bodies]
    head |= {"types": serialiser.types, "sources": [], "scopes": [], "own": len(own)}
    return pack(head, [*own, *serialiser.content()])


def _check(built: Built) -> None:
    """Raises NotSerialisable for a trace that does more than compute its results, or of which more is to be known."""
    if built.effects:
        raise NotSerialisable(f"{built.effects[0].text} happened only while tracing")
    if built.store is not None or built.assignments or built.created or built.aliases or built.stored:
        raise NotSerialisable("its calls change something outside")
    if not all(_is_pure(graph) for graph in _graphs(built)):
        raise NotSerialisable("its calls do more than compute their results")
    if built.retry is not None and not built.retry.is_simple:
        raise NotSerialisable("its calls take something back where they fail")
    if built.replayed:
        raise NotSerialisable("its forward pass is the graph of another trace")
    if built.not_converted:
        raise NotSerialisable("parts of it are not rewritten")


def _checkpoints(built: Built) -> list[Checkpoint]:
    checkpoint = None if built.retry is None else built.retry.checkpoint
    return [] if checkpoint is None else [checkpoint]


def _is_pure(graph: Graph) -> bool:
    plain = all(node.op.pure or node.op.name in _HARMLESS for node in graph.nodes)
    return plain and all(_is_pure(body.graph) for body in graph.bodies)


def _graphs(built: Built) -> list[Graph]:
    return [built.graph] if built.traced is built.graph else [built.graph, built.traced]


def _facts(graph: Graph) -> list[Any]:
    return [graph.name, graph.total(), graph.hash, sorted(op.name for op in graph.ops)]


def _serialise_lines(sources: Mapping[int, Source], files: Mapping[str, int]) -> bytes:
    try:
        return b"".join([_LINE.pack(line, files[s.file], s.line) for line, s in sources.items()])
    except KeyError as error:
        raise NotSerialisable(f"it comes through {error}") from None


# --- and back


class _Lines(Mapping[int, Source]):
    """The places in the user's code by the lines of a program, read when one is asked for."""

    def __init__(self, content: bytes, files: Mapping[int, str]) -> None:
        self._content = content
        self._files = files
        self._known: dict[int, Source] | None = None

    def _all(self) -> dict[int, Source]:
        if self._known is None:
            found = _LINE.iter_unpack(self._content)
            self._known = {line: Source(self._files[file], number) for line, file, number in found}
        return self._known

    def __getitem__(self, line: int) -> Source:
        return self._all()[line]

    def __iter__(self) -> Iterator[int]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._content) // _LINE.size


@dataclass(eq=False)
class KeptBuilt(Built):
    """A trace that an earlier process has made. Its counts need not be made again."""

    taken_from: ClassVar[str] = EARLIER_PROCESS
    known_outputs: int = 0
    known_bytes: int = 0

    @property
    def outputs(self) -> int:
        return self.known_outputs

    @property
    def calls_python(self) -> bool:
        return False

    @property
    def nbytes(self) -> int:
        return self.known_bytes


def kept_trace(content: bytes, traced: types.FunctionType, name: str, module: dict[str, Any]) -> KeptBuilt:
    """The trace of a function from bytes, as the one called `name`. Raises `Differs` where something outside is not as
    it was; its guards are still to be asked."""
    head, blobs = unpack(content)
    always, count = head["retry"] or (False, 0)
    checkpoints = [Checkpoint() for _ in range(count)]
    deserialiser = Deserialiser(head, blobs[head["own"] :], objects=checkpoints)
    outside = EnvironmentDeserialiser(traced, head["functions"], head["names"], deserialiser)
    here = {old: outside.functions[place].__code__.co_filename for old, place in head["files"]}
    code, source, lines, *bodies = blobs[: head["own"]]
    facts = zip(head["graphs"], bodies, strict=True)
    graphs = [
        KeptGraph(n, total, hash, ops, _reading(body, here, checkpoints)) for (n, total, hash, ops), body in facts
    ]
    nodes = tuple([capture_node(label, deserialiser.type_of(number)) for label, number in head["captured"]])
    places = _Lines(lines, {place: here[old] for old, place in head["files"]})
    constants = {n: deserialiser.template(value) for n, value in head["constants"].items()}
    loaded = marshal.loads(code)
    if head["file"] is not None and loaded.co_filename != here[head["file"]]:
        loaded = loaded.replace(co_filename=here[head["file"]])
    text = source.decode("utf-8", "surrogatepass")
    program = program_of(loaded, text, places, constants, graphs[0].name, nodes, name, module)
    return KeptBuilt(
        traced=graphs[-1],
        graph=graphs[0],
        passes=tuple([PassCount(*count) for count in head["passes"]]),
        program=program,
        module=module,
        result=_tree(head["result"], deserialiser),
        result_leaves=tuple([(k, result_of(v, deserialiser) if k == "value" else v) for k, v in head["leaves"]]),
        captures=tuple([outside.path(path) for path in head["captures"]]),
        values=tuple([outside.value(guard) for guard in head["values"]]),
        identities=tuple([outside.identity(guard) for guard in head["identities"]]),
        libraries=tuple([outside.identity(guard) for guard in head["libraries"]]),
        contents=tuple([outside.content(guard) for guard in head["contents"]]),
        store=None,
        stored=frozenset(),
        retry=None if head["retry"] is None else simple_retry(always, checkpoints[0] if checkpoints else None),
        assignments=(),
        aliases=(),
        memory=tuple([outside.memory(guard) for guard in head["memory"]]),
        created=Created(),
        effects=(),
        staging=tuple([Staged(here.get(file, file), *rest) for file, *rest in head["staging"]]),
        line_ns={},
        not_converted=(),
        dim_guards=tuple(
            [(c, deserialiser.template(le), deserialiser.template(ri), o) for c, le, ri, o in head["dims"]]
        ),
        symbols={symbol: tuple(place) for symbol, place in head["symbols"].items()},
        phases={},
        known_outputs=head["outputs"],
        known_bytes=head["nbytes"],
        gives_derivatives=head["derivatives"],
        watches_arrays=head["watches"],
    )


def _reading(body: bytes, files: Mapping[str, str], checkpoints: list[Checkpoint]) -> Callable[[], Graph]:
    return lambda: deserialise(zlib.decompress(body), files=files, objects=checkpoints)


def _tree(record: list[Any], deserialiser: Deserialiser) -> Tree:
    if not record:
        return LEAF
    kind, keys, children = record
    trees = tuple([_tree(child, deserialiser) for child in children])
    if kind == _OF_GRAPH:
        return Tree("custom", GraphList, tuple(range(len(trees))), trees, list_of(keys, deserialiser))
    return Tree(kind, _KINDS[kind], tuple([deserialiser.template(key) for key in keys]), trees)
