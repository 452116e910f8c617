"""A nest of loops in a loop kernel as data: which elements are read, computed with, written and combined."""

from __future__ import annotations

from .....records import dataclass
from ...scalar.emitter import DType
from ..arrays import Array
from ..checked import INT
from ..scalars import Number


@dataclass(frozen=True, eq=False)
class Step:
    """One operation on elements: a rule of `scalars.RULES`, and its operands, each cast to one of `dtypes` first.
    `dtype` is that of the result."""

    rule: str
    operands: tuple[Value, ...]
    dtypes: tuple[DType, ...]
    dtype: DType


@dataclass(frozen=True, eq=False)
class Pick:
    """One index of an element: which it is along an axis of this length and stride. Negative ones are counted from the
    end, unless it `wraps` not."""

    index: Value
    length: str
    stride: str
    wraps: bool = True


@dataclass(frozen=True, eq=False)
class Lookup:
    """The element of a table that indices point to. Along other axes the table moves with the nest."""

    table: Array
    picks: tuple[Pick, ...]

    @property
    def dtype(self) -> DType:
        return self.table.dtype


@dataclass(frozen=True, eq=False)
class Position:
    """The place of an element: a number that grows with the strides of an array at no address."""

    counter: Array
    dtype: DType = INT


Value = Step | Array | Number | Lookup | Position
"""The source of elements. Numbers are the same for all; strides of arrays are those along the axes of the nest."""


@dataclass(frozen=True, eq=False)
class Update:
    """How old elements are combined with new ones, both cast to `through`: `result` is the dtype that this gives."""

    rule: str
    through: DType
    result: DType


@dataclass(frozen=True, eq=False)
class Store:
    """Elements are written into an array. Where there are `picks` these say where: they are known to be right, and
    elements are written in the order of the axes. Their earlier values go into `old`."""

    value: Value
    target: Array
    picks: tuple[Pick, ...] = ()
    update: Update | None = None
    old: Array | None = None


@dataclass(frozen=True, eq=False)
class Fold:
    """Elements are cast to `through` and combined by `rule`, along the axes along which `target` does not move."""

    value: Value
    target: Array
    rule: str
    through: DType
    is_mean: bool = False


@dataclass(frozen=True, eq=False)
class Nest:
    """The loops over these lengths. `reduced` are the axes that all `folds` are along. The indices among `checks` are
    compared with their lengths."""

    lengths: tuple[str, ...]
    stores: tuple[Store, ...]
    folds: tuple[Fold, ...] = ()
    reduced: frozenset[int] = frozenset()
    checks: tuple[Pick, ...] = ()

    @property
    def is_ordered(self) -> bool:
        """True if elements are written in the order of the axes."""
        return any(s.picks for s in self.stores)
