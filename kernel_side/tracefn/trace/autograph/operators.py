"""Control flow in rewritten code: Python itself for Python values, a branch or loop in the graph for traced ones."""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import ControlFlowError, message
from ...ir.op import by_name
from ...ir.types import Kind, python_type
from .. import provided
from ..active import TRACING, current
from ..context import Trace
from ..control.branches import check_condition, choose, run_side
from ..control.one_of import OneOf, is_fixed
from ..control.undefined import Maybe, Undefined, raise_unbound, unbound_text
from ..control.where_set import where_set
from ..entering import enter  # noqa: F401  for rewritten code
from ..foreign import Foreign, call, is_foreign_type, is_foreign_value
from ..reads import in_trace
from ..recording.operands import read_as_wholes
from ..tensor import Tensor
from ..values.graph_container import is_container
from ..values.graph_list import GraphList
from ..values.traced_text import Text, text_call
from .augmented import IN_PLACE, NAMES
from .calls.class_checks import bases, class_body, is_instance, metaclass  # noqa: F401  for rewritten code
from .calls.container_methods import CONTAINERS, augment_container
from .calls.dispatch import attribute, callee, method, owner_attribute, sized, sized_name, whole
from .containers.changes import decided
from .containers.contents import asked, copied, drawn_from, elements_of, reads_inside, searched, summand
from .containers.foreseen import foresee, is_foreseen, settled
from .containers.kept_arrays import check_write
from .containers.keyed import Keyed, changed_later
from .containers.new import new_container, new_dict, new_set
from .containers.pending import refuse_pending, refuse_pending_inside
from .containers.split import assuming, made, owner_in, split, undecided
from .hooks import user_operators
from .hooks.attempts import attempt, entered, handled
from .hooks.bindings import alias, bound, parameter, unpacked
from .hooks.comprehensions import list_comp, new_list
from .hooks.conditions import condition, truth
from .hooks.identity import is_one_array, refuse_equal, refuse_one_of_callers, refuse_one_of_several
from .hooks.items import changing_item, item, key, owner_item, sized_item
from .hooks.loops import for_stmt, while_stmt
from .hooks.matching import subject
from .hooks.places import (
    delete_attribute,
    delete_item,
    refuse_key,
    store_attribute,
    store_global,
    store_item,
    store_outer,
)
from .hooks.raising import raised
from .hooks.texts import percent, text
from .hooks.unpacking import parts_of
from .hooks.user_operators import (  # noqa: F401  for rewritten code
    add,
    bit_and,
    bit_or,
    bit_xor,
    eq,
    floordiv,
    ge,
    gt,
    invert,
    le,
    lshift,
    lt,
    matmul,
    mod,
    mul,
    ne,
    neg,
    pos,
    power,
    rshift,
    sub,
    truediv,
)
from .hooks.variables import State, Variables
from .iterators.advancing import refuse_iterator
from .special import array_of, special

# --- variables


def undefined(name: str) -> Undefined:
    return Undefined(name)


def returned(done: Any, value: Any) -> Any:
    """The result of a function that may return in several places."""
    if type(done) is Tensor and type(value) is not Undefined:
        return _either(done, functools.partial(_itself, value), lambda: None)
    return None if type(value) is Undefined else value


def defined(value: Any) -> Any:
    """The value of a variable. Raises UnboundLocalError where it is not set: now, or at the call that finds it so."""
    if type(value) is Undefined:
        raise_unbound(value)
    if type(value) is not Maybe:
        return value
    return where_set(value, UnboundLocalError(unbound_text(value.name)))


# --- expressions


def and_(*operands: Callable[[], Any]) -> Any:
    value = in_trace(operands[0]())
    for operand in operands[1:]:
        if type(test := condition(value)) is Tensor:
            value = _either(test, operand, functools.partial(_itself, value))
        elif not (test if type(value) is Tensor else value):
            return value
        else:
            value = in_trace(operand())
    return value


def or_(*operands: Callable[[], Any]) -> Any:
    value = in_trace(operands[0]())
    for operand in operands[1:]:
        if type(test := condition(value)) is Tensor:
            value = _either(test, functools.partial(_itself, value), operand)
        elif test if type(value) is Tensor else value:
            return value
        else:
            value = in_trace(operand())
    return value


def all_of(*operands: Callable[[], Any]) -> Any:
    """`and` of which only the truth matters. All operands but the first give a truth."""
    return _decided(False, operands)


def any_of(*operands: Callable[[], Any]) -> Any:
    """The same of `or`."""
    return _decided(True, operands)


