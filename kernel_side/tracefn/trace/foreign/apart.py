"""Arrays that an iterator lends, in a program that writes into other arrays from outside: they must share no memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InPlaceWriteError, message
from ...ir.bail_out import BailOut
from ...ir.graph import Node
from ...ir.op import ITEM, LEAVES, by_name
from ...ir.template import reference
from ...ir.types import Kind
from ...ops.foreign import foreign
from ..context import Trace
from ..origin import where
from .values import values_of


def put_apart(trace: Trace) -> None:
    """Puts a check behind each step that lends arrays. Refuses those that share memory with an array that the program
    writes into."""
    lending = {n for n in trace.nodes if n.op is foreign and getattr(n.args[0].function, "lends", False)}
    lent = [n for n in trace.nodes if n.op is ITEM and n.inputs[0] in lending and n.type.kind is Kind.ARRAY]
    if not lent:
        return
    update = by_name("update")
    updates = [n.inputs[0] for n in trace.nodes if n.op is update]
    written = [n for n in dict.fromkeys(updates) if n.op in LEAVES and n.type.kind is Kind.ARRAY]
    if not written:
        return
    known, op = values_of(trace), by_name("checkpoint")
    arrays = known.of(trace, written)
    for node in lent:
        if _shares(known.known(node), arrays):
            raise InPlaceWriteError(
                message(
                    "an iterator gives an array that shows another one, which is written to in place",
                    where(node.source),
                    "Make a copy of the iterator's items.",
                )
            )
    args = (_stays_apart, *map(reference, range(len(written) + 1)))
    first, nodes = set(written), []
    for node in trace.nodes:
        if node not in first:
            nodes.append(node)
        if node in lent:
            nodes.append(Node(op, (node, *written), args, (), (), tuple))
    trace.nodes[:] = [*[n for n in trace.nodes if n in first], *nodes]


def _stays_apart(value: Any, *written: Any) -> None:
    if _shares(value, written):
        raise BailOut("an iterator gives an array that shows another one, which is written to in place")


def _shares(value: Any, arrays: Any) -> bool:
    return any(np.may_share_memory(value, array) for array in arrays)
