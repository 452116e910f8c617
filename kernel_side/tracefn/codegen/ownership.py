"""Liveness: item writes may go into the array itself where its old content is dead.

An array may be written into if it was made in the program (or copied before a loop), and whatever shows its memory is
dead by then. Bodies of branches and loops take arrays over from around them.
"""

from __future__ import annotations

import bisect
import itertools
import math
import weakref
from collections.abc import Callable, Iterable, Sequence

from ..ir.graph import Graph, Node, fed_by
from ..ir.op import ITEM, LEAVES, by_name
from ..ir.template import Body, ListOf, Ref, leaves
from ..passes.outputs import is_read_only, memory_root

UPDATE = by_name("update")


class Ownership:
    """`in_place` are the writes that need no copy. `copied` tells for loops which of their variables the program must
    copy in the first round. `taken` are those of the `owned` inputs that are written into, `taken_inside` such
    inputs of the bodies of branches and calls. Inputs that are `together` share memory."""

    def __init__(
        self,
        graph: Graph,
        owned: Iterable[Node] = (),
        is_body: bool = False,
        together: Sequence[tuple[Node, Node]] = (),
    ) -> None:
        self._graph = graph
        self.in_place: set[Node] = set()
        self.copied: dict[Node, set[int]] = {}
        self.taken: set[Node] = set()
        self.taken_inside: set[Node] = set()
        self._owned = set(owned) | {n.inputs[0] for n in graph.nodes if n.op is UPDATE and not is_body}
        ordered = sorted(graph.nodes, key=_is_made)  # leaves are there from the start
        self._position = {n: i for i, n in enumerate(ordered)}
        self._last_read: dict[Node, int] = {}
        for index, node in enumerate(ordered):
            for read in _reads(node) if node.op.style in _READS_APART else node.inputs:
                self._last_read[read] = index
        keeping = [node for node in graph.nodes if node.op.style in ("effect", "list") and node.op is not UPDATE]
        given_away = [n for node in keeping for n in node.inputs]
        self._kept = {*graph.outputs, *given_away}
        self._given: dict[Node, dict[Node, Node]] = {}
        is_known = not together and "control" not in graph.styles
        self.group = groups_of(graph) if is_known else groups(graph, self._note_given, together)
        self._members: dict[Node, list[Node]] = {}
        for node in ordered:
            if (root := self.group.get(node)) is not None:
                self._members.setdefault(root, []).append(node)
        self._needed: dict[Node, list[float]] = {}
        for node in graph.nodes:
            if node.op.style == "write":
                self._write(node)
            elif node.op.style == "control" and node.bodies:
                self._control(node)

    def _needed_until(self, array: Node) -> float:
        """The position of the last node that reads an array; infinite for one that stays or belongs to the caller."""
        if array in self._kept or (array.is_leaf and array not in self._owned):
            return math.inf
        return self._last_read.get(array, -1)

    def _is_free(self, array: Node, at: Node) -> bool:
        """True if nothing that shows the array's memory is needed after the node `at`, and it is the program's own: no
        view whose elements may share memory."""
        if is_read_only(array):
            return False
        position, root = self._position[at], self.group[array]
        before = bisect.bisect_left(self._members[root], position, key=self._position.__getitem__)
        if root not in self._needed:
            self._needed[root] = [*itertools.accumulate(map(self._needed_until, self._members[root]), max)]
        return before == 0 or self._needed[root][before - 1] <= position

    def is_fresh(self, array: Node) -> bool:
        """True if all that shares an array's memory was made in the graph itself, outside of its bodies."""
        root = self.group.get(array)
        return root is not None and not any(n.is_leaf for n in self._members[root])

    def is_alone(self, array: Node, at: Node) -> bool:
        """True if an array shares memory with no other that is given to the control node `at`."""
        given = self._given[at]
        return sum(given[n] is given[array] for n in _operands(at) if is_array(n)) == 1

    def _take(self, array: Node) -> None:
        self.taken |= {n for n in self._owned if self.group.get(n) is self.group[array]}

    def _write(self, node: Node) -> None:
        base = node.inputs[node.args[0].index]
        if is_array(base) and self._is_free(base, node) and _is_writable(base):
            self.in_place.add(node)
            self._take(base)

    def _control(self, node: Node) -> None:
        given = self._given[node]
        alone = {n for n in given if self.is_alone(n, node)}
        for body in node.bodies:
            outer = fed_by(node, body)
            pairs = [(i, o) for i, o in zip(body.graph.inputs, outer, strict=True) if o is not None and is_array(o)]
            if node.op.is_loop:
                self._loop(node, body, alone)
                continue
            free = {i: o for i, o in pairs if self._is_free(o, node)}
            together = [(i, j) for i, o in pairs for j, other in pairs if i is not j and given[o] is given[other]]
            inner = Ownership(body.graph, free, is_body=True, together=together)
            self._join(inner)
            self.taken_inside |= inner.taken
            for taken in inner.taken:
                self._take(free[taken])

    def _note_given(self, node: Node, find: Callable[[Node], Node]) -> None:
        """Notes the arrays given to a control node, each with one that stands for those that share its memory there."""
        self._given[node] = {n: find(n) for n in _operands(node) if is_array(n)}

    def _loop(self, node: Node, body: Body, alone: set[Node]) -> None:
        if body.name == "test" or node.op.name == "scan":
            self._join(Ownership(body.graph, is_body=True))
            return
        state = [node.inputs[r.index] if isinstance(r, Ref) else None for r in _state(node).items]
        skipped = len(body.graph.inputs) - len(fed_by_state(node, body))
        inputs = body.graph.inputs[skipped : skipped + len(state)]
        group = groups_of(body.graph)
        outputs = [group.get(n) for n in body.graph.outputs[: len(state)]]
        owned = {
            variable: k
            for k, variable in enumerate(inputs)
            if is_array(variable)
            and all(g not in (outputs[k], group[variable]) for j, g in enumerate(outputs) if j != k)
        }
        inner = Ownership(body.graph, owned, is_body=True)
        self._join(inner)
        for taken in inner.taken:
            first = state[owned[taken]]
            if first is not None and is_array(first) and first in alone and self._is_free(first, node):
                self._take(first)
            else:
                self.copied.setdefault(node, set()).add(owned[taken])

    def _join(self, inner: Ownership) -> None:
        self.in_place |= inner.in_place
        self.copied |= inner.copied
        self.taken_inside |= inner.taken_inside
        self._given |= inner._given


