"""The protocols by which a stored array acts as an array: NumPy's protocols, Python's operators and conversions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..reads import as_value
from ..tensor import Tensor
from .conversions import Converts


class StoredArray(Converts):
    """Something with a `value()`, an array, a NumPy scalar or a Tensor, that `assign(value)` replaces."""

    __slots__ = ()
    __array_priority__ = 900

    def assign(self, value: Any) -> Any:
        raise NotImplementedError

    def _update(self, change: Callable[[Any, Any], Any], other: Any) -> Any:
        """Assigns `change(value, other)`."""
        raise NotImplementedError

    def _changed_by(self, change: Callable[[Any], None]) -> None:
        """Assigns a copy of the value after `change(copy)`."""
        raise NotImplementedError

    # --- elements

    def __getitem__(self, index: Any) -> Any:
        """A copy of some elements, as writing to them would not change the variable: `v[0] = x` does."""
        part = self.value()[index_value(index)]
        if type(part) is Tensor:
            return part if part._owned else part.copy(order="K")
        return part if not isinstance(part, np.ndarray) or part.flags.writeable else part.copy(order="K")

    def __len__(self) -> int:
        return len(self.value())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __contains__(self, item: Any) -> bool:
        return as_value(item) in self.value()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        value = self.value()
        return value.__array__(dtype, copy) if type(value) is Tensor else np.array(value, dtype, copy=copy)

    def __getattr__(self, name: str) -> Any:
        """The methods and attributes of arrays: `v.sum()`, `v.T`."""
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'Variable' object has no attribute '{name}'")
        return getattr(self.value(), name)

    # --- NumPy

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "at" and isinstance(inputs[0], StoredArray):
            return inputs[0]._changed_by(lambda array: ufunc.at(array, *map(as_value, inputs[1:])))
        return self._call(getattr(ufunc, method), tuple(map(as_value, inputs)), kwargs)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return self._call(func, _values(args), kwargs)

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A NumPy function on values; where `out` is a variable it is assigned the result."""
        out = kwargs.get("out")
        target = out[0] if type(out) is tuple and len(out) == 1 else out
        if not isinstance(target, StoredArray):
            return function(*args, **_values(kwargs))
        result = function(*args, **_values({k: v for k, v in kwargs.items() if k != "out"}))
        return target.assign(np.broadcast_to(result, target.shape))

    # --- Python

    __hash__ = object.__hash__

    def __divmod__(self, other: Any) -> Any:
        return divmod(self.value(), as_value(other))

    def __rdivmod__(self, other: Any) -> Any:
        return divmod(other, self.value())

    def __format__(self, spec: str) -> str:
        return format(self.value(), spec) if spec else repr(self)


def index_value(index: Any) -> Any:
    return tuple(map(as_value, index)) if type(index) is tuple else as_value(index)


def _values(value: Any) -> Any:
    """The value with the content of the variables in it, also in lists, tuples and dicts."""
    if isinstance(value, list) and not getattr(value, "is_staged", False):
        return [_values(v) for v in value]
    if type(value) is tuple:
        return tuple(map(_values, value))
    return {k: _values(v) for k, v in value.items()} if type(value) is dict else as_value(value)


_BINARY = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split()


def _forward(function: Callable[[Any, Any], Any]) -> Callable[[StoredArray, Any], Any]:
    return lambda self, other: function(self.value(), as_value(other))


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[StoredArray, Any], Any]:
    return lambda self, other: function(other, self.value())


def _in_place(function: Callable[[Any, Any], Any]) -> Callable[[StoredArray, Any], StoredArray]:
    return lambda self, other: self._update(function, other)


def _alone(function: Callable[[Any], Any]) -> Callable[[StoredArray], Any]:
    return lambda self: function(self.value())


def _install() -> None:
    for name in _BINARY:
        function, dunder = getattr(operator, name), name.strip("_")
        setattr(StoredArray, f"__{dunder}__", _forward(function))
        setattr(StoredArray, f"__r{dunder}__", _reflected(function))
        setattr(StoredArray, f"__i{dunder}__", _in_place(function))
    for name in "eq ne lt le gt ge".split():
        setattr(StoredArray, f"__{name}__", _forward(getattr(operator, name)))
    for name in "neg pos invert abs".split():
        setattr(StoredArray, f"__{name}__", _alone(getattr(operator, name)))


_install()
