"""The values that the backward pass of a body takes from the forward pass: recomputed ones, and residuals."""

from __future__ import annotations

import contextlib
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ..errors import MissingDerivativeError, message
from ..ir.dims import Dim
from ..ir.graph import Graph, Node, input_node, pure_symbol, template_symbols
from ..ir.op import CONSTANT, DIM, INPUT, ITEM, by_name
from ..ir.template import Body
from ..ir.types import Kind
from ..passes.rewrite import with_inputs
from ..trace.body import BodyTrace
from ..trace.context import Trace
from ..trace.foreign import Step
from ..trace.origin import where
from ..trace.tensor import Tensor
from .copies import copied, drawn
from .fitting import is_differentiable

Around = Callable[[Node], Tensor]
"""Gives the value in the backward pass of a node around the body in the forward pass."""


class Needed(ABC):
    """The nodes of a body in the backward pass, `copies` by the node of the body in the forward pass.

    All of them are recorded once more at first; `settle` then decides which of them are, and which the forward pass
    keeps. Effects happen once: their results are kept. With `computes_all`, nothing else is.
    """

    def __init__(self, body: BodyTrace, around: Around, computes_all: bool = False) -> None:
        self.body, self.around = body, around
        self._computes_all = computes_all
        self.copies: dict[Node, Node] = {}
        self.nodes: list[Node] = []
        self._cheap: dict[Node, bool] = {}
        self._free: set[Node] = set()  # operands of the body, which cost nothing
        self._values: dict[Node, Node] = {}  # the values of the results of effects

    @abstractmethod
    def read(self, node: Node) -> Node:
        """The value of a node of the body in the forward pass, which keeps it."""

    @abstractmethod
    def can_keep(self, node: Node) -> bool:
        """True for a node whose value the forward pass can keep."""

    @abstractmethod
    def opened(self) -> contextlib.AbstractContextManager[BodyTrace]:
        """The body in the forward pass as a trace, to which nodes may be added."""

    # --- recording

    def give(self, given: Iterable[tuple[Node, Node]], free: Collection[Node] = ()) -> None:
        """Sets the inputs of the body."""
        pairs = dict(given)
        self.copies |= pairs
        self._free |= {*pairs.values(), *free}

    def enter(self, graph: Graph) -> None:
        """Records the nodes of the body."""
        for node in graph.inputs:
            if node not in self.copies:
                self._placeholder(node)
        if all(n.pure or not n.bodies for n in graph.nodes):
            self._record(graph.nodes, None)
        else:
            with self.opened() as forward:
                self._record(graph.nodes, forward)

    def _record(self, nodes: Sequence[Node], forward: BodyTrace | None) -> None:
        for node in nodes:
            if node in self.copies:
                continue
            if not node.pure and not node.types:
                self._record_change(node)
            elif forward is not None and node.bodies and not node.pure:
                self._record_twin(node, forward)
            elif _can_be_repeated(node) and all(n in self.copies for n in node.inputs):
                self._add(node, copied(node, self.copies))
            elif node.container is None:
                self._record_result(node)

    def _record_result(self, node: Node) -> None:
        """The result of an effect, by whose operands there may be derivatives."""
        value = self._placeholder(node)
        call = node.inputs[0] if node.op is ITEM else node
        given = [n for n in call.inputs if not n.type.kind.is_random]
        if _may_change(node) and any(map(_may_change, given)):
            self._values[value] = node
            self._add(node, drawn(call, value, self.copies))

    def _record_change(self, node: Node) -> None:
        """A step that may change objects: these may keep its arguments."""
        objects = [n for n in node.inputs if n.type.kind is Kind.OBJECT]
        if objects and any(is_differentiable(n.type) for n in node.inputs):
            for held in objects:
                self._add(held, drawn(node, self.copies[held], self.copies))

    def _add(self, node: Node, copy: Node) -> None:
        self.copies[node] = copy
        self.nodes.append(copy)
        self.body.nodes.append(copy)

    def _record_twin(self, node: Node, forward: BodyTrace) -> None:
        if (twin := TWINS.get(node.op.name)) is None:
            raise _unknown_effect(node)
        start = len(self.body.nodes)
        results = twin(self, node, forward)
        if results:
            self.copies[node] = next(iter(results.values())).inputs[0]
        self.nodes += [n for n in self.body.nodes[start:] if n.op is not INPUT]
        for item in [n for n in forward.nodes if n.op is ITEM and n.inputs[0] is node]:
            if item in self.copies:  # the forward pass keeps it
                continue
            if (found := results.get(item.args[1])) is not None:
                self.copies[item] = found
            else:
                self._placeholder(item)

    def value(self, node: Node) -> Tensor:
        """The value of a node of the body in the backward pass, which bodies in it may use."""
        if node not in self.copies:
            self._placeholder(node)
        return Tensor(self.copies[node], self.body, owned=False)

    def _placeholder(self, node: Node) -> Node:
        """Stands for a value that cannot be recomputed."""
        self.copies[node] = made = input_node("value", node.type)
        self.body.nodes.append(made)
        return made

    # --- the choice

    def settle(self, outputs: list[Node]) -> list[Node]:
        """Leaves in the body the nodes that the outputs need, with kept values in the place of nodes that are not
        recomputed. Gives the outputs."""
        body = self.body
        self._originals = {copy: node for node, copy in self.copies.items() if copy not in self._free} | self._values
        nodes = [self._without_values(n) for n in body.nodes]
        new = {before: after for before, after in zip(body.nodes, nodes, strict=True) if before is not after}
        start = len(body.nodes)
        live = _live(outputs, new, self._originals)
        measured = self._measured(nodes, live)
        wanted = set(self._wanted(nodes, live, [*outputs, *measured]))
        at_hand: set[Node] = set()
        for copy in nodes:
            if copy in wanted and not self._is_cheap(copy) and not self._is_quick_of(copy, at_hand):
                new[copy] = self.read(self._originals[copy])
            if copy in wanted:
                at_hand.add(copy)
        reads = body.nodes[start:]
        body.nodes[:] = self._ordered(nodes, reads, [*outputs, *measured], new)
        return [_latest(n, new) for n in outputs]

    def _measured(self, nodes: list[Node], live: set[Node]) -> list[Node]:
        """The copies that tell the lengths, of those that only values tell, which derivatives use."""
        used = {s for n in nodes if n in live and n not in self._originals for s in template_symbols(n)}
        found: dict[str, Node] = {}
        for copy in nodes if used else ():
            if copy in self._originals and copy.container is None:
                for length in copy.type.readable_lengths:
                    name = pure_symbol(length) if isinstance(length, Dim) and length.depends_on_values else None
                    if name in used:
                        found.setdefault(name, copy)
        return list(found.values())

    def _without_values(self, node: Node) -> Node:
        """An array of one number that has the shape of a value of the body: the shape alone will do."""
        if node in self._originals or node.op.name not in _LIKE or node.inputs[0] not in self._originals:
            return node
        shape, dtype = node.type.shape, node.type.dtype
        if any(isinstance(n, Dim) and n.depends_on_values for n in shape):
            return node
        op = by_name(_LIKE[node.op.name])
        return Node(op, (), (shape,), (("dtype", dtype),), node.types, None, node.scope, node.source)

    def _wanted(self, nodes: list[Node], live: set[Node], outputs: list[Node]) -> list[Node]:
        """The copies that derivatives use, and those that these are computed of, if that is cheap."""
        originals = self._originals
        waiting = [n for n in outputs if n in originals]
        waiting += [
            n for node in nodes if node in live and node not in originals for n in node.inputs if n in originals
        ]
        found: dict[Node, None] = {}
        while waiting:
            copy = waiting.pop()
            if copy not in found:
                found[copy] = None
                if self._is_cheap(copy):
                    waiting += [n for n in copy.inputs if n in originals]
        return list(found)

    def _is_cheap(self, copy: Node) -> bool:
        """True for nodes to recompute: quick ones of values at hand, and those that cannot be kept."""
        if copy not in self._cheap:
            self._cheap[copy] = self._decide(copy)
        return self._cheap[copy]

    def _decide(self, copy: Node) -> bool:
        inner = [n for n in copy.inputs if n in self._originals]
        if copy.op is INPUT:
            return False
        if copy.op in (CONSTANT, DIM) or copy.container is not None:
            return True
        if self._computes_all or not self.can_keep(copy):
            return True
        return copy.op is not ITEM and _is_quick(copy) and all(map(self._is_cheap, inner))

    def _is_quick_of(self, copy: Node, at_hand: set[Node]) -> bool:
        """True for parts and simple arithmetic of values that are kept in any case."""
        return (
            copy.pure
            and copy.op not in (INPUT, ITEM)
            and (bool(copy.op.view) or copy.op.style in ("index", "operator"))
            and _is_quick(copy)
            and all(n in at_hand or self._is_cheap(n) for n in copy.inputs if n in self._originals)
        )

    def _ordered(self, nodes: list[Node], reads: list[Node], outputs: list[Node], new: dict[Node, Node]) -> list[Node]:
        """The nodes that outputs need, those that are kept first, on their new inputs."""
        body = self.body
        made = dict.fromkeys([*body.explicit, *body.lifted.values(), *reads])
        for node in nodes:
            if node in made or _latest(node, new) is not node or node.op is INPUT:
                continue
            after = with_inputs(node, tuple([_latest(n, new) for n in node.inputs]))
            if after is not node:
                new[node] = after
            made[after] = None
        live = _live(outputs, new, {})
        return [n for n in made if n in live or n.op is INPUT]


