"""Which loops become kernels: those over scalars and elements of arrays, with the scalar operations around them."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

from ....ir.graph import Graph, Node, input_node, item_node
from ....ir.op import CONSTANT, ITEM, by_name
from ....ir.template import Body, ListOf, Ref
from ....ir.types import Kind
from ....passes.rewrite import with_inputs
from ..fusion.lowering import lowering
from ..fusion.reduction import gives_position
from ..fusion.views import chain, is_view, place
from ..scalar.functions import FUNCTIONS
from .arrays import is_array
from .checked import Unfit
from .code import LoopCode, loop_code
from .control import STAGED, has_loops
from .nests.folds import reduces
from .reductions import is_array_work
from .scatter import elements_written, is_scatter
from .writes import is_part_write

LOOPS = "loops"
"""The name of the body of a kernel that has loops."""

MIN_STEPS = 32
"""Loops of fewer operations, as far as that is known, are left to NumPy."""

BYTES_A_STEP = 1024
"""As much can be copied in the time of one operation of Python. A kernel that copies more is not worth it."""

ELEMENTS_A_STEP = 16
"""Elements that NumPy writes by indices in the time that a kernel saves for one operation of Python."""

BYTES_AN_ELEMENT = 8
"""As much can be copied in the time that writing an element by its index gains."""

UNKNOWN_ELEMENTS = 1 << 13
"""The number of written elements to assume where it is unknown."""

MOST_BYTES = 1 << 21
"""Larger arrays are left to kernels that several threads run."""

MIN_WRITES = 3
"""Fewer writes without a loop are left to NumPy: calling such a kernel takes longer than calling others."""

MOST_TRIES = 4
"""How often code is written for a node, on average, to find the largest region that one kernel can compute."""

_KERNEL = by_name("kernel")


def with_loops(graph: Graph, precise: bool = False) -> Graph:
    """The graph with each group of loops that machine code can run as the body of one `kernel` node. Those in the
    bodies of other nodes are left, and where it is to be `precise`, those with functions like exp."""
    return _Outlining(graph, precise).outlined() if any(map(_is_reason, graph.nodes)) else graph


class _Outlining:
    """Finds the groups of a graph, and builds the graph in which each is one node."""

    def __init__(self, graph: Graph, precise: bool) -> None:
        self._graph = graph
        self._precise = precise
        self._users = graph.users()
        self._new: dict[Node, Node] = {}
        self._budget = 1000 + MOST_TRIES * graph.total()
        self._known: tuple[tuple[Node, ...], LoopCode | None] = (), None  # the last code that was found
        self._shown: set[Node] = set()  # the results of the last group that others need
        self._reads_views = True

    def outlined(self) -> Graph:
        graph, new = self._graph, self._new
        nodes: dict[Node, None] = {}
        for group in self._groups():
            kernel = self._kernel(group) if _is_worth_it(group) else None
            if kernel is not None:
                nodes[kernel] = None
            for node in group:
                if kernel is None or (_is_view(node) and node in self._shown):
                    new[node] = with_inputs(node, tuple([new[n] for n in node.inputs]))
                nodes[new.setdefault(node, kernel or node)] = None
        outputs = tuple([new[n] for n in graph.outputs])
        needed = set(outputs)
        for node in reversed(nodes):  # views that only kernels read are not made
            if node in needed or not is_view(node):
                needed |= {node, *node.inputs}
        return dataclasses.replace(graph, nodes=tuple([n for n in nodes if n in needed]), outputs=outputs)

    def _groups(self) -> Iterator[list[Node]]:
        """The nodes in an order in which they can run: each alone, or neighbours that one kernel may compute."""
        yield from ([n] for n in self._graph.nodes if n.is_leaf)
        run: list[Node] = []
        for node in self._graph.nodes:
            if node.is_leaf:
                continue
            if (node.op is ITEM and node.inputs[0] in run) or _is_candidate(node):
                run.append(node)
            else:
                yield from self._parted(run)
                yield [node]
                run = []
        yield from self._parted(run)

    def _parted(self, run: list[Node]) -> Iterator[list[Node]]:
        """A run of nodes in groups. Where there is no loop in it, but a write by indices, other kernels do better with
        steps that others than writes need, and with all but arithmetic."""
        if any(map(_is_loop, run)) or not any(map(is_scatter, run)):
            yield from self._split(run)
            return
        kept: set[Node] = set()
        for node in reversed(run):
            is_needed = node in self._graph.outputs or not kept.issuperset(self._users[node])
            if _is_reason(node) or (not is_needed and node.op is not ITEM and _is_simple(node)):
                kept.add(node)
        part: list[Node] = []
        for node in run:
            if node in kept:
                part.append(node)
                continue
            yield from self._split(part)
            yield [node]
            part = []
        yield from self._split(part)

    def _split(self, run: list[Node]) -> Iterator[list[Node]]:
        """A run of nodes in groups, each as large as one kernel can compute it, if there are loops or writes in it;
        others each alone with its items."""
        alone: list[list[Node]] = []
        for node in run:
            if node.op is ITEM:
                alone[-1].append(node)
            else:
                alone.append([node])
        while alone and self._budget > 0 and any(map(_is_reason, itertools.chain(*alone))):
            count, wrong = self._first(alone)
            group = list(itertools.chain(*alone[:count]))
            yield from [group] if any(map(_is_reason, group)) else alone[:count]
            yield from alone[count : count + wrong]
            alone = alone[count + wrong :]
        yield from alone

    def _first(self, alone: list[list[Node]]) -> tuple[int, int]:
        """How many of these are one kernel, from the first on, and how many after them are none, as far as is known."""
        wrong = 0
        while alone:
            group = list(itertools.chain(*alone))
            body = self._body(group)[0]
            self._budget -= body.total()
            try:
                code = loop_code(body, body.inputs)
            except Unfit as unfit:
                if unfit.at is None:
                    return self._fewer(alone), 0
                at = unfit.at - (len(body.nodes) - len(group))
                if at < 0:
                    self._reads_views = False
                    continue
                node = group[at]
                alone, wrong = alone[: next(k for k, nodes in enumerate(alone) if node in nodes)], 1
                continue
            if self._precise and not code.is_exact:
                return self._fewer(alone), 0
            self._known = tuple(group), code
            break
        return len(alone), wrong

    def _fewer(self, alone: list[list[Node]]) -> int:
        """How many of these are one kernel, where all of them are not: found by halving."""
        low, high = min(1, len(alone)), len(alone)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._code(list(itertools.chain(*alone[:middle]))) else (low, middle)
        return low

    def _code(self, group: list[Node]) -> LoopCode | None:
        """The code of a group, whose arguments may be written into. None where no kernel can compute it."""
        if self._known[0] == tuple(group):
            return self._known[1]
        body = self._body(group)[0]
        self._budget -= body.total()
        try:
            code = loop_code(body, body.inputs)
        except Unfit:
            return None
        return code if code.is_exact or not self._precise else None

    def _body(self, group: list[Node]) -> tuple[Graph, list[Node], list[Node]]:
        """The nodes of a group as a graph, with the nodes that it is given and those that others need of it."""
        graph, inside = self._graph, set(group)
        outer = list(dict.fromkeys(s for n in group for s in n.inputs if s not in inside))
        inlined = [n for n in outer if n.op is CONSTANT and not n.type.shape]
        outer = [n for n in outer if n not in inlined]
        is_read = self._reads_views
        ways = [chain(n) if is_read and is_view(n) and place(n) else [n] for n in outer]  # views are made inside
        outer = list(dict.fromkeys(root for root, *_ in ways))
        for name in sorted(Graph("", tuple(group), (), ()).used_symbols):
            node, _ = graph.symbols.get(name, (None, 0))
            if node is not None and node not in inside and node not in outer:  # it is a length
                outer.append(node)
        self._shown = shown = {n for n in group if n.container is None and self._is_shown(n, inside)}
        for node in reversed(group):
            if node in shown and _is_view(node):  # made again outside, from its base
                shown |= set(node.inputs) & inside
        outputs = [n for n in group if n in shown and not _is_view(n)]
        inner = {n: input_node(graph.names[n], n.type) for n in outer} | {n: n for n in inlined}
        for node in dict.fromkeys([*[view for _, *views in ways for view in views], *group]):
            inner[node] = with_inputs(node, tuple([inner[n] for n in node.inputs]))
        inputs, results = tuple([inner[n] for n in outer]), tuple([inner[n] for n in outputs])
        return Graph(f"{graph.name}_loops", tuple(inner.values()), inputs, results), outer, outputs

    def _is_shown(self, node: Node, inside: set[Node]) -> bool:
        return node in self._graph.outputs or any(u not in inside for u in self._users[node])

    def _kernel(self, group: list[Node]) -> Node | None:
        """The node that computes a group. None where no machine code can. `_new` then has its results."""
        code = self._code(group)
        if code is None:
            return None
        body, outer, outputs = self._body(group)
        kept = [n.type.nbytes for n, keeps in zip(code.made, code.kept, strict=True) if keeps]
        if None in kept and not any(map(_is_loop, group)):  # of which writes by indices may reach a small part
            return None
        if sum(size or 0 for size in kept) > sum(map(_copied_for, group)):
            return None
        given = tuple(dict.fromkeys(self._new[n] for n in outer))
        refs = ListOf(tuple([Ref(given.index(self._new[n])) for n in outer]))
        last = group[-1]
        types = tuple([n.type for n in outputs])
        kernel = Node(_KERNEL, given, (Body(LOOPS, body), refs), (), types, tuple, last.scope, last.source)
        self._new |= {node: item_node(kernel, index) for index, node in enumerate(outputs)}
        return kernel


def _is_loop(node: Node) -> bool:
    """True for loops, and branches with loops in them."""
    return node.op.name in STAGED or (node.op is not _KERNEL and any(has_loops(b.graph) for b in node.bodies))


def _is_reason(node: Node) -> bool:
    """True for steps that are worth a kernel of a group: loops, and writes of slices and by indices."""
    return _is_loop(node) or is_part_write(node) or is_scatter(node)


def _is_view(node: Node) -> bool:
    return node.op.view is True and is_array(node)


def _is_candidate(node: Node) -> bool:
    """True for steps that may be part of a kernel: loops and branches, scalar operations, writes into arrays."""
    if node.container is not None:
        return node.op.name in (*STAGED, "cond", "switch")
    if node.op is ITEM or not node.pure or gives_position(node):  # which kernels of their own find faster
        return False
    if not is_array(node):
        return node.type.kind in (Kind.SCALAR, Kind.PYTHON)
    if is_scatter(node):
        return True
    return node.type.nbytes is not None and node.type.nbytes <= MOST_BYTES and is_array_work(node)


def _is_simple(node: Node) -> bool:
    """True for steps that take no longer where elements are written by indices: arithmetic, new arrays and views."""
    if node.bodies:
        return False
    how = lowering(node) if is_array(node) else None
    return reduces(node) is None and (how is None or how.rule not in FUNCTIONS)


def _is_worth_it(group: list[Node]) -> bool:
    if not any(_is_loop(n) or is_scatter(n) for n in group) and sum(map(_is_reason, group)) < MIN_WRITES:
        return False
    return any(map(_is_reason, group)) and sum(map(_steps, group)) >= MIN_STEPS


def _copied_for(node: Node) -> float:
    """How many bytes may be copied where a node is computed natively: more would take longer than that gains."""
    if not is_scatter(node):
        return BYTES_A_STEP * _steps(node)
    elements = elements_written(node)
    return BYTES_AN_ELEMENT * (elements if math.isfinite(elements) else UNKNOWN_ELEMENTS)


def _steps(node: Node) -> float:
    """How many operations a node is, as far as that is known; an unknown number counts as many."""
    if node.op.name == "while_loop":
        return math.inf
    inside = sum(_steps(n) for body in node.bodies for n in body.graph.nodes if not n.is_leaf)
    if is_scatter(node):
        return 1 + elements_written(node) / ELEMENTS_A_STEP
    if node.op.name != "for_loop":
        touched = max([n.type.nbytes or 0 for n in (node, *node.inputs) if n.container is None], default=0)
        computes = is_array(node) and node.op is not ITEM and not _is_view(node) and node.op.style != "write"
        return 1 + inside + (touched / BYTES_A_STEP if computes else 0)
    bounds = [b for b in node.args[:3] if type(b) is int]
    if len(bounds) < 3 or not bounds[2]:
        return math.inf
    start, stop, step = bounds
    return max(0, -((start - stop) // step)) * inside
