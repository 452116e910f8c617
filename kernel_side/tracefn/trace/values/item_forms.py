"""The items of containers that the graph keeps: numbers, and tuples of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from ...errors import ControlFlowError, message
from ...ir.types import Kind, type_of
from ...ops.containers import leaves_of
from ...records import dataclass
from ..active import current
from ..origin import user_source, where
from ..tensor import Tensor
from .eagerly_once import told_by_value
from .records import COLUMN, Record
from .symbolic_int import SymbolicInt

_NUMBERS = (bool, int, float, np.bool_, np.number)


@dataclass(frozen=True, slots=True)
class Form:
    """The numbers of the items of a container, of its keys or its values: one each, or a tuple of several. Types that
    differ are not known."""

    types: tuple[tuple[str, str], ...]
    is_tuple: bool

    @property
    def width(self) -> int:
        """The length of tuples; 0 for numbers."""
        return len(self.types) if self.is_tuple else 0

    @property
    def has_floats(self) -> bool:
        return any(np.dtype(dtype).kind == "f" for dtype, _ in self.types)

    @property
    def part(self) -> Any:
        """The same as a part of a record."""
        return Record(tuple, (), (COLUMN,) * self.width) if self.is_tuple else COLUMN


def form_of(value: Any) -> Form | None:
    """The form of a number, or of a tuple of numbers. None for other values."""
    numbers = value if type(value) is tuple else (value,)
    types = [found for number in numbers if (found := _number_type(number)) is not None]
    is_known = len(types) == len(numbers) and (type(value) is not tuple or len(types) > 1)
    return Form(tuple(types), type(value) is tuple) if is_known else None


def _number_type(value: Any) -> tuple[str, str] | None:
    if type(value) is Tensor:
        found = value._node.types[0]
        is_one = value._one_type is None or len(value._one_type.types) == 1
        if not is_one or found.shape or found.kind not in (Kind.PYTHON, Kind.SCALAR):
            return None
    elif type(value) is SymbolicInt:
        found = type_of(np.int64() if value.is_scalar else value.dim)
    elif isinstance(value, _NUMBERS):
        found = type_of(value)
    else:
        return None
    return (found.dtype.str, found.kind.value) if found.dtype.kind in "biuf" else None


def types_of(args: Iterable[Any]) -> tuple[Any, ...]:
    """The types of the numbers among some operands, in order."""
    return tuple([found for number in leaves_of(args) if (found := _number_type(number)) is not None])


def operand(value: Any) -> Any:
    """A number or tuple of numbers as an argument of a method. Raises `ControlFlowError` for other values."""
    if type(value) is tuple:
        return tuple(map(operand, value))
    if type(value) is SymbolicInt and (trace := current()) is not None:
        return value.as_tensor() if value.is_scalar else trace.dimension(value.dim)
    if type(value) is Tensor and not value._node.types[0].shape:
        return value
    if isinstance(value, _NUMBERS) or value is None or type(value) is str:
        return value
    refuse(f"a container that the graph keeps is asked for a {type(value).__name__}")


def asked(value: Any) -> Any:
    """The same of one that a container is asked for."""
    return told_by_value(operand(value))


def item_of(form: Form, numbers: Any) -> Any:
    if form.is_tuple:
        return tuple(numbers if len(form.types) > 1 or isinstance(numbers, list) else (numbers,))
    return numbers[0] if isinstance(numbers, list) else numbers


def refuse(what: str) -> NoReturn:
    """Raises `ControlFlowError`."""
    fix = "Keep numbers, or tuples of numbers, of one type in it, and change it by its methods."
    raise ControlFlowError(message(what, where(user_source(4)), fix))
