"""Checks of a call, as lines of a Python function that is made for one signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.types import Kind, python_type, random_class
from ...trace.signature import GeneratorSpec, LeafSpec, ObjectSpec, TensorSpec, ValueSpec, VariableSpec
from ...trace.state.compared import content_of, same_items, same_value
from ...trace.state.paths import ValueCapture
from ...trace.variables.variable import Variable


class _Miss:
    def __repr__(self) -> str:
        return "MISS"


MISS: Any = _Miss()
"""What a generated function returns for a call that is not its signature's."""


class Source:
    """Collects the lines of a generated function and the names it uses, which all begin with an underscore. `miss` is
    what it returns for a call that is not its signature's."""

    def __init__(self, miss: str = "_MISS") -> None:
        self.miss = miss
        self.lines: list[str] = []
        self.namespace: dict[str, Any] = {"_MISS": MISS, "_ndarray": np.ndarray, "np": np, "_same_value": same_value}

    def constant(self, value: Any, prefix: str = "k") -> str:
        """A name in the namespace for a value."""
        prefix = f"_{prefix}"
        for name, known in self.namespace.items():
            if known is value and name.startswith(prefix):
                return name
        name = f"{prefix}{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def miss_if(self, condition: str) -> None:
        self.lines.append(f"if {condition}: return {self.miss}")

    def local(self, expression: str) -> str:
        """A local variable that holds the expression."""
        if expression.isidentifier():
            return expression
        name = f"_t{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        return name

    def function(self, parameters: str) -> Callable[..., Any]:
        body = "\n    ".join(self.lines)
        source = f"def dispatch({parameters}):\n    {body}\n"
        exec(compile(source, "<tracefn dispatch>", "exec"), self.namespace)
        function: Callable[..., Any] = self.namespace["dispatch"]
        return function


def check_leaf(source: Source, leaves: Sequence[str], specs: Sequence[LeafSpec], index: int) -> None:
    """Leaf number `index` of a call is as its spec says."""
    e, spec = leaves[index], specs[index]
    if isinstance(spec, VariableSpec):
        _check_variable(source, leaves, specs, index)
    elif isinstance(spec, GeneratorSpec):
        check_generator(source, e, spec)
        _check_same(source, leaves, specs, index)
    elif isinstance(spec, TensorSpec):
        check_tensor(source, e, spec)
    elif isinstance(spec, ObjectSpec):
        source.miss_if(f"{e} is not {source.constant(spec._reference, 'r')}()")
    else:
        check_value(source, e, spec.value)


def _check_variable(source: Source, leaves: Sequence[str], specs: Sequence[LeafSpec], index: int) -> None:
    e, spec = leaves[index], specs[index]
    assert isinstance(spec, VariableSpec)
    source.namespace["_Variable"] = Variable
    source.miss_if(f"not isinstance({e}, _Variable) or {e}._dtype != {source.constant(spec.dtype, 'dtype')}")
    source.miss_if(f"{e}._shape != {spec.declared!r}")
    if None in spec.declared:
        source.miss_if(f"getattr({e}._value, 'shape', None) != {spec.shape!r}")
    _check_same(source, leaves, specs, index)


def check_generator(source: Source, e: str, spec: GeneratorSpec) -> None:
    if spec.kind is Kind.OBJECT:
        source.miss_if(f"type({e}) is not {source.constant(spec.bits)}")
        return
    source.miss_if(f"type({e}) is not {source.constant(random_class(spec.kind))}")
    if spec.bits is not None:
        source.miss_if(f"type({e}._bit_generator) is not {source.constant(spec.bits)}")


def _check_same(source: Source, leaves: Sequence[str], specs: Sequence[LeafSpec], index: int) -> None:
    """Leaves of one kind are the same object, or not, as they were."""
    spec: Any = specs[index]
    for other, other_spec in zip(leaves[:index], specs, strict=False):
        if type(other_spec) is type(spec):
            is_same = other_spec.alias == spec.alias  # type: ignore[union-attr]
            source.miss_if(f"{leaves[index]} {'is not' if is_same else 'is'} {other}")


