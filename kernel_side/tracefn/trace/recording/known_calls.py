"""Calls of operators and ufuncs that were recorded before on values of the same types: of these the types are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.graph import Node
from ...ir.op import Op
from ...ir.template import reference
from ...ir.types import Kind, TensorType
from ..tensor import Tensor

if TYPE_CHECKING:
    from .recorder import Recorder

_KNOWN: dict[tuple[Any, ...], tuple[TensorType]] = {}
"""The types of results, by the key `asked`."""
_MOST_KNOWN = 16384

_FITS_ALL = 128
"""Ints from 0 to below this fit into all dtypes of numbers: to a ufunc they are alike."""

_VALUES = frozenset({Kind.ARRAY, Kind.SCALAR, Kind.PYTHON})
_NONE: tuple[None, tuple[Node, ...], tuple[Any, ...]] = (None, (), ())


def plain_call(
    trace: Recorder, op: Op, args: tuple[Any, ...]
) -> tuple[tuple[Any, ...] | None, tuple[Node, ...], tuple[Any, ...]]:
    """The key that decides the types of a call's results, the nodes of its inputs, and its template. `None` first for a
    call that is given anything but Python's ints and floats and Tensors that are numbers or arrays."""
    asked: list[Any] = [op]
    nodes: list[Node] = []
    template: list[Any] = []
    ended = trace.ended
    for value in args:
        kind = type(value)
        if kind is Tensor:
            if value._trace is not trace or value._base is not None or value._choice is not None or ended:
                node = trace.node_of(value)
            else:
                node = trace.node_of(value) if value._doubts else value._node
            found = node.types[0]
            if value._one_type is not None or found.kind not in _VALUES:
                return _NONE
            asked.append(found)
            if node not in nodes:
                nodes.append(node)
            template.append(reference(nodes.index(node)))
        elif kind is float or kind is int:
            decides = not op.elementwise or (kind is int and not 0 <= value < _FITS_ALL)
            asked += (kind, value) if decides else (kind,)
            template.append(value)
        else:
            return _NONE
    return tuple(asked), tuple(nodes), tuple(template)


known_types = _KNOWN.get
"""The types of a call's results by the key, if they are known."""


def know_types(asked: tuple[Any, ...], types: tuple[TensorType]) -> None:
    """Remembers the types of an op's results that depend on nothing else. Of open lengths a trace may assume more."""
    op: Op = asked[0]
    if op.view or op.static or op.fresh_dims or not op.pure:
        return
    if all(t.is_static for t in asked if type(t) is TensorType):
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[asked] = types
