"""Sums of products of matrices over all rounds, each with a row of a stack: one product after the last round.

The gradient by the weights of a recurrent network is such a sum. In the place of the total, the loop carries the second
factors, which are smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...ir.dims import Dim
from ...ir.graph import Node, input_node
from ...ir.op import by_name
from ...ir.template import Ref
from ...records import dataclass
from ...trace.body import BodyTrace
from ...trace.context import Trace
from ...trace.tensor import Tensor
from .keeping import new_node


@dataclass(frozen=True)
class Sum:
    """`stack[k + start].T @ factor` of each round `k`, added to `total`."""

    total: Node
    stack: Node
    start: int
    product: Node
    factor: Node


def sum_of(body: BodyTrace, total: Node, output: Node) -> Sum | None:
    """A round's addend to a total, if it is such a product. `output` is the total after the round."""
    product = next((n for n in output.inputs if n is not total), None)
    if output.op.name != "add" or total not in output.inputs or product is None or product.op.name != "matmul":
        return None
    uses = [n for n in body.nodes for source in n.inputs if source in (total, product)]
    if len(uses) != 2 or product.args != (Ref(0), Ref(1)) or any(n.type.ndim != 2 for n in product.inputs):
        return None
    turned, factor = product.inputs
    row = turned.inputs[0] if turned.op.name == "transpose" and turned.args == (Ref(0),) and not turned.kwargs else None
    if row is None or row.op.name != "getitem" or len(row.inputs) != 2 or row.args[1] != Ref(1):
        return None
    start = _start(row.inputs[1], body.explicit[0])
    stack = next((outer for outer, inner in body.lifted.items() if inner is row.inputs[0]), None)
    (count, width), (_, other) = row.type.shape, factor.type.shape
    is_smaller = isinstance(count, int) and isinstance(width, int) and count <= width
    if start is None or stack is None or not is_smaller or (isinstance(other, Dim) and other.depends_on_values):
        return None
    return Sum(total, stack, start, product, factor)


def _start(index: Node, k: Node) -> int | None:
    """The number that an index is above the number of the round."""
    if index is k:
        return 0
    start = (
        index.args[1] if index.op.name == "operator.add" and index.inputs == (k,) and index.args[0] == Ref(0) else None
    )
    return start if isinstance(start, int) and start >= 0 else None


class Sunk:
    """The sums of products that are taken out of a body, by the numbers of the outputs that were their totals. `first`
    are the initial values of the loop that has the body, for each output, None for zeros; `left` are the numbers of
    those that it still has."""

    def __init__(self, trace: Trace, body: BodyTrace, outputs: list[Node], first: list[Any], rounds: Any) -> None:
        self._trace, self._body, self._rounds = trace, body, rounds
        self._sums: dict[int, Sum] = {}
        self._so_far: dict[int, Any] = {}
        self._carried: dict[Node, int] = {}  # by the factor, the output that is its stack
        self.left = list(range(len(outputs)))
        self.outputs, self.first = outputs, first

    def take(self, number: int) -> None:
        """Takes out a total, where it is one."""
        total, output = self._body.explicit[1 + number], self.outputs[number]
        if (found := sum_of(self._body, total, output)) is None:
            return
        self._sums[number], self._so_far[number] = found, self.first[number]
        dropped = {found.product, output}
        self._body.nodes[:] = [n for n in self._body.nodes if n not in dropped]
        if found.factor not in self._carried:
            self._carried[found.factor] = number
            self.outputs[number], self.first[number] = self._stack(number, found.factor)

    def _stack(self, number: int, factor: Node) -> tuple[Node, Tensor]:
        """The carried value in the place of a total, after a round and at first."""
        trace, body = self._trace, self._body
        shape = (self._rounds, *trace.public(factor.type.shape))
        first: Tensor = trace.record(by_name("empty"), (shape,), {"dtype": factor.type.dtype})
        given = input_node("factors", trace.node_of(first).type)
        inputs = (given, body.explicit[0], factor)
        kept = new_node("setitem", inputs, (Ref(0), (), Ref(1), Ref(2)), given.type, factor)
        body.explicit[1 + number] = given
        body.nodes[:] = [given, *body.nodes, kept]
        return kept, first

    def settle(self) -> None:
        """Leaves out the totals whose factors are carried by others."""
        carried = self._carried.values()
        self.left = [n for n in self.left if n not in self._sums or n in carried]
        body = self._body
        gone = {body.explicit[1 + n] for n in self._sums if n not in carried} | {s.total for s in self._sums.values()}
        body.explicit[1:] = [body.explicit[1 + n] for n in self.left]
        body.nodes[:] = [n for n in body.nodes if n not in gone]
        self.outputs[:] = [self.outputs[n] for n in self.left]
        self.first[:] = [self.first[n] for n in self.left]

    def totals(self, results: Sequence[Any]) -> Iterator[Any]:
        """The totals and other results, given those of the loop."""
        found = dict(zip(self.left, results, strict=True))
        for number in range(len(self.left) + len(self._sums) - len(self._carried)):
            if number not in self._sums:
                yield found[number]
            else:
                total = self._sums[number]
                made, known = self._summed(total, found[self._carried[total.factor]]), self._so_far[number]
                yield made if known is None else np.add(known, made)

    def _summed(self, found: Sum, factors: Tensor) -> Any:
        rows = Tensor(found.stack, self._trace, owned=False)[found.start : found.start + self._rounds]
        return np.transpose(np.reshape(rows, (-1, rows.shape[-1]))) @ np.reshape(factors, (-1, factors.shape[-1]))
