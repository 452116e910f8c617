"""`vjp`, `jvp` and `linearize`: derivatives as linear maps."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autodiff import forward
from ..autodiff.fitting import is_differentiable
from ..ir.graph import Node
from ..ir.types import Kind
from ..trace.active import ACTIVE, current
from ..trace.reads import as_value
from ..trace.tensor import Tensor
from ..trace.tree import flatten, unflatten
from .cotangents import given_leaves, matched
from .derived import derived
from .differentiated import Differentiated, is_float, is_number, under_way
from .pulled import Kept
from .running import run_of


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """`(f(*primals), pull)`: `pull(g)` gives the cotangents of the primals, given that of the result.

    Parameters
    ----------
    f: callable
        A function, traced or plain, of any result.
    *primals: arrays, numbers, and structures of them
        Where the derivative is taken. Those that are no floats have cotangents of zeros.
    has_aux: bool
        Whether `f` returns `(value, aux)`; then the result is `(value, pull, aux)`.

    `pull` takes a cotangent of the structure and the shapes of the result, and gives a tuple with one for each primal.
    It can be called often: its residuals are kept, whatever becomes of the arrays. The product is `g` times the
    Jacobian; complex numbers are not conjugated.

    Raises `GradientError` for a cotangent that does not fit, and `MissingDerivativeError`.

    >>> import numpy as np, tracefn
    >>> value, pull = tracefn.vjp(lambda x, y: x * y, np.array([1.0, 2.0]), 3.0)
    >>> value, pull(np.array([1.0, 10.0]))
    (array([3., 6.]), (array([ 3., 30.]), np.float64(21.0)))
    """
    if ACTIVE.eager and current() is None:
        value, pull, *rest = ACTIVE.eager[-1].follow(lambda *primals: vjp(f, *primals, has_aux=has_aux), *primals)
        return (value, _recorded(pull), *rest)
    if current() is not None:
        run, value, aux = run_of("vjp", f, primals, {}, range(len(primals)), has_aux, True)
        pull = _pulling(run, value)
        return (value, pull, aux) if has_aux else (value, pull)

    count = len(primals)  # parameters with defaults may follow

    def keep(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        run, value, aux = run_of("vjp", function, args, kwargs, range(count), has_aux, True)
        trace = under_way("vjp")
        nodes = _of(run, value)
        types = [n.type for n in nodes if n is not None and is_differentiable(n.type)]

        def back(given: list[Tensor]) -> list[Any]:
            each = iter(given)
            cotangents = [next(each) if n is not None and is_differentiable(n.type) else None for n in nodes]
            return _flat(run, run.pulled_back([*cotangents, *[None] * (len(run.outputs) - len(nodes))]))

        kept = Kept(trace, "pull back", types, back, run.outputs)
        return value, aux, kept.function, kept.residuals

    value, aux, function, residuals = derived(f, "vjp", ("vjp", has_aux, count), keep)(*primals)

    def pull_back(cotangent: Any) -> tuple[Any, ...]:
        found = iter(function(*given_leaves(cotangent, value, "the cotangent"), *residuals))
        return tuple([_filled(primal, found) for primal in primals])

    return (value, pull_back, aux) if has_aux else (value, pull_back)


def jvp(f: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """`(f(*primals), tangent)`: the derivative of the result in the direction of the tangents.

    Parameters
    ----------
    f: callable
        A function, traced or plain, of any result.
    primals, tangents: tuple or list
        The arguments, and for each of them a tangent of its structure and shapes. A tangent of a value that is no float
        counts as zero.
    has_aux: bool
        Whether `f` returns `(value, aux)`; then the result is `(value, tangent, aux)`.

    Raises `GradientError` for tangents that do not fit, and `MissingDerivativeError`; TypeError for primals or tangents
    that are no tuple or list.

    >>> import numpy as np, tracefn
    >>> tracefn.jvp(lambda x: x * x, (np.array([1.0, 2.0]),), (np.array([1.0, 0.5]),))
    (array([1., 4.]), array([2., 2.]))
    """

    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise TypeError(f"tracefn.jvp needs {name} in a tuple or list, got {type(given).__name__}")

    def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given, directions = args
        ran, value, aux = run_of("jvp", function, tuple(given), {}, range(len(given)), has_aux, True)
        tangent = _pushed(ran, value, _tangents(ran, tuple(directions)))
        return (value, tangent, aux) if has_aux else (value, tangent)

    return derived(f, "jvp", ("jvp", has_aux), run, False)(tuple(primals), tuple(tangents))


def linearize(f: Callable[..., Any], *primals: Any) -> Any:
    """`(f(*primals), push)`: `push(*tangents)` gives the tangent of the result.

    It is `jvp` for many tangents at one place: `f` itself runs once. The residuals of `push` are kept.

    >>> import numpy as np, tracefn
    >>> value, push = tracefn.linearize(lambda x: x * x, np.array([1.0, 2.0]))
    >>> value, push(np.array([1.0, 0.5])), push(np.array([0.0, 1.0]))
    (array([1., 4.]), array([2., 2.]), array([0., 4.]))
    """
    if ACTIVE.eager and current() is None:
        value, push = ACTIVE.eager[-1].follow(lambda *primals: linearize(f, *primals), *primals)
        return value, _recorded(push)
    if current() is not None:
        run, value, _ = run_of("linearize", f, primals, {}, range(len(primals)), False, True)
        return value, lambda *tangents: _pushed(run, value, _tangents(run, tangents))

    count = len(primals)  # parameters with defaults may follow

    def keep(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        run, value, _ = run_of("linearize", function, args, kwargs, range(count), False, True)
        trace = under_way("linearize")
        sources = [s for argument in run.arguments for s in argument.sources if s is not None]

        def push(given: list[Tensor]) -> list[Any]:
            pushed = flatten(_pushed(run, value, list(zip(sources, given, strict=True))))[0]
            return [v for (_, v), node in zip(pushed, run.outputs, strict=True) if _is_float_node(node)]

        kept = Kept(trace, "push forward", [s.type for s in sources], push, run.outputs)
        return value, kept.function, kept.residuals

    value, function, residuals = derived(f, "linearize", ("linearize", count), keep)(*primals)

    def push_forward(*tangents: Any) -> Any:
        return _filled(value, iter(function(*given_leaves(tangents, primals, "tangents", "argument"), *residuals)))

    return value, push_forward


def _recorded(linear: Callable[..., Any]) -> Callable[..., Any]:
    """A linear map of the trace of the tapes that are open outside, which records its calls there."""
    return functools.partial(ACTIVE.eager[-1].follow, linear)


def _of(run: Differentiated, value: Any) -> list[Node | None]:
    """The nodes of the leaves of the value, which come before the others."""
    return run.outputs[: len(flatten(value)[0])]


def _pulling(run: Differentiated, value: Any) -> Callable[[Any], tuple[Any, ...]]:
    nodes = _of(run, value)

    def pull_back(cotangent: Any) -> tuple[Any, ...]:
        given = matched(under_way("vjp"), cotangent, value, nodes, "the cotangent")
        return tuple(run.pulled_back([*given, *[None] * (len(run.outputs) - len(nodes))]))

    return pull_back


def _tangents(run: Differentiated, tangents: tuple[Any, ...]) -> list[tuple[Node, Any]]:
    """The tangents of the sources of a run."""
    trace = under_way("jvp")
    sources = [s for argument in run.arguments for s in argument.sources]
    primals = tuple([argument.value for argument in run.arguments])
    found = matched(trace, tangents, primals, sources, "tangents", "argument")
    return [(s, t) for s, t in zip(sources, found, strict=True) if s is not None and t is not None]


def _pushed(run: Differentiated, value: Any, tangents: list[tuple[Node, Any]]) -> Any:
    """The tangent of the value, in its structure: zeros where it does not depend on a value with a tangent."""
    trace, nodes = under_way("jvp"), _of(run, value)
    found = iter(forward(run.home, trace, run.nodes, tangents, _floats(nodes)))
    leaves: list[Any] = []
    for node in nodes:
        tangent = next(found) if _is_float_node(node) else None
        if tangent is None and node is not None:
            tangent = np.zeros_like(Tensor(node, run.home, owned=False), dtype=None if _is_float_node(node) else float)
            tangent = tangent if node.type.kind is Kind.ARRAY else tangent[()]
        leaves.append(tangent)
    return unflatten(flatten(value)[1], leaves, value)


def _floats(nodes: Sequence[Node | None]) -> list[Node]:
    return [n for n in nodes if n is not None and is_differentiable(n.type)]


def _is_float_node(node: Node | None) -> bool:
    return node is not None and is_differentiable(node.type)


def _flat(run: Differentiated, parts: Sequence[Any]) -> list[Any]:
    """The derivatives by floats among those by the arguments."""
    pairs = zip(run.arguments, parts, strict=True)
    found = [(leaf, s) for a, part in pairs for (_, leaf), s in zip(flatten(part)[0], a.sources, strict=True)]
    return [leaf for leaf, source in found if source is not None]


def _filled(like: Any, found: Any) -> Any:
    """The structure of a value with these derivatives in the place of floats, and zeros in that of other numbers."""
    leaves, tree = flatten(like)
    made = []
    for _, leaf in leaves:
        held = as_value(leaf)
        made.append(next(found) if is_float(held) else np.zeros(np.shape(held))[()] if is_number(held) else None)
    return unflatten(tree, made, like)
