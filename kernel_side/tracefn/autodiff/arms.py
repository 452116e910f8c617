"""Values that arms of branches and bodies of calls keep for the backward pass; and such nodes without effects."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Mapping

from ..ir.dims import Dim
from ..ir.graph import Graph, Node, constant_node, item_node
from ..ir.op import by_name
from ..ir.template import Body, ListOf, Ref
from ..ir.types import Kind, TensorType
from ..trace.body import BodyTrace
from ..trace.context import Trace
from ..trace.control.record import bodies_of, record
from .needed import TWINS, Around, Needed, opened, unkept


class KeptByArms:
    """The values that the arms of a branch keep: each is a result of the branch, and an item of its node. Arms that
    keep values of one type have a result in common: only one of them runs. `home` is the trace that has recorded it."""

    def __init__(self, home: Trace, node: Node) -> None:
        self.home, self.node = home, node
        self._items: dict[tuple[int, Node], Node] = home.root.kept_by_loops.setdefault(node, {})

    def item(self, arm: int, value: Node) -> Node:
        """The item with the value of a node of an arm, where that has run."""
        if (arm, value) not in self._items:
            if not is_keepable(value.type):
                raise unkept(value)
            shared = self._free_for(arm, value.type)
            self._items[arm, value] = self._new(arm, value) if shared is None else self._shared(arm, value, shared)
        return self._items[arm, value]

    def _free_for(self, arm: int, found: TensorType) -> Node | None:
        """An item in which other arms keep a value of this type, and this one does not."""
        own = {item for (number, _), item in self._items.items() if number == arm}
        return next((item for item in self._items.values() if item not in own and item.type == found), None)

    def _new(self, arm: int, value: Node) -> Node:
        nothing = [_nothing(value) for _ in self.node.bodies]
        outputs = [value if number == arm else none for number, none in enumerate(nothing)]
        self._give([(*b.graph.outputs, o) for b, o in zip(self.node.bodies, outputs, strict=True)], outputs)
        made = item_node(self.node, len(self.node.types) - 1)
        nodes = self.home.nodes
        nodes.insert(nodes.index(self.node) + 1, made)
        return made

    def _shared(self, arm: int, value: Node, item: Node) -> Node:
        outputs = [body.graph.outputs for body in self.node.bodies]
        position = item.args[1]
        outputs[arm] = (*outputs[arm][:position], value, *outputs[arm][position + 1 :])
        self._give(outputs)
        return item

    def _give(self, outputs: list[tuple[Node, ...]], added: Iterable[Node] = ()) -> None:
        """Has the arms give these outputs."""
        node = self.node
        bodies = iter(zip(node.bodies, outputs, strict=True))
        args = []
        for argument in node.args:
            if type(argument) is Body:
                body, given = next(bodies)
                new = [n for n in given[-1:] if n not in set(body.graph.nodes)]
                graph = dataclasses.replace(body.graph, nodes=(*body.graph.nodes, *new), outputs=given)
                names = (*body.results, *[""] * (len(given) - len(body.results))) if body.results else ()
                argument = Body(body.name, graph, names)
            args.append(argument)
        types = (*node.types, *[n.type for n in list(added)[:1]])
        node.give_more(tuple(args), node.inputs, types)


def is_keepable(found: TensorType) -> bool:
    """True for an array or number whose lengths are known before the branch."""
    return (
        found.kind is not Kind.LIST
        and found.dtype.kind in "biufc"
        and not any(isinstance(n, Dim) and n.depends_on_values for n in found.shape)
    )


def _nothing(value: Node) -> Node:
    """The placeholder of an arm that has no such value."""
    found = value.type
    if found.kind is not Kind.ARRAY:
        zero = found.dtype.type(0)
        return constant_node(zero.item() if found.kind is Kind.PYTHON else zero, found, value.source, value.scope)
    options = (("dtype", found.dtype),)
    return Node(by_name("zeros"), (), (found.shape,), options, (found,), None, value.scope, value.source)


class NeededOfArm(Needed):
    """The nodes of an arm in the backward pass. `kept` are the values that the branch keeps."""

    def __init__(self, body: BodyTrace, arm: int, kept: KeptByArms, around: Around, computes_all: bool) -> None:
        super().__init__(body, around, computes_all)
        self._arm, self._kept = arm, kept

    @property
    def graph(self) -> Graph:
        """The arm as it is in the forward pass."""
        graph: Graph = self._kept.node.bodies[self._arm].graph
        return graph

    def enter_arm(self) -> None:
        """Records the nodes of the arm."""
        body, operands = self.body, operands_of(self._kept.node)
        start = len(body.nodes)
        pairs = zip(self.graph.inputs, operands, strict=True)
        given = [(inner, body.node_of(self.around(n))) for inner, n in pairs if not n.type.kind.is_random]
        self.give(given, body.nodes[start:])
        self.enter(self.graph)

    def opened(self) -> contextlib.AbstractContextManager[BodyTrace]:
        return opened(self._kept.home, self._kept.node, self._kept.node.bodies[self._arm])

    def can_keep(self, node: Node) -> bool:
        return is_keepable(node.type)

    def read(self, node: Node) -> Node:
        return self.body.node_of(self.around(self._kept.item(self._arm, node)))


def by_arms(
    trace: Trace, kept: KeptByArms, around: Around, computes_all: bool, run: Callable[[NeededOfArm], list[Node]]
) -> tuple[list[Body], list[Node]]:
    """Bodies in which `run` is recorded for each arm, of which no more is computed than the outputs need; and the
    values around them that they use."""
    sides = []
    for number, arm in enumerate(kept.node.bodies):
        side = BodyTrace(trace, arm.name)
        needed = NeededOfArm(side, number, kept, around, computes_all)
        outputs = side.run(run, needed)
        sides.append((side, side.run(needed.settle, outputs)))
    return bodies_of(sides)


def _twin(needed: Needed, node: Node, forward: BodyTrace) -> Mapping[int, Node]:
    """A branch or call without its effects."""
    kept, trace = KeptByArms(forward, node), needed.body
    given = [i for i, found in enumerate(node.types) if not found.kind.is_random]

    def run(inner: NeededOfArm) -> list[Node]:
        inner.enter_arm()
        return [inner.value(inner.graph.outputs[i])._node for i in given]

    types = [node.types[i] for i in given]
    graphs, outer = by_arms(trace, kept, needed.value, True, run)
    selector = [needed.value(node.inputs[a.index]) for a in node.args[:1] if isinstance(a, Ref)]
    results = record(trace, node.op.name, [*selector, *graphs, outer], types)
    return {i: result._node for i, result in zip(given, results, strict=True)}


def operands_of(node: Node) -> list[Node]:
    """The values from around that the bodies of a node take, in order."""
    operands = node.args[-1]
    assert isinstance(operands, ListOf)
    return [node.inputs[item.index] for item in operands.items if isinstance(item, Ref)]


TWINS |= dict.fromkeys(("cond", "switch", "call", "recompute"), _twin)
