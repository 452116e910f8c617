"""`minimize`: SciPy's minimisers, with gradients and products with the Hessian that are derived."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..gradients import grad, value_and_grad
from ..trace import provided
from ..trace.tree import flatten, unflatten

_OF_PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})
_OF_HESSIANS = frozenset({"dogleg", "trust-exact"})
_OF_VALUES = frozenset({"nelder-mead", "powell", "cobyla", "cobyqa"})
"""The methods of SciPy that take products with the Hessian, the Hessian, and neither it nor gradients."""


def minimize(
    f: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    **options: Any,
) -> Any:
    """The minimum of `f(x, *args)`, a function of NumPy that gives one float, from `x0` on: SciPy's `OptimizeResult`.

    `x0` is an array of floats, or a structure of such; `x` of the result has its structure, shapes and dtypes, and all
    else is of the vector of all elements, in the order of the leaves. `method` and `options` (`bounds`, `constraints`,
    `tol`, `callback`, `options`) are those of `scipy.optimize.minimize`; bounds are of the vector. The gradients come
    from `value_and_grad`. 'Newton-CG', 'trust-ncg', 'trust-krylov' and 'trust-constr' get products of the Hessian with
    vectors, 'dogleg' and 'trust-exact' the Hessian, a row at a time. Each is traced once for all steps.

    ImportError where SciPy is missing, `GradientError` where `f` has no gradient.

    >>> def rosenbrock(x):
    ...     return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    >>> minimize(rosenbrock, np.zeros(4), method="Newton-CG").x.round(2)
    array([1., 1., 1., 1.])
    """
    from scipy.optimize import minimize as scipys

    leaves, tree = flatten(x0)
    parts = [np.asarray(leaf) for _, leaf in leaves]
    ends = np.cumsum([0, *(part.size for part in parts)])

    def structured(vector: Any) -> Any:
        pieces = zip(parts, ends[:-1], ends[1:], strict=True)
        found = [np.reshape(vector[i:j], part.shape).astype(part.dtype) for part, i, j in pieces]
        return unflatten(tree, found, like=x0)

    def of_vector(vector: Any, *args: Any) -> Any:
        return provided.callee(f)(structured(vector), *args)

    of_vector.__name__ = getattr(f, "__name__", "f")  # as events, the ledger and the panel name it
    of_vector.__tracefn_of__ = f  # type: ignore[attr-defined]  # Source shows its lines
    kind = (method or "").lower()
    if kind in _OF_VALUES:
        function = lambda vector, *args: f(structured(vector), *args)  # noqa: E731
    else:
        function, options["jac"] = value_and_grad(of_vector), True
    if kind in _OF_PRODUCTS | _OF_HESSIANS:
        gradient = grad(of_vector)

        def gradient_along(x: Any, direction: Any, *args: Any) -> Any:
            return np.dot(gradient(x, *args), direction)

        gradient_along.__name__ = f"grad of {of_vector.__name__}"
        gradient_along.__tracefn_of__ = f  # type: ignore[attr-defined]
        product = grad(gradient_along)
        if kind in _OF_PRODUCTS:
            options["hessp"] = product
        else:
            options["hess"] = lambda x, *args: np.array([product(x, row, *args) for row in np.eye(x.size)])
    start = np.concatenate([np.ravel(part).astype(np.float64) for part in parts])
    result = scipys(function, start, args=args, method=method, **options)
    result.x = structured(result.x)
    return result
