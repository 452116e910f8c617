"""Graphs: frozen nodes in program order, with the place in the user's code that made each of them."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from ..records import dataclass
from . import printing
from .dims import Dim
from .hashing import blake2b
from .op import CAPTURE, CONSTANT, DIM, INPUT, ITEM, LEAVES, Op
from .place import Source
from .template import Body, ListOf, Ref, key, leaves
from .types import Kind, TensorType

RESERVED = frozenset(
    {"np", "max", "min", "slice", "range", "len", "enumerate", "zip", "print", "math", "round", "abs", "divmod"}
).union(name for name, value in vars(builtins).items() if isinstance(value, type))
"""Names that printed graphs and programs use themselves."""


_PLAIN = frozenset({Ref, int, float, bool, str, type(None)})
"""The types of most arguments: they contain nothing."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class Node:
    """One operation in a graph, compared by identity and never changed, for which the type checker sees: a frozen
    dataclass takes five times as long to make. While its trace is under way, a loop may have other `types` (`retype`),
    and a node with bodies may give more (`give_more`).

    `args` and `kwargs` are the call's template (`ir.template`): `Ref(i)` stands for `inputs[i]`. `types` has one entry
    for each output; a node with several outputs (`container` is then their Python container) is picked apart by `item`
    nodes. `scope` is the path of the calls around it (`Scope`). `errors` is its handling of
    floating-point errors, as keywords of `np.errstate`, where its code says so.

    >>> import numpy as np, tracefn
    >>> node = tracefn.function(np.tanh).get_concrete_function(np.ones(3)).graph.outputs[0]
    >>> node.op.name, str(node.type), len(node.inputs)
    ('tanh', 'float64[3]', 1)
    """

    op: Final[Op]
    inputs: Final[tuple[Node, ...]]
    args: Final[tuple[Any, ...]]
    kwargs: Final[tuple[tuple[str, Any], ...]]
    types: Final[tuple[TensorType, ...]]
    container: Final[type | None] = None
    scope: Final[str] = ""
    source: Final[Source | None] = None
    errors: Final[tuple[tuple[str, Any], ...]] = ()

    @property
    def type(self) -> TensorType:
        """The type of a node with one output."""
        return self.types[0]

    @property
    def dtype(self) -> Any:
        return self.types[0].dtype if self.container is None else None

    @property
    def shape(self) -> Any:
        return self.types[0].shape if self.container is None else None

    @property
    def attributes(self) -> dict[str, Any]:
        """The arguments of the call besides its inputs, by parameter name."""
        names = self.op.parameters.positional
        found = {}
        for i, template in enumerate(self.args):
            if not isinstance(template, Ref):
                found[names[i] if i < len(names) else f"x{i + 1}"] = template  # NumPy's names of ufunc operands
        return found | dict(self.kwargs)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The graphs of its branches or loop bodies, where the node is control flow."""
        return tuple([a for a in self.args if type(a) is Body]) if self.op.style == "control" else ()

    @property
    def pure(self) -> bool:
        """True if it does nothing but compute its results, and so do its bodies."""
        return self.op.pure and (self.op.style != "control" or all(body.graph.pure for body in self.bodies))

    @property
    def is_leaf(self) -> bool:
        return self.op in LEAVES

    def key(self) -> Any:
        """Equal for two nodes that certainly compute the same from the same inputs."""
        inputs = tuple([id(n) for n in self.inputs])
        return (self.op.name, inputs, key(self.args), key(self.kwargs), self.types, self.errors)

    def give_more(self, args: tuple[Any, ...], inputs: tuple[Node, ...], types: tuple[TensorType, ...]) -> None:
        """Has a node whose trace is under way give more results, those of before first: derivatives need more of its
        bodies. Nodes that use it stay as they are."""
        for name, value in (("args", args), ("inputs", inputs), ("types", types)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.types))
        return f"Node({self.op.name}, {shown if self.container is None else f'({shown})'})"


def input_node(path: str, value_type: TensorType) -> Node:
    return Node(INPUT, (), (path,), (), (value_type,))


def capture_node(path: str, value_type: TensorType) -> Node:
    """An array outside the function, read at every call. `path` says where: `global W`."""
    return Node(CAPTURE, (), (path,), (), (value_type,))


def constant_node(value: Any, value_type: TensorType, source: Source | None = None, scope: str = "") -> Node:
    """A value fixed while tracing. It is not shared, and never changes."""
    return Node(CONSTANT, (), (Constant(value),), (), (value_type,), None, scope, source)


def item_node(node: Node, index: int) -> Node:
    """Output number `index` of a node with several outputs."""
    return Node(ITEM, (node,), (Ref(0), index), (), (node.types[index],), None, node.scope, node.source)


def dim_node(dim: Dim, value_type: TensorType, source: Source | None = None, scope: str = "") -> Node:
    """A symbolic dimension as a Python int."""
    return Node(DIM, (), (dim,), (), (value_type,), None, scope, source)


class Constant:
    """Holds a constant array or scalar in a template, compared by identity of the value."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(frozen=True, eq=False)