def _decided(by: bool, operands: tuple[Callable[[], Any], ...]) -> Any:
    """`by` is the truth that decides. A later operand that has it as a Python bool decides for traced ones, too."""
    value = operands[0]()
    for operand in operands[1:]:
        test, found = condition(value), list[Any]()
        if type(test) is Tensor:
            sides = functools.partial(_itself, by), functools.partial(_noted, operand, found)
            value = _either(test, *(sides if by else sides[::-1]))
            if found and type(found[-1]) is bool:
                value = by if found[-1] is by else test
        elif bool(test) is by:
            return by
        else:
            value = in_trace(operand())
    return value


def _noted(operand: Callable[[], Any], found: list[Any]) -> Any:
    found.append(operand())
    return found[-1]


def _itself(value: Any) -> Any:
    return value


def tested(owner: Any, name: str) -> Any:
    """`owner.name`, of which only the truth is asked."""
    return tested_name(owner_attribute(owner, name))


def tested_item(owner: Any, key: Any) -> Any:
    """`owner[key]`, of which only the truth is asked."""
    return tested_name(owner_item(owner, key))


def tested_name(value: Any) -> Any:
    """The value of an outer variable, of which only the truth is asked."""
    return truth(value) if TRACING and isinstance(value, CONTAINERS) else value


def not_(value: Any) -> Any:
    """`not value`. The truth of a traced value is a Python bool, as Python's is."""
    if not TRACING:
        return not value
    value = condition(value)
    if type(value) is not Tensor:
        return not value
    check_condition(value)
    return _trace().record(by_name("not"), (value,), {})


def is_(left: Any, right: Any) -> Any:
    """`left is right`."""
    if type(left) is OneOf and is_fixed(right):
        return left.is_option(right)
    if type(right) is OneOf and type(left) is not OneOf:
        return is_(right, left)
    for value, other in ((left, right), (right, left)):
        if type(value) is Tensor and type(other) in (bool, Tensor) and _is_python_bool(value):
            if type(other) is bool:
                return value if other else not_(value)
            return left is right or (_is_python_bool(other) and _as_bool(left == right))
    if type(left) is not OneOf and Tensor in (type(left), type(right)):
        return is_one_array(left, right)
    if type(left) is type(right) is Foreign and left is not right:
        return call(operator.is_, (left, right), {}, "operator.is_", reads=True)
    refuse_one_of_callers(left, right)
    refuse_one_of_several(left, right)
    refuse_equal(left, right)
    if isinstance(left, _TOLD_BY_CONTENT) and type(left) is type(right) and (trace := current()) is not None:
        trace.root.is_asked(left, right)
    return left.split(lambda option: is_(right, option)) if type(left) is OneOf else left is right


_TOLD_BY_CONTENT = (*CONTAINERS, tuple)
"""Types that guards compare by content: equal values may be two objects, or one."""


def _is_python_bool(value: Tensor) -> bool:
    """True for one of Python's two bools, of which there are no others that are equal."""
    kind = value._node.type
    return kind.kind is Kind.PYTHON and kind.dtype.kind == "b"


def in_(value: Any, container: Any) -> Any:
    """`value in container`."""
    if type(value) is OneOf:
        return value.split(lambda option: in_(option, container))
    if type(container) is OneOf:
        return container.split(lambda option: in_(value, option))
    if is_foreseen(container):
        return foresee(container, operator.contains, value)
    if undecided(container):
        return split(container, lambda: in_(value, container))
    container = searched(in_trace(decided(container)), value)
    if current() is not None and (is_foreign_type(type(container)) or is_foreign_value(container)):
        return call(operator.contains, (container, value), {}, reads=True)
    if (type(container) is GraphList and container.is_staged) or is_container(container):
        return container.holds(value)
    if type(container) is Text or (type(value) is Text and type(container) is str):
        return text_call("__contains__", container, value)
    if type(container) is Tensor:
        found = container._node.type
        if found.kind in (Kind.PYTHON, Kind.SCALAR):
            cls: Any = python_type(found.dtype) if found.kind is Kind.PYTHON else found.dtype.type
            return value in (container if issubclass(cls, str | bytes) else cls())  # raises, as a number holds nothing
        return _trace().record(by_name("bool"), (np.any(container == value),), {})
    if (mine := special(container, "__contains__")) is not None:
        return _as_bool(mine(value))
    refuse_pending_inside(container)
    reads_inside(container, value)
    found = in_trace(value)
    is_sequence = current() is not None and isinstance(container, list | tuple | deque)
    if (is_sequence and any(type(other) in (Tensor, Text) for other in container)) or (
        type(found) in (Tensor, Text) and isinstance(container, list | tuple | range | set | frozenset | dict)
    ):
        others = elements_of(container)
        return _as_bool(or_(lambda: False, *[functools.partial(_finds, value, found, other) for other in others]))
    if (trace := current()) is not None:
        refuse_iterator(container)
        read_as_wholes(trace, (value,))
        refuse_pending(value)
        trace.root.unseen.may_happen(value, tuple(dict.keys(container)) if isinstance(container, dict) else container)
    return value in asked(container, value)


