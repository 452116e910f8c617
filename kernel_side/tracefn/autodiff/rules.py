"""The derivative of one node: the rule of its op's block, for the arguments of the call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import MissingDerivativeError, message
from ..ir import template
from ..ir.dims import Dim
from ..ir.graph import Node
from ..ir.op import ITEM, Op, by_name
from ..ir.template import Body, DictOf, ListOf, Ref, SliceOf
from ..ir.types import Kind, TensorType
from ..ops.derivatives.common import as_array
from ..records import dataclass
from ..trace.context import Trace
from ..trace.foreign import Step
from ..trace.operators import combined
from ..trace.origin import where
from ..trace.tensor import Tensor
from .fitting import fitted, is_differentiable, times
from .left_out import as_ufunc, left_out
from .libraries import rule_of

Part = tuple[Node, Any]
"""An operand, and a node's addend to its cotangent."""


@dataclass(frozen=True, slots=True)
class Sparse:
    """A cotangent of zeros but for a part, which is that of the elements at an index: each is picked once."""

    index: Any
    part: Any


@dataclass(frozen=True, slots=True)
class Call:
    """A node of a trace, with the items of it where it has several outputs.

    One that `is_masked` has a cotangent of 0 where a selection has left elements out, and a derivative that may be
    infinite there. `take` gives the cotangent that an operand has so far, None for none: its taker adds to
    it.
    """

    trace: Trace
    node: Node
    items: Mapping[int, Node]
    is_masked: bool
    take: Callable[[Node], Any]

    @property
    def out(self) -> Any:
        """The result: a tuple where there are several, None for those that nothing has asked for."""
        if self.node.container is None:
            return self.tensor(self.node)
        return tuple([self.tensor(self.items[i]) if i in self.items else None for i in range(len(self.node.types))])

    def tensor(self, node: Node) -> Tensor:
        return Tensor(node, self.trace, owned=False)

    def value(self, argument: Any) -> Any:
        """An argument of the node's template, as the trace knows it."""
        if type(argument) is Ref:  # as most are
            return self.tensor(self.node.inputs[argument.index])

        def leaf(item: Any) -> Any:
            if isinstance(item, Ref):
                return self.tensor(self.node.inputs[item.index])
            return self.trace.public(item) if isinstance(item, Dim) else item

        return template.fill(argument, leaf)


THROUGH: dict[str, Callable[[Call, Any, Collection[Node]], Iterator[Part]]] = {}
"""How derivatives go through ops with bodies, by the names of the ops."""

_PICKING = frozenset({"getitem", "getitem_slice"})
"""Indexing that picks an element at most once: its cotangent is added at its place, in place."""

_INTO = by_name("call_into")
_OWN = by_name("with_derivative")
_DRAWN = by_name("drawn")


def has_derivative(node: Node) -> bool:
    """False for a node whose results do not change with its operands, or in steps alone. An object of another library
    may hold its operands, and a text tells them: a step that reads numbers from it again has no known derivative."""
    if holds_operands(node) or any(t.kind is Kind.PYTHON and t.dtype.kind == "T" for t in node.types):
        return True
    if not any(map(is_differentiable, node.types)) or node.op.fills is not ...:
        return False
    if node.op is _OWN:
        return isinstance(node.args[-1], Body)
    partials = _partials(node.op)
    return partials is None or any(map(_is_some, partials))


def holds_operands(node: Node) -> bool:
    """True for a node that gives an object, from which its operands may be read later."""
    for t in node.types:  # a generator takes several times as long
        if t.kind is Kind.OBJECT:
            return True
    return False


def objects_outside(node: Node) -> list[Any]:
    """The objects from outside that a call of another library is given, and which may keep its operands: none where
    its derivative is known."""
    step = node.args[0] if node.args else None
    return step.objects_outside() if isinstance(step, Step) and rule_of(node) is None else []


