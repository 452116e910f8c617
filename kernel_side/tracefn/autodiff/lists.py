"""Derivatives of Python lists and TensorArrays in the graph: the cotangent of a list of arrays of one shape is an array
with a row for each element."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from ..ir.graph import Node
from ..ir.op import by_name
from ..ir.template import ListOf, Ref
from ..trace.active import current
from ..trace.tensor import Tensor
from ..trace.values.lists import as_array
from .rules import THROUGH, Call, Part, Sparse, missing


def _appended(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    values, value = _operands(call)
    yield values, g[:-1]
    yield value, g[-1]


def _taken(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    yield _operands(call)[0], Sparse(call.value(call.node.args[1]), g)


def _set(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    node, index = call.node, call.value(call.node.args[1])
    yield _operands(call)[0], _written(g, index, 0)
    if isinstance(node.args[2], Ref):
        yield node.inputs[node.args[2].index], g[index]


def _grown(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """Of a write that may make a TensorArray longer."""
    node, index = call.node, call.value(call.node.args[1])
    values = _operands(call)[0]
    yield values, _written(g, index, 0)[: length_of(call.tensor(values))]
    if isinstance(node.args[2], Ref):
        yield node.inputs[node.args[2].index], g[index]


def _made(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    elements = call.node.args[0]
    for position, item in enumerate(elements.items if isinstance(elements, ListOf) else elements):
        if isinstance(item, Ref):
            yield call.node.inputs[item.index], g[position]


def _popped(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """Of `list_pop`, whose results are the list after it and the element."""
    values, index = _operands(call)[0], call.value(call.node.args[1])
    rest, element = g
    if rest is not None and (type(index) is not int or index not in (0, -1)):
        yield values, _put_back(index, rest, 0 if element is None else element)
        return
    if rest is not None:
        yield values, Sparse(slice(None, -1) if index else slice(1, None), rest)
    if element is not None:
        yield values, Sparse(index, element)


def _extended(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    values, others = _operands(call)
    size = length_of(call.tensor(values))
    yield values, g[:size]
    yield others, g[size:]


def _sliced(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    yield _operands(call)[0], Sparse(slice(*[call.value(a) for a in call.node.args[1:]]), g)


def _deleted(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    values = _operands(call)[0]
    yield values, _put_back(call.value(call.node.args[1]), g, 0)


def _inserted(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    node, index, last = call.node, call.value(call.node.args[1]), np.subtract(np.shape(g)[0], 1)
    index = np.clip(np.where(np.less(index, 0), np.add(index, last), index), 0, last)
    yield _operands(call)[0], np.delete(g, index, 0)
    if isinstance(node.args[2], Ref):
        yield node.inputs[node.args[2].index], g[index]


def _put_back(index: Any, rest: Any, element: Any) -> Any:
    """The cotangent of a list, from those of all elements but one, and that of this."""
    last = np.shape(rest)[0]
    index = np.where(np.less(index, 0), np.add(index, np.add(last, 1)), index)
    return np.insert(rest, index, element, 0)


def _picked(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    values, positions = _operands(call)
    yield values, Sparse(as_array(call.trace, call.tensor(positions)), g)


def _repeated(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    values = _operands(call)[0]
    size = values.type.shape[0]
    if type(size) is not int:
        raise missing(call.node)
    if size:
        yield values, np.sum(np.reshape(g, (-1, size)), 0)


def _same(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    yield _operands(call)[0], g


def _reversed(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    yield _operands(call)[0], g[::-1]


def _stacked(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    yield _operands(call)[0], np.moveaxis(g, call.node.args[1], 0)


def _concatenated(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    values, axis = _operands(call)[0], call.node.args[1]
    element = call.trace.public(values.type.shape[1:])
    if axis is None:
        yield values, np.reshape(g, (-1, *element))
        return
    axis %= len(element)
    split = np.reshape(g, (*element[:axis], -1, *element[axis:]))
    yield values, np.moveaxis(split, axis, 0)


def _operands(call: Call) -> list[Node]:
    """The values among the arguments, in order."""
    return [call.node.inputs[a.index] for a in call.node.args if isinstance(a, Ref)]


def length_of(values: Tensor) -> Any:
    trace = current()
    assert trace is not None
    return trace.record(by_name("list_len"), (values,), {})


def zeros_of(values: Tensor) -> Any:
    """The cotangent of zeros of a list."""
    trace = current()
    assert trace is not None
    found = values._node.type
    shape = (length_of(values), *trace.public(found.shape[1:]))
    return trace.record(by_name("zeros"), (shape,), {"dtype": found.dtype})


def _written(g: Any, index: Any, value: Any) -> Any:
    trace = current()
    assert trace is not None
    return trace.record(by_name("setitem"), (g, (), index, value), {})


THROUGH |= {
    "list_append": _appended,
    "list_get": _taken,
    "list_set": _set,
    "list_of": _made,
    "list_pop": _popped,
    "list_extend": _extended,
    "list_slice": _sliced,
    "list_copy": _same,
    "list_cast": _same,
    "list_reverse": _reversed,
    "list_pick": _picked,
    "list_delete": _deleted,
    "list_insert": _inserted,
    "list_repeat": _repeated,
    "list_stack": _stacked,
    "list_array": _same,
    "list_concatenate": _concatenated,
    "array_write": _set,
    "array_write_or_grow": _grown,
    "array_read": _taken,
    "array_filled": _same,
}
