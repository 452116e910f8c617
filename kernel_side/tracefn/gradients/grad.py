"""`grad` and `value_and_grad`: derivatives of functions whose result is one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autodiff.libraries import above
from ..trace.tree import flatten
from .derived import derived
from .differentiated import scalar_seed
from .running import Argnums, checked_argnums, run_of


def value_and_grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, allow_int: bool = False) -> Any:
    """The function that gives `(f(...), derivative)`: the result of `f`, and that of `grad(f)`, in one pass.

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
        A function, traced or plain, whose result is one real number: a float, or an array of one element. It may write
        into its arguments, branch and loop on them; its effects happen once a call.
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
    run, value, aux = run_of(name, function, args, kwargs, argnums, has_aux, allow_int)
    found = run.pulled_back(scalar_seed(run, [v for _, v in flatten(value)[0]], name))
    derivative = found[0] if isinstance(argnums, int) else tuple(found)
    return ((value, aux) if has_aux else value), derivative


above.gradient = grad
