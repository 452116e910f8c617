"""A call in canonical form: arguments by parameter, taken apart into leaves, each with its spec."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import InputSignatureError, UnsupportedArgumentError, message
from ...events import Argument
from ...ir.hashing import blake2b
from ...ir.module_name import module_of
from ...ir.types import Kind, python
from ...records import dataclass
from ..code.made_of import MadeOf
from ..keys import compares_itself
from ..libraries import is_foreign_class
from ..tensor import Tensor
from ..trace_parts.defaults import check_array
from ..tree import Tree, flatten
from ..variables.variable import Variable
from .spec import ForeignSpec, GeneratorSpec, LeafSpec, ObjectSpec, TensorSpec, ValueSpec, VariableSpec

_VALUE_TYPES = frozenset(
    {bool, int, float, complex, str, bytes, type(None), range, slice, frozenset, set, type(Ellipsis)}
)


def leaf_spec(path: str, value: Any) -> LeafSpec:
    """The spec of one leaf. Raises `UnsupportedArgumentError` for arrays that cannot be traced."""
    kind = type(value)
    if kind is np.ndarray:
        if value.dtype.kind in "OV":
            check_array(value, f"argument `{path}`")
        return TensorSpec._exact(value.shape, value.dtype, Kind.ARRAY)
    if kind is Tensor and value._node.type.kind.is_random:
        return GeneratorSpec(value._node.type.kind, None)
    if kind is Tensor:
        shape = [n if isinstance(n, int) else None for n in value.shape]
        return TensorSpec(shape, value.dtype, kind=value._node.types[0].kind)
    if kind in _VALUE_TYPES:
        return ValueSpec(value)
    if isinstance(value, np.generic):
        if value.dtype.kind in "OV":
            check_array(value, f"argument `{path}`")
        return TensorSpec._exact((), value.dtype, Kind.SCALAR)
    if isinstance(value, np.ndarray) and not is_foreign_class(kind):
        check_array(value, f"argument `{path}`")  # refuses it: results of a subclass are its own
    if module_of(kind).split(".")[0] == "cupy" and hasattr(value, "__cuda_array_interface__"):
        return TensorSpec._exact(value.shape, np.dtype(value.dtype), Kind.ARRAY, "gpu")
    if kind is TensorSpec:
        if value.any_rank:
            what, fix = (
                f"the number of axes of `{path}` is open, and there is no array",
                "Say it: TensorSpec((None, None)).",
            )
            raise InputSignatureError(message(what, fix=fix))
        return value
    if isinstance(value, Variable):
        return VariableSpec(value)
    if isinstance(value, enum.Enum | np.dtype):
        return ValueSpec(value)
    if is_foreign_class(kind):
        return ForeignSpec(kind)
    return GeneratorSpec.of(value) or ObjectSpec(value)


def _bare(function: Any) -> Any:
    """A function without others' signatures for it: `functools.wraps` names those of another function, whose
    defaults it is not to be given."""
    if type(function) is not types.FunctionType or not (
        "__wrapped__" in vars(function) or "__signature__" in vars(function)
    ):
        return function
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__annotations__ = function.__kwdefaults__, dict(function.__annotations__)
    return made


class Parameters:
    """How a function's calls are brought to one form: positional, keyword, default, `*args` and `**kwargs` alike.

    `function` may get other code or other defaults, which the next call that is bound sees. A function of the same
    source may take its place.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function = function
        self.qualname: str = getattr(function, "__qualname__", name)
        self._made_of: MadeOf | None = None
        self._look()

    def _look(self) -> None:
        """Reads the parameters of the function where they may be others than they were."""
        if self._made_of is not None and self._made_of.is_of(self.function):
            return
        found = MadeOf.of(self.function)
        # functions in C, such as ufuncs, have defaults that may not be passed
        given = getattr(self.function, "__tracefn_signature__", None)
        python = hasattr(self.function, "__code__") or isinstance(self.function, type)
        self._signature = given or inspect.signature(_bare(self.function) if python else _any_call)
        self._parameters = list(self._signature.parameters.values())
        positional = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in self._parameters)
        self._names = [p.name for p in self._parameters] if positional else None
        self._made_of = found

    @property
    def signature(self) -> inspect.Signature:
        self._look()
        return self._signature

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The same list for as long as the function has the same code and defaults."""
        self._look()
        return self._parameters

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by parameter name, defaults filled in, keywords of `**kwargs` in the order of the call.

        Raises TypeError with Python's own words where the call does not fit.
        """
        self._look()
        if self._names is not None and not kwargs and len(args) == len(self._names):
            return dict(zip(self._names, args, strict=True))
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(self._complaint(args, kwargs) or str(error)) from None
        bound.apply_defaults()
        return dict(bound.arguments)

    def _complaint(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """Python's error for a call that does not fit: a function with the same parameters is called."""
        plain = [
            p.replace(default=p.empty if p.default is p.empty else None, annotation=p.empty) for p in self._parameters
        ]
        defined: dict[str, Any] = {}
        exec(f"def function{inspect.Signature(plain)}: ...", defined)
        defined["function"].__qualname__ = self.qualname
        try:
            defined["function"](*args, **kwargs)
        except TypeError as error:
            return str(error)
        return ""

    def call(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Calls `function` with bound arguments."""
        if self._names is not None:
            return function(*[arguments[name] for name in self._names])
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for p in self._parameters:
            value = arguments[p.name]
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                positional.append(value)
            elif p.kind is p.VAR_POSITIONAL:
                positional += value
            elif p.kind is p.KEYWORD_ONLY:
                keywords[p.name] = value
            else:
                keywords.update(value)
        return function(*positional, **keywords)


def _any_call(*args: Any, **kwargs: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class CallSignature:
    """The specs of all leaves of a call, with their paths, and the structure that holds them. The cache key."""

    trees: tuple[tuple[str, Tree], ...]
    paths: tuple[str, ...]
    leaves: tuple[LeafSpec, ...]

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> tuple[CallSignature, list[Any]]:
        """The signature of bound arguments, and the values of its leaves in order."""
        trees, paths, specs, values = [], [], [], []
        for name, argument in arguments.items():
            try:
                leaves, tree = flatten(argument, name)
            except ValueError as error:
                raise UnsupportedArgumentError(
                    message(f"argument {error}", fix="Pass a structure without cycles.")
                ) from None
            _check_keys(tree, name)
            trees.append((name, tree))
            for path, value in leaves:
                paths.append(path)
                values.append(value)
                spec = leaf_spec(path, value)
                if type(spec) is VariableSpec:
                    spec = VariableSpec(value, _first(values, value))
                elif type(spec) is ForeignSpec:
                    spec = ForeignSpec(type(value), _first(values, value))
                elif type(spec) is GeneratorSpec:
                    spec = GeneratorSpec(spec.kind, spec.bits, _first(values, value))
                specs.append(spec)
        return cls(tuple(trees), tuple(paths), tuple(specs)), values

    @property
    def numbers(self) -> list[str]:
        """The paths of the leaves that may be any Python number of one type."""
        pairs = zip(self.paths, self.leaves, strict=True)
        return [p for p, leaf in pairs if isinstance(leaf, TensorSpec) and leaf.kind is Kind.PYTHON]

    def with_numbers(self, paths: Collection[str]) -> CallSignature:
        """The signature of all calls that differ in the Python numbers at these paths alone."""
        leaves = tuple([_any_number(s) if p in paths else s for p, s in zip(self.paths, self.leaves, strict=True)])
        return dataclasses.replace(self, leaves=leaves)

    @property
    def is_exact(self) -> bool:
        """True if no length is left open and no 0-d array may be a NumPy scalar."""
        return all(leaf.is_exact for leaf in self.leaves if isinstance(leaf, TensorSpec))

    def key(self) -> Any:
        return (self.trees, self.leaves)

    def accepts(self, other: CallSignature) -> bool:
        """True if every call of signature `other` fits this one."""
        return self.trees == other.trees and all(
            mine.accepts(theirs) for mine, theirs in zip(self.leaves, other.leaves, strict=True)
        )

    def released(self) -> CallSignature:
        """The same signature, holding no object of the user's."""
        leaves = tuple([leaf.released() if isinstance(leaf, ObjectSpec) else leaf for leaf in self.leaves])
        return dataclasses.replace(self, leaves=leaves)

    @property
    def text(self) -> str:
        """On one line: `x: float32[2, 3], n: 3 (int)`."""
        return ", ".join([f"{p}: {leaf.text}" for p, leaf in zip(self.paths, self.leaves, strict=True)])

    def arguments(self) -> tuple[Argument, ...]:
        """The leaves as events carry them."""
        return tuple([_argument(p, leaf) for p, leaf in zip(self.paths, self.leaves, strict=True)])


def _check_keys(tree: Tree, name: str) -> None:
    if tree.kind == "dict" and any(map(compares_itself, tree.keys)):
        what = f"argument `{name}` has keys that are objects with an `__eq__` of their own"
        raise UnsupportedArgumentError(message(what, fix="Use texts or numbers as keys."))
    for child in tree.children:
        _check_keys(child, name)


def stable_hash(text: str) -> str:
    """Names the signature with this text across sessions."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _any_number(leaf: LeafSpec) -> LeafSpec:
    if type(leaf) is not ValueSpec or type(leaf.value) not in (int, float, complex):
        return leaf
    return TensorSpec._exact((), python(type(leaf.value)).dtype, Kind.PYTHON)


def _first(values: list[Any], value: Any) -> int:
    """The number of the first leaf that is this object."""
    return next(i for i, v in enumerate(values) if v is value)


@lru_cache(maxsize=1024)
def _name(dtype: np.dtype[Any]) -> str:
    """NumPy makes it anew each time, in as long as the rest of an argument takes."""
    return dtype.name


def _argument(path: str, leaf: LeafSpec) -> Argument:
    if isinstance(leaf, TensorSpec):
        return Argument(path, "tensor", leaf.text, _name(leaf.dtype), leaf.shape)
    if isinstance(leaf, VariableSpec):
        return Argument(path, "variable", leaf.text, _name(leaf.dtype), leaf.shape)
    return Argument(path, "value" if isinstance(leaf, ValueSpec) else "object", leaf.text)
