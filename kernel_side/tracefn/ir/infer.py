"""Result types of a node, by its op's rule; NumPy's own error where a call is wrong; and whether a node may raise."""

from __future__ import annotations

import contextlib
import operator
import warnings
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

import numpy as np

from .dims import NUMBERS, Dim, GuessedLengths, Length, length_value
from .graph import Graph, Node
from .op import Op, Static, Types
from .template import BOUNDS, PLAIN, ListOf, Ref, SliceOf, fill, key, leaves, map_text, mapped
from .types import TensorType, ghost


class RuleError(Exception):
    """A rule cannot tell the result of a call that NumPy itself might accept.

    A rule that raises it refuses the call whatever NumPy thinks of it.
    """


_KNOWN: dict[Any, Types | Static] = {}
"""Results of rules, by op, input types and the type-aware key of the template."""
_MOST_KNOWN = 16384


def _cached_rule(op: Op, inputs: tuple[TensorType, ...], args: Any, kwargs: Any) -> Types | Static:
    call = (op.name, inputs, key(args), key(kwargs) if kwargs else ())
    types = _KNOWN.get(call)
    if types is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        last = NUMBERS.last
        types = _KNOWN[call] = _with_types(op.rule, inputs, args, kwargs)
        NUMBERS.last = last  # of what a rule tried nothing is left, and it is not asked again
    return types


def apply_rule(op: Op, inputs: tuple[TensorType, ...], args: Any, kwargs: Any) -> Types | Static:
    """Calls the op's rule with types in place of the template's references."""
    found: Types | Static = _with_types(op.rule, inputs, args, kwargs)
    return found


def _with_types(function: Callable[..., Any], inputs: tuple[TensorType, ...], args: Any, kwargs: Any) -> Any:
    def leaf(item: Any) -> Any:
        return inputs[item.index] if type(item) is Ref else map_text(item, leaf)

    given = [inputs[a.index] if type(a) is Ref else fill(a, leaf) for a in args]
    return function(*given, **{k: fill(v, leaf) for k, v in kwargs}) if kwargs else function(*given)


_ASKED: dict[Any, bool] = {}
"""Whether nodes may raise, by all that it is asked of: most nodes of unrolled loops are alike."""


def may_raise(node: Node) -> bool:
    """True if for some values of its inputs a node raises an error that its op wants to be seen (`Op.raises`) or its
    code (`np.errstate(all="raise")`), or if it raises for some open lengths. Of Python objects nothing is known."""
    if node.op.raises is None and _is_plain(node):
        return False
    if node.errors or (node.op.style not in _CALLS and node.op.style != "write"):
        return _may_raise(node)
    try:
        given = (_plain_key(node.args), _plain_key(node.kwargs) if node.kwargs else ())
    except _HoldsObjectsError:
        return _may_raise(node)
    asked = (node.op, node.types, *[n.types for n in node.inputs], given)
    answer = _ASKED.get(asked)
    if answer is None:
        if len(_ASKED) >= _MOST_KNOWN:
            _ASKED.clear()
        last = NUMBERS.last
        answer = _ASKED[asked] = _may_raise(node)
        NUMBERS.last = last  # of what a rule tried nothing is left, and it is not asked again
    return answer


def _is_plain(node: Node) -> bool:
    """True for an operation, without containers and settings, on values of known lengths that are no objects."""
    given = [*map(type, node.args), *[type(v) for _, v in node.kwargs]]
    if node.errors or not _PARTLESS.issuperset(given) or (node.op.elementwise and type(None) in given):
        return False
    for value in (node, *node.inputs):
        for found in value.types:
            if found.dtype.kind == "O" or Dim in map(type, found.shape):
                return False
    return True


class _HoldsObjectsError(Exception):
    """A template has parts that no key should keep alive."""


def _plain_key(template: Any) -> Any:
    """`key` of a template of numbers, texts and types. Raises `_HoldsObjectsError` for others."""
    kind = type(template)
    if kind is Ref or kind is Dim or template is None or kind is str:
        return template
    if kind is tuple or kind is ListOf:
        parts = template if kind is tuple else template.items
        return (kind, *[p if type(p) is Ref or p is None else _plain_key(p) for p in parts])
    if kind is int or kind is float or kind is bool:
        return (kind, template)
    if kind is SliceOf:
        parts = (template.start, template.stop, template.step)
        return template if BOUNDS.issuperset(map(type, parts)) else (kind, *map(_plain_key, parts))
    if template is Ellipsis or isinstance(template, np.dtype):
        return template
    if kind is type and template.__module__ in ("builtins", "numpy"):
        return template
    raise _HoldsObjectsError


