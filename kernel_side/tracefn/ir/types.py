"""The type of a traced value: dtype, shape, and its holder: an array, a NumPy scalar, a Python number, a list of them,
or a random generator.

The only caller of NumPy's promotion rules, so that result types are NumPy's own.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ..records import dataclass
from .dims import Dim, GuessedLengths, Length, length_value, product

Shape = tuple[Length, ...]


class Kind(enum.Enum):
    """The holder of the value: NumPy treats the first three differently (0-d results, `isinstance`, promotion)."""

    ARRAY = "array"
    SCALAR = "scalar"
    PYTHON = "python"
    LIST = "list"
    GENERATOR = "generator"
    RANDOM_STATE = "random_state"
    SEED = "seed"
    OBJECT = "object"

    is_random: bool
    """True for sources of random numbers, which drawing changes."""

    def __init__(self, name: str) -> None:
        self.is_random = name in ("generator", "random_state", "seed")

    __hash__ = object.__hash__  # as it is compared; hashing the name costs a call in Python each time


_ARRAY, _SCALAR = Kind.ARRAY, Kind.SCALAR


@dataclass(slots=True)
class TensorType:
    """The type of one value in a graph, never changed: `Final` is quicker than a frozen dataclass (see `Node`).

    `kind` is ARRAY for `np.ndarray` (0-d arrays too), SCALAR for NumPy scalars, PYTHON for Python numbers, which are
    weak in promotion (NEP 50), and Python texts, of dtype StringDType. LIST is a Python list of values of one type:
    `shape` is its length and then the shape of an element, `element_kind` is the holder of an element (None for
    everything that is no list). A list that never had an element has the dtype `NOTHING`. GENERATOR, RANDOM_STATE and
    SEED (bit generators, seed sequences) are objects of `np.random`, of dtype `NOTHING` and shape (); an OBJECT, which
    is of another library, has the same.

    >>> TensorType(np.dtype(np.float32), (2, 3))
    float32[2, 3]
    >>> TensorType(np.dtype(np.float32), (), Kind.SCALAR)
    float32
    >>> list_of(TensorType(np.dtype(np.float32), (3,)), 2)
    list of 2 float32[3]
    """

    dtype: Final[np.dtype[Any]]
    shape: Final[Shape]
    kind: Final[Kind] = Kind.ARRAY
    element_kind: Final[Kind | None] = None
    _hash: int | None = dataclasses.field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:  # that of a dtype takes longer than all else
        if self._hash is None:
            self._hash = hash((self.dtype, self.shape, self.kind, self.element_kind))
        return self._hash

    @property
    def element(self) -> TensorType:
        """The type of an element of a list."""
        assert self.element_kind is not None
        return TensorType(self.dtype, self.shape[1:], self.element_kind)

    @property
    def has_memory(self) -> bool:
        """True for kinds that can be written into: arrays, and elements of structured arrays, which are views of
        them."""
        kind = self.kind  # the attribute of an enum takes longer to find than all else
        return kind is _ARRAY or (kind is _SCALAR and self.dtype.names is not None)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Length:
        return product(self.shape)

    @property
    def readable_lengths(self) -> Shape:
        """The lengths that a value itself tells, axis by axis: an empty list does not know those of its elements."""
        return self.shape[:1] if self.kind is Kind.LIST else self.shape

    def length_source(self, name: str, axis: int) -> str:
        """The Python expression of a length of the value with this name."""
        return f"len({name})" if self.kind is Kind.LIST else f"{name}.shape[{axis}]"

    @property
    def is_static(self) -> bool:
        """True if every length is known."""
        return Dim not in map(type, self.shape)

    @property
    def nbytes(self) -> int | None:
        """Bytes of the data, None where a length is unknown."""
        size = self.size
        return size * self.dtype.itemsize if isinstance(size, int) else None

    def __repr__(self) -> str:
        if self.kind is Kind.LIST:
            return f"list of {self.shape[0]} {self.element!r}" if self.dtype != NOTHING else "empty list"
        if self.kind is Kind.PYTHON:
            return python_type(self.dtype).__name__
        if self.kind.is_random:
            return _RANDOM_NAMES[self.kind]
        if self.kind is Kind.OBJECT:
            return "object"
        name = dtype_name(self.dtype)
        return name if self.kind is Kind.SCALAR else f"{name}[{', '.join(map(str, self.shape))}]"


NOTHING = np.dtype("V0")
"""The dtype of a list that never had an element: it takes elements of any type."""
_RANDOM_NAMES = {Kind.GENERATOR: "Generator", Kind.RANDOM_STATE: "RandomState", Kind.SEED: "random seed"}


def random_type(kind: Kind) -> TensorType:
    """The type of an object that random numbers come from."""
    return TensorType(NOTHING, (), kind)


def random_class(kind: Kind) -> type:
    """The class of such objects; `object` where there are several."""
    return object if kind is Kind.SEED else getattr(np.random, _RANDOM_NAMES[kind])


def random_kind(value: Any) -> Kind | None:
    """The kind of random generator of a value; None for all else, instances of subclasses included.

    It asks for the names, as `np.random` is imported when it is first used.
    """
    cls = type(value)
    if cls.__module__ == "numpy.random._generator" and cls.__name__ == "Generator":
        return Kind.GENERATOR
    return Kind.RANDOM_STATE if cls.__module__ == "numpy.random.mtrand" and cls.__name__ == "RandomState" else None


def list_of(element: TensorType, length: Length) -> TensorType:
    """The type of a list of `length` values of one type."""
    return TensorType(element.dtype, (length, *element.shape), Kind.LIST, element.kind)


def array(dtype: Any, shape: Shape) -> TensorType:
    """The type of an `np.ndarray`, also when it is 0-d."""
    return TensorType(np.dtype(dtype), shape)


def result(dtype: Any, shape: Shape) -> TensorType:
    """The type that most NumPy functions return: an array, or a NumPy scalar where the shape is ()."""
    return TensorType(np.dtype(dtype), shape, Kind.ARRAY if shape else Kind.SCALAR)


_PYTHON_DTYPES: dict[type, np.dtype[Any]] = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}


_TEXT: np.dtype[Any] = np.dtypes.StringDType()

_PYTHON_TYPES = {t: TensorType(d, (), Kind.PYTHON) for t, d in {**_PYTHON_DTYPES, str: _TEXT}.items()}


def python(value_type: type) -> TensorType:
    """The type of a Python number or text that is known only at run time. `value_type` is bool, int, float, complex or
    str."""
    return _PYTHON_TYPES[value_type]


def class_name(value_type: TensorType) -> str:
    """The class of a value of this type, as Python's errors name it.

    >>> class_name(type_of(np.float64(1))), class_name(type_of(1))
    ('numpy.float64', 'int')
    """
    if value_type.kind is Kind.SCALAR:
        return f"numpy.{value_type.dtype.type.__name__}"
    return python_type(value_type.dtype).__name__ if value_type.kind is Kind.PYTHON else "numpy.ndarray"


def python_type(dtype: np.dtype[Any]) -> type:
    """The Python type that a PYTHON value of this dtype has."""
    return {"b": bool, "i": int, "u": int, "f": float, "c": complex, "T": str}[dtype.kind]


def type_of(value: Any) -> TensorType:
    """The type of a concrete array, NumPy scalar or Python number; anything else as `np.asarray` would take it.

    >>> type_of(np.float32(1)), type_of(np.zeros(3)), type_of(1.5), type_of([1, 2])
    (float32, float64[3], float, int64[2])
    """
    if type(value) in _PYTHON_DTYPES:
        return _PYTHON_TYPES[type(value)]
    if isinstance(value, TensorType):
        return value
    if isinstance(value, np.generic):
        return TensorType(value.dtype, (), Kind.SCALAR)
    if isinstance(value, Dim):
        return python(int)
    if not hasattr(value, "dtype"):
        if (kind := random_kind(value)) is not None:
            return random_type(kind)
        value = np.asarray(value)
    return TensorType(value.dtype, tuple(value.shape))


def is_traceable(dtype: np.dtype[Any]) -> bool:
    """False for Python objects, also in fields, and for raw bytes.

    >>> is_traceable(np.dtype("U5")), is_traceable(np.dtype([("x", float)])), is_traceable(np.dtype([("x", object)]))
    (True, True, False)
    """
    return dtype.char == "T" or not (dtype.hasobject or (dtype.kind == "V" and dtype.names is None))


@lru_cache(maxsize=1024)
def dtype_name(dtype: np.dtype[Any]) -> str:
    """A dtype as users write it: `float32`, `<U5`, `datetime64[ns]`.

    >>> dtype_name(np.dtype("f4")), dtype_name(np.dtype("U5")), dtype_name(np.dtype(">i4"))
    ('float32', '<U5', '>i4')
    """
    if dtype.kind in "biufcmM" and dtype.isnative:
        return dtype.name
    if dtype.subdtype is not None:
        return f"{dtype_name(dtype.base)}{list(dtype.shape)}"
    if dtype.names is not None:
        fields = [f"{name}: {dtype_name(dtype[name])}" for name in dtype.names]
        return f"{{{', '.join(fields)}}}"
    return dtype.str if dtype.kind in "biufcSUmMV" else dtype.name if dtype.kind == "O" else str(dtype)


def weak_operand(operand: TensorType | Any) -> Any:
    """An operand as `ufunc.resolve_dtypes` wants it: a dtype, or a Python number type where the operand is weak."""
    if isinstance(operand, TensorType):
        if operand.kind is not Kind.PYTHON or operand.dtype.kind == "b":
            return operand.dtype
        return python_type(operand.dtype)
    if type(operand) in (int, float, complex):
        return type(operand)
    if isinstance(operand, Dim):
        return int
    return type_of(operand).dtype


@lru_cache(maxsize=8192)
def ufunc_dtypes(
    ufunc: np.ufunc, operands: tuple[Any, ...], dtype: Any = None, casting: str = "same_kind"
) -> tuple[np.dtype[Any], ...]:
    """The dtypes of a ufunc's inputs and outputs, as NumPy resolves them.

    `operands` are dtypes or Python number types (weak). Raises NumPy's error where no loop fits.

    >>> ufunc_dtypes(np.add, (np.dtype("f4"), float))[-1]
    dtype('float32')
    """
    dtypes = operands + (None,) * ufunc.nout
    if dtype is None:
        return ufunc.resolve_dtypes(dtypes, casting=casting)  # type: ignore[arg-type]
    signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    return ufunc.resolve_dtypes(dtypes, signature=signature, casting=casting)  # type: ignore[arg-type]


def ghost(value_type: TensorType, symbols: Mapping[str, int] | None = None) -> Any:
    """A value of this type that takes no memory: every element is the same zero (or empty string).

    `symbols` gives open lengths; those that it does not are taken to be 2.

    NumPy's own functions on ghosts tell NumPy's answer for such arguments.
    """
    if value_type.kind is Kind.LIST:
        count = length_value(value_type.shape[0], GuessedLengths({} if symbols is None else symbols))
        return [ghost(value_type.element, symbols)] * count
    if value_type.kind is Kind.PYTHON:
        return python_type(value_type.dtype)()
    if value_type.kind.is_random:
        return np.random.RandomState(0) if value_type.kind is Kind.RANDOM_STATE else np.random.default_rng(0)
    zero = np.zeros((), value_type.dtype)
    if zero.dtype == np.dtype("M8"):  # a date without a unit is NaT
        zero[()] = "NaT"
    if value_type.kind is Kind.SCALAR:
        return zero[()]
    lengths = GuessedLengths({} if symbols is None else symbols)
    return np.broadcast_to(zero, tuple(length_value(n, lengths) for n in value_type.shape))
