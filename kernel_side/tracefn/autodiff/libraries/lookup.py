"""Finds the rule for a node that calls another library."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...ir import template
from ...ir.graph import Node
from ...ir.op import ITEM
from ...ir.template import Ref
from ...ir.types import Kind
from ...trace.foreign import Foreign, MethodCall, Step, called_object
from ...trace.tensor import Tensor
from . import callbacks, functions, interpolation, special, spectra, standard
from .distributions import rule_of_method
from .products import rule_of_product
from .splines import RULES as OF_SPLINES
from .splines import rule_of_spline

Rule = Callable[..., Any]

_RULES = {
    **functions.RULES,
    **standard.RULES,
    **OF_SPLINES,
    **interpolation.RULES,
    **callbacks.RULES,
    **spectra.RULES,
}
_CALLED = {**interpolation.CALLED, **spectra.CALLED}


def rule_of_call(node: Node) -> Rule | None:
    """The rule of a node that calls another library, in the form of `Op.vjp`. None where none is known."""
    called = node.args[0] if node.args else None
    if isinstance(called, Step):
        function: Any = called.function
        if type(function) is MethodCall or function is called_object:
            name = function.name if type(function) is MethodCall else "__call__"
            rule = _of_method(called, name) or _of_made(node, name)
        elif function is getattr:
            rule = _of_found(node)
        else:
            owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
            outside = next(iter(called.objects_outside()), None)
            rule = _named(function, _RULES) or rule_of_spline(owner, name) or rule_of_product(function, outside)
            rule = rule or rule_of_method(owner, name) or getattr(function, callbacks.OWN_RULE, None)
        return None if rule is None else _of_step(rule)
    if node.op.name == "foreign_ufunc":
        partials = _named(called, special.PARTIALS)
        return None if partials is None else _of_ufunc(partials)
    return None


def _named(function: Any, rules: Mapping[str, Any]) -> Any:
    """The entry under the name by which users reach a function."""
    for path, found in rules.items():
        module, _, name = path.rpartition(".")
        if getattr(sys.modules.get(module), name, None) is function:
            return found
    return None


def _of_method(step: Step, name: str) -> Rule | None:
    """The rule of a method of an object from outside."""
    owner = next(iter(step.objects_outside()), None)
    rule = rule_of_method(owner, name) or rule_of_spline(owner, name)
    if rule is None:
        return None

    def with_owner(g: Any, out: Any, given: Any, *args: Any, **kwargs: Any) -> Any:
        found = rule(g, out, *args, **kwargs) if given is owner else NotImplemented
        return found if found is NotImplemented else (None, *found)

    return with_owner


def _of_made(node: Node, name: str) -> Rule | None:
    """The rule of a method of an object that a step of the graph has made: from the arguments of that step."""
    made = [n for n in node.inputs if n.container is None and n.type.kind is Kind.OBJECT]
    if len(made) != 1 or made[0].op is not ITEM:
        return None
    maker = made[0].inputs[0]
    step = maker.args[0] if maker.args else None
    if not isinstance(step, Step) or name != "__call__":
        return None
    if (rule := _named(step.function, _CALLED)) is None:
        return None

    def with_maker(g: Any, out: Any, given: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_only_called(made[0], given._trace):
            return NotImplemented

        def leaf(item: Any) -> Any:
            return Tensor(maker.inputs[item.index], given._trace, owned=False) if isinstance(item, Ref) else item

        values = template.fill(maker.args[1:], leaf)
        interpolator = interpolation.made(step.function, *step.arguments_of(values), Foreign(given))
        return rule(g, out, interpolator, *args, **kwargs)

    return with_maker


def _of_found(node: Node) -> Rule | None:
    """The rule of the attribute of a solver's result that is its solution."""
    read: Step = node.args[0]
    made, name = read.arguments_of(node.inputs)[0] if len(node.inputs) == 1 else (None, "")
    if not isinstance(made, Node) or made.op is not ITEM:
        return None
    step = made.inputs[0].args[0] if made.inputs[0].args else None
    names: Any = _named(step.function, callbacks.FOUND) if isinstance(step, Step) else None
    if names is None or name not in names:
        return None

    def rule(g: Any, out: Any, given: Any, *args: Any) -> Any:
        if not _is_only_called(made, given._trace):
            return NotImplemented
        return (g if len(names) == 1 else callbacks.with_others(g, given, names, name),)

    return rule


def _is_only_called(made: Node, trace: Any) -> bool:
    """False where a step may have changed an object after it was made."""
    steps = [node.args[0] for node in trace.nodes if made in node.inputs and node.op is not ITEM]
    calls = (called_object, getattr)
    is_so = all(isinstance(step, Step) and step.function in calls for step in steps)
    around = getattr(trace, "parent", None)
    return is_so and (around is None or _is_only_called(made, around))


def _of_step(rule: Rule | callbacks.OfValues) -> Rule:
    """The cotangents of the values of a step, from those that a rule gives for the arguments of the call."""

    def vjp(g: Any, out: Any, step: Step, *values: Any) -> Any:
        one = len(out) == 1
        g, out = (g[0], out[0]) if one else (g, out)
        if isinstance(rule, callbacks.OfValues):
            found = rule.parts(g, out, step, values)
            return found if found is NotImplemented else (None, *found)
        args, kwargs = step.arguments_of(values)
        found = rule(g, out, *args, **kwargs)
        if found is NotImplemented:
            return NotImplemented
        named = found[-1] if isinstance(found[-1], dict) else {}
        given = [*zip(args, found, strict=False), *[(kwargs[n], part) for n, part in named.items() if n in kwargs]]
        parts = [pair for argument, part in given for pair in _pairs(argument, part)]
        known = [i for i, v in enumerate(values) if any(v is a for a, _ in parts)]
        sums = [_sum([part for a, part in parts if a is v]) for v in values]
        return (None, *[part if i in known else NotImplemented for i, part in enumerate(sums)])

    return vjp


def _pairs(argument: Any, part: Any) -> list[tuple[Any, Any]]:
    """The values in an argument, each with its cotangent."""
    if isinstance(part, tuple | list) and isinstance(argument, tuple | list):
        return [pair for each in zip(argument, part, strict=True) for pair in _pairs(*each)]
    return [(argument, part)]


def _sum(parts: list[Any]) -> Any:
    if any(part is NotImplemented for part in parts):
        return NotImplemented
    there = [part for part in parts if part is not None]
    return sum(there[1:], there[0]) if there else None


def _of_ufunc(partials: tuple[Any, ...]) -> Rule:
    def vjp(g: Any, out: Any, ufunc: Any, *operands: Any, **options: Any) -> Any:
        gs, outs = (g, out) if isinstance(g, tuple) else ((g,), (out,))
        parts: list[Any] = []
        for partial in partials:
            each = partial(*outs, *operands) if callable(partial) else partial
            each = each if isinstance(each, tuple) else (each,)
            there = [(a, p) for a, p in zip(gs, each, strict=False) if a is not None and p is not NotImplemented]
            is_unknown = any(p is NotImplemented for p in each)
            parts.append(NotImplemented if is_unknown else _sum([np.multiply(a, p) for a, p in there]))
        return (None, *parts)

    return vjp
