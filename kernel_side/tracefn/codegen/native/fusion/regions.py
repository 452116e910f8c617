"""Which nodes become one kernel: neighbours that work on elements of one shape, with nothing else between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from ....ir.graph import Graph, Node, input_node, item_node
from ....ir.op import CONSTANT, ITEM, by_name
from ....ir.template import Body, ListOf, Ref
from ....ir.types import Kind
from ....passes.rewrite import with_inputs
from ..scalar.folds import FOLDS
from ..scalar.functions import FUNCTIONS
from ..scalar.number_steps import is_number_step
from .clusters import Unit, units
from .gather import composed, elements_read, gather, tables
from .lowering import is_exact, is_fast_in_numpy, is_quick, is_slow, lowering, may_be_same, writes_whole
from .reduction import MOST_OF_SCAN, is_short, reduction, work_shape
from .scan import scan
from .search import search
from .views import chain, is_view, place

MIN_NODES = 2
"""Fewer operations than this are left to NumPy: nothing is saved by fusing one. A reduction is worth it alone: NumPy
takes microseconds to begin. So are operations that NumPy computes one by one, and the only operation of a program,
which machine code can call."""

SCANS = ("any", "all")
"""Reductions that NumPy ends as soon as it knows the result."""

MOST_WRITES = 100
"""So many writes into an array are followed back to where it was made."""

NEAR, FAR = 8, 32
"""Limits of the distance, in nodes, between two operations of one kernel: `NEAR` where both read one array, `FAR` where
one reads the result of the other. A result that waits long for its reader takes memory and leaves the cache."""

MOST_NODES, MOST_SPAN = 128, 1024
"""Limits of a kernel: its nodes, and the distance from the first to the last. Building takes time for pairs of nodes of
one kernel, and so is linear in the graph; one more array for each hundred operations is not noticed in a call."""

KERNEL = by_name("kernel")

Units = dict[Node, Unit]


def with_regions(graph: Graph, precise: bool = False) -> Graph:
    """The graph with each region as the body of one `kernel` node; the bodies of other nodes are left. `precise` leaves
    to NumPy the operations that native code rounds in another way."""
    known = units(graph, precise)
    inner = {n for unit in known.values() for n in unit.inner}
    steps = [n for n in graph.nodes if not n.is_leaf and not is_view(n) and not is_number_step(n)]
    regions = [
        r
        for r in _regions(graph, known, inner, precise)
        if (_operations(r) >= MIN_NODES or (r == steps and len(r) == 1 and is_quick(r[0])))
        and _tells_its_lengths([n for n in r if n not in inner], known)
        and not all(map(_is_long_search, r))
    ]
    regions = _with_results(graph, regions) if regions else regions
    return Outlining(graph, regions, inner).graph() if regions else graph


def _with_results(graph: Graph, regions: list[list[Node]]) -> list[list[Node]]:
    """Those of the regions that others read: dead writes run because they may raise, which NumPy does."""
    users, outputs = graph.users(), set(graph.outputs)
    return [r for r in regions if any(n in outputs or not set(users[n]).issubset(r) for n in r)]


def _regions(graph: Graph, known_units: Units, inner: set[Node], precise: bool) -> list[list[Node]]:
    """The largest groups of nodes of one shape that can run at one point of the program, each in program order."""
    position = {n: i for i, n in enumerate(graph.nodes)}
    group: dict[Node, list[Node]] = {}
    ends = [n for n in graph.nodes if may_end(n)]
    before = effects_before(graph)

    def join(members: list[Node], other: list[Node] | None) -> list[Node]:
        """The union of two groups, or the first alone where they cannot be one."""
        if other is None or other[0] in members or not is_bounded(members, other, position):
            return members
        if not may_be_same(work_shape(other[-1]), work_shape(members[-1])) or other[0].errors != members[0].errors:
            return members
        both = [*members, *other]
        found = [known_units[n] for n in both if n in known_units]
        if any(unit.is_alone for unit in found):
            return members
        if not (tables(both) | {t for unit in found for t in unit.tables}).isdisjoint(both):
            return members
        whole = [n for n in both if n not in inner]
        if not _reduce_as_one(whole) or not _scan_as_one(whole) or not _can_view(whole, found):
            return members
        union = sorted(set(both), key=position.__getitem__)
        if any(position[union[0]] < position[end] < position[union[-1]] for end in ends):
            return members
        return members if leaves_and_returns(union, group, before, position) else union

    users: dict[Node, Node] = {}  # for each array one node that reads it: neighbours read it in the same loop
    for node in graph.nodes:
        known = is_exact(node) if precise else lowering(node) is not None or reduction(node) is not None
        known = known or any(how(node) is not None for how in (scan, gather, search)) or node in known_units
        if not known or node in inner or writes_into_leaf(node):
            continue
        unit = known_units.get(node)
        members = [node] if unit is None else [*unit.inner, node]
        read = elements_read(node) if unit is None else unit.read
        for source in () if unit is not None and unit.is_alone else read:
            other = group.get(source)
            if other is not None and position[node] - position[other[-1]] <= FAR:
                members = join(members, other)
        for source in () if unit is not None and unit.is_alone else read:
            neighbour = users.get(source)
            if neighbour is not None and position[node] - position[neighbour] <= NEAR:
                members = join(members, group[neighbour])
            users[source] = node
        for member in members:
            group[member] = members
    return list({id(g): g for g in group.values()}.values())


def is_bounded(members: list[Node], other: list[Node], position: Mapping[Node, int]) -> bool:
    """True if the union of two groups is not too large for one kernel."""
    first = min(position[members[0]], position[other[0]])
    last = max(position[members[-1]], position[other[-1]])
    return len(members) + len(other) <= MOST_NODES and last - first <= MOST_SPAN


def _reduce_as_one(nodes: list[Node]) -> bool:
    """True if those of the nodes that are reductions reduce the same axes, and no other node reads their results. No
    node among them looks for numbers in tables: that is for vectors side by side."""
    found = {n: r for n in nodes if (r := reduction(n)) is not None and not is_short(n)}
    if found and any(search(n) is not None for n in nodes):
        return False
    return len({r.axes for r in found.values()}) < 2 and not any(s in found for n in nodes for s in n.inputs)


def _scan_as_one(nodes: list[Node]) -> bool:
    """True if those of the nodes that are running totals go along one axis, and the others can keep up with them: none
    is a reduction, nor a function where they cannot be computed as vectors."""
    axes = {found.axis for n in nodes if (found := scan(n)) is not None}
    if not axes:
        return True
    is_last = axes == {nodes[0].type.ndim - 1}
    functions = (step.rule in FUNCTIONS for n in nodes if (step := lowering(n)) is not None)
    return len(axes) == 1 and not any(reduction(n) is not None for n in nodes) and not (is_last and any(functions))


def _can_view(nodes: list[Node], found: list[Unit]) -> bool:
    """True if a kernel of these nodes can read through views, or need not."""
    has_tables = any(how(n) is not None for n in nodes for how in (scan, gather, search))
    return not has_tables or not any(u.tables for u in found)


def _operations(region: list[Node]) -> int:
    """How much there is to be saved."""
    return sum(MIN_NODES if _is_slow(n) else not is_fast_in_numpy(n) for n in region)


def _is_slow(node: Node) -> bool:
    """True for reductions, running totals, searches and elements along an axis, which NumPy takes long for, however
    short they are, and the like."""
    found = reduction(node)
    if any(how(node) is not None for how in (scan, search)) or is_slow(node) or node.op.name == "take_along_axis":
        return True
    if found is None or node.op.name in SCANS:
        return False
    return not FOLDS[found.rule].gives_position or node.inputs[0].type.ndim - 1 not in found.axes


def _is_long_search(node: Node) -> bool:
    """True for a maximum or minimum over enough elements for NumPy to be faster."""
    found = reduction(node)
    if found is None or found.rule not in ("maximum", "minimum"):
        return False
    source = node.inputs[0].type
    return len(found.axes) == source.ndim and isinstance(source.size, int) and source.size >= MOST_OF_SCAN


def _tells_its_lengths(region: list[Node], known: Units) -> bool:
    """True if the lengths of a region's results follow from its arguments."""
    inside, shape = set(region), work_shape(region[-1])
    read = [s for n in region for s in (known[n].read if n in known else elements_read(n))]
    outer = [s.type.shape for s in read if s not in inside]
    shapes = [work_shape(n) for n in region]
    return all(
        any(isinstance(shape[axis], int) for shape in shapes) or any(len(s) >= -axis and s[axis] != 1 for s in outer)
        for axis in range(-len(shape), 0)
    )