class Graph:
    """A traced function as data flow.

    `nodes` are in program order, every input before its use. `inputs` are the nodes for the call's arrays in order,
    `outputs` the nodes of the results in order, `results` their places in the value that is returned, where they are
    known: `result[0]`. Printing a graph gives Python source that runs.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: np.tanh(x) * 2)
    >>> graph = f.get_concrete_function(tracefn.TensorSpec((3,), np.float32)).graph
    >>> len(graph), [node.op.name for node in graph]
    (3, ['input', 'tanh', 'multiply'])
    """

    name: str
    nodes: tuple[Node, ...]
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    results: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    @cached_property
    def captures(self) -> tuple[Node, ...]:
        """The nodes of arrays that are read from outside the function at every call."""
        return tuple([n for n in self.nodes if n.op is CAPTURE])

    @cached_property
    def ops(self) -> frozenset[Op]:
        """The ops of its nodes, those of bodies left out."""
        return frozenset([n.op for n in self.nodes])

    @cached_property
    def styles(self) -> frozenset[str]:
        """The styles of these ops: most graphs have no 'control' and no 'write', and need no pass for them."""
        return frozenset([op.style for op in self.ops])

    @cached_property
    def found(self) -> dict[Any, Any]:
        """Results of analyses of it, by the analysis. A graph never changes; bodies are asked at each level."""
        return {}

    @cached_property
    def names(self) -> dict[Node, str]:
        """A short name for every node, valid in Python and unique in the graph."""
        return name_nodes(self, {}, set(RESERVED), Counter())

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The graphs of branches and loop bodies among its nodes."""
        controls = [n for n in self.nodes if n.op.style == "control"] if "control" in self.styles else ()
        return tuple([a for n in controls for a in n.args if type(a) is Body])

    @cached_property
    def type_symbols(self) -> frozenset[str]:
        """The symbols in the types of its nodes, and of those of its bodies: one program names them all."""
        types = {id(t): t for n in self.nodes for t in n.types}  # equal types of one graph mostly are one object
        lengths = [length for t in types.values() for length in t.shape if type(length) is Dim]
        inner = [body.graph.type_symbols for body in self.bodies]
        return frozenset().union(*inner, *[dim.symbols() for dim in lengths])

    @cached_property
    def symbols(self) -> dict[str, tuple[Node, int]]:
        """Where each symbolic dimension gets its value: (node, axis)."""
        found: dict[str, tuple[Node, int]] = {}
        for node in self.nodes if self.type_symbols else ():
            if node.container is None:
                for axis, length in enumerate(node.type.readable_lengths):
                    if isinstance(length, Dim) and (name := pure_symbol(length)) is not None:
                        found.setdefault(name, (node, axis))
        return found

    @cached_property
    def used_symbols(self) -> frozenset[str]:
        """The symbolic dimensions that a program itself needs: those inside call templates."""
        given = [a for n in self.nodes for a in (*n.args, *[v for _, v in n.kwargs]) if type(a) not in _PLAIN]
        items = leaves(tuple(given))
        inner = [item.graph.used_symbols for item in items if type(item) is Body]
        return frozenset().union(*inner, *[item.symbols() for item in items if type(item) is Dim])

    @cached_property
    def pure(self) -> bool:
        """True if it does nothing but compute its outputs."""
        return all(n.pure for n in self.nodes)

    @cached_property
    def hash(self) -> str:
        """A text that is the same for graphs with the same ops, attributes, types, error settings and wiring, in every
        process."""
        index = {n: i for i, n in enumerate(self.nodes)}
        digest = blake2b(digest_size=12)
        for node in self.nodes:
            inputs = [index[n] for n in node.inputs]
            if node.op is CONSTANT:
                detail = _constant_text(node)
            elif not node.kwargs and all(type(a) is Ref for a in node.args):
                detail = repr([a.index for a in node.args])
            else:
                detail = f"{node.args!r}{node.kwargs!r}"
            errors = repr(node.errors) if node.errors else ""
            digest.update(f"{node.op.name}{inputs}{detail}{node.types!r}{errors}\n".encode())
        digest.update(repr([index[n] for n in self.outputs]).encode())
        return digest.hexdigest()

    def total(self) -> int:
        """The number of nodes, those in the bodies of branches and loops included."""
        return self._total

    @cached_property
    def _total(self) -> int:
        return len(self.nodes) + sum([body.graph.total() for body in self.bodies])

    def users(self) -> dict[Node, list[Node]]:
        """For every node, the nodes that read it, in program order."""
        users: dict[Node, list[Node]] = {n: [] for n in self.nodes}
        for node in self.nodes:
            for source in dict.fromkeys(node.inputs):
                users[source].append(node)
        return users

    def __str__(self) -> str:
        return printing.graph_text(self)

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {len(self)} nodes>"

    @cached_property
    def drawn_hash(self) -> str:
        """A hash of the drawing: equal, in every process, for graphs with the same `hash`, name, scopes and lines."""
        return printing.drawn_hash(self)

    def to_json(self) -> dict[str, Any]:
        """The graph as JSON-able data, in the form of `docs/protocol.md`."""
        return printing.graph_json(self)

    def part_json(self, first: int, most: int) -> dict[str, Any]:
        """At most `most` nodes from node `first` on, as JSON-able data in the short form of `docs/protocol.md`."""
        return printing.graph_part(self, first, most)

    def to_dot(self) -> str:
        """The graph in Graphviz's DOT language, one cluster for each name scope and each body of a branch or loop."""
        return printing.graph_dot(self)

    def to_svg(self) -> str:
        """The graph drawn by Graphviz, as SVG text. Raises `GraphvizMissingError` where there is no `dot` program."""
        return printing.graph_svg(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return printing.graph_mimebundle(self)


def fed_by(node: Node, body: Body) -> tuple[Node | None, ...]:
    """For each input of a node's body the outer value that it has at first (of which it has a row, in a scan), or None
    for the index of a loop."""
    lists = tuple(a for a in node.args if isinstance(a, ListOf))
    given = [node.inputs[item.index] for item in leaves(lists) if isinstance(item, Ref)]
    return (None,) * (len(body.graph.inputs) - len(given)) + tuple(given)


def pure_symbol(dim: Dim) -> str | None:
    """The name of a dimension that is one symbol and nothing else."""
    if len(dim.terms) == 1:
        (monomial, coefficient) = dim.terms[0]
        if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], str):
            return monomial[0]
    return None


