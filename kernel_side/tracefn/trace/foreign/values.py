"""The values of nodes for the call that is traced: computed where a foreign function needs real values.

Each node is computed once. Random generators are copies, so that the run that follows draws the same numbers.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.dims import Dim
from ...ir.evaluate import evaluate_node
from ...ir.graph import Node, pure_symbol, template_symbols
from ...ir.op import CAPTURE, CONSTANT, DIM, INPUT, ITEM
from ...ir.template import Ref, leaves
from ...ir.types import Kind
from ...ops.control import CALLS
from ...ops.foreign import foreign
from ..body import FirstRow
from ..context import Trace
from ..origin import user_source, where
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt
from .checkpoint import Checkpoint
from .states import set_state, state_of
from .surroundings import RandomStates


class Values:
    """The values of the nodes of one trace, and of the calls of traced functions in it."""

    def __init__(self, root: Trace) -> None:
        self._root = root
        self._known: dict[Node, Any] = {}
        self._symbols: dict[str, int] = dict(root.hints)
        self._copies: dict[int, Any] = {}
        self._originals: dict[int, Any] = {}
        self._generators: list[Any] = []
        self._drawn: dict[int, int] = {}  # how many nodes of a trace have been looked at for draws
        self._givers: dict[int, dict[str, Node]] = {}  # by trace: which node has the length of a symbol
        self.random: RandomStates | None = None
        self.undo: list[Any] = []
        self.steps: list[Any] = []
        self.checkpoint = Checkpoint()
        self.is_uncertain = False  # the next draws of random generators
        self.changes = False  # a step may change an object from outside
        self.reached = 0  # the user's objects behind all steps so far, each time that they were compared

    def of(self, trace: Trace, nodes: Iterable[Node]) -> list[Any]:
        """The values of some nodes of the trace under way."""
        wanted = list(nodes)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if getattr(trace, "depth", 0):
                self._try(trace, wanted)
            else:
                self._ensure(trace, wanted)
        return [self._known[n] for n in wanted]

    def try_all(self, trace: Trace, nodes: Iterable[Node]) -> None:
        """Computes nodes, and runs the branches and loops among them that may raise but have no other effects. Raises
        their errors."""
        wanted = list(nodes)
        pure = [n for n in wanted if n.pure or _only_draws(n)]
        self.of(trace, [*pure, *[v for n in wanted for v in n.inputs]])
        for node in wanted:
            if node not in self._known:
                if any(n.op.name != "raise_error" for n in _effects(node)):
                    refuse_value(node)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self._note(node, evaluate_node(node, self._known, self._symbols))

    def _try(self, trace: Trace, wanted: list[Node]) -> None:
        """The same in a branch or loop. Its draws are repeated when the number of its runs is known."""
        around: Trace = trace
        while getattr(around, "depth", 0):
            around = around.parent  # type: ignore[attr-defined]
        self._ensure(around, [])
        before = [(generator, state_of(generator)) for generator in self._generators]
        self._ensure(trace, wanted)
        for generator, state in before:
            set_state(generator, state)
        for generator in self._generators[len(before) :]:  # those that are drawn from for the first time
            set_state(generator, state_of(self._originals[id(generator)]))

    def known(self, node: Node) -> Any:
        """The value of a node that has been computed, else None."""
        return self._known.get(node)

    def put(self, node: Node, value: Any) -> None:
        """Notes the result of a foreign step."""
        self._note(node, value)

    @property
    def symbols(self) -> dict[str, int]:
        return self._symbols

    def global_state(self) -> Any:
        """The copy of NumPy's global random state, if the trace draws from it."""
        return self._copies.get(id(np.random.mtrand._rand)) if "numpy.random" in _modules() else None

    def _ensure(self, trace: Trace, wanted: list[Node], symbols: set[str] | None = None) -> None:
        """Computes these nodes, the nodes that lead to them, and those with the lengths of these symbols and of those
        that occur in calls. All draws that come before are made first, in their order."""
        done = min(self._drawn.get(id(trace), 0), len(trace.nodes))
        self._drawn[id(trace)] = len(trace.nodes)
        draws = [n for n in trace.nodes[done:] if n not in self._known and self._draws(n)]
        givers = self._givers.setdefault(id(trace), {})
        _add_givers(givers, trace.nodes[done:])
        needed = symbols or set()
        order = self._order([*draws, *wanted, *[givers[s] for s in needed & givers.keys()]], givers)
        parent = getattr(trace, "parent", None)
        if parent is not None:
            needed = needed.union(*map(template_symbols, order)) - givers.keys()
            lifted = {inner: outer for outer, inner in trace.lifted.items()}  # type: ignore[attr-defined]
            lifted |= self._first(parent, trace.first, order)  # type: ignore[attr-defined]
            self._ensure(parent, [lifted[n] for n in order if n in lifted], needed - self._symbols.keys())
            for node in order:
                if node in lifted:
                    self._known[node] = self._known[lifted[node]]
        for node in order:
            if node not in self._known:
                self._compute(node)

    def _draws(self, node: Node) -> bool:
        """True for a draw, and a branch or loop with some. Where it has other effects, its draws are not known."""
        if node.op.style != "control" or node.pure or node.op.name in CALLS:
            return node.op.style == "draw"
        self.is_uncertain = self.is_uncertain or not _only_draws(node)
        return _only_draws(node) and any(n.op.style == "draw" for n in _effects(node))

    def _first(self, parent: Trace, first: dict[Node, Any], nodes: list[Node]) -> dict[Node, Node]:
        """The values of the inputs of a loop's body in the first round, by nodes around the loop. Numbers are known."""
        found: dict[Node, Node] = {}
        for node in nodes:
            value = first.get(node)
            if type(value) is Tensor:
                found[node] = parent.node_of(value)
            elif type(value) is SymbolicInt:
                self._ensure(parent, [], value.dim.symbols() - self._symbols.keys())
                self._note(node, value.dim.value(self._symbols))
            elif isinstance(value, int | float | complex | np.generic):
                self._note(node, value)
            elif type(value) is FirstRow and len(rows := self._around(parent, value.array)):
                self._note(node, np.copy(rows[0])[()])
        return found

    def _around(self, parent: Trace, array: Any) -> Any:
        """The value of an array around a body."""
        if type(array) is not Tensor:
            return () if array is None else array
        outer = parent.node_of(array)
        self._ensure(parent, [outer])
        return self._known[outer]

    def _order(self, wanted: list[Node], givers: dict[str, Node]) -> list[Node]:
        """The nodes that are not known yet and lead to some, each after its inputs and after the nodes with the
        lengths that it is given. A call finds the lengths of its own results."""
        found: dict[Node, None] = {}
        begun: set[Node] = set()
        stack = [(node, False) for node in reversed(wanted)]
        while stack:
            node, is_ready = stack.pop()
            if is_ready:
                found[node] = None
            elif node not in self._known and node not in begun:
                begun.add(node)
                stack.append((node, True))
                stack += [(source, False) for source in node.inputs]
                needed = template_symbols(node) - self._symbols.keys()
                stack += [(givers[s], False) for s in needed if s in givers and node not in givers[s].inputs]
        return list(found)

    def _compute(self, node: Node) -> None:
        if node.op in (INPUT, CAPTURE):
            self._note(node, self._outside(node))
        elif node.op is CONSTANT:
            self._note(node, node.args[0].value)
        elif node.op is ITEM:
            self._note(node, self._known[node.inputs[0]][node.args[1]])
        elif node.op is DIM:
            self._note(node, node.args[0].value(self._symbols))
        elif node.op.name in CALLS:
            self._note(node, self._called(node))
        elif not node.op.pure and node.op.style != "draw" and not _leaves_nothing(node):
            refuse_value(node)
        elif node.op.style == "control" and not _only_draws(node):
            refuse_value(node)
        elif node.op.name.startswith("random.") and not node.inputs and not leaves((node.args, node.kwargs)):
            refuse_value(node)  # a generator without a seed is another one at each call
        else:
            self._note(node, evaluate_node(node, self._known, self._symbols))

    def _called(self, node: Node) -> Any:
        """The results of a traced function that is called in the trace."""
        graph = node.bodies[0].graph
        operands = [self._known[node.inputs[item.index]] for item in leaves(node.args[1:]) if isinstance(item, Ref)]
        for inner, value in zip(graph.inputs, operands, strict=True):
            self._note(inner, value)
        for inner in graph.nodes:
            if inner not in self._known:
                self._compute(inner)
        return tuple([self._known[n] for n in graph.outputs])

    def _outside(self, node: Node) -> Any:
        root = self._root
        if node in root.given:
            value = root.given[node]
        elif node in root._captured_arrays:
            return root._captured_arrays[node]
        else:
            value = next((g for g, t in root.generators.values() if t._node is node), None)
            value = root.variables.value_of(node) if value is None else value
            if value is None:
                entry = next((c for c in root._concrete.values() if c.node is node), None)
                if entry is None:
                    refuse_value(node)
                return entry.array.copy("K")  # one that nothing else holds is a constant
        if node.type.kind.is_random:
            if id(value) not in self._copies:
                made = self._copies[id(value)] = copy.deepcopy(value)
                self._originals[id(made)] = value
            return self._copies[id(value)]
        return value

    def _note(self, node: Node, value: Any) -> None:
        self._known[node] = value
        if node.container is not None:
            return
        if node.type.kind in (Kind.GENERATOR, Kind.RANDOM_STATE) and not any(g is value for g in self._generators):
            self._originals.setdefault(id(value), value)
            self._generators.append(value)
        for axis, length in enumerate(node.type.readable_lengths):
            if isinstance(length, Dim) and (name := pure_symbol(length)) is not None and name not in self._symbols:
                self._symbols[name] = len(value) if isinstance(value, list) else value.shape[axis]