def may_end(node: Node) -> bool:
    """True for steps that may raise as the user wrote them. Where one does, no later step may have warned: no kernel
    spans it."""
    return node.op.name in ("raise_error", "check") or any(may_end(n) for body in node.bodies for n in body.graph.nodes)


def effects_before(graph: Graph) -> dict[Node, Node]:
    """The effect before each but the first: they run in the order of the program."""
    effects = [n for n in graph.nodes if not n.pure and not n.is_leaf]
    return dict(zip(effects[1:], effects, strict=False))


def leaves_and_returns(
    union: list[Node], group: dict[Node, list[Node]], before: dict[Node, Node], position: dict[Node, int]
) -> bool:
    """True if a path leads from the nodes of a union through others and back into it."""
    inside, first = set(union), position[union[0]]
    seen: set[Node] = set()
    waiting = _sources(union, before, inside)
    while waiting:
        node = waiting.pop()
        if node in inside:
            return True
        whole = group.get(node, [node])
        if node in seen or max(position[n] for n in whole) < first:
            continue
        others = [n for n in whole if n not in inside]
        seen.update(others)
        waiting += _sources(others, before, set(others))
    return False


def _sources(nodes: Iterable[Node], before: dict[Node, Node], without: set[Node]) -> list[Node]:
    found = [s for n in nodes for s in n.inputs if s not in without]
    return found + [before[n] for n in nodes if n in before]


