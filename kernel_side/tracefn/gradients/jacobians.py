"""Jacobians and Hessians: all derivatives of all elements of a result, and products with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autodiff import forward
from ..autodiff.fitting import is_differentiable
from ..ir.graph import Node
from ..ir.types import Kind
from ..trace.control import map_fn
from ..trace.tensor import Tensor
from ..trace.tree import flatten, unflatten
from .cotangents import ones
from .derived import derived
from .differentiated import Argument, Differentiated, under_way
from .grad import grad
from .linear import jvp
from .running import Argnums, checked_argnums, run_of


def jacrev(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, allow_int: bool = False) -> Any:
    """The function that gives the Jacobian of `f`, row by row: one walk back for each element of the result.

    Parameters are those of `grad`, but that the result of `f` may be of any shape and structure. The Jacobian of a
    result of shape `S` by an argument of shape `T` has the shape `S + T` and the dtype of the argument. It has the
    structure of the result, and in it that of the argument; with a sequence of `argnums`, a tuple between the two.

    >>> import numpy as np, tracefn
    >>> tracefn.jacrev(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    numbers = checked_argnums(argnums)

    def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        ran, value, aux = run_of("jacobian", function, args, kwargs, numbers, has_aux, allow_int)
        leaves, tree = flatten(value)
        rows = [_rows(ran, position) for position in range(len(leaves))]
        made = unflatten(tree, [r[0] if isinstance(numbers, int) else tuple(r) for r in rows], value)
        return (made, aux) if has_aux else made

    return derived(f, "jacobian", ("jacrev", numbers, has_aux, allow_int), run)


def jacfwd(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any:
    """The function that gives the Jacobian of `f`, column by column: one walk forward for each element of the argument.

    Its result is that of `jacrev`, with less work where the result has more elements than the argument.

    >>> import numpy as np, tracefn
    >>> tracefn.jacfwd(lambda x: np.sin(x))(np.zeros(2))
    array([[1., 0.],
           [0., 1.]])
    """
    numbers = checked_argnums(argnums)

    def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        ran, value, aux = run_of("jacfwd", function, args, kwargs, numbers, has_aux, False)
        leaves, tree = flatten(value)
        columns = [_columns(ran, argument, len(leaves)) for argument in ran.arguments]
        rows: list[Any] = [[column[position] for column in columns] for position in range(len(leaves))]
        made = unflatten(tree, [r[0] if isinstance(numbers, int) else tuple(r) for r in rows], value)
        return (made, aux) if has_aux else made

    return derived(f, "jacobian", ("jacfwd", numbers, has_aux), run)


jacobian = jacrev


def hessian(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any:
    """The function that gives all second derivatives of `f`: for a number by an argument of shape `T`, shape `T + T`.

    Parameters are those of `jacrev`. With a sequence of `argnums`, element `[i][j]` has those by argument i and j.

    >>> import numpy as np, tracefn
    >>> tracefn.hessian(lambda x: x[0] * x[1] * x[1])(np.array([1.0, 2.0]))
    array([[0., 4.],
           [4., 2.]])
    """
    return jacrev(jacrev(f, argnums, has_aux), argnums, has_aux)


def hvp(f: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The product of the Hessian of `f` at the primals with the tangents: without the Hessian, in twice the time of a
    gradient.

    Parameters
    ----------
    f: callable
        A function, traced or plain, whose result is one real number.
    primals, tangents: tuple or list, or one argument by itself
        The arguments, and for each of them a tangent of its structure and shapes.

    Returns
    -------
    The product in the structure of the gradient: a tuple if `primals` has several arguments, else that of the one.

    >>> import numpy as np, tracefn
    >>> tracefn.hvp(lambda x: np.sum(x * x * x), (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),))
    array([ 6., 12.])
    """
    if not isinstance(primals, tuple | list):
        primals, tangents = (primals,), (tangents,)
    argnums: Argnums = tuple(range(len(primals))) if len(primals) > 1 else 0
    return jvp(grad(f, argnums), primals, tangents)[1]


def elementwise_grad(f: Callable[..., Any], argnums: Argnums = 0) -> Any:
    """The function that gives the derivative of the sum of `f`'s result: that of each element, where `f` works
    element by element.

    Parameters are those of `grad`, but that the result of `f` may be of any shape and structure.

    >>> import numpy as np, tracefn
    >>> tracefn.elementwise_grad(lambda x: x * x)(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    numbers = checked_argnums(argnums)

    def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        ran, _, _ = run_of("elementwise_grad", function, args, kwargs, numbers, False, False)
        found = ran.pulled_back(ones(ran.outputs, ran.home))
        return found[0] if isinstance(numbers, int) else tuple(found)

    return derived(f, "elementwise_grad", ("elementwise_grad", numbers), run)


def _rows(ran: Differentiated, position: int) -> list[Any]:
    """The Jacobian of one leaf of the result by each argument."""
    node = ran.outputs[position]

    def pulled(g: Any) -> list[Any]:
        cotangents: list[Any] = [None] * len(ran.outputs)
        cotangents[position] = g
        return ran.pulled_back(cotangents)

    if node is None:
        return [None] * len(ran.arguments)
    if not is_differentiable(node.type):
        return pulled(None)
    shape = ran.home.public(node.type.shape)
    if not shape:
        return pulled(Tensor(ran.home.value_node(node.dtype.type(1)), ran.home, owned=False))
    found = map_fn(lambda g: tuple(pulled(g)), _basis(shape, node))
    return _shaped(found, [a.value for a in ran.arguments], lambda leaf: np.reshape(leaf, (*shape, *leaf.shape[1:])))


def _columns(ran: Differentiated, argument: Argument, count: int) -> list[Any]:
    """The Jacobians of the first leaves of the result by one argument."""
    nodes = ran.outputs[:count]
    made: list[list[Any]] = [[] for _ in nodes]
    for source in argument.sources:
        for column, found in zip(made, _by_source(ran, source, nodes), strict=True):
            column.append(found)
    tree = flatten(argument.value)[1]
    return [unflatten(tree, column, argument.value) for column in made]


def _by_source(ran: Differentiated, source: Node | None, nodes: Sequence[Node | None]) -> list[Any]:
    """The Jacobians of some nodes by one source."""
    floats = [n for n in nodes if n is not None and is_differentiable(n.type)]
    if source is None:
        return [None] * len(nodes)
    shape = ran.home.public(source.type.shape)

    def pushed(t: Any) -> tuple[Any, ...]:
        found = forward(ran.home, under_way("jacfwd"), ran.nodes, [(source, t)], floats)
        zeros = [np.zeros_like(Tensor(n, ran.home, owned=False)) for n in floats]
        zeros = [z if n.type.kind is Kind.ARRAY else z[()] for z, n in zip(zeros, floats, strict=True)]
        return tuple([z if t is None else t for t, z in zip(found, zeros, strict=True)])

    if not shape:
        found = pushed(Tensor(ran.home.value_node(source.dtype.type(1)), ran.home, owned=False))
    else:
        stacked = map_fn(pushed, _basis(shape, source))
        found = tuple([np.reshape(np.moveaxis(s, 0, -1), (*s.shape[1:], *shape)) for s in stacked])
    each = iter(found)
    return [None if n is None or not is_differentiable(n.type) else next(each) for n in nodes]


def _basis(shape: tuple[Any, ...], node: Node) -> Any:
    """Arrays of this shape with a 1 at one place each, for all places in C order."""
    size = math.prod(shape)
    return np.reshape(np.eye(size, dtype=node.dtype), (size, *shape))


def _shaped(found: Sequence[Any], likes: Sequence[Any], shaped: Callable[[Any], Any]) -> list[Any]:
    made = []
    for part, like in zip(found, likes, strict=True):
        leaves, tree = flatten(part)
        made.append(unflatten(tree, [None if leaf is None else shaped(leaf) for _, leaf in leaves], like))
    return made
