"""One leaf of a call: a tensor by dtype and shape, a Python value by type and value, an object by identity."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Sequence
from types import CodeType
from typing import Any

import numpy as np

from ...errors import InputSignatureError, message
from ...ir.types import Kind, dtype_name, python_type, random_class, random_kind
from ..code.plain import seen
from ..variables.variable import Variable


class TensorSpec:
    """The dtype and shape of an array argument.

    Parameters
    ----------
    shape: sequence of int or None; None
        One entry an axis; None is any length. `()` takes 0-d arrays and NumPy scalars. None in the place of all of it:
        any number of axes, in an `input_signature`; each number has a trace of its own.
    dtype: anything `np.dtype` accepts
        `str` and `bytes` are texts of any width.
    name: str, optional
        Names the argument in messages and graphs.

    Raises `InputSignatureError` where the shape or the dtype makes no sense.

    >>> import numpy as np
    >>> spec = TensorSpec((None, 64), np.float32)
    >>> spec
    TensorSpec(shape=(None, 64), dtype=float32)
    >>> spec.accepts(TensorSpec((8, 64), np.float32)), spec.accepts(TensorSpec((8, 64), np.float64))
    (True, False)
    """

    __slots__ = ("_hash", "any_rank", "device", "dtype", "kind", "name", "shape")

    def __init__(
        self,
        shape: Sequence[int | None] | int | None = (),
        dtype: Any = np.float64,
        name: str | None = None,
        *,
        kind: Kind | None = None,
        device: str = "cpu",
    ) -> None:
        try:
            lengths = (shape,) if isinstance(shape, int) else () if shape is None else tuple(shape)
            self.shape = tuple(None if n is None else operator.index(n) for n in lengths)
            self.dtype: np.dtype[Any] = np.dtype(dtype)
        except TypeError as error:
            raise InputSignatureError(
                message(
                    f"TensorSpec(shape={shape!r}, dtype={dtype!r}) is not a shape and a dtype: {error}",
                    fix="Write TensorSpec((None, 3), np.float32): lengths are ints, or None for any length.",
                )
            ) from error
        if any(n is not None and n < 0 for n in self.shape):
            raise InputSignatureError(
                message(f"TensorSpec: a length in {self.shape} is negative", fix="Use None for any length.")
            )
        self.name = name
        self.any_rank = shape is None
        self.kind = Kind.ARRAY if self.shape else kind  # None: a 0-d array or a NumPy scalar
        self.device = device
        self._hash = hash((self.shape, self.dtype, device))

    def of_rank(self, rank: int) -> TensorSpec:
        """The spec of arrays with `ndim` axes: itself, unless it leaves the number open."""
        return TensorSpec((None,) * rank, self.dtype, self.name, device=self.device) if self.any_rank else self

    @classmethod
    def _exact(cls, shape: tuple[int, ...], dtype: np.dtype[Any], kind: Kind, device: str = "cpu") -> TensorSpec:
        spec = object.__new__(cls)
        spec.shape, spec.dtype, spec.name, spec.kind, spec.device = shape, dtype, None, kind, device
        spec.any_rank = False
        spec._hash = hash((shape, dtype, device))
        return spec

    @classmethod
    def from_value(cls, value: Any, name: str | None = None) -> TensorSpec:
        """The spec of an array or a NumPy scalar."""
        kind = Kind.SCALAR if isinstance(value, np.generic) else Kind.ARRAY
        array = np.asarray(value)
        return cls(array.shape, array.dtype, name, kind=kind)

    @property
    def is_exact(self) -> bool:
        return None not in self.shape and self.kind is not None and not self.any_rank

    def accepts(self, other: LeafSpec) -> bool:
        """True if every value that fits `other` fits this spec."""
        return (
            isinstance(other, TensorSpec)
            and self.accepts_dtype(other.dtype)
            and self.device == other.device
            and (self.any_rank or len(self.shape) == len(other.shape))
            and (self.any_rank or self.fits_kind(other))
            and all(mine is None or mine == n for mine, n in zip(self.shape, other.shape, strict=False))
        )

    def accepts_dtype(self, other: np.dtype[Any]) -> bool:
        """True for its own dtype, and for texts of any width where it leaves that open."""
        is_open = self.dtype.kind in "SU" and not self.dtype.itemsize
        return self.dtype == other or (is_open and self.dtype.kind == other.kind)

    def fits_kind(self, other: TensorSpec) -> bool:
        """True unless one is a 0-d array and the other a NumPy scalar. A spec made by hand with shape () is both."""
        return self.kind is other.kind or self.kind is None or other.kind is None

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, TensorSpec)
            and self._hash == other._hash
            and self.shape == other.shape
            and self.any_rank == other.any_rank
            and self.dtype == other.dtype
            and self.fits_kind(other)
            and self.device == other.device
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        shape = f"({self.shape[0]},)" if len(self.shape) == 1 else f"({', '.join(map(str, self.shape))})"
        shape = "None" if self.any_rank else shape
        named = f", name={self.name!r}" if self.name else ""
        return f"TensorSpec(shape={shape}, dtype={dtype_name(self.dtype)}{named})"

    @property
    def text(self) -> str:
        """On one line: `float32[2, None]`; a NumPy scalar is `float32`."""
        if self.kind is Kind.PYTHON:
            return f"Python {python_type(self.dtype).__name__}"
        name = dtype_name(self.dtype) + (" on gpu" if self.device == "gpu" else "")
        if self.any_rank:
            return f"{name} of any shape"
        return name if self.kind is Kind.SCALAR else f"{name}[{', '.join(map(str, self.shape))}]"


class ValueSpec:
    """A Python value that is part of the key: equal only in type and value (1, 1.0 and True are three keys)."""

    __slots__ = ("_key", "value")

    def __init__(self, value: Any) -> None:
        self.value = set(value) if type(value) is set else value  # the caller may change the set
        self._key = (type(value), _typed(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValueSpec) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"ValueSpec({self.value!r})"

    def accepts(self, other: LeafSpec) -> bool:
        return self == other

    @property
    def text(self) -> str:
        """On one line: `3 (int)`."""
        value: Any = self.value
        is_long = type(value) is int and value.bit_length() > 1000  # Python refuses to write 4300 digits
        shown = hex(value) if is_long else repr(value)
        return f"{shown if len(shown) < 80 else shown[:77] + '...'} ({type(self.value).__name__})"


def _typed(value: Any) -> Any:
    """Hashable, and different for members of different type."""
    if isinstance(value, frozenset | set):
        return frozenset((type(v), _typed(v)) for v in value)
    if isinstance(value, slice | range):  # equal ranges may have other ends
        return tuple([(type(v), _typed(v)) for v in (value.start, value.stop, value.step)])
    return repr(value) if isinstance(value, float | complex) else value


def _nothing() -> None: ...


class ObjectSpec:
    """Any other object: part of the key by identity, held weakly where its class allows.

    `code` is that of a function: it tells a function that is made anew for each call.
    """

    __slots__ = ("_hash", "_reference", "code", "type_name")

    def __init__(self, value: Any) -> None:
        try:
            self._reference: Any = weakref.ref(value)
        except TypeError:
            self._reference = lambda: value
        self._hash = id(value)
        self.code: CodeType | None = seen(value, "__code__")
        module, name = type(value).__module__, type(value).__qualname__
        self.type_name = name if module in ("builtins", "__main__") else f"{module}.{name}"

    @property
    def target(self) -> Any:
        """The object, None if it is gone."""
        return self._reference()

    def released(self) -> ObjectSpec:
        """The same spec, or where it holds its object strongly, one that is equal to none."""
        if isinstance(self._reference, weakref.ref):
            return self
        spec = object.__new__(ObjectSpec)
        spec._reference, spec._hash, spec.type_name, spec.code = _nothing, self._hash, self.type_name, self.code
        return spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectSpec) and self.target is not None and self.target is other.target

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"ObjectSpec({self.type_name})"

    def accepts(self, other: LeafSpec) -> bool:
        return self == other

    @property
    def text(self) -> str:
        """On one line: `Model object`, and the name where it is a function or class."""
        name = seen(self.target, "__qualname__")
        return f"{name} ({self.type_name})" if name else f"{self.type_name} object"


class VariableSpec:
    """A Variable: part of the key by dtype and shape, and by `alias`, the number of the first leaf that is the same."""

    __slots__ = ("_key", "alias", "declared", "dtype", "shape")

    def __init__(self, variable: Variable, alias: int = 0) -> None:
        self.shape: tuple[int, ...] = variable._known_value().shape
        self.dtype = variable.dtype
        self.declared = variable._shape
        self.alias = alias
        self._key = (self.shape, self.dtype, self.declared, alias)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VariableSpec) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"VariableSpec(shape={self.shape}, dtype={dtype_name(self.dtype)}, alias={self.alias})"

    def accepts(self, other: LeafSpec) -> bool:
        return self == other

    @property
    def text(self) -> str:
        """On one line: `Variable float32[2]`."""
        return f"Variable {dtype_name(self.dtype)}[{', '.join(map(str, self.shape))}]"


class GeneratorSpec:
    """A random generator: part of the key by its class, that of its bit generator, and `alias`, as for a Variable.

    Without `bits` it stands for generators of any bit generator.
    """

    __slots__ = ("_key", "alias", "bits", "kind")

    def __init__(self, kind: Kind, bits: type | None, alias: int = 0) -> None:
        self.kind = kind
        self.bits = bits
        self.alias = alias
        self._key = (kind, bits, alias)

    @classmethod
    def of(cls, generator: Any, alias: int = 0) -> GeneratorSpec | None:
        """The spec of a generator, traced or not; None for other objects."""
        kind = random_kind(generator)
        return None if kind is None else cls(kind, type(generator._bit_generator), alias)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeneratorSpec) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"GeneratorSpec({self.text}, alias={self.alias})"

    def accepts(self, other: LeafSpec) -> bool:
        return self == other or (isinstance(other, GeneratorSpec) and self.bits is None and self.kind is other.kind)

    @property
    def text(self) -> str:
        """On one line: `Generator(PCG64)`."""
        return random_class(self.kind).__name__ + (f"({self.bits.__name__})" if self.bits else "")


class ForeignSpec(GeneratorSpec):
    """An object of a library, which is used as it is at each call: part of the key by its class, and by `alias`."""

    __slots__ = ()

    def __init__(self, cls: type, alias: int = 0) -> None:
        super().__init__(Kind.OBJECT, cls, alias)

    @property
    def text(self) -> str:
        """On one line: `pandas.DataFrame object`."""
        assert self.bits is not None
        return f"{self.bits.__module__}.{self.bits.__qualname__} object"


LeafSpec = TensorSpec | ValueSpec | ObjectSpec | VariableSpec | GeneratorSpec