def _can_be_repeated(node: Node) -> bool:
    """True for a node that gives the same a second time, and changes nothing. So does a call of a library that makes an
    object, or reads one that was made."""
    step = node.args[0] if node.args else None
    return node.pure or (isinstance(step, Step) and node.op.style == "effect" and not step.lasts)


def _may_change(node: Node) -> bool:
    """True for a value that may have a derivative: an object of a library may keep its arguments."""
    return is_differentiable(node.type) or node.type.kind is Kind.OBJECT


_LIKE = {"zeros_like": "zeros", "ones_like": "ones"}
"""Without `empty_like`: rules ask it for the order of the elements in memory, which values alone have."""

TWINS: dict[str, Callable[[Needed, Node, BodyTrace], Mapping[int, Node]]] = {}
"""How nodes that have bodies with effects are recomputed without these, by the names of the ops. Records a node that
takes the results of effects from the forward pass, and gives its outputs by their numbers."""


@contextlib.contextmanager
def opened(home: Trace, node: Node, body: Body) -> Iterator[BodyTrace]:
    """A body of a node that `home` has recorded, as a trace: its nodes are in the body afterwards."""
    inner = BodyTrace(home, body.name)
    inner.nodes += body.graph.nodes
    yield inner
    assert not inner.lifted, "the body uses what it is given"
    inner.ended = True
    graph = dataclasses.replace(body.graph, nodes=tuple(inner.nodes))
    args = tuple([dataclasses.replace(a, graph=graph) if a is body else a for a in node.args])
    node.give_more(args, node.inputs, node.types)


