"""A program that checks every floating-point result for NaN and Inf, and stops at the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import events
from ..errors import NumericsError, message
from ..ir.drawn.json_form import short_literal
from ..ir.graph import Graph, Node
from ..ir.op import CAPTURE, CONSTANT, INPUT
from ..ir.text import call_source
from ..ir.types import Kind
from ..trace.origin import where
from .numpy_program import Program, ProgramWriter, written


def checked_program(graph: Graph, function_id: str, signature_id: str) -> Program:
    """The program of a graph with a check after each node, those in the bodies of branches and loops included.

    It raises `NumericsError` at the first NaN or Inf, and emits an event. Each array lives until the end of the call.
    """
    return written(_CheckedWriter(graph, {"function": function_id, "signature": signature_id}), signature_id)


class _CheckedWriter(ProgramWriter):
    def __init__(self, graph: Graph, ids: dict[str, str]) -> None:
        super().__init__(graph)
        self._ids = ids
        self._check = self._fresh("check")

    def ownership(self, graph: Graph, owned: Iterable[Node]) -> None:
        return None

    def enter(self, graph: Graph) -> None:
        """Plans no memory: a node's operands must still be there when its result is checked."""
        self.constants |= {self.names[n]: n.args[0].value for n in graph.nodes if n.op is CONSTANT}

    def coalesced(self, graph: Graph, known: Mapping[Node, str], results: Sequence[str]) -> Mapping[Node, str]:
        """None: a check shows the operands beside the result."""
        return {}

    def statements(self, graph: Graph | None = None) -> list[str]:
        lines = super().statements(graph)
        if graph is not None:
            return lines
        given = [line for node in (*self.graph.inputs, *self.captures) for line in self._checks(node, [node])]
        return given + lines

    def assignment(self, node: Node) -> str:
        return "; ".join([super().assignment(node), *self._checks(node, self._results(node))])

    def special(self, node: Node, lines: Callable[[str, list[str]], list[str]]) -> list[str]:
        return super().special(node, lines) + self._checks(node, self._results(node))

    def _results(self, node: Node) -> list[Node]:
        return [node] if node.container is None else self.parts.get(node, [])

    def _checks(self, node: Node, results: list[Node]) -> list[str]:
        found = []
        for result in results:
            name = self.names.get(result)
            if name and result.type.dtype.kind in "fc" and result.type.kind in (Kind.ARRAY, Kind.SCALAR, Kind.PYTHON):
                check = _Check(
                    node, call_source(node, self.names, short_literal) if not node.is_leaf else "", self._ids
                )
                inputs = ", ".join(f"{self.names[n]!r}: {self.names[n]}" for n in node.inputs)
                found.append(f"{self.literal(check)}({name}, {{{inputs}}})")
        return found


def check_step(node: Node, results: Iterable[Any], inputs: Sequence[Any], ids: dict[str, str]) -> None:
    """Checks the results of one node that ran by itself. Raises `NumericsError`."""
    names = {n: f"v{i}" for i, n in enumerate(dict.fromkeys(node.inputs))}
    given = dict(zip([names[n] for n in node.inputs], inputs, strict=True))
    for value in results:
        if isinstance(value, float | complex | np.ndarray | np.generic) and np.result_type(value).kind in "fc":
            if node.op.name == "call" and not np.isfinite(value).all():  # the message is to name the step inside it
                body, operands = node.args
                program = checked_program(body.graph, ids["function"], ids["signature"])
                if not program.captures:
                    program.function(*[given[names[node.inputs[ref.index]]] for ref in operands.items])
            _Check(node, call_source(node, names, short_literal) if not node.is_leaf else "", ids)(value, given)


class _Check:
    """Raises for a result of one node that is not finite."""

    def __init__(self, node: Node, call: str, ids: dict[str, str]) -> None:
        self._node = node
        self._call = call
        self._ids = ids

    def __call__(self, value: Any, inputs: dict[str, Any]) -> None:
        if np.isfinite(value).all():
            return
        kind = "NaN" if np.isnan(value).any() else "Inf"
        node = self._node
        if node.op in (INPUT, CAPTURE):
            op, what = node.op.name, f"argument `{node.args[0]}` already holds {kind}"
            what = what if node.op is INPUT else f"`{node.args[0]}` already holds {kind}"
        else:
            op, what = node.op.name, f"`{self._call}` made {kind}"
        lines = [f"{what}{_count(value)}", *[f"    {n}: {_described(v)}" for n, v in inputs.items()]]
        place = node.source and events.locate(node.source.file, node.source.line)
        events.emit(events.Numerics(**self._ids, location=place, kind=kind, op=op, text=lines[0]))  # type: ignore[arg-type]
        fix = "tracefn.debugging.enable_check_numerics() is on; disable_check_numerics() goes on without this check."
        raise NumericsError(message("\n".join(lines), where(node.source), fix))


def _count(value: Any) -> str:
    """How many elements are not finite, and where the first is."""
    bad = ~np.isfinite(value)
    if not bad.ndim:
        return ""
    first = [int(i) for i in np.argwhere(bad)[0]]
    return f" in {int(np.count_nonzero(bad))} of {bad.size} elements, first at {first}"


def _described(value: Any) -> str:
    if not isinstance(value, int | float | complex | np.generic) and np.ndim(value):
        text = f"{value.dtype}{list(value.shape)}"
        numbers = value.dtype.kind in "iuf" and value.size
        return f"{text} from {value.min()} to {value.max()}" if numbers else text
    return f"{value!r}"
