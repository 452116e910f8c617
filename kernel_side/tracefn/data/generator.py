"""A source that calls a Python function for its elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from ..errors import message
from ..trace.signature import TensorSpec
from ..trace.tree import map_leaves
from .conform import Conform
from .node import UNKNOWN_CARDINALITY, Node
from .specs import tensor_spec


class Generator(Node):
    """The elements of `make()`, each checked against the signature, its arrays copied."""

    def __init__(self, make: Callable[[], Iterable[Any]], signature: Any) -> None:
        if not callable(make):
            fix = "Pass the generator function itself, or `lambda: values`: it is called for every pass."
            raise TypeError(message(f"from_generator: {make!r} cannot be called", fix=fix))
        self._make = make
        name = getattr(make, "__name__", type(make).__name__)
        super().__init__(f"from_generator({name})", map_leaves(_leaf, signature), UNKNOWN_CARDINALITY)
        self._conform = Conform(self.spec, self.label, copy=True)

    def __iter__(self) -> Iterator[Any]:
        return map(self._conform, count(), self._make())


def _leaf(path: str, spec: Any) -> TensorSpec:
    if not isinstance(spec, TensorSpec):
        fix = "Give a TensorSpec for each leaf: TensorSpec((), np.int64), or a tuple or dict of them."
        raise TypeError(message(f"from_generator: output_signature{path} is {spec!r}", fix=fix))
    return tensor_spec(spec.shape, spec.dtype)