def unkept(value: Node) -> MissingDerivativeError:
    return MissingDerivativeError(
        message(
            f"a derivative needs a {value.type!r} from inside a branch, loop or checkpoint, which cannot be kept",
            where(value.source),
            "Compute it before, or give its arrays lengths that values do not decide.",
        )
    )


def _is_quick(node: Node) -> bool:
    """True for steps that take about as long as keeping and reading their results would. Products of matrices, which
    are operators, too, and have a rule of their own, take longer, and so do sums of many numbers."""
    op = node.op
    if op.combines is not None:
        size = node.inputs[0].type.size
        return isinstance(size, int) and size <= MAX_QUICK_SUM
    if op.style == "operator":
        return op.vjp is None
    return bool(op.elementwise or op.view or op.style in ("index", "builtin", "method"))


MAX_QUICK_SUM = 16
"""The most numbers whose sum is recomputed: that of more is kept."""


def _unknown_effect(node: Node) -> MissingDerivativeError:
    return MissingDerivativeError(
        message(
            f"the derivative of a `{node.op.name}` with random numbers or effects, inside of a branch, loop or "
            "checkpoint, is not known",
            where(node.source),
            "Draw the numbers before it.",
        )
    )


def _latest(node: Node, new: dict[Node, Node]) -> Node:
    while node in new:
        node = new[node]
    return node


def _live(outputs: Iterable[Node], new: dict[Node, Node], ends: Collection[Node]) -> set[Node]:
    """The nodes that some are computed of, up to those that are `ends`."""
    live: set[Node] = set()
    waiting = [_latest(n, new) for n in outputs]
    while waiting:
        node = waiting.pop()
        if node not in live:
            live.add(node)
            if node not in ends:
                waiting += [_latest(n, new) for n in node.inputs]
    return live
