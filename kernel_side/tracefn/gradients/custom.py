"""Derivatives that the user gives: `custom_gradient`, `custom_vjp`, `custom_jvp`; or takes away: `stop_gradient`."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..autodiff import reverse, source_of
from ..autodiff.control import settled
from ..autodiff.fitting import fitted
from ..errors import GradientError, message
from ..ir.graph import Node
from ..ir.template import Body
from ..trace import provided
from ..trace.active import ACTIVE, current
from ..trace.body import BodyTrace
from ..trace.context import Trace
from ..trace.control.calls import called
from ..trace.control.record import bodies_of, record
from ..trace.kinds import is_variable
from ..trace.origin import user_source, where
from ..trace.reads import as_value
from ..trace.tensor import Tensor
from ..trace.tree import flatten, map_leaves, unflatten
from .differentiated import is_float, under_way
from .eager.watched import Watched

Pull = Callable[[list[Tensor]], Sequence[Any]]
"""Given cotangents of the floats among the results, gives those of the floats among the arguments; None for none."""


def stop_gradient(x: Any) -> Any:
    """`x`, an array or a structure of them, as a constant to derivatives.

    >>> import numpy as np, tracefn
    >>> tracefn.grad(lambda x: x * tracefn.stop_gradient(x))(3.0)
    np.float64(3.0)
    """
    if (session := _recording(x)) is not None:
        return session.run(stop_gradient, x)
    trace = _differentiating()
    if trace is None:
        return x
    leaves = [as_value(leaf) for _, leaf in flatten(x)[0]]
    made = iter(_attached(trace, [leaf for leaf in leaves if is_float(leaf)], [], None))
    return map_leaves(lambda path, leaf: next(made) if is_float(as_value(leaf)) else leaf, x)


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, of which a derivative keeps the arguments alone: the values inside are recomputed in the backward pass.

    It saves memory for time. Outside of derivatives it is `f`. As a decorator or a function.

    >>> import numpy as np, tracefn
    >>> layer = tracefn.checkpoint(lambda x: np.tanh(np.tanh(x)))
    >>> tracefn.grad(lambda x: np.sum(layer(x)))(np.zeros(2))
    array([1., 1.])
    """

    @functools.wraps(f)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        trace = _differentiating()
        if trace is None:
            return _call(f, args, kwargs)
        name = getattr(f, "__name__", "checkpoint")
        return called(trace, name, lambda: _call(f, args, kwargs), "recompute")

    return checkpointed


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose derivative it gives itself: `f` returns `(value, pull)`.

    `pull` takes the cotangent of the value, or one for each of the arrays where the value is a tuple or list and `pull`
    has several parameters. It returns the cotangent of the argument, or a tuple or list with one for each positional
    argument; None stands for zeros. `MissingDerivativeError` is raised where a derivative is taken by
    a value that `f` uses from around, or gets by keyword: pass it by position.

    As a decorator. The result is the function of the value alone.

    >>> import numpy as np, tracefn
    >>> @tracefn.custom_gradient
    ... def clipped(x):
    ...     return x * x, lambda g: np.clip(g * 2 * x, -1, 1)
    >>> clipped(3.0), tracefn.grad(clipped)(3.0)
    (9.0, np.float64(1.0))
    """

    @functools.wraps(f)
    def with_own(*args: Any, **kwargs: Any) -> Any:
        if (session := _recording(args)) is not None:
            return session.run(with_own, *args, **kwargs)
        trace = _differentiating()
        value, pull = _pair(_call(f, args, kwargs), "custom_gradient")
        if trace is None:
            return value
        return _with_derivative(trace, args, value, lambda given: _by_floats(_spread(pull, value, given), args))

    return with_own


class custom_vjp:
    """A function whose derivative `defvjp(forward, backward)` gives, as in JAX.

    Parameters
    ----------
    f: callable
    nondiff_argnums: sequence of int
        The positions of arguments that have no derivative.

    `forward` takes the arguments of `f`, and returns `(value, residuals)`; it may call the function itself. `backward`
    takes the arguments that have no derivative, the residuals, and the cotangent of the value, and returns a tuple with
    the cotangents of the other arguments; None stands for zeros.

    >>> import numpy as np, tracefn
    >>> @tracefn.custom_vjp
    ... def square(x):
    ...     return x * x
    >>> square.defvjp(lambda x: (x * x, x), lambda x, g: (g * 2 * x,))
    >>> tracefn.grad(square)(3.0)
    np.float64(6.0)
    """

    def __init__(self, f: Callable[..., Any], nondiff_argnums: Sequence[int] = ()) -> None:
        self._function = f
        self._constant = frozenset(nondiff_argnums)
        self._rules: tuple[Any, Any] | None = None
        functools.update_wrapper(self, f)

    def defvjp(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> None:
        """Gives the derivative."""
        self._rules = forward, backward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (session := _recording((args, kwargs))) is not None:
            return session.run(self, *args, **kwargs)
        trace = _differentiating()
        if trace is None:
            return _call(self._function, args, kwargs)
        args = _positional(self._function, args, kwargs)
        if self._rules is None:
            _refuse(f"the custom_vjp `{_name(self._function)}` has no derivative", "Call its `defvjp` first.")
        assert self._rules is not None
        forward, backward = self._rules
        with _one_order_less(trace):
            value, residuals = _pair(_call(forward, args, {}), "custom_vjp")
        fixed = [a for i, a in enumerate(args) if i in self._constant]
        others = [a for i, a in enumerate(args) if i not in self._constant]

        def pull(given: list[Tensor]) -> Sequence[Any]:
            return _by_floats(_call(backward, (*fixed, residuals, _like(value, given)), {}), others)

        return _with_derivative(trace, others, value, pull)


class custom_jvp:
    """A function whose derivative `defjvp(rule)` gives, as in JAX: `rule(primals, tangents)` returns the value and its
    tangent, which is linear in the tangents. `defjvps(*rules)` gives a rule `rule(tangent, value, *primals)` for each
    argument, None for one without a derivative.

    >>> import numpy as np, tracefn
    >>> @tracefn.custom_jvp
    ... def square(x):
    ...     return x * x
    >>> square.defjvp(lambda primals, tangents: (square(*primals), 2 * primals[0] * tangents[0]))
    >>> tracefn.grad(square)(3.0)
    np.float64(6.0)
    """

    def __init__(self, f: Callable[..., Any], nondiff_argnums: Sequence[int] = ()) -> None:
        self._function = f
        self._constant = frozenset(nondiff_argnums)
        self._rule: Any = None
        self._rules: tuple[Any, ...] = ()
        functools.update_wrapper(self, f)

    def defjvp(self, rule: Callable[..., Any]) -> None:
        """Gives the derivative."""
        self._rule = rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """Gives the derivative by each argument."""
        self._rules = rules

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (session := _recording((args, kwargs))) is not None:
            return session.run(self, *args, **kwargs)
        trace = _differentiating()
        if trace is None:
            return _call(self._function, args, kwargs)
        args = _positional(self._function, args, kwargs)
        if self._rule is None and not self._rules:
            _refuse(f"the custom_jvp `{_name(self._function)}` has no derivative", "Call its `defjvp` first.")
        with _one_order_less(trace):
            value = self(*args)
        fixed = [a for i, a in enumerate(args) if i in self._constant]
        others = tuple([a for i, a in enumerate(args) if i not in self._constant])
        return _with_derivative(trace, others, value, lambda given: self._transposed(fixed, others, value, given))

    def _transposed(self, fixed: list[Any], primals: tuple[Any, ...], value: Any, given: list[Tensor]) -> list[Any]:
        """The cotangents of the floats among the primals: the rule, which is linear in the tangents, walked back."""
        trace = under_way("custom_jvp")
        start = len(trace.nodes)
        zeros = [np.zeros_like(leaf) for leaf in _floats(primals)]
        sources = [source_of(trace, zero) for zero in zeros]
        each = iter(sources)
        tangents = map_leaves(lambda path, leaf: next(each) if is_float(as_value(leaf)) else None, primals)
        tangent = self._tangent(fixed, primals, tangents, value)
        nodes = [trace.value_node(t) for t in _floats(tangent)]
        targets = list(zip(nodes, given, strict=True))
        return reverse(trace, trace.nodes[start:], targets, [s._node for s in sources])

    def _tangent(self, fixed: list[Any], primals: tuple[Any, ...], tangents: Any, value: Any) -> Any:
        if self._rule is not None:
            return _pair(_call(self._rule, (*fixed, primals, tangents), {}), "custom_jvp")[1]
        total: Any = None
        for rule, tangent in zip(self._rules, tangents, strict=True):
            if rule is not None:
                part = _call(rule, (tangent, value, *fixed, *primals), {})
                total = part if total is None else total + part
        return np.zeros_like(value) if total is None else total


def _differentiating() -> Trace | None:
    """The trace under way, where derivatives are taken of its steps."""
    trace = current()
    if trace is None or trace.root.inlines_calls:
        return trace
    trace.root.gives_derivatives = True
    return None


def _recording(value: Any) -> Any:
    """The session of tapes that are open outside of traced functions, where they watch a part of the value; or None."""
    if current() is not None or not ACTIVE.eager:
        return None
    is_watched = any(type(leaf) is Watched or is_variable(leaf) for _, leaf in flatten(value)[0])
    return ACTIVE.eager[-1] if is_watched else None


def _call(f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return provided.callee(f)(*args, **kwargs)


def _with_derivative(trace: Trace, args: Sequence[Any], value: Any, pull: Pull) -> Any:
    """The value, whose derivative by the floats among the arguments is `pull`."""
    made = iter(_attached(trace, _floats(value), _floats(args), pull))
    return map_leaves(lambda path, leaf: next(made) if is_float(as_value(leaf)) else leaf, value)


def _attached(trace: Trace, values: list[Any], operands: list[Any], pull: Pull | None) -> list[Tensor]:
    """Floats with a derivative of their own; without `pull`, with none."""
    if not values:
        return []
    nodes, by = [trace.value_node(v) for v in values], [trace.value_node(o) for o in operands]
    rule, kept = (None, []) if pull is None else _graph(trace, nodes, by, pull)
    return list(record(trace, "with_derivative", [nodes, by, kept, rule], [n.type for n in nodes], [True] * len(nodes)))


def _graph(trace: Trace, values: list[Node], operands: list[Node], pull: Pull) -> tuple[Body, list[Node]]:
    """The derivative as a body, and the values of the trace that it uses."""
    body = BodyTrace(trace, "derivative")
    given = [body.input(f"g{i}", n.type) for i, n in enumerate(values)]

    def run() -> list[Node]:
        found = pull(given)
        likes = [Tensor(body.node_of(Tensor(n, trace, owned=False)), body, owned=False) for n in operands]
        if len(found) != len(likes):
            _refuse(f"a derivative gives {len(found)} cotangents, and there are {len(likes)} arguments",
                    "Return one for each argument that is no integer.")  # fmt: skip
        return [settled(body, _cotangent(body, g, like), like) for g, like in zip(found, likes, strict=True)]

    with _one_order_less(trace):
        bodies, outer = bodies_of([(body, body.run(run))])
    return bodies[0], outer


@contextlib.contextmanager
def _one_order_less(trace: Trace) -> Iterator[None]:
    """A function with a derivative of its own has it inside for one order of derivatives less: a rule may call it."""
    trace.root.inlines_calls -= 1
    try:
        yield
    finally:
        trace.root.inlines_calls += 1


def _cotangent(trace: Trace, g: Any, like: Tensor) -> Any:
    """A cotangent that the user's code gives, of the shape and the dtype of the argument."""
    if g is None:
        return None
    made = Tensor(trace.value_node(as_value(g)), trace, owned=False)
    return fitted(made, like)