def check_tensor(source: Source, e: str, spec: TensorSpec) -> None:
    dtype = source.constant(spec.dtype, "dtype")
    if spec.device == "gpu":
        import cupy

        source.miss_if(f"type({e}) is not {source.constant(cupy.ndarray)}")
    elif spec.kind is Kind.PYTHON:
        source.miss_if(f"type({e}) is not {python_type(spec.dtype).__name__}")
        return
    elif spec.kind is Kind.SCALAR:
        source.miss_if(f"type({e}) is not {source.constant(spec.dtype.type)}")
    elif spec.kind is Kind.ARRAY:
        source.miss_if(f"type({e}) is not _ndarray")
    else:
        source.miss_if(f"type({e}) is not _ndarray and type({e}) is not {source.constant(spec.dtype.type)}")
    source.miss_if(f"{e}.dtype is not {dtype} and {e}.dtype != {dtype}")
    if spec.kind is Kind.SCALAR:
        return
    if spec.is_exact:
        if spec.kind is Kind.ARRAY and len(spec.shape) == 1 and spec.device == "cpu":  # asked most, and shorter so
            source.miss_if(f"{e}.ndim != 1 or len({e}) != {spec.shape[0]}")
        else:
            source.miss_if(f"{e}.shape != {spec.shape!r}")
    else:
        shape = source.local(f"{e}.shape")
        source.miss_if(f"len({shape}) != {len(spec.shape)}")
        for axis, length in enumerate(spec.shape):
            if length is not None:
                source.miss_if(f"{shape}[{axis}] != {length}")


def check_value(source: Source, e: str, value: Any) -> None:
    if value is None or value is True or value is False or value is Ellipsis:
        source.miss_if(f"{e} is not {value!r}")
    elif type(value) in (int, str, bytes):
        source.miss_if(f"type({e}) is not {type(value).__name__} or {e} != {source.constant(value, 'v')}")
    elif type(value) is float and value == value and value != 0:
        source.miss_if(f"type({e}) is not float or {e} != {value!r}" if abs(value) != float("inf") else
                       f"type({e}) is not float or {e} != {source.constant(value, 'v')}")  # fmt: skip
    elif isinstance(value, frozenset | set | slice):
        known = source.constant(ValueSpec(value), "v")
        source.namespace["_ValueSpec"] = ValueSpec
        source.miss_if(f"type({e}) is not {type(value).__name__} or _ValueSpec({e}) != {known}")
    else:
        source.miss_if(f"not _same_value({e}, {source.constant(value, 'v')})")


def check_held(source: Source, expression: str, value: ValueCapture) -> None:
    """A Python value from outside the arguments is as it was."""
    if value.what == "type":
        source.miss_if(f"type({expression}) is not {source.constant(value.value)}")
    elif value.what == "lacks":
        source.miss_if(f"hasattr({expression}, {value.value!r})")
    elif value.what == "unset":
        source.miss_if(f"{value.value!r} in {expression}.__dict__")
    elif value.what == "items":
        source.miss_if(f"not {source.constant(same_items)}({expression}, {source.constant(value.value)})")
    elif value.what in ("length", "members"):
        source.miss_if(f"len({expression}) != {value.value}")
    elif value.what == "lengths":
        length = source.local(f"len({expression})")
        source.miss_if(f"not ({value.value.source(length)})")
    elif value.what == "keys":
        source.miss_if(f"tuple({expression}) != {source.constant(value.value)}")
    elif value.what == "content":
        held = f"{source.constant(content_of)}({expression})"
        source.miss_if(f"not _same_value({held}, {source.constant(value.value)})")
    else:
        check_value(source, source.local(expression), value.value)
