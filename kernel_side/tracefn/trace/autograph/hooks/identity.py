"""`is` and `id` in rewritten code: which container an argument is, is known at the call alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import ControlFlowError, UnsupportedFunctionError, message
from ....ir.types import Kind
from ...active import current, note_address
from ...aliasing.views import roots
from ...control.outside_containers import has_address, is_outside_container
from ...control.selected import may_be_one
from ...origin import user_source, where
from ...state.compared import same_value
from ...tensor import Tensor
from ...tree import parts
from ...values.graph_container import GraphContainer
from ...values.kept_items import is_lent
from ...values.traced_text import Text

_MADE_ANEW = (GraphContainer, Tensor, Text, np.ndarray, list, dict, set)


def refuse_one_of_callers(left: Any, right: Any) -> None:
    """Raises where a container of the caller's, for which a copy stands here, may be the other one."""
    trace = current()
    if trace is None or left is right or type(left) is not type(right):
        return
    ids = {id(left), id(right)}
    if is_lent(trace, left) or is_lent(trace, right):
        raise ControlFlowError(
            message(
                "`is` compares a list, dict or set that a library holds as well",
                where(user_source(4)),
                "Compare their contents.",
            )
        )
    if ids & trace.root.callers and all(is_outside_container(v) or trace.is_outside(v) for v in (left, right)):
        if len(ids & trace.root.callers) == 1 or _is_alike(left, right):
            raise ControlFlowError(
                message(
                    "`is` asks whether a container that is an argument is another one",
                    where(user_source(4)),
                    "Compare their contents.",
                )
            )


def refuse_one_of_several(left: Any, right: Any) -> None:
    """Raises where a list or dict that a traced value selects may be the other one."""
    if isinstance(left, GraphContainer) and isinstance(right, GraphContainer):
        left.refuse_asked(right)
    if may_be_one(left, right):
        what = "`is` asks which of several a list or dict is, and a traced value decides"
        raise ControlFlowError(message(what, where(user_source(4)), "Compare their contents."))


def refuse_equal(left: Any, right: Any) -> None:
    """Raises for equal texts or numbers, of which later calls may have one object or two: guards compare values."""
    if left is not right and Text in (type(left), type(right)) and {type(left), type(right)} <= {Text, str}:
        what = "`is` compares two texts that only the call knows"
        raise ControlFlowError(message(what, where(user_source(4)), "Compare them by `==`."))
    if current() is None or type(left) is not type(right) or type(left) not in _VALUES or not same_value(left, right):
        return
    if (type(left) is int and -5 <= left <= 256) or (type(left) in (str, bytes) and len(left) < 2):
        return  # of which Python has one
    raise ControlFlowError(
        message(
            f"`is` asks whether two equal values {left!r} are one object",
            where(user_source(4)),
            "Compare them by `==`, or make the mark an `object()`.",
        )
    )


_VALUES = frozenset({int, float, complex, str, bytes})


def is_one_array(left: Any, right: Any) -> bool:
    """`left is right`, of which one is a traced array."""
    trace = current()
    if trace is None or left is right or type(left) is not type(right):
        return left is right
    one, other = [trace.captured(v) if type(v) is np.ndarray else v for v in (left, right)]
    if type(one) is not Tensor or type(other) is not Tensor:
        return False
    if one._node.type.kind is other._node.type.kind is Kind.PYTHON and one._node.type == other._node.type:
        raise ControlFlowError(
            message("`is` asks whether two numbers are one object", where(user_source(4)), "Compare them by `==`.")
        )
    found = trace.root.outside.are_one(one, other)
    if one._node.type == other._node.type and (_may_show(one, other) or _may_show(other, one)):
        what = "`is` asks whether a function has given the array that it was given, or another one"
        raise ControlFlowError(message(what, where(user_source(4)), "Make a copy, or compare elements."))
    if found is None and _may_be_another(one) and _may_be_another(other) and one._node.type == other._node.type:
        raise ControlFlowError(
            message(
                "`is` asks which array a variable holds after or in a branch or loop",
                where(user_source(4)),
                "Compare elements, or keep a number that says which it is.",
            )
        )
    return bool(found)


def _may_be_another(array: Tensor) -> bool:
    """True for a Tensor for which another one may stand, too: inputs of bodies, and choices of branches."""
    return array._node.type.kind is Kind.ARRAY and (array._node.is_leaf or array._choice is not None)


def _may_show(array: Tensor, other: Tensor) -> bool:
    """True where it is not known whether an array shows the memory of another one."""
    return any(id(root) in array._doubts for root in roots(other))


def _is_alike(left: Any, right: Any) -> bool:
    """True for containers that one container could be: calls with others have other traces."""
    one, other = parts(left), parts(right)
    if one is None or other is None:
        return left is right or type(left) is type(right) is Tensor
    return one[:2] == other[:2] and all(map(_is_alike, one.children, other.children))


def identity(value: Any, /) -> int:
    """`id(value)`."""
    note_address()
    is_new = isinstance(value, _MADE_ANEW) or is_outside_container(value) and not has_address(value)
    if current() is not None and is_new:
        raise UnsupportedFunctionError(
            message("`id` is called with an object that is new at each call", where(user_source(3)), "Use a name.")
        )
    return id(value)