def contributions(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """A node's addends to the cotangents of its operands that are `active`, given that of its result."""
    node = call.node
    if node.op is ITEM:
        return
    if node.op.name in _PICKING:
        yield node.inputs[node.args[0].index], Sparse(call.value(node.args[1]), g)
    elif (partials := _partials(node.op)) is not None:
        yield from _by_partials(call, g, partials, active)
    elif (vjp := node.op.vjp or rule_of(node)) is not None:
        yield from _by_vjp(call, vjp, g, active, node.args)
    elif (through := THROUGH.get(node.op.name)) is not None:
        yield from through(call, g, active)
    else:
        raise missing(node)


def _partials(op: Op) -> tuple[Any, ...] | None:
    """The derivatives of an elementwise op. Python's operators on numbers have those of their ufuncs."""
    return as_ufunc(op).partials if op.partials is None and op.vjp is None else op.partials


def _is_some(partial: Any) -> bool:
    return callable(partial) or bool(partial)


def _by_partials(call: Call, g: Any, partials: tuple[Any, ...], active: Collection[Node]) -> Iterator[Part]:
    node = call.node
    operands = [as_array(call.value(a)) for a in node.args]
    mask = call.value(dict(node.kwargs).get("where", True)) if node.kwargs else True
    for argument, operand, partial in zip(node.args, operands, partials, strict=False):
        if not _is_some(partial) or not _is_active(node, argument, active):
            continue
        if callable(partial):
            slope = partial(call.out, *operands)
            part = times(g, left_out(g, slope) if call.is_masked else slope)
        else:
            part = g if partial == 1 else combined(np.negative, g) if partial == -1 else times(g, partial)
        if mask is not True:
            part = np.where(mask, part, 0)
        yield from _matched(call, argument, fitted(part, operand), active)


def through_drawn(call: Call, g: Any, active: Collection[Node]) -> Iterator[Part]:
    """Of the result of a call with an effect: by its arguments."""
    _, name, args = call.node.args
    if (vjp := by_name(name).vjp) is None:
        raise missing(call.node)
    yield from _by_vjp(call, vjp, g, active, args)


def _by_vjp(
    call: Call, vjp: Callable[..., Any], g: Any, active: Collection[Node], templates: tuple[Any, ...]
) -> Iterator[Part]:
    node = call.node
    args = _operands(call, node.op, templates, active)
    kwargs = {name: _operand(call, node.op, name, value, active) for name, value in node.kwargs}
    found = tuple(map(_as_array, g, node.types)) if isinstance(g, list) else _as_array(g, node.type)
    parts = vjp(found, call.out, *args, **kwargs)
    if parts is NotImplemented:
        raise missing(node)
    for argument, value, part in zip(templates, args, parts, strict=False):
        yield from _matched(call, argument, _as_whole(part, argument, value), active)
    named = parts[len(args)] if len(parts) > len(args) else {}
    for name, value in node.kwargs:
        if name in named:
            yield from _matched(call, value, _as_whole(named[name], value, kwargs[name]), active)
        elif _is_active(node, value, active):
            raise missing(node, f" by its argument `{name}`")


def _operands(call: Call, op: Op, templates: Sequence[Any], active: Collection[Node]) -> list[Any]:
    """The positional arguments of an op, among them those of a function that it calls with `out=`."""
    if op is _INTO:
        *target, name, args = templates
        return [*map(call.value, target), name, tuple(_operands(call, by_name(name), args, active))]
    names = [*op.parameters.positional, *[""] * len(templates)]
    return [_operand(call, op, name, a, active) for name, a in zip(names, templates, strict=False)]


def _operand(call: Call, op: Op, name: str, argument: Any, active: Collection[Node]) -> Any:
    """An argument as a rule takes it: an array in place of a list that stands for one."""
    value = call.value(argument)
    if not isinstance(value, list | tuple) or op.vjp is None or op.parts == "nested":
        return value
    if not _is_active(call.node, argument, active) and not _holds_floats(call.node, argument):
        is_array = isinstance(argument, ListOf) and op.style == "function" and not op.parts and name not in op.static
        is_known = all(isinstance(v, int | float | complex) for v in template.leaves(argument))
        return _constant(call.trace, value) if is_array and is_known and value else value
    return type(value)([as_array(v) for v in value]) if op.parts else as_array(value)


def _holds_floats(node: Node, argument: Any) -> bool:
    """True for a structure of numbers with traced floats among them, which is no index and no shape."""
    items = list(template.leaves(argument))
    is_of_numbers = all(isinstance(item, Ref | int | float | complex) for item in items)
    return is_of_numbers and any(type(r) is Ref and is_differentiable(node.inputs[r.index].type) for r in items)


def _constant(trace: Trace, values: Sequence[Any]) -> Any:
    """The array of a list of numbers."""
    return Tensor(trace.value_node_of_constant(np.array(values)), trace, owned=False)


def _as_whole(part: Any, argument: Any, value: Any) -> Any:
    """The cotangent of a list that was given to a rule as an array, in the shape of that array."""
    if not isinstance(argument, tuple | ListOf) or part is None or part is NotImplemented:
        return part
    if type(value) is Tensor:
        return fitted(part, value)
    if not isinstance(value, list | tuple) or not isinstance(part, list | tuple):
        return part
    items = argument.items if isinstance(argument, ListOf) else argument
    return [_as_whole(*each) for each in zip(part, items, value, strict=False)]


def _is_active(node: Node, argument: Any, active: Collection[Node]) -> bool:
    refs = [argument] if type(argument) is Ref else template.leaves(argument)
    return any(node.inputs[r.index] in active for r in refs if type(r) is Ref)


def _as_array(g: Any, of: TensorType) -> Any:
    """A cotangent, as an array for an array without axes: into a scalar a rule could not write."""
    if type(g) is Tensor and g._node.type.kind is not Kind.ARRAY and of.kind is Kind.ARRAY:
        return np.copy(g)
    return g


def _matched(call: Call, argument: Any, part: Any, active: Collection[Node]) -> Iterator[Part]:
    """The cotangents in a rule's result for one argument, which has the argument's structure."""
    if part is None:
        return
    if isinstance(argument, Ref):
        operand = call.node.inputs[argument.index]
        if operand in active:
            if part is NotImplemented:
                raise missing(call.node, f" by its operand number {argument.index + 1}")
            yield operand, part if holds_operands(operand) else fitted(part, call.tensor(operand))
    elif isinstance(argument, tuple | ListOf | SliceOf):
        items = argument.items if isinstance(argument, ListOf) else tuple(argument)
        for item, each in zip(items, part, strict=False):
            yield from _matched(call, item, each, active)
    elif isinstance(argument, DictOf):
        for key, item in argument.items:
            yield from _matched(call, item, part.get(key), active)


def missing(node: Node, what: str = "") -> MissingDerivativeError:
    return MissingDerivativeError(
        message(
            f"the derivative of `{_name(node)}`{what} is not known",
            where(node.source),
            "Give it: put the call into a function with `tracefn.custom_gradient`; or, where it is a constant, "
            "`tracefn.stop_gradient` of its arguments.",
        )
    )


def _name(node: Node) -> str:
    """The name of a node's function, as the user's code has it."""
    op, args = (by_name(node.args[1]), node.args[2]) if node.op is _DRAWN else (node.op, node.args)
    called = getattr(args[0], "__name__", "") if op.style == "effect" and args else ""
    if called and (maker := _maker(node)) is not None:  # a part of the result of another call
        part = called.removeprefix("operator.").rpartition(".")[2]
        return f"{maker.args[0].__name__}(...){'[...]' if part == 'getitem' else f'.{part}'}"
    if op.style == "operator":
        return op.symbol or op.name
    if op.style == "write":
        return _name_of_write(op, args)
    return called or (op.name if op.style in ("control", "list") else f"np.{op.name}")


def _name_of_write(op: Op, args: tuple[Any, ...]) -> str:
    """The function of a write, from its line: `np.square.at`."""
    assert op.lines is not None
    given = [f"np.{args[2]}()"] if op.name == "call_into" else [repr(a) if type(a) is str else "..." for a in args[2:]]
    return op.lines("x", given)[0].partition("(")[0]


def _maker(node: Node) -> Node | None:
    """The call of a library whose result a node reads a part of."""
    step = node.args[0]
    if not isinstance(step, Step) or step.function not in (getattr, operator.getitem) or len(node.inputs) != 1:
        return None
    maker = node.inputs[0].inputs[0] if node.inputs[0].op is ITEM else None
    return maker if maker is not None and maker.args and isinstance(maker.args[0], Step) else None


THROUGH[_DRAWN.name] = through_drawn
