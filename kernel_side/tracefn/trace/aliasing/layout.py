"""How arrays lie in memory while tracing, as far as that is certain: where NumPy gives a view, and where a copy."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.graph import Node, fed_by
from ...ir.op import CAPTURE, CONSTANT, INPUT, ITEM, by_name
from ...ir.template import Ref, fill
from .. import provided
from ..origin import user_source, where
from ..tensor import Tensor
from ..trace_parts.external_arrays import OutsideArray
from .contiguous import COPYING, FLAT, MADE


def stand_in(tensor: Tensor) -> Any:
    """An array without content that lies in memory as the Tensor's does, whether base or view. None where its lengths
    are open or its layout is not certain. Arrays from outside whose layout this rests on are then guarded."""
    outside = tensor._trace.root.outside
    leaves: Leaves = {}
    around, outside.layouts = outside.layouts, {} if outside.layouts is None else outside.layouts
    try:
        found = _lies(tensor, leaves)
    finally:
        outside.layouts = around
    if found is not None:
        outside.assume_layout(leaves)
    return found


def lie_alike(first: Tensor, last: Tensor) -> bool:
    """True if an array at the start of a round and one at its end lie alike in memory, on the assumption that they do.
    Asked while `stand_in` looks for something else, which forgets its findings since if they do not."""
    known = first._trace.root.outside.layouts
    assert known is not None
    count = len(known)
    before, after = stand_in(first), stand_in(last)
    if before is not None and after is not None and (before.strides, before.shape) == (after.strides, after.shape):
        return True
    for node in list(known)[count:]:
        del known[node]
    return False


Leaves = dict[OutsideArray, None]
"""A set with an order: the arrays from outside on whose layout another one rests."""


def _lies(tensor: Tensor, leaves: Leaves) -> Any:
    base = tensor._base if tensor._base is not None else tensor
    found_type = base._node.types[0]
    if not all(isinstance(n, int) for n in found_type.shape) or found_type.dtype.hasobject:
        return None
    if base._choice is not None:
        found = _one_of([_lies(option, leaves) for option in base._choice.options])
    else:
        found = _layout(*base._born, leaves)
    return None if found is None else _along(found, tensor._path)


def _one_of(found: list[Any]) -> Any:
    """The one way in which all of these lie in memory. None where there are several."""
    if not found or any(
        other is None or other.strides != found[0].strides or other.shape != found[0].shape for other in found
    ):
        return None
    return found[0]


CERTAIN = frozenset(
    """getitem getitem_slice transpose matrix_transpose swapaxes moveaxis rollaxis expand_dims squeeze flip fliplr
    flipud rot90 atleast_1d atleast_2d atleast_3d diagonal linalg.diagonal diag broadcast_to real imag array_split
    split hsplit vsplit dsplit unstack view
    lib.recfunctions.rename_fields lib.stride_tricks.sliding_window_view""".split()
)
"""The ops whose results are views of their first argument whenever that is an array."""

LIKE = frozenset(["zeros_like", "ones_like", "full_like", "empty_like", "roll"])
"""Ops whose results lie as their first arrays do unless another order is asked for."""


class KnownLayout:
    """How an array lies in memory, as code asks for it: `strides`, and of the `flags` those that tell of contiguity.
    `array` has this layout and no content of its own."""

    def __init__(self, lies: Any, of: str) -> None:
        self.array = lies
        self.strides: tuple[int, ...] = lies.strides
        names = ("c_contiguous", "f_contiguous", "contiguous", "fortran", "fnc", "forc", "aligned")
        self.flags = KnownFlags({name: bool(getattr(lies.flags, name)) for name in names}, of)


class KnownFlags:
    """`x.flags.c_contiguous`, `x.flags["C_CONTIGUOUS"]` and the like."""

    def __init__(self, known: dict[str, bool], of: str) -> None:
        names = {"C": known["c_contiguous"], "F": known["f_contiguous"], **{k.upper(): v for k, v in known.items()}}
        self.__dict__.update(known, _of=of, _known=names)

    def __getattr__(self, name: str) -> Any:
        refuse_layout(f"`.flags.{name}` of {self._of} is not known")

    def __setattr__(self, name: str, value: Any) -> None:
        refuse_layout(f"`.flags.{name}` of {self._of} is set")

    def __setitem__(self, key: str, value: Any) -> None:
        refuse_layout(f"`.flags[{key!r}]` of {self._of} is set")

    def __getitem__(self, key: str) -> bool:
        found = self._known.get(key)
        return refuse_layout(f"`.flags[{key!r}]` of {self._of} is not known") if found is None else found


def known_layout(tensor: Tensor) -> KnownLayout:
    """How an array lies in memory in the calls of this trace, which is guarded. Raises `UnsupportedFunctionError` where
    that is not certain."""
    lies = stand_in(tensor)
    if lies is None:
        refuse_layout(f"the memory layout of {tensor.describe()} is not known")
    tensor._trace.root.outside.writing = True  # assumptions about layouts matter from here on
    return KnownLayout(lies, tensor.describe())


def refuse_layout(what: str) -> NoReturn:
    raise UnsupportedFunctionError(
        message(what, where(user_source(3)), "Use np.ascontiguousarray(x), which copies if needed.")
    )


def _along(value: Any, path: tuple[Any, ...]) -> Any:
    """The view at the end of a path. None where values decide its shape."""
    for name, *step in path:
        if name == "item":
            value = value[step[0]]
            continue
        args = _known(step[0])
        if args is None or step[1] and _known(tuple(dict(step[1]).values())) is None:
            return None
        value = by_name(name).call(value, *args, **dict(step[1]))
    return value


def _known(item: Any) -> Any:
    """An argument of a view with 0 for integers that are traced. None for other traced values."""
    if type(item) is Tensor:
        return 0 if not item.ndim and item.dtype.kind in "iu" else None
    if type(item) in (tuple, list):
        parts = [p if p is None else _known(p) for p in item]
        return (
            None if any(new is None for new, p in zip(parts, item, strict=True) if p is not None) else type(item)(parts)
        )
    is_open = type(item) is slice and any(not isinstance(p, int | None) for p in (item.start, item.stop, item.step))
    return None if is_open else item


def _layout(node: Node, trace: Any, leaves: Leaves) -> Any:
    """An array that lies in memory as the node's value does, where those of the `leaves`, to which it adds, do. Each
    node is looked at once while a question is answered: nested branches lead to it in many ways."""
    known = trace.root.outside.layouts
    if node not in known:
        mine: Leaves = {}
        known[node] = _found(node, trace, mine), mine
    found, of_node = known[node]
    leaves.update(of_node)
    return found


def _found(node: Node, trace: Any, leaves: Leaves) -> Any:
    op, dtype = node.op, node.type.dtype
    shape: Any = node.type.shape
    if not all(isinstance(n, int) for n in shape):
        return None
    if (made := trace.root.made_as.get(node)) is not None and made[0] is not node:
        return _layout(made[0], made[1], leaves)
    if node in trace.root.rounds:
        trace.root.outside.layouts[node] = None, {}  # its own rounds tell nothing about it
        return _one_of([_layout(made, inner, leaves) for made, inner in _before_rounds(node, trace)])
    if op is ITEM and node.inputs[0].op.name in ("cond", "switch", "call", "recompute"):
        return _of_branches(node, trace, leaves)
    if op in (INPUT, CAPTURE):
        outer = next((o for o, inner in getattr(trace, "lifted", {}).items() if inner is node), None)
        if outer is not None:
            return _layout(outer, trace.parent, leaves)
        if node in getattr(trace, "explicit", ()):
            return trace.lies_as(node)
        known = trace.root.outside.of_node(node)
        if known is None:
            return None
        leaves[known] = None
        if known.array is None or known.array.flags.c_contiguous:
            return np.empty(shape, dtype)
        return with_strides(known.array)
    if op is CONSTANT:
        return node.args[0].value
    if op.style == "write":
        return _layout(node.inputs[node.args[0].index], trace, leaves)
    order = dict(node.kwargs).get("order", "K" if op.name in COPYING else "C")
    if op.name in MADE:
        return np.empty(shape, dtype, order) if order in ("C", "F") else None
    if op.name in FLAT and len(shape) == 1:
        return np.empty(shape, dtype)
    if op.name == "roll" and dict(node.kwargs).get("axis") is None:  # of all elements in one row
        return np.empty(shape, dtype)
    if op.name in LIKE:
        of = _layout(node.inputs[0], trace, leaves)
        return None if of is None else np.empty_like(of, dtype, dict(node.kwargs).get("order", "K"), shape=shape)
    if op.name in COPYING:
        of = _layout(node.inputs[0], trace, leaves) if order in "KA" else np.empty(shape, dtype)
        return None if of is None else np.empty_like(of, dtype, order=order)
    if (op.name in CERTAIN or op.name == "reshape") and node.container is None:
        of = _layout(node.inputs[0], trace, leaves)
        return None if of is None else _view(of, node)
    is_choice = op.name == "where" and len(node.args) == 3
    if not (op.elementwise or is_choice) or node.container is not None:
        return None
    operands = [_layout(n, trace, leaves) for n in node.inputs if n.type.shape]
    if not operands or any(o is None for o in operands):
        return None
    flags: list[Any] = [["readonly"]] * len(operands) + [["writeonly", "allocate"]]
    dtypes: list[Any] = [None] * len(operands) + [dtype]
    iterator = np.nditer([*operands, None], ["refs_ok", "zerosize_ok"], flags, dtypes)
    return iterator.operands[-1]  # made as a ufunc makes its result


def _before_rounds(node: Node, trace: Any) -> list[tuple[Node, Any]]:
    """The arrays that a loop, and the loops before it, may leave: where these swap arrays, each may leave the
    other's."""
    found = []
    seen = {node}
    waiting = list(trace.root.rounds[node])
    while waiting:
        made, inner = waiting.pop()
        if made not in trace.root.rounds or trace.root.made_as.get(made, (made,))[0] is not made:
            found.append((made, inner))
        elif made not in seen:
            seen.add(made)
            waiting += trace.root.rounds[made]
    return found


