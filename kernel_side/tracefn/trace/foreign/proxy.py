"""An object of a library in a trace: reads of it, calls and arithmetic are steps of the graph."""

from __future__ import annotations

import copy
import inspect
import operator
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from ...errors import TensorBoolError, TensorConversionError, UnsupportedFunctionError, message
from ...ir.module_name import module_of
from ...ir.op import INPUT
from .. import provided
from ..active import current
from ..libraries import _public, is_foreign_value
from ..origin import user_source, where
from ..tensor import Tensor
from ..tensor_parts.formatting import FORMATTING
from ..values.graph_list import GraphList
from .values import values_of


class Foreign:
    """Stands for an object: of a step of the graph (`tensor`), or one from outside (`tensor` is None)."""

    __slots__ = ("__weakref__", "_known", "tensor")
    __array_priority__ = 10000
    __tracefn_foreign__ = True

    def __init__(self, tensor: Tensor | None, known: Any = None) -> None:
        object.__setattr__(self, "tensor", tensor)
        object.__setattr__(self, "_known", known)

    @property
    def is_outside(self) -> bool:
        """True for an object that was there before the call."""
        return self.tensor is None or self.tensor._node.op is INPUT

    @property
    def known(self) -> Any:
        """The object of the call that is traced."""
        if self._known is None and self.tensor is not None:
            trace = current() or self.tensor._trace
            found = values_of(trace).known(self.tensor._node)
            return values_of(trace).of(trace, [trace.node_of(self.tensor)])[0] if found is None else found
        return self._known

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.known)

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], Any]:
        return ((), Outside(self._known)) if self.tensor is None else ((self.tensor,), None)

    @classmethod
    def __tracefn_unflatten__(cls, metadata: Any, children: tuple[Any, ...]) -> Any:
        if metadata is not None:
            found = metadata.refer()
            return found if current() is None else cls(None, found)
        (child,) = children
        return cls(child) if type(child) is Tensor else child

    def _tensor(self) -> Any:
        """The value in the graph."""
        return self.tensor if self.tensor is not None else _step(_itself, (self,), {}, "object", raw=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("__tracefn", "__array")) or name == "__dict__":  # asked by code that looks at any object
            raise AttributeError(name)
        known = self.known
        if isinstance(inspect.getattr_static(type(known), name, None), property):  # it may warn, or do more
            return _step(getattr, (self, name), {}, f"{_class_name(known)}.{name}", reads=True)
        found = getattr(known, name)  # raises its error
        if isinstance(found, types.MethodType | types.BuiltinMethodType) or _is_method(found):
            return Method(self, name)
        if isinstance(found, types.FunctionType):
            return found
        return _step(getattr, (self, name), {}, f"{_class_name(known)}.{name}", reads=True)

    def __setattr__(self, name: str, value: Any) -> None:
        _step(setattr, (self, name, value), {}, f"{_class_name(self.known)}.{name} =", changes=True)

    def __delattr__(self, name: str) -> None:
        _step(delattr, (self, name), {}, f"del {_class_name(self.known)}.{name}", changes=True)

    def __setitem__(self, key: Any, value: Any) -> None:
        _step(operator.setitem, (self, key, value), {}, f"{_class_name(self.known)}.__setitem__", changes=True)

    def __delitem__(self, key: Any) -> None:
        _step(operator.delitem, (self, key), {}, f"{_class_name(self.known)}.__delitem__", changes=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _step(called_object, (self, *args), kwargs, f"{_class_name(self.known)}.__call__", changes=True)

    def __iter__(self) -> Iterator[Any]:
        items = _step(_items, (self,), {}, f"iter({_class_name(self.known)})")
        if type(items) is Foreign:
            _refuse(UnsupportedFunctionError, self, f"was looped over, and has {len(items.known)} items")
        return iter(items)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        function = getattr(ufunc, method)
        return _step(function, inputs, kwargs, f"np.{ufunc.__name__}")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _step(function, args, kwargs, f"np.{function.__name__}")

    def __round__(self, *digits: Any) -> Any:
        return _step(round, (self, *digits), {}, "round")

    def __bool__(self) -> NoReturn:
        _refuse(TensorBoolError, self, "was used as a condition")

    def __copy__(self) -> Any:
        return _step(copy.copy, (self,), {}, "copy.copy", reads=True)

    def __deepcopy__(self, memo: Any) -> Any:
        return _step(copy.deepcopy, (self,), {}, "copy.deepcopy", reads=True)

    def __enter__(self) -> NoReturn:
        _refuse(UnsupportedFunctionError, self, "was entered by a `with` statement")

    def __exit__(self, *args: Any) -> None: ...

    def __len__(self) -> int:
        _refuse(TensorConversionError, self, "was asked for its length by C code")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        _refuse(TensorConversionError, self, "was turned into an array by C code")

    def __hash__(self) -> int:
        _refuse(TensorConversionError, self, "was hashed (dict key, set)")

    def __float__(self) -> float:
        _refuse(TensorConversionError, self, "was turned into a number by C code")

    __int__ = __complex__ = __index__ = __float__

    def __repr__(self) -> str:
        return FORMATTING.stand_in(f"<traced {_class_name(self.known)}>")

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        _refuse(TensorConversionError, self, "was pickled or copied")


class Outside:
    """An object from outside in a structure: two are equal where they are of the same one."""

    __slots__ = ("_key", "refer")

    def __init__(self, value: Any) -> None:
        self._key = id(value)
        self.refer = reference(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outside) and self.refer() is other.refer()

    def __hash__(self) -> int:
        return self._key


def reference(value: Any) -> Callable[[], Any]:
    """Holds an object weakly where its class allows that."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


class Method:
    """A method of such an object, which is called or passed on."""

    __slots__ = ("name", "owner")
    __tracefn_foreign__ = True

    def __init__(self, owner: Foreign, name: str) -> None:
        self.owner = owner
        self.name = name

    @property
    def bound(self) -> Any:
        """The method of the object of the call that is traced."""
        return getattr(self.owner.known, self.name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = f"{_class_name(self.owner.known)}.{self.name}"
        return _step(MethodCall(self.name), (self.owner, *args), kwargs, name, changes=True)


class MethodCall:
    """Calls a method of its first argument."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, owner: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(owner, self.name)(*args, **kwargs)


def _itself(value: Any) -> Any:
    return value


def called_object(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _items(values: Any) -> Any:
    return tuple(values)


_METHOD_TYPES = frozenset({"cython_function_or_method", "method-wrapper", "method_descriptor", "cyfunction"})


def _is_method(found: Any) -> bool:
    return type(found).__name__ in _METHOD_TYPES


def _class_name(value: Any) -> str:

    cls = type(value)
    return f"{_public(module_of(cls))}.{cls.__qualname__}"


def _step(function: Any, args: Any, kwargs: Any, name: str, **options: Any) -> Any:
    return provided.call_foreign(function, tuple(args), kwargs, name=name, **options)


def _refuse(error: Callable[[str], Exception], value: Foreign, what: str) -> NoReturn:
    raise error(
        message(
            f"an object of {_class_name(value.known)}, which a step of the graph gives, {what}",
            where(user_source(3)),
            "Take the arrays or numbers out of it first: `.to_numpy()`, `.item()`.",
        )
    )


def is_foreign_type(cls: type) -> bool:
    """True for the classes of stand-ins for foreign objects."""
    return cls is Foreign or cls is Method


def as_foreign(value: Any) -> Any:
    """The stand-in for an object of a library from outside; any other value as it is."""
    return Foreign(None, value) if is_foreign_value(value) else value


def attribute_of(value: Foreign, name: str) -> Any:
    """`value.name` of the object, where its stand-in may have an attribute of that name."""
    return value.__getattr__(name) if name in OWN_NAMES else getattr(value, name)


OWN_NAMES = frozenset(name for name in vars(Foreign) if not name.startswith("__")) | frozenset(
    "__bool__ __complex__ __doc__ __enter__ __exit__ __float__ __format__ __getstate__ __hash__ __index__ __init__ "
    "__int__ __len__ __module__ __repr__ __round__ __sizeof__ __slots__ __str__".split()
)
"""The attributes of a stand-in that would hide those of its object."""

_PLAIN = frozenset({Tensor, np.ndarray, int, float, bool, str, type(None), type})


def holds_foreign(value: Any) -> bool:
    """True for foreign objects, and lists and tuples that hold some."""
    kind = type(value)
    if kind is Foreign:
        return True
    if kind in _PLAIN:
        return False
    if kind is GraphList and value.is_staged:
        return False
    if isinstance(value, list | tuple):
        return len(value) < 1000 and any(map(holds_foreign, value))
    return is_foreign_value(value)


def _binary(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    name = f"operator.{function.__name__}"

    def forward(self: Foreign, other: Any) -> Any:
        return _step(function, (self, other), {}, name)

    def reflected(self: Foreign, other: Any) -> Any:
        return _step(function, (other, self), {}, name)

    return forward, reflected


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: _step(function, (self, other), {}, f"operator.{function.__name__}", changes=True)


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self: _step(function, (self,), {}, f"operator.{function.__name__}")


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift",
              "rshift"):  # fmt: skip
    _forward, _reflected = _binary(getattr(operator, _name))
    setattr(Foreign, f"__{_name.rstrip('_')}__", _forward)
    setattr(Foreign, f"__r{_name.rstrip('_')}__", _reflected)
    setattr(Foreign, f"__i{_name.rstrip('_')}__", _in_place(getattr(operator, f"i{_name.rstrip('_')}")))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "getitem"):
    setattr(Foreign, f"__{_name}__", _binary(getattr(operator, _name))[0])
for _name in ("neg", "pos", "invert", "abs"):
    setattr(Foreign, f"__{_name}__", _unary(getattr(operator, _name)))
