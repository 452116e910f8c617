"""Values that the rounds of a loop keep for the walk back, in arrays or lists that the loop carries."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ...errors import MissingDerivativeError, message
from ...ir.dims import Dim
from ...ir.graph import Graph, Node, constant_node, input_node, item_node
from ...ir.op import by_name
from ...ir.template import Body, ListOf, Ref, renumber
from ...ir.types import Kind, TensorType, list_of, python
from ...trace.context import Trace
from ...trace.origin import where
from ...trace.tensor import Tensor
from ...trace.values.lists import new_list
from ...trace.values.symbolic_int import SymbolicInt
from ..placing import placed_as
from .loop import Loop

_ROUND = "round"


class Kept:
    """The values that the rounds of a loop keep, by the node of its body: each is an item of the loop's node, which
    becomes one that carries it. `home` is the trace that has recorded the loop."""

    def __init__(self, home: Trace, node: Node) -> None:
        self.home = home
        self._node = node
        self._items: dict[Any, Node] = home.root.kept_by_loops.setdefault(node, {})

    def rounds(self, loop: Loop) -> Any:
        """The number of rounds that the loop made."""
        home, node = self.home, self._node
        if node.op.name == "scan":
            return home.public(loop.rows[0].type.shape[0])
        if node.op.name == "for_loop" and not loop.may_end:
            return self._trips()
        return Tensor(self._counter(), home, owned=False)

    def stack(self, value: Node) -> Node:
        """The item with the value of each round: an array with a row for each, or a list."""
        if value not in self._items:
            loop = Loop.of(self._node)
            if loop.node.op.name == "scan":
                self._items[value] = self._stacked(loop, value)
            elif loop.node.op.name == "for_loop" and self._is_known(value.type):
                self._items[value] = self._in_array(loop, value)
            else:
                self._items[value] = self._in_list(loop, value)
        return self._items[value]

    def _is_known(self, found: TensorType) -> bool:
        """True for a type whose lengths are known before the loop."""
        return found.dtype.kind in "biufc" and not any(isinstance(n, Dim) and n.depends_on_values for n in found.shape)

    # --- the ways to keep a value

    def _stacked(self, loop: Loop, value: Node) -> Node:
        node, found = self._node, value.type
        if not self._is_known(found):
            raise _unknown(value)
        body, state, rows, templates, operands = node.args
        graph = dataclasses.replace(loop.graph, outputs=(*loop.graph.outputs, value))
        kept = TensorType(found.dtype, (loop.rows[0].type.shape[0], *found.shape))
        template = (found.dtype, tuple([None if isinstance(n, Dim) else n for n in found.shape]))
        args = (Body(body.name, graph), state, rows, ListOf((*templates.items, template)), operands)
        node.give_more(args, node.inputs, (*node.types, kept))
        return self._item(len(node.types) - 1)

    def _in_array(self, loop: Loop, value: Node) -> Node:
        home, found = self.home, value.type
        shape = (self._trips(), *home.public(found.shape))
        first = self._before(lambda: home.record(by_name("empty"), (shape,), {"dtype": found.dtype}))
        kept = home.node_of(first).type

        def change(array: Node, position: Node) -> list[Node]:
            return [new_node("setitem", (array, position, value), (Ref(0), (), Ref(1), Ref(2)), kept, value)]

        return self._carried(first, kept, change, value)

    def _in_list(self, loop: Loop, value: Node) -> Node:
        found = value.type
        if found.kind is Kind.LIST or found.kind.is_random:
            raise _unknown(value)
        element = dataclasses.replace(found, shape=tuple([_open(n) for n in found.shape]))
        first = self._before(lambda: new_list(self.home, (), element))
        kept = list_of(element, Dim.fresh())

        def change(values: Node, position: Node) -> list[Node]:
            own = [new_node("copy", (value,), (Ref(0),), found, value)] if found.has_memory else []
            added = own[0] if own else value
            return [
                *own,
                new_node("list_append", (values, added), (Ref(0), Ref(1)), list_of(element, kept.shape[0] + 1), value),
            ]

        return self._carried(first, kept, change, value)

    # --- the loop's node

    def _counter(self) -> Node:
        """The number of rounds so far, which the loop carries."""
        if _ROUND not in self._items:
            kept, one = python(int), constant_node(1, python(int))

            def change(count: Node, position: Node) -> list[Node]:
                return [one, new_node("operator.add", (count, one), (Ref(0), Ref(1)), kept, count)]

            first = self._before(lambda: Tensor(self.home.value_node(0), self.home, owned=False))
            self._items[_ROUND] = self._carried(first, kept, change)
        return self._items[_ROUND]

    def _carried(
        self, first: Tensor, kept: TensorType, change: Callable[[Node, Node], list[Node]], value: Node | None = None
    ) -> Node:
        """An item of the loop for an additional carried value: `change` gives the nodes of the body that compute its
        value after a round from that before it and the number of the round. They follow the `value` that they use: it
        may be written into later."""
        node = self._node
        if kept.kind is Kind.ARRAY and not self._index_is_round():
            self._counter()
        loop = Loop.of(node)
        graph = loop.graph
        given = input_node(f"kept_{len(self._items)}", kept)
        position = self._position(loop, given)
        changed = change(given, position)
        nodes = list(graph.nodes)
        at = 1 + max([nodes.index(n) for n in (value, position) if n is not None and n in nodes], default=-1)
        nodes[at:at] = changed
        behind = loop.indices + len(loop.state)
        body = Graph(
            graph.name,
            (given, *nodes),
            (*graph.inputs[:behind], given, *graph.inputs[behind:]),
            (*loop.next_state, changed[-1], *graph.outputs[len(loop.state) :]),
        )
        *before, _, state, operands = node.args
        start = self.home.node_of(first)
        inputs = node.inputs if start in node.inputs else (*node.inputs, start)
        if node.op.name == "while_loop":
            before = [_with_input(before[0], given, len(loop.state))]
        carried = ListOf((*state.items, Ref(inputs.index(start))))
        args = (*before, Body(loop.body.name, body), carried, operands)
        node.give_more(args, inputs, (*node.types, kept))
        return self._item(len(node.types) - 1)

    def _position(self, loop: Loop, otherwise: Node) -> Node:
        """The input of the body that is the number of the round."""
        if self._index_is_round():
            return loop.graph.inputs[0]
        counter = self._items.get(_ROUND)
        return otherwise if counter is None else loop.state_inputs[counter.args[1]]

    def _index_is_round(self) -> bool:
        return self._node.op.name == "for_loop" and self._node.args[0] == 0 and self._node.args[2] == 1

    def _item(self, index: int) -> Node:
        made = item_node(self._node, index)
        nodes = self.home.nodes
        nodes.insert(nodes.index(self._node) + 1, made)
        return made

    def _before(self, run: Callable[[], Any]) -> Any:
        """Records steps before the loop that belong to it."""
        home = self.home
        start = len(home.nodes)
        with home.active(), placed_as(home, self._node, self._node.scope):
            made = run()
        home.ended = False
        added = home.nodes[start:]
        del home.nodes[start:]
        at = home.nodes.index(self._node)
        home.nodes[at:at] = added
        return made

    def _trips(self) -> Any:
        """The number of rounds that a loop over a range makes, if none ends it."""
        if "trips" not in self._items:
            self._items["trips"] = self._before(lambda: _trips(*[self.bound(a) for a in self._node.args[:3]]))
        return self._items["trips"]

    def bound(self, bound: Any) -> Any:
        if isinstance(bound, Ref):
            return Tensor(self._node.inputs[bound.index], self.home, owned=False)
        return self.home.public(bound)


def _trips(start: Any, stop: Any, step: Any) -> Any:
    """`len(range(start, stop, step))`."""
    if all(type(b) is int for b in (start, stop, step)):
        return len(range(start, stop, step))
    if (
        type(start) is type(step) is int
        and (start, step) == (0, 1)
        and isinstance(stop, SymbolicInt)
        and _is_length(stop.dim)
    ):
        return stop
    start, stop = (b.as_tensor() if isinstance(b, SymbolicInt) else b for b in (start, stop))
    if type(step) is int:
        rounds = stop if type(start) is int and start == 0 else stop - start
        rounds = rounds if step == 1 else (rounds + (step - 1 if step > 0 else step + 1)) // step
    else:
        step = step.as_tensor() if isinstance(step, SymbolicInt) else step
        sign = (step > 0) * 2 - 1
        rounds = (stop - start + step - sign) // step
    return rounds * (rounds > 0)


def _is_length(dim: Dim) -> bool:
    least = dim.least()
    return least is not None and least >= 0


def _open(length: Any) -> Any:
    return Dim.fresh() if isinstance(length, Dim) and length.depends_on_values else length


def new_node(op: str, inputs: tuple[Node, ...], args: tuple[Any, ...], found: TensorType, near: Node) -> Node:
    """A node of a body. Inputs that are one are referred to as one."""
    merged = tuple(dict.fromkeys(inputs))
    index = [Ref(merged.index(n)) for n in inputs]
    return Node(by_name(op), merged, renumber(args, index), (), (found,), None, near.scope, near.source)


def _with_input(test: Body, like: Node, at: int) -> Body:
    """The condition of a loop, which is given more than it uses."""
    graph = test.graph
    unused = input_node(like.args[0], like.type)
    inputs = (*graph.inputs[:at], unused, *graph.inputs[at:])
    return Body(test.name, Graph(graph.name, (unused, *graph.nodes), inputs, graph.outputs))


def _unknown(value: Node) -> MissingDerivativeError:
    return MissingDerivativeError(
        message(
            f"the derivative of a loop needs a {value.type!r} of each round, which it cannot keep",
            where(value.source),
            "Give the arrays of the loop lengths that do not change, or put it into `tracefn.checkpoint`.",
        )
    )