def _view(of: Any, node: Node) -> Any:
    """The result of a node whose first input lies in memory as `of` does. None where values decide that."""
    inputs = [0 if not n.type.shape and n.type.dtype.kind in "iu" else None for n in node.inputs]
    if None in inputs[1:] or type(node.args[0]) is not Ref or node.args[0].index:
        return None
    args = [fill(a, lambda leaf: inputs[leaf.index] if type(leaf) is Ref else leaf) for a in node.args[1:]]
    try:
        found = node.op.call(of, *args, **{k: fill(v, lambda leaf: leaf) for k, v in node.kwargs})
    except (TypeError, ValueError, IndexError):
        return None
    return found if found.shape == node.type.shape else None


def _of_branches(item: Node, trace: Any, leaves: Leaves) -> Any:
    """The layout of a result of branches, where it is the same in each of them."""
    node, number = item.inputs[0], item.args[1]
    found = []
    for body in node.bodies:
        output = body.graph.outputs[number]
        if output.op is CONSTANT and output.args[0].value.size > 1 and not any(output.args[0].value.strides):
            continue  # it stands for an array that there is not
        outer = dict(zip(body.graph.inputs, fed_by(node, body), strict=True))
        found.append(_layout(output, _Inside(trace, outer), leaves))
    return _one_of(found) if found else None


class _Inside:
    """A traced body whose trace is over: its inputs, and the trace around it."""

    def __init__(self, parent: Any, outer: dict[Node, Any]) -> None:
        self.parent, self.root = parent, parent.root
        self.explicit = [inner for inner, node in outer.items() if node is None]
        self.lifted = {node: inner for inner, node in outer.items() if node is not None}

    def lies_as(self, node: Node) -> Any:
        return None


def with_strides(array: Any) -> Any:
    """An array without content that lies as another one does."""
    low, high = np.lib.array_utils.byte_bounds(array)
    offset = array.__array_interface__["data"][0] - low
    return np.ndarray(
        array.shape, array.dtype, np.empty(max(high - low, array.itemsize), np.uint8), offset, array.strides
    )


provided.known_layout = known_layout