def _may_raise(node: Node) -> bool:
    """The same, by looking at the node."""
    op = node.op
    if node.errors and op.elementwise and any(setting in ("raise", "call") for _, setting in node.errors):
        return True
    parts = [part for part in node.args if type(part) not in _PARTLESS]
    parts += [part for _, part in node.kwargs if type(part) not in _PARTLESS]
    if (parts and any(map(_holds_none, parts))) or _is_of_objects(node):
        return True
    if node.bodies:
        if _has_condition_of_many(node):
            return True
    elif (symbols := _symbols_of(node, parts)) and (_may_not_fit(node) or _raises_for_some_lengths(node, symbols)):
        return True
    if op.raises is None:
        numbers = _numbers_of_rounds(node)
        return _rounds_may_raise(node, numbers) if numbers else any(_any_may_raise(b.graph) for b in node.bodies)
    inputs = tuple([n.types[0] for n in node.inputs])
    try:
        return bool(_with_types(op.raises, inputs, node.args, node.kwargs))
    except Exception:  # the lengths of the call decided what the types leave open
        return True


_PARTLESS = PLAIN | {Ref}
"""Types of values in which a template has nothing."""


def _symbols_of(node: Node, parts: list[Any]) -> set[str]:
    """The open lengths in the types of a node's inputs, and in the parts of its template."""
    lengths = [n for given in node.inputs for t in given.types for n in t.shape if type(n) is not int]
    if parts:
        lengths += leaves(tuple(parts))
    return {symbol for n in lengths if isinstance(n, Dim) for symbol in n.symbols()}


def _any_may_raise(graph: Graph) -> bool:
    if may_raise not in graph.found:
        graph.found[may_raise] = any(map(may_raise, graph.nodes))
    return bool(graph.found[may_raise])


def _numbers_of_rounds(node: Node) -> range:
    """The range of a `for` loop; empty where its bounds are not known."""
    bounds = node.args[:3]
    is_known = node.op.name == "for_loop" and all(type(b) is int for b in bounds) and bounds[2]
    return range(*bounds) if is_known else range(0)


def _rounds_may_raise(node: Node, numbers: range) -> bool:
    """True if a round of a loop over these numbers may raise."""
    graph: Graph = node.args[3].graph
    asked = _rounds_may_raise, numbers
    if asked not in graph.found:
        ends = _ends(graph, numbers)
        graph.found[asked] = any(may_raise(n) and not _fits(n, ends) for n in graph.nodes)
    return bool(graph.found[asked])


_Ends = dict[Node, tuple[int, int]]

_LINEAR: dict[str, Callable[..., Any]] = {
    "operator.add": operator.add,
    "operator.sub": operator.sub,
    "operator.neg": operator.neg,
}


def _ends(graph: Graph, numbers: range) -> _Ends:
    """The first and the last value of the induction variable, and of sums of it and constants."""
    found = {graph.inputs[0]: (numbers[0], numbers[-1])}
    for node in graph.nodes:
        if (linear := _LINEAR.get(node.op.name)) is None or not found.keys() >= {*node.inputs}:
            continue
        given = [found[node.inputs[a.index]] if type(a) is Ref else (a, a) for a in node.args]
        if all(type(end) is int for ends in given for end in ends):
            found[node] = linear(*[a for a, _ in given]), linear(*[b for _, b in given])
    return found


def _fits(node: Node, ends: _Ends) -> bool:
    """True for a read or write of an item that is within bounds in every round. Indices are linear: the first and the
    last decide. Bounds of slices are left out, as they would decide lengths."""
    if node.op.style not in ("index", "write") or node.errors:
        return False
    given = {Ref(i): ends[n] for i, n in enumerate(node.inputs) if n in ends}
    if not given or any(_bounds_slice(part, given) for part in (*node.args, *node.kwargs)):
        return False
    return not any(_raises_with(node, {ref: values[end] for ref, values in given.items()}) for end in (0, 1))


def _bounds_slice(template: Any, given: Container[Any]) -> bool:
    if type(template) is SliceOf:
        return any(type(bound) is Ref and bound in given for bound in template)
    parts = template.items if type(template) is ListOf else template if type(template) is tuple else ()
    return any(_bounds_slice(part, given) for part in parts)


def _raises_with(node: Node, values: dict[Ref, int]) -> bool:
    """True if a node may raise where these of its operands are known."""

    def leaf(item: Any) -> Any:
        return values.get(item, item) if type(item) is Ref else item

    args = tuple([mapped(a, leaf) for a in node.args])
    kwargs = tuple([(name, mapped(v, leaf)) for name, v in node.kwargs])
    try:
        types = apply_rule(node.op, tuple([n.types[0] for n in node.inputs]), args, kwargs)
    except Exception:
        return True
    return type(types) is Static or may_raise(Node(node.op, node.inputs, args, kwargs, node.types, node.container))


def _holds_none(template: Any) -> bool:
    """True for a list with None in it, of which NumPy makes an array of Python objects."""
    return type(template) is ListOf and any(v is None or _holds_none(v) for v in template.items)


def _is_of_objects(node: Node) -> bool:
    """True for operations that NumPy computes by the methods of Python objects: `np.maximum(None, x)`."""
    if node.op.elementwise and any(a is None for a in node.args):
        return True
    return "O" in [t.dtype.kind for n in (node, *node.inputs) for t in n.types]


