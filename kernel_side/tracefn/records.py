"""`dataclass` as in the standard library, for classes of this package: without a run of the compiler for each method.

Python writes six methods of a frozen dataclass as text and compiles each. For a hundred classes that took a quarter of
`import tracefn`. Here a method is compiled once for all classes whose fields are alike in number and kind, and gets the
names of the fields; those that need no speed are closures. Type checkers see the decorator of the standard library, and
`dataclasses.fields`, `replace` and `asdict` work as ever.
"""

from __future__ import annotations

import dataclasses
import functools
import reprlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, eq=True, frozen=False, unsafe_hash=False, **options):
        """The decorator: `eq`, `frozen`, `unsafe_hash`, `slots`, `kw_only` and `weakref_slot` as in `dataclasses`."""

        def complete(cls: type) -> type:
            own_hash = vars(cls).get("__hash__")
            cls.__doc__ = cls.__doc__ or cls.__name__  # a signature would be looked for and shown instead
            with _bases_unfrozen(cls):
                # finds the fields and makes the slots, which takes a tenth of the time
                cls = dataclasses.dataclass(init=False, repr=False, eq=False, **options)(cls)
            fields = dataclasses.fields(cls)
            methods = {"__init__": _init(cls, frozen), "__repr__": _repr(cls)}
            if eq:
                methods["__eq__"] = _comparison(cls, "__eq__", [f.name for f in fields if f.compare])
            if (eq and frozen and own_hash is None) or unsafe_hash:
                methods["__hash__"] = _comparison(cls, "__hash__", [f.name for f in fields if _is_hashed(f)])
            elif eq and own_hash is None:
                cls.__hash__ = None
            if frozen:
                methods |= _frozen(cls)
            for name, method in methods.items():
                method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
            if frozen and options.get("slots"):
                methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
            for name, method in methods.items():
                if name not in vars(cls) or name == "__hash__":
                    setattr(cls, name, method)
            params = cls.__dataclass_params__
            params.init = params.repr = True
            params.eq, params.frozen, params.unsafe_hash = eq, frozen, unsafe_hash
            return cls

        return complete if cls is None else complete(cls)


@contextmanager
def _bases_unfrozen(cls: type) -> Iterator[None]:
    """While the block runs, the dataclasses that `cls` inherits from do not say that they are frozen: the standard
    library would want the subclass to be frozen by itself."""
    found = [vars(base).get("__dataclass_params__") for base in cls.__mro__[1:]]
    frozen = [params for params in found if params is not None and params.frozen]
    for params in frozen:
        params.frozen = False
    try:
        yield
    finally:
        for params in frozen:
            params.frozen = True


class _NotGiven:
    """Stands for what a factory makes, in signatures."""

    def __repr__(self) -> str:
        return "<factory>"


_MISSING: Any = dataclasses.MISSING
_NOT_GIVEN = _NotGiven()


def _init(cls: Any, frozen: bool) -> FunctionType:
    """`__init__`: the shared code with the names of the fields, and their defaults."""
    fields: list[Any] = sorted(dataclasses.fields(cls), key=lambda f: bool(f.kw_only))
    makers = [f.default_factory if f.default_factory is not _MISSING else None for f in fields]
    fixed = [not f.init and f.default is not _MISSING for f in fields]
    kinds = tuple([(f.init, f.kw_only, m is not None, d) for f, m, d in zip(fields, makers, fixed, strict=True)])
    names = {f"field_{i}": f.name for i, f in enumerate(fields)}
    code = _renamed(_init_code(kinds, frozen, hasattr(cls, "__post_init__")), names)
    outside = {"_set": object.__setattr__, "_NOT_GIVEN": _NOT_GIVEN, "__name__": cls.__module__}
    outside |= {f"_make_{i}": maker for i, maker in enumerate(makers)}
    outside |= {f"_default_{i}": f.default for i, f in enumerate(fields) if fixed[i]}
    init = FunctionType(code, outside)
    given = [(f, f.default if maker is None else _NOT_GIVEN) for f, maker in zip(fields, makers, strict=True) if f.init]
    init.__defaults__ = tuple([value for f, value in given if not f.kw_only and value is not _MISSING])
    init.__kwdefaults__ = {f.name: value for f, value in given if f.kw_only and value is not _MISSING}
    init.__annotations__ = {f.name: f.type for f, _ in given} | {"return": None}
    return init


def _is_hashed(field: dataclasses.Field[Any]) -> bool:
    return field.compare if field.hash is None else field.hash


@functools.cache
def _init_code(kinds: tuple[tuple[bool, bool, bool, bool], ...], frozen: bool, continues: bool) -> CodeType:
    """The code of `__init__` for fields of these kinds: (is an argument, is given by name, has a factory, is always the
    default)."""
    arguments, body = ["self"], []
    for i, (is_argument, by_name, has_factory, is_default) in enumerate(kinds):
        name = value = f"field_{i}"
        if is_argument:
            arguments += ["*"] * (by_name and "*" not in arguments) + [name]
        elif is_default:
            value = f"_default_{i}"
        elif not has_factory:
            continue  # `__post_init__` sets it
        if has_factory:
            value = f"_make_{i}() if {name} is _NOT_GIVEN else {name}" if is_argument else f"_make_{i}()"
        body.append(f"_set(self, '{name}', {value})" if frozen else f"self.{name} = {value}")
    body += ["self.__post_init__()"] * continues
    return _compiled(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(body or ["pass"]))


def _comparison(cls: Any, name: str, fields: list[str]) -> FunctionType:
    """`__eq__` or `__hash__` of some fields: the shared code with their names."""
    names = {f"field_{i}": field for i, field in enumerate(fields)}
    return FunctionType(_renamed(_comparison_code(name, len(fields)), names), {"__name__": cls.__module__})


@functools.cache
def _comparison_code(name: str, count: int) -> CodeType:
    """The code of `__eq__` or `__hash__` for this number of fields."""
    mine, its = [f"({''.join([f'{of}.field_{i}, ' for i in range(count)])})" for of in ("self", "other")]
    if name == "__hash__":
        return _compiled(f"def {name}(self):\n return hash({mine})")
    return _compiled(
        f"def {name}(self, other):\n return {mine} == {its} if other.__class__ is self.__class__ else NotImplemented"
    )


def _compiled(text: str) -> CodeType:
    """The code of the function that the text defines."""
    made: dict[str, FunctionType] = {}
    exec(text, {}, made)
    (function,) = made.values()
    return function.__code__


def _renamed(code: CodeType, names: dict[str, str]) -> CodeType:
    """The code with other names: those of variables and attributes, and texts that are names."""
    return code.replace(
        co_names=tuple([names.get(n, n) for n in code.co_names]),
        co_varnames=tuple([names.get(n, n) for n in code.co_varnames]),
        co_consts=tuple([names.get(c, c) if type(c) is str else c for c in code.co_consts]),
    )


def _repr(cls: Any) -> Callable[[Any], str]:
    names = [f.name for f in dataclasses.fields(cls) if f.repr]

    @reprlib.recursive_repr()
    def shown(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join([f'{n}={getattr(self, n)!r}' for n in names])})"

    return shown


def _frozen(cls: Any) -> dict[str, Any]:
    """The methods that refuse to change an attribute. Subclasses that are no dataclasses may have others."""
    names = {f.name for f in dataclasses.fields(cls)}

    def set_attribute(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": set_attribute, "__delattr__": delete_attribute}


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
