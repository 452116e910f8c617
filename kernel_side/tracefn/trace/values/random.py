"""Random generators in a trace: their methods draw at every execution, from the generator as it is then.

A generator is a Tensor of a random kind (`Kind.is_random`): an argument, one from outside, which is read at each call,
or one that an op of the graph makes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.module_name import module_of
from ...ir.op import by_name
from ...ir.types import Kind, random_class, random_kind
from ...ops.random import draws, methods
from ...ops.random_tables import MAKERS
from .. import provided
from ..active import current
from ..aliasing.writes import base_for_writing, write
from ..context import Trace
from ..origin import user_source, where
from ..tensor import Tensor
from .orders import in_drawn_order
from .symbolic_int import SymbolicInt

OUTSIDE = "Call it outside, before or after the traced function."
_REFUSED = {
    "bit_generator": "Use the generator's own methods; its state is to be had outside of the traced function.",
    "bytes": "Draw `integers(256, size=n, dtype=np.uint8)`, and call `.tobytes()` on the result outside.",
    "get_state": OUTSIDE,
    "set_state": OUTSIDE + " To start anew at each call, `seed(n)` inside is traced.",
    "random_raw": "Make a generator of it: `np.random.Generator(bit_generator).integers(...)`.",
    "generate_state": OUTSIDE,
    "spawn": "Spawn outside and pass the generators, or call `spawn` of a Generator.",
}


def as_tensor(trace: Trace, generator: Any) -> Any:
    """The Tensor that stands for a generator; any other value as it is."""
    kind = random_kind(generator) if type(generator) is not Tensor else None
    return generator if kind is None else trace.root.generator(generator, kind)


def comes_from_numpy(owner: Any) -> bool:
    """True for an object of a class of `np.random`."""
    return module_of(type(owner)).startswith("numpy.random")


def method_of(owner: Any, name: str) -> Any:
    """A method of such an object, for a generator one that draws in the graph."""
    trace = current()
    if trace is None:
        return getattr(owner, name)
    if random_kind(owner) is None:
        _refuse(f"`{name}` of a {type(owner).__name__} outside the traced function is not traced",
                _REFUSED.get(name, OUTSIDE))  # fmt: skip
    return method(as_tensor(trace, owner), name)


def is_random(value: Any) -> bool:
    """True for a Tensor that stands for a generator."""
    return type(value) is Tensor and value._node.types[0].kind.is_random


def method(generator: Tensor, name: str) -> Any:
    """A method of a generator: called, it becomes a node.

    Raises `UnsupportedFunctionError` for attributes that are not traced, and AttributeError for missing ones.
    """
    kind = generator._node.types[0].kind
    if (kind, name) in _DRAWS:
        return functools.partial(_DRAWS[kind, name], generator)
    if name.startswith("__") or not (hasattr(random_class(kind), name) or kind is Kind.SEED):
        raise AttributeError(f"'{random_class(kind).__name__}' object has no attribute '{name}'")
    _refuse(f"`{name}` of {generator.describe()} is not traced", _REFUSED.get(name, OUTSIDE))


def _refuse(what: str, fix: str) -> NoReturn:
    raise UnsupportedFunctionError(message(what, where(user_source(4)), fix))


def _draw(op_name: str, generator: Tensor, *args: Any, **kwargs: Any) -> Any:
    trace = current() or generator._trace
    name = op_name.rpartition(".")[2]
    found = in_drawn_order(trace, name, functools.partial(_record, trace, op_name, generator), args, kwargs)
    if found is not NotImplemented:
        return found
    out = kwargs.get("out")
    spelled = f"{name}(out=x)"
    if out is not None:
        base_for_writing(out, spelled)
    result = _record(trace, op_name, generator, *args, **kwargs)
    if out is None:
        return result
    write(out, "setitem", (Ellipsis, result), {}, spelled)
    return out


def _record(trace: Trace, op_name: str, generator: Tensor, *args: Any, **kwargs: Any) -> Any:
    given = [_operand(trace, a) for a in args]
    return trace.record(by_name(op_name), (generator, *given), {k: _operand(trace, v) for k, v in kwargs.items()})


def _operand(trace: Trace, value: Any) -> Any:
    """A list that holds traced values as an array; sizes, which are tuples, stay."""
    if isinstance(value, list) and any(isinstance(v, Tensor | SymbolicInt | list) for v in value):
        return trace.record(by_name("array"), (value,), {})
    return value


def _shuffle(op_name: str, generator: Tensor, x: Any, *args: Any, **kwargs: Any) -> None:
    trace = current() or generator._trace
    if not isinstance(x, np.ndarray):
        _refuse(
            f"`shuffle` moves the items of a Python {type(x).__name__}, which the graph does not have",
            "Shuffle an array, or index by an order: `for i in rng.permutation(n)`.",
        )
    base_for_writing(x, "shuffle(x)")
    permute = functools.partial(_record, trace, op_name.replace("shuffle", "permutation"), generator)
    shuffled = in_drawn_order(trace, "shuffle", permute, (x, *args), kwargs)
    if shuffled is NotImplemented:
        shuffled = trace.record(by_name(op_name), (generator, x, *args), kwargs)
    write(x, "setitem", (Ellipsis, shuffled), {}, "shuffle(x)")


def _seed(op_name: str, generator: Tensor, *args: Any, **kwargs: Any) -> None:
    _draw(op_name, generator, *args, **kwargs)


def _table() -> dict[tuple[Kind, str], Callable[..., Any]]:

    special = {"shuffle": _shuffle, "seed": _seed}
    return {(k, n): functools.partial(special.get(n, _draw), draws(k, n)) for k, n in methods()}


_DRAWS = _table()


def function(called: Any) -> Any:
    """The replacement of a function or class of `np.random`."""
    trace = current()
    owner = getattr(called, "__self__", None)
    if trace is None:
        return called
    if comes_from_numpy(owner):
        return method_of(owner, called.__name__)
    if called is np.random.seed:
        return method(as_tensor(trace, np.random.mtrand._rand), "seed")
    if called in (np.random.ranf, np.random.sample):
        return method(as_tensor(trace, np.random.mtrand._rand), "random_sample")
    if called.__name__ in MAKERS:
        return functools.partial(_make, called.__name__)
    if called.__name__ in ("get_bit_generator", "set_bit_generator"):
        _refuse(f"`np.random.{called.__name__}` is not traced", OUTSIDE)
    return called


def _make(name: str, *args: Any, **kwargs: Any) -> Any:
    trace = current()
    if trace is None:
        return getattr(np.random, name)(*args, **kwargs)
    args = tuple([as_tensor(trace, a) for a in args])
    kwargs = {k: as_tensor(trace, v) for k, v in kwargs.items()}
    first: Any = next(iter((*args, *kwargs.values())), None)
    if name == "default_rng" and is_random(first) and first._node.types[0].kind is Kind.GENERATOR:
        return first
    if isinstance(first, np.random.BitGenerator | np.random.SeedSequence):
        _refuse(
            f"`np.random.{name}` is given a {type(first).__name__} from outside the traced function",
            "Make the generator outside, or the bit generator inside: `np.random.Generator(np.random.PCG64(seed))`.",
        )
    return trace.record(by_name(f"random.{name}"), args, kwargs)


provided.generator_method = method