def _is_writable(array: Node) -> bool:
    """False for an array that is a view of another one into which a program must not write."""
    root = memory_root(array)
    while array is not root:
        call, output = (array.inputs[0], array.args[1]) if array.op is ITEM else (array, 0)
        if call.op.read_only:
            return False
        array = call.inputs[call.op.viewed(call.args, call.kwargs, output).index]
    return True


def _is_made(node: Node) -> bool:
    return node.op not in LEAVES


_READS_APART = frozenset({"control", UPDATE.style})
"""Styles of nodes that may ignore the content of an input."""


def _reads(node: Node) -> Iterable[Node]:
    """The inputs of whose content a node makes use: not those that get another one before an exception."""
    if node.op is UPDATE:
        return node.inputs[1:]
    if node.op.style != "control" or not any(_updates(body.graph) for body in node.bodies):
        return node.inputs
    state = {node.inputs[r.index] for r in _state(node).items if isinstance(r, Ref)} if node.op.is_loop else set()
    unread: set[Node | None] = set()
    read: set[Node | None] = set(state)
    for body in node.bodies:
        used = {n for inner in body.graph.nodes for n in _reads(inner)} | set(body.graph.outputs)
        for inside, outer in zip(body.graph.inputs, fed_by(node, body), strict=True):
            (read if inside in used else unread).add(outer)
    return [n for n in node.inputs if n in read or n not in unread]


def _updates(graph: Graph) -> bool:
    """True where an array from outside is written into before the end of the program."""
    return UPDATE in graph.ops or any(_updates(body.graph) for body in graph.bodies)


def is_array(node: Node) -> bool:
    return node.container is None and node.types[0].has_memory


def _operands(node: Node) -> list[Node]:
    """The values that a control node is given, each as often as it is given."""
    lists = tuple(a for a in node.args if not isinstance(a, Body))
    return [node.inputs[item.index] for item in leaves(lists) if isinstance(item, Ref)]


def _state(node: Node) -> ListOf:
    """The first values of a loop's variables."""
    return next(a for a in node.args if isinstance(a, ListOf))