def _has_condition_of_many(node: Node) -> bool:
    """True for a branch or loop on an array that has not one element, or may have others."""
    if node.op.name == "cond":
        return type(node.args[0]) is Ref and any(n != 1 for n in node.inputs[node.args[0].index].types[0].shape)
    return node.op.name == "while_loop" and any(n != 1 for n in node.bodies[0].graph.outputs[0].types[0].shape)


def _may_not_fit(node: Node) -> bool:
    """True for a call whose arrays fit together for some open lengths and not for others."""
    if not any(isinstance(n, Dim) for given in node.inputs for n in given.type.shape):
        return False
    given = [node.inputs[item.index] for item in leaves((node.args, node.kwargs)) if type(item) is Ref]
    shapes = [n.type.shape for n in given if n.type.shape]
    return len(shapes) > 1 and not (node.op.elementwise and all(shape == shapes[0] for shape in shapes))


_CALLS = frozenset({"function", "operator", "method", "index", "subscript"})
_TRIED = ((0, 0), (1, 0), (2, 0), (3, 0), (2, 1), (17, 0))
"""Lengths on which a call with open ones is tried: that of the first symbol, and how much longer each next one is."""
_MOST_TRIED = 1 << 16


def _raises_for_some_lengths(node: Node, symbols: set[str]) -> bool:
    """True for a call that NumPy refuses for some of a few open lengths, and takes for others."""
    if node.op.style not in _CALLS or (node.op.elementwise and len(node.inputs) < 2):
        return False
    types = [n.types[0] for n in node.inputs]
    outcomes = set()
    for first, step in _TRIED:
        known = GuessedLengths({symbol: first + step * i for i, symbol in enumerate(sorted(symbols))})
        if any(length_value(t.size, known) > _MOST_TRIED for t in types):
            return True
        try:
            with _quiet():
                _on_ghosts(node.op, types, node.args, node.kwargs, known)
            outcomes.add("taken")
        except Exception:
            outcomes.add("refused")
    return len(outcomes) > 1


def _on_ghosts(op: Op, inputs: Iterable[TensorType], args: Any, kwargs: Any, known: GuessedLengths) -> None:
    """Calls NumPy with values of these types, of which no element matters."""
    ghosts = [ghost(t, known) for t in inputs]

    def leaf(item: Ref | Dim) -> Any:
        return ghosts[item.index] if isinstance(item, Ref) else length_value(item, known)

    op.call(*[fill(a, leaf) for a in args], **{k: fill(v, leaf) for k, v in kwargs})


def infer(
    op: Op, inputs: tuple[TensorType, ...], args: Any, kwargs: Any, hints: Mapping[str, int] | None = None
) -> Types | Static:
    """The types of a call's results.

    `args` and `kwargs` are templates. Raises NumPy's error for such arguments; raises `RuleError` where NumPy
    accepts them and the rule does not.
    """
    try:
        # an effect's argument may be any object, which the cache must not keep; elementwise ops and slices are as
        # soon asked as looked up, and mostly for other lengths than before
        if op.fresh_dims or not op.pure or (not kwargs and (op.elementwise or (op.view and op.style == "index"))):
            return _with_types(op.rule, inputs, args, kwargs)
        return _cached_rule(op, inputs, args, kwargs)
    except RuleError:
        raise
    except Exception as error:
        numpy_verdict(op, inputs, args, kwargs, hints)
        raise RuleError(str(error) or type(error).__name__) from error


def numpy_verdict(
    op: Op, inputs: tuple[TensorType, ...], args: Any, kwargs: Any, hints: Mapping[str, int] | None = None
) -> None:
    """Raises NumPy's own error for a call with arguments of these types, if NumPy has one.

    The call is made on ghosts (zeros without memory), with `hints` for the lengths that are not known. Of lengths that
    values decide, some are tried: the call may be right if NumPy accepts one of them.
    """

    def call(known: GuessedLengths) -> None:
        _on_ghosts(op, inputs, args, kwargs, known)

    with _quiet():
        accepted_for_some_lengths(call, [n for t in inputs for n in t.shape], hints or {})


def accepted_for_some_lengths(
    call: Callable[[GuessedLengths], None], lengths: Iterable[Length], hints: Mapping[str, int]
) -> None:
    """Makes a call with guesses for the open `lengths` among all of its arguments that `hints` does not give. Raises
    the error of the first where all of them raise."""
    fixed = {n for n in lengths if isinstance(n, int)}
    is_open = any(isinstance(n, Dim) and not n.symbols() <= hints.keys() for n in lengths)
    first: Exception | None = None
    for guess in dict.fromkeys((2, 1, 0, *sorted(fixed))) if is_open else (2,):
        try:
            call(GuessedLengths(hints, guess))
            return
        except Exception as error:
            first = first or error
    assert first is not None
    raise first


def _quiet() -> contextlib.ExitStack:
    stack = contextlib.ExitStack()
    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore")
    stack.enter_context(np.errstate(all="ignore"))
    return stack
