"""Whether a short loop is staged or unrolled: by its code, and by the number of operations in a round."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterable
from types import CodeType
from typing import Any

import numpy as np

from ....ir.graph import Node
from ....ir.op import ITEM, LEAVES
from ....ir.template import Ref
from ....ir.types import Kind, TensorType
from ...code.bytecode import instructions

UNROLL = 32
"""Rounds of a `for` loop over a Python `range` or an array that are unrolled; a longer loop stays one in the graph."""

FEW, SOME, MANY, MUCH = 5, 60, 200, 1000
"""Limits for shorter loops. A loop over elements of arrays with more than `FEW` rounds is staged: it compiles to
machine code. So is one that an array may end (`break`): unrolled, each round would be a branch. A loop whose rounds do
not fuse into one kernel is staged above `SOME` operations in all rounds, or above `MANY` if only writes into parts of
arrays prevent the fusion. Any loop is staged above `MUCH`. With no more than `FEW` rounds it must also carry arrays and
scalars alone: Python numbers may be lengths, and unrolled lists are known."""

MANY_OF_FEW, MANY_CALLS, OF_CALLEE = 80, 210, 20
"""The same for no more than `FEW` rounds, in the place of `MANY`: their writes fuse as well in a loop. They are tried
above `MANY_CALLS` in the code of all rounds, two or three of which make an operation. A call of one of the user's
functions counts as `OF_CALLEE`: only the code of its caller is looked at."""

MAX_TRIALS = 3
"""How often a trace tries to stage such a shorter loop: the trials of loops in loops multiply."""


def is_worth_a_loop(length: int, nodes: list[Node], types: list[TensorType], goes_on: Node | None = None) -> bool:
    """True if a loop with these nodes in a round, which carries values of these types, is staged. `goes_on` says in
    each round whether there is another one."""
    if length > UNROLL or (length > FEW and goes_on is not None and _is_of_arrays(goes_on)):
        return True
    is_much = length * _work(nodes) > _most_unrolled(nodes, MANY if length > FEW else MANY_OF_FEW)
    if length <= FEW:
        return is_much and not any(map(_is_better_known, types))
    return is_much or not any(map(_is_on_array, nodes))


def _is_of_arrays(value: Node) -> bool:
    """True for a value that is computed from arrays or NumPy scalars, and not from Python numbers alone."""
    seen, waiting = {value}, [value]
    while waiting:
        node = waiting.pop()
        if node.is_leaf and node.type.kind is not Kind.PYTHON:
            return True
        waiting += [n for n in node.inputs if n not in seen]
        seen.update(node.inputs)
    return False


def _is_better_known(type_: TensorType) -> bool:
    """True for lists and Python numbers. A bool says whether there was a round."""
    return type_.kind is Kind.LIST or (type_.kind is Kind.PYTHON and type_.dtype != np.bool_)


def may_carry(length: int, values: Iterable[Any]) -> bool:
    """False if a loop that changes variables with these values is unrolled, as `is_worth_a_loop` would say."""
    return length > FEW or not any(issubclass(type(value), _KNOWN) for value in values)


_KNOWN = (int, float, complex, list)


def may_be_worth(code: CodeType, length: int, may_end: bool = False) -> bool:
    """True if the rewritten body of a loop has loops or items in it, calls functions that are no attributes of modules,
    makes more than `SOME` calls in `length` rounds, or `may_end` the loop before. Of few rounds, a trial may cost as
    much as it gains: they must make `MANY_CALLS`, and append to no list."""
    if length > UNROLL or length <= 2:
        return length > UNROLL
    calls, is_all = _calls(code)
    if length <= FEW:
        return length * calls > MANY_CALLS and "append" not in code.co_consts
    return may_end or not is_all or length * calls > SOME


@functools.lru_cache(maxsize=256)
def _calls(code: CodeType) -> tuple[int, bool]:
    """The number of calls and slices in rewritten code, each of which may be an operation, and whether there are no
    others: the code may have any number of operations in loops and in functions that it calls."""
    is_all = _TELLING.isdisjoint(code.co_names)
    count, callee = sum(map(code.co_code[::2].count, _CALLS)), ""
    for name, argument in instructions(code) if "callee" in code.co_names else ():
        if callee and name != "PUSH_NULL":
            if callee == "found" and name not in ("LOAD_ATTR", "LOAD_METHOD"):
                count, is_all = count + OF_CALLEE, False
            callee = "found" if callee == "next" else ""
        if argument == "callee" and name in ("LOAD_ATTR", "LOAD_METHOD"):
            callee = "next"
    inner = [_calls(c) for c in code.co_consts if isinstance(c, CodeType)]
    return count + sum(calls for calls, _ in inner), is_all and all(is_all for _, is_all in inner)


_CALLING = ("CALL", "CALL_KW", "CALL_FUNCTION_EX", "BUILD_SLICE", "BINARY_SLICE")
_CALLS = [dis.opmap[name] for name in _CALLING if name in dis.opmap]
_TELLING = {"for_stmt", "while_stmt", "item", "owner_item", "changing_item", "set_item", "augment_item"}


def _work(nodes: list[Node]) -> int:
    """The approximate number of operations, with all loops over ranges unrolled."""
    return sum((not n.is_leaf) + sum(_rounds_of(n) * _work(b.graph.nodes) for b in n.bodies) for n in nodes)


def recorded(nodes: list[Node]) -> int:
    """The number of operations, with those in bodies."""
    made = [n for n in nodes if n.op not in LEAVES]
    return len(made) + sum(recorded(b.graph.nodes) for n in made if n.op.style == "control" for b in n.bodies)


def _rounds_of(node: Node) -> int:
    """The number of runs of a node's bodies. A range whose length an outer loop decides counts as `FEW`."""
    if node.op.name != "for_loop":
        return 1
    bounds = node.args[:3]
    return len(range(*bounds)) if all(type(b) is int for b in bounds) else FEW


def _most_unrolled(nodes: list[Node], of_writes: int) -> int:
    """The largest number of operations for which rounds of such nodes are unrolled: `of_writes` where only writes into
    parts of arrays end a kernel."""
    ends = [n for n in nodes if _ends_kernel(n)]
    if not ends:
        return MUCH
    return of_writes if all(n.op.name == "setitem" for n in ends) else SOME


def _ends_kernel(node: Node) -> bool:
    """True for an operation that cannot fuse with the next round. Views, elementwise operations and selections by a
    mask can."""
    op = node.op
    if node.is_leaf or op is ITEM or op.view or op.elementwise or node.container is not None:
        return False
    if (op.style == "operator" and op.symbol != "@") or op.name == "getitem_mask":
        return False
    if op.name == "ufunc_into" and node.args[1] == ():  # all elements of an array: `total += x`
        return False
    if op.name == "setitem" and type(index := node.args[2]) is Ref:
        return node.inputs[index.index].type.dtype != np.bool_
    return bool(node.bodies) or any(t.kind is Kind.ARRAY for t in node.types)


def _is_on_array(node: Node) -> bool:
    """True for an operation on whole arrays, not on single elements."""
    if node.op.style == "control":
        return any(_is_on_array(n) for b in node.bodies for n in b.graph.nodes)
    if node.is_leaf or node.op is ITEM or node.op.name == "setitem" or node.container is not None:
        return False
    return node.type.kind is Kind.ARRAY and bool(node.type.shape)