def writes_into_leaf(node: Node) -> bool:
    """True for steps that write into an argument, or may: a kernel would write an array that is then copied there, and
    nothing would be there where something raises before."""
    if not writes_whole(node):
        return False
    for _ in range(MOST_WRITES):
        if node.op.style != "write":
            is_made = node.op is not ITEM or node.inputs[0].op is KERNEL
            return node.is_leaf or bool(node.op.view) or bool(node.bodies) or not is_made
        node = node.inputs[0]
    return True


class Outlining:
    """Builds the graph in which each region is one node. `body_name` is the kind of kernel."""

    body_name = "kernel"

    def __init__(self, graph: Graph, regions: list[list[Node]], inner: set[Node]) -> None:
        self._old = graph
        self._inner = inner
        self._region = {n: r for r in regions for n in r}
        self._users = graph.users()
        self._before = effects_before(graph)
        self._new: dict[Node, Node] = {}
        self._nodes: dict[Node, None] = {}
        self._composed: set[Node] = set()
        self._count = sum(n.op is KERNEL for n in graph.nodes)

    def graph(self) -> Graph:
        leaves = [n for n in self._old.nodes if n.is_leaf]  # captured arrays are passed in their order
        for node in (*leaves, *self._old.nodes):
            self._place(node)
        outputs = tuple([self._new[n] for n in self._old.outputs])
        needed = set(outputs)
        for node in reversed(self._nodes):  # views and tables that only kernels read are not made
            if node in needed or not (is_view(node) or node in self._composed):
                needed |= {node, *node.inputs}
        return dataclasses.replace(self._old, nodes=tuple([n for n in self._nodes if n in needed]), outputs=outputs)

    def _place(self, node: Node) -> None:
        """Adds a node after its operands."""
        waiting, has_waited = [node], set[Node]()
        while waiting:
            node = waiting[-1]
            region = self._region.get(node, [node])
            missing = [s for s in _sources(region, self._before, set(region)) if s not in self._new]
            if node in self._new or not missing:
                waiting.pop()
                if node not in self._new:
                    self._add(node)
                continue
            assert node not in has_waited, "regions need each other"
            has_waited.add(node)
            waiting += missing

    def _add(self, node: Node) -> None:
        region = self._region.get(node)
        if region is not None:
            self._add_region(region)
            return
        new = with_inputs(node, tuple([self._new[n] for n in node.inputs]))
        self._new[node] = new
        self._nodes[new] = None

    def _views(self, region: list[Node], outer: list[Node]) -> dict[Node, list[Node]]:
        """The arguments that a region can read in the memory of another array, each with the views that lead there."""
        if any(scan(n) is not None for n in region):
            return {}
        if not all(n.type.is_static and n.type.size for n in (*region, *outer) if n not in self._inner):
            return {}
        whole = tables(region) | {n.inputs[-1] for n in region if n.op.name == "getitem_mask"}
        found = {n: chain(n) for n in outer if n.type.ndim and n not in whole and is_view(n) and place(n) is not None}
        return {n: c for n, c in found.items() if c[0].type.kind is Kind.ARRAY}

    def _rows(self, outer: list[Node]) -> list[Node]:
        """The arguments of a region that are rows of other arrays, and only read by indices in kernels."""

        def is_read(node: Node, user: Node) -> bool:
            found = composed(user) if user in self._region else None
            return found is not None and found.table is node.inputs[0]

        return [
            n
            for n in outer
            if gather(n) is not None
            and n not in self._region
            and n not in self._old.outputs
            and all(is_read(n, u) for u in self._users[n])
        ]

    def _is_needed(self, node: Node, inside: set[Node]) -> bool:
        """True if a value is read outside of a region."""
        return node in self._old.outputs or any(u not in inside for u in self._users[node])

    def _add_region(self, region: list[Node]) -> None:
        inside = set(region)
        outer = list(dict.fromkeys(s for n in region for s in n.inputs if s not in inside))
        inlined = [n for n in outer if n.op is CONSTANT and not n.type.shape]
        outer = [n for n in outer if n not in inlined]
        rows = self._rows(outer)
        self._composed |= {self._new[n] for n in rows}
        outer = list(dict.fromkeys(s for n in outer for s in (n.inputs if n in rows else (n,))))
        views = self._views([*rows, *region], outer)
        outer = list(dict.fromkeys(views[n][0] if n in views else n for n in outer))
        outputs = [n for n in region if scan(n) is not None or self._is_needed(n, inside)]
        inner = {n: input_node(self._old.names[n], n.type) for n in outer} | {n: n for n in inlined}
        for node in dict.fromkeys([*[v for _, *steps in views.values() for v in steps], *rows, *region]):
            inner[node] = with_inputs(node, tuple([inner[n] for n in node.inputs]))
        body = Graph(
            f"{self._old.name}_kernel{self._count}",
            tuple(inner.values()),
            tuple([inner[n] for n in outer]),
            tuple([inner[n] for n in outputs]),
        )
        self._count += 1
        given = tuple(dict.fromkeys(self._new[n] for n in outer))
        refs = ListOf(tuple([Ref(given.index(self._new[n])) for n in outer]))
        args = (Body(self.body_name, body), refs)
        last = region[-1]
        types = tuple([n.type for n in outputs])
        kernel = Node(KERNEL, given, args, (), types, tuple, last.scope, last.source, last.errors)
        self._nodes[kernel] = None
        for index, node in enumerate(outputs):
            self._new[node] = item_node(kernel, index)
            self._nodes[self._new[node]] = None
        for node in region:
            self._new.setdefault(node, kernel)