def _finds(value: Any, found: Any, other: Any) -> Any:
    """The question of `in` about an item, which is asked first. `found` is the value in the trace."""
    return True if other is value else other == found


def _as_bool(value: Any) -> Any:
    found = truth(value)
    return _trace().record(by_name("bool"), (found,), {}) if type(found) is Tensor else found


def if_exp(test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    test = condition(test)
    if type(test) is Tensor:
        return _either(test, body, orelse)
    return body() if test else orelse()


def _either(test: Tensor, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    trace = _trace()
    check_condition(test)
    trace.staging.note("expression", "staged")
    sides = [
        run_side(trace, n, functools.partial(_value, trace, test, holds, f))
        for n, holds, f in (("if_true", True, body), ("if_false", False, orelse))
    ]
    return choose(trace, "cond", test, sides)["the value"]


def _value(trace: Trace, test: Tensor, holds: bool, function: Callable[[], Any]) -> dict[Any, Any]:
    with assuming(trace, test, holds):
        return {"the value": function()}


def augmented(name: str, target: Any, value: Any) -> Any:
    """`target op= value`: the result, which is the target itself where it is changed in place."""
    return _traced_augmented(name, target, value) if TRACING else IN_PLACE[name](target, value)


def _traced_augmented(name: str, target: Any, value: Any) -> Any:
    """The same in a trace. It is a function of its own because closure cells would slow the hook down."""
    if type(target) is OneOf:
        return target.split(lambda option: augmented(name, option, value))
    if (mine := special(target, _IN_PLACE_METHODS[name])) is not None and (new := mine(value)) is not NotImplemented:
        return new
    is_container = isinstance(target, CONTAINERS)
    if is_container and (owner := owner_in((target, value))) is not None:
        return split(owner, lambda: augmented(name, target, made(value)))
    value = summand(value)
    if is_container and (trace := current()) is not None:
        return augment_container(trace, name, target, value)
    if not hasattr(type(target), _IN_PLACE_METHODS[name]):
        return _BINARY[name](target, value)
    check_write(current(), target)
    return IN_PLACE[name](target, array_of(value) if type(target) is Tensor else value)


def augment_item(name: str, owner: Any, key: Any, old: Any, value: Any) -> None:
    """`owner[key] op= value`, where `old` was there before the value was computed."""
    if type(old) is Keyed:
        trace = current()
        if trace is None or not changed_later(trace, owner, name, (key, value)):
            refuse_key(owner)
        return
    new = augmented(name, old, value)
    if new is old and type(key) is type(old) is Tensor and isinstance(owner, list) and old._choice is not None:
        return  # whichever array of the list it is, the list holds it
    if type(owner) is not Tensor or new is not old or old._base is None:  # else it was written into a view of the owner
        store_item(new, owner, key)


_BINARY = {name: getattr(user_operators, NAMES[name]) for name in IN_PLACE}
_IN_PLACE_METHODS = {name: f"__{function.__name__.rstrip('_')}__" for name, function in IN_PLACE.items()}


# --- statements


def if_stmt(
    test: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
) -> None:
    test = condition(test)
    if type(test) is not Tensor:
        if TRACING and (trace := current()) is not None:
            trace.staging.note("if", "ran once")
        (body if test else orelse)()
        return
    trace = _trace()
    check_condition(test)
    trace.staging.note("if", "staged")
    Variables(names, get_state, set_state).branch(trace, test, body, orelse)


def nothing() -> None:
    """The other side of an `if` without `else`."""


def _trace() -> Trace:
    trace = current()
    if trace is None:
        raise ControlFlowError(message("a traced value is used as a condition outside its trace"))
    return trace


__all__ = [
    "Undefined", "alias", "all_of", "and_", "any_of", "attempt", "attribute", "augment_item", "augmented", "bound",
    "callee", "changing_item", "copied", "defined", "delete_attribute", "delete_item", "drawn_from", "elements_of",
    "entered", "for_stmt", "handled", "if_exp", "if_stmt", "in_", "is_", "item", "key", "list_comp", "method",
    "new_container", "new_dict", "new_list", "new_set", "not_",
    "or_", "owner_attribute", "owner_item", "parameter", "parts_of", "percent", "raised", "returned", "settled",
    "sized", "sized_item", "sized_name", "store_attribute", "store_global", "store_item", "store_outer", "subject",
    "summand", "tested", "tested_item", "tested_name", "text", "truth", "undefined", "unpacked", "while_stmt", "whole",
]  # fmt: skip


provided.if_exp = if_exp