def template_symbols(node: Node) -> set[str]:
    """The symbols in a node's arguments and bodies, whose lengths its call is given."""
    found: set[str] = set()
    for item in leaves((node.args, node.kwargs)):
        if type(item) is Dim:
            found |= item.symbols()
        elif type(item) is Body:
            found |= item.graph.used_symbols
    return found


def dimension_symbols(node: Node) -> set[str]:
    """The symbols in a node's types."""
    return {s for t in node.types for n in t.shape if isinstance(n, Dim) for s in n.symbols()}


def name_nodes(graph: Graph, given: Mapping[Node, str], taken: set[str], counts: Counter[str]) -> dict[Node, str]:
    """A name for every node: as `given`, or a new one that is not `taken`; new names are added to `taken`.

    `counts` are the numbers to go on with, by prefix: all below are taken.
    """
    taken |= graph.type_symbols
    names = dict(given)
    for node in graph.nodes:
        if (node.op is INPUT or node.op is CAPTURE) and node not in names:
            names[node] = _unique(_identifier(node.args[0]), taken)
    for node in graph.nodes:
        if node not in names:
            names[node] = numbered("c" if node.op is CONSTANT else "v", taken, counts)
    return names


def numbered(prefix: str, taken: set[str], counts: Counter[str]) -> str:
    """A new name that is a prefix and a number: see `name_nodes`."""
    number = counts[prefix]
    while (name := f"{prefix}{number}") in taken:
        number += 1
    counts[prefix] = number + 1
    taken.add(name)
    return name


_NOT_IN_NAMES = re.compile(r"\W+")


def _identifier(path: str) -> str:
    """A Python identifier close to an argument path: `batch['x'][0]` → `batch_x_0`."""
    text = _NOT_IN_NAMES.sub("_", path.removeprefix("global ").removeprefix("closure ")).strip("_") or "x"
    return f"x{text}" if text[0].isdigit() else text


def _unique(name: str, taken: set[str]) -> str:
    candidate, count = name, 1
    while candidate in taken or keyword.iskeyword(candidate):
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate)
    return candidate


def _constant_text(node: Node) -> str:
    value = node.args[0].value
    is_filled = getattr(value, "ndim", 0) > 0 and not any(value.strides)  # with one element, as often as need be
    value = value[(slice(1),) * value.ndim] if is_filled else value
    data = value.tobytes() if hasattr(value, "tobytes") and value.dtype.kind not in "OT" else repr(value).encode()
    return f"{'filled ' * is_filled}{blake2b(data, digest_size=12).hexdigest()}"


def are_of_arrays(nodes: Iterable[Node]) -> bool:
    """True if a node, or one in a body, has an array with axes or an object of another library among its results."""
    return any(any(map(_is_array, n.types)) or any(are_of_arrays(b.graph.nodes) for b in n.bodies) for n in nodes)


def _is_array(type: TensorType) -> bool:
    axes = len(type.shape) - (type.kind is Kind.LIST)
    return axes > 0 or type.kind is Kind.OBJECT
