"""`np.nditer` of traced arrays: NumPy's own iterator over arrays that lie as these do says in which order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ..active import current
from ..aliasing.layout import known_layout
from ..origin import user_source, where
from ..reads import in_trace
from ..tensor import Tensor
from .makers import holds_traced

_FLAGS = frozenset({"multi_index", "c_index", "f_index", "refs_ok", "zerosize_ok"})
_ACCESS = frozenset({"readonly", "readwrite"})


class ElementIterator:
    """An `np.nditer` whose elements are views of traced arrays, without axes."""

    def __init__(self, operands: list[Any], over: Any, writes: list[bool], has_multi_index: bool) -> None:
        self.operands = tuple(operands)
        self._shape, self.ndim, self.itersize, self.nop = over.shape, over.ndim, over.itersize, len(operands)
        self._places = [(over.multi_index, *([over.index] if over.has_index else [])) for _ in over]
        self._has_index, self._has_multi_index = over.has_index, has_multi_index
        self._writes = writes
        self._trace = current()
        self.reset()

    def reset(self) -> None:
        self._moves()
        self._at, self._is_begun = 0, False

    @property
    def finished(self) -> bool:
        return self._at >= len(self._places)

    @property
    def shape(self) -> tuple[int, ...]:
        self._place()
        return self._shape

    @property
    def multi_index(self) -> tuple[int, ...]:
        if not self._has_multi_index:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place()[0]

    @property
    def index(self) -> int:
        if not self._has_index:
            raise ValueError("Iterator does not have an index")
        return self._place()[1]

    @property
    def value(self) -> Any:
        found = tuple(self[number] for number in range(self.nop))
        return found[0] if self.nop == 1 else found

    def iternext(self) -> bool:
        self._moves()
        self._at += 1
        return not self.finished

    def __next__(self) -> Any:
        self._moves()
        self._at += self._is_begun
        self._is_begun = True
        if self.finished:
            raise StopIteration
        return self.value

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return self.nop

    def __getitem__(self, number: int) -> Any:
        operand, place = self.operands[number], self._place()[0]
        own = [0 if n == 1 else at for n, at in zip(operand.shape[::-1], place[::-1], strict=False)][::-1]
        found = operand[(*own, ...)]
        return found if self._writes[number] else np.broadcast_to(found, ())

    def __setitem__(self, number: int, value: Any) -> None:
        self[number][...] = value

    def __enter__(self) -> ElementIterator:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is buffered."""

    def _place(self) -> Any:
        if self.finished:
            raise ValueError("Iterator is past the end")
        return self._places[self._at]

    def _moves(self) -> None:
        if current() is not self._trace:
            _refuse("an `np.nditer` is advanced in a branch or loop that a traced value decides")


def element_iterator(
    op: Any,
    flags: Any = None,
    op_flags: Any = None,
    op_dtypes: Any = None,
    order: str = "K",
    *args: Any,
    **options: Any,
) -> Any:
    """`np.nditer`."""
    if current() is None or not holds_traced(op):
        return _made(op, flags, op_flags, op_dtypes, order, *args, **options)
    operands = [in_trace(a) for a in op] if isinstance(op, list | tuple) else [in_trace(op)]
    each = _each(op_flags, len(operands))
    if op_dtypes is not None or args or options or not {*(flags or ())} <= _FLAGS or each is None:
        return _refuse("an `np.nditer` with these options is made of traced arrays")
    if not all(type(a) is Tensor and a._node.type.has_memory for a in operands):
        _refuse("an `np.nditer` is made of traced values that are no arrays")
    if not all(isinstance(n, int) for a in operands for n in a.shape):
        _refuse("an `np.nditer` is made of arrays of open lengths")
    models = [known_layout(a).array for a in operands]
    with _made(models, [*{*(flags or ()), "multi_index"}], each, None, order) as over:
        return ElementIterator(operands, over, ["readwrite" in e for e in each], "multi_index" in (flags or ()))


_made: Any = np.nditer


def _each(op_flags: Any, count: int) -> list[list[str]] | None:
    """The flags of each operand. None where one of them is not known here."""
    given = [[]] * count if op_flags is None else list(op_flags)
    if given and all(isinstance(flag, str) for flag in given):
        given = [given] * count
    if len(given) != count or not all({*flags} <= _ACCESS for flags in given):
        return None
    return [list(flags) or ["readonly"] for flags in given]


def _refuse(what: str) -> Any:
    raise UnsupportedFunctionError(message(what, where(user_source(4)), "Work on whole arrays, or loop over `x.flat`."))