def _add_givers(found: dict[str, Node], nodes: Iterable[Node]) -> None:
    """Adds the first node that has the length of a symbol."""
    for node in nodes:
        for length in node.type.readable_lengths if node.container is None else ():
            if isinstance(length, Dim) and (name := pure_symbol(length)) is not None:
                found.setdefault(name, node)


def _only_draws(node: Node) -> bool:
    """True if a branch or loop does nothing but compute and draw."""
    return all(n.op.style == "draw" for n in _effects(node))


def _effects(node: Node) -> Iterator[Node]:
    """The nodes in a branch or loop that do more than compute. Steps of libraries that leave nothing are none."""
    for inner in (n for body in node.bodies for n in body.graph.nodes if not n.pure):
        if inner.op.style == "control":
            yield from _effects(inner)
        elif not _leaves_nothing(inner):
            yield inner


def _leaves_nothing(node: Node) -> bool:
    """True for a step of a library that is no effect: it makes an object, or reads one."""
    return node.op is foreign and not node.args[0].lasts


def values_of(trace: Trace) -> Values:
    """The values of the trace that is under way."""
    root = trace.root
    if root.foreign is None:
        root.foreign = Values(root)
    found: Values = root.foreign
    return found


def value_now(trace: Trace, value: Tensor) -> Any:
    """The value of a Tensor in the call that is traced."""
    return values_of(trace).of(trace, [trace.node_of(value)])[0]


def refuse_value(node: Node) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            f"a library's function is given a value that depends on `{node.op.name}`, which only the call knows",
            where(user_source(4)),
            "Call the library outside of the branch or loop, or outside of the traced function.",
        )
    )


def _modules() -> Any:
    import sys

    return sys.modules
