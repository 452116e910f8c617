"""`grad` and `value_and_grad`: derivatives of functions whose result is one number."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import GradientError, message
from ..trace.origin import user_source, where
from ..trace.tree import flatten
from .derived import derived
from .differentiated import Differentiated, scalar_seed, under_way

Argnums = int | Sequence[int]


def value_and_grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, allow_int: bool = False) -> Any:
    """The function that gives `(f(...), derivative)`: what `f` returns, and what `grad` gives, in one pass.

    Parameters are those of `grad`. With `has_aux`, the result is `((value, aux), derivative)`.

    >>> import numpy as np, tracefn
    >>> def energy(x):
    ...     return np.sum(x * x)
    >>> tracefn.value_and_grad(energy)(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    numbers = checked_argnums(argnums)

    def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return _value_and_grad("value_and_grad", function, args, kwargs, numbers, has_aux, allow_int)

    return derived(f, "value_and_grad", ("value_and_grad", numbers, has_aux, allow_int), run)


def grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, allow_int: bool = False) -> Any:
    """The function that gives the derivative of `f` by some of its arguments: a traced function itself.

    Parameters
    ----------
    f: callable
        A function, traced or plain, whose result is one real number: a float, or an array of shape (). It may write
        into its arguments, branch and loop on them; what it does outside happens once a call.
    argnums: int or sequence of int
        The positions of the arguments. Each is an array or number of a floating-point or complex dtype, or a structure
        of them: tuples, lists, dicts, named tuples, dataclasses.
    has_aux: bool
        Whether `f` returns `(value, aux)`; then the result is `(derivative, aux)`.
    allow_int: bool
        Whether integers and booleans may be among the arguments; their derivatives are zeros of dtype float64.

    Returns
    -------
    Function
        It takes the arguments of `f`. Its result has the structure, the shapes and the dtypes of the argument; it is a
        tuple of such where `argnums` is a sequence. Where `f` does not depend on an argument, it is zeros. For a
        complex argument `z = x + iy` it is `df/dx - i df/dy`, as JAX and autograd have it.

    Raises `GradientError` where the result is no single real number or an argument no float, and
    `MissingDerivativeError` for an operation whose derivative is not known.

    >>> import numpy as np, tracefn
    >>> def loss(w, x):
    ...     return np.sum(np.tanh(x * w))
    >>> tracefn.grad(loss)(np.zeros(2), np.array([1.0, 2.0]))
    array([1., 2.])
    >>> tracefn.grad(tracefn.grad(lambda x: x * x * x))(2.0)
    np.float64(12.0)
    """
    numbers = checked_argnums(argnums)

    def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value, derivative = _value_and_grad("grad", function, args, kwargs, numbers, has_aux, allow_int)
        return (derivative, value[1]) if has_aux else derivative

    return derived(f, "grad", ("grad", numbers, has_aux, allow_int), run)


def _value_and_grad(
    name: str,
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    argnums: int | tuple[int, ...],
    has_aux: bool,
    allow_int: bool,
) -> Any:
    trace = under_way(name)
    numbers = positions(argnums, args, name)
    run = Differentiated(trace, function, args, kwargs, numbers, allow_int)
    value, aux = pair_of(run.returned, name) if has_aux else (run.returned, None)
    found = run.pulled_back(scalar_seed(run, [v for _, v in flatten(value)[0]], name))
    derivative = found[0] if isinstance(argnums, int) else tuple(found)
    return ((value, aux) if has_aux else value), derivative


def pair_of(returned: Any, name: str) -> tuple[Any, Any]:
    """What a function with `has_aux` has returned. Raises `GradientError` where that is no pair."""
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        what = f"tracefn.{name} with has_aux=True needs a function that returns a pair"
        raise GradientError(message(what, where(user_source(3)), "Return two things: `return value, aux`."))
    return returned[0], returned[1]


def checked_argnums(argnums: Any) -> int | tuple[int, ...]:
    """Positions of arguments as an int or a tuple of them. Raises TypeError for anything else."""
    if isinstance(argnums, Sequence):
        return tuple([operator.index(n) for n in argnums])
    return operator.index(argnums)


def positions(argnums: int | tuple[int, ...], args: Sequence[Any], name: str) -> list[int]:
    """The positions, counted from the start. Raises TypeError for one that a call has no argument for."""
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)
    for number in numbers:
        if not -len(args) <= number < len(args):
            raise TypeError(f"tracefn.{name} with argnums={argnums!r} needs an argument {number} by position, "
                            f"and the call has {len(args)}")  # fmt: skip
    return [number % len(args) for number in numbers]