def _spread(pull: Callable[..., Any], value: Any, given: list[Tensor]) -> Any:
    """The cotangents from the second result of a function with a gradient of its own."""
    cotangent = _like(value, given)
    takes_one = not isinstance(value, tuple | list) or _parameters(pull) == 1
    return _call(pull, (cotangent,) if takes_one else tuple(cotangent), {})


def _parameters(function: Any) -> int | None:
    """The number of positional parameters without defaults. None for any number."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return sum(p.default is p.empty and p.kind is not p.KEYWORD_ONLY for p in parameters)


def _like(value: Any, given: list[Tensor]) -> Any:
    """Cotangents of floats in the structure of a value; None in the place of all else."""
    leaves, tree = flatten(value)
    each = iter(given)
    return unflatten(tree, [next(each) if is_float(as_value(leaf)) else None for _, leaf in leaves], value)


def _by_floats(found: Any, args: Sequence[Any]) -> list[Any]:
    """The cotangents of the floats among the arguments, of what the user's code gives: one for each argument, perhaps
    a structure, or for each that has floats. None stands for zeros, of a whole structure, too."""
    parts = list(found) if isinstance(found, tuple | list) else [found]
    takers = [[is_float(as_value(leaf)) for _, leaf in flatten(arg)[0]] for arg in args]
    if len(parts) != len(takers):
        takers = [floats for floats in takers if any(floats)]
    if len(parts) != len(takers):
        return [leaf for part in parts for _, leaf in flatten(part)[0]]
    made = []
    for part, floats in zip(parts, takers, strict=True):
        given = [None] * len(floats) if part is None else [leaf for _, leaf in flatten(part)[0]]
        made += list(itertools.compress(given, floats)) if len(given) == len(floats) else given
    return made


def _floats(value: Any) -> list[Any]:
    found = [as_value(leaf) for _, leaf in flatten(value)[0]]
    return [leaf for leaf in found if is_float(leaf)]


def _positional(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a call, all by position."""
    if not kwargs:
        return args
    bound = inspect.signature(f).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


def _pair(returned: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        _refuse(f"the function of a tracefn.{name} must return a pair", "Return two things: the value comes first.")
    return returned[0], returned[1]


def _name(f: Any) -> str:
    return str(getattr(f, "__name__", type(f).__name__))


def _refuse(what: str, fix: str) -> None:
    raise GradientError(message(what, where(user_source(3)), fix))