def fed_by_state(node: Node, body: Body) -> list[Node]:
    """The inputs of a loop's body that have a value before the first round: its variables, and values from around."""
    return [i for i, o in zip(body.graph.inputs, fed_by(node, body), strict=True) if o is not None]


def groups_of(graph: Graph) -> dict[Node, Node]:
    """`groups` of a body, which is asked for by each step of the code generator."""
    if groups not in graph.found:
        graph.found[groups] = groups(graph)
    found: dict[Node, Node] = graph.found[groups]
    return found


def groups(
    graph: Graph, at_control: Callable[..., None] | None = None, together: Iterable[tuple[Node, Node]] = ()
) -> dict[Node, Node]:
    """For each array a node that stands for all that may share its memory: views, results of writes, of branches and
    loops. `at_control` is given each branch and loop, with a function that tells the representative of an array there:
    groups may be united later. Inputs that are `together` share memory."""
    parent: dict[Node, Node] = {}

    def find(node: Node) -> Node:
        while (above := parent.get(node, node)) is not node:
            parent[node] = node = parent.get(above, above)
        return node

    def join(node: Node, other: Node) -> None:
        if is_array(other) and is_array(node):
            parent[find(other)] = find(node)

    for node, other in together:
        join(node, other)
    sources: dict[Node, list[set[Node]]] = {}
    of_bodies: dict[Node, list[set[Node]]] = {}
    items: dict[tuple[Node, Node], Node] = {}
    arrays = [n for n in graph.nodes if n.container is None and n.types[0].has_memory]
    for node in graph.nodes if "control" in graph.styles else arrays:
        if node.op.style == "control" and node.bodies:
            if at_control is not None:
                at_control(node, find)
            sources[node], of_bodies[node] = _shared_by_results(node)
        elif node.op is ITEM and node.inputs[0] in sources:
            for source in sources[node.inputs[0]][node.args[1]]:
                join(node, source)
            for made in of_bodies[node.inputs[0]][node.args[1]]:
                join(node, items.setdefault((node.inputs[0], made), node))
        elif is_array(node):
            if (node.op.view or node.op is ITEM) and (root := memory_root(node)) is not node:
                join(node, root)
            if node.op.style == "write":
                join(node, node.inputs[node.args[0].index])
            elif not node.is_leaf and (node.op.style == "list" or node.op.fresh_dims and node.op.style == "effect"):
                for source in node.inputs:
                    join(node, source)
    return {n: find(n) if n in parent else n for n in arrays}


def shared_by_results(node: Node) -> list[set[Node]]:
    """For each result of a branch or loop the values around it whose memory it may share."""
    return _shared_by_results(node)[0]


_Shared = tuple[list[set[Node]], list[set[Node]]]

_KNOWN: weakref.WeakKeyDictionary[Node, _Shared] = weakref.WeakKeyDictionary()
"""The memory that results share: branches in branches are asked again at each level, and by each step of the code
generator."""


def _shared_by_results(node: Node) -> _Shared:
    """The same, and the representatives in its bodies of the arrays whose memory it may share."""
    if (known := _KNOWN.get(node)) is None:
        known = _KNOWN[node] = _find_shared(node)
    return known


def _find_shared(node: Node) -> _Shared:
    found: list[set[Node]] = [set() for _ in node.types]
    inside: list[set[Node]] = [set() for _ in node.types]
    is_loop = node.op.is_loop
    state = [node.inputs[r.index] if isinstance(r, Ref) else None for r in _state(node).items] if is_loop else []
    for k, first in enumerate(state):
        if first is not None:
            found[k].add(first)
    for body in node.bodies:
        if body.name == "test":
            continue
        group = groups_of(body.graph)
        outer = list(zip(body.graph.inputs, fed_by(node, body), strict=True))
        results = body.graph.outputs[: len(state) if is_loop else len(found)]
        for k, output in enumerate(results):
            if output in group:
                found[k] |= {o for i, o in outer if o is not None and i in group and group[i] is group[output]}
                inside[k].add(group[output])
    changed = is_loop
    while changed:  # the array of one variable may be that of another in the next round
        changed = False
        for sources in found[: len(state)]:
            for j, first in enumerate(state):
                if first in sources and not found[j] <= sources:
                    sources |= found[j]
                    changed = True
    return found, inside
