"""Signatures as rows of numbers, so that a call is compared with hundreds of them at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...records import dataclass
from .call import CallSignature
from .spec import TensorSpec

Form = tuple[int | None, ...]
"""For each leaf its rank, None for one that is no tensor."""

ANY = -1
"""The number of an open length, and of a kind that may be any."""

UNKNOWN = -2
"""The number of an item that no signature in the table has."""


class SignatureTable:
    """The signatures of traces, by the numbers of the traces.

    Signatures of one structure whose tensors have the same ranks share a matrix: a row for each signature, a column for
    each number that may differ.
    """

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._matrices: dict[Any, dict[Form, _Matrix]] = {}
        self._pairings: dict[tuple[Form, Form], _Pairing] = {}

    def add(self, trace: int, signature: CallSignature) -> None:
        form, items = _form(signature), _items(signature)
        matrices = self._matrices.setdefault(signature.trees, {})
        if form not in matrices:
            matrices[form] = _Matrix(len(items))
        matrices[form].add(trace, [self._numbers.take(item) for item in items])

    def remove(self, trace: int, signature: CallSignature) -> None:
        """Removes a signature as it was added."""
        form, matrices = _form(signature), self._matrices[signature.trees]
        for number in matrices[form].remove(trace):
            self._numbers.give_back(number)
        if not matrices[form].count:
            del matrices[form]
            self._pairings = {pair: known for pair, known in self._pairings.items() if form not in pair}
        if not matrices:
            del self._matrices[signature.trees]

    def counts(self, call: CallSignature) -> tuple[Any, Any, Any]:
        """(traces whose signature has the structure of the call, leaves in which each differs, differences in all)."""
        matrices = self._matrices.get(call.trees)
        if matrices is None:
            return (np.zeros(0, np.int64),) * 3
        form = _form(call)
        row = [self._numbers.known(item) for item in _items(call)]
        numbers, is_open = np.array(row, np.int64), ANY in row
        found = []
        for other, matrix in matrices.items():
            if (other, form) not in self._pairings:
                self._pairings[other, form] = _pairing(other, form)
            counts = self._pairings[other, form].counts(matrix.rows, numbers, is_open or matrix.is_open)
            found.append((matrix.traces, *counts))
        if len(found) == 1:
            return found[0]
        traces, leaves, differences = (np.concatenate(column) for column in zip(*found, strict=True))
        return traces, leaves, differences

    def accepting(self, call: CallSignature) -> list[int]:
        """The traces whose signature the call fits, the newest first."""
        traces, leaves, _ = self.counts(call)
        return sorted(traces[leaves == 0].tolist(), reverse=True)


def _form(signature: CallSignature) -> Form:
    return tuple([len(leaf.shape) if type(leaf) is TensorSpec else None for leaf in signature.leaves])


def _items(signature: CallSignature) -> list[Any]:
    """The items of the columns: for a tensor kind, dtype, device and lengths, for another leaf its spec."""
    found: list[Any] = []
    for leaf in signature.leaves:
        if type(leaf) is TensorSpec:
            found += (leaf.kind, leaf.dtype, leaf.device, *leaf.shape)
        else:
            found.append(leaf)
    return found


class _Numbers:
    """Numbers for items that are none: negative ones, equal for equal items as long as one is in use."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}
        self._users: dict[int, tuple[Any, int]] = {}
        self._next = UNKNOWN - 1

    def known(self, item: Any) -> int:
        if item is None:
            return ANY
        return item if type(item) is int else self._known.get(item, UNKNOWN)

    def take(self, item: Any) -> int:
        number = self.known(item)
        if number == UNKNOWN:
            number, self._next = self._next, self._next - 1
            self._known[item] = number
        if number < UNKNOWN:
            known, users = self._users.get(number, (item, 0))
            self._users[number] = known, users + 1
        return number

    def give_back(self, number: int) -> None:
        """Takes the number, as an object that is gone is equal to nothing."""
        if number < UNKNOWN:
            item, users = self._users.pop(number)
            if users > 1:
                self._users[number] = item, users - 1
            else:
                del self._known[item]


class _Matrix:
    """The rows of one form, and in a last column the traces that they are of. `is_open` where one has had `ANY`."""

    def __init__(self, width: int) -> None:
        self.count = 0
        self.is_open = False
        self._space = np.empty((4, width + 1), np.int64)

    @property
    def rows(self) -> Any:
        return self._space[: self.count, :-1]

    @property
    def traces(self) -> Any:
        return self._space[: self.count, -1]

    def add(self, trace: int, row: list[int]) -> None:
        if self.count == len(self._space):
            self._space = np.concatenate([self._space, np.empty_like(self._space)])
        self._space[self.count] = [*row, trace]
        self.is_open = self.is_open or ANY in row
        self.count += 1

    def remove(self, trace: int) -> list[int]:
        """Removes a row and gives it. The last one takes its place."""
        (position,) = np.flatnonzero(self.traces == trace)
        row: list[int] = self._space[position, :-1].tolist()
        self.count -= 1
        self._space[position] = self._space[self.count]
        return row


@dataclass(frozen=True, slots=True, eq=False)
class _Pairing:
    """How rows of one form are compared with a call of another.

    `old` and `new` are the columns to compare: first, leaf by leaf (they begin at `starts`), those of the leaves that
    have the same rank, then those of tensors of another rank. `kinds` are the positions of the kinds among them.
    `others` counts the leaves that differ in their rank or are no tensors both. `is_same` says that both are one form.
    """

    is_same: bool
    old: Any
    new: Any
    starts: Any
    compared: int
    kinds: Any
    others: int

    def counts(self, rows: Any, numbers: Any, is_open: bool) -> tuple[Any, Any]:
        """In how many leaves and how many respects the rows differ. `is_open` where `ANY` is among all the numbers."""
        if not self.is_same:
            rows, numbers = rows[:, self.old], numbers[self.new]
        differ = rows != numbers
        if is_open:
            differ &= rows != ANY
            differ[:, self.kinds[numbers[self.kinds] == ANY]] = False
        causes = np.add.reduce(differ, axis=1)
        if not len(self.starts):
            return np.full(len(rows), self.others), causes + self.others
        leaves = np.add.reduce(np.logical_or.reduceat(differ[:, : self.compared], self.starts, axis=1), axis=1)
        return (leaves + self.others, causes + self.others) if self.others else (leaves, causes)


def _pairing(old: Form, new: Form) -> _Pairing:
    same: list[tuple[int, int]] = []
    apart: list[tuple[int, int]] = []
    starts, kinds = [], []
    others = at_old = at_new = 0
    for rank, now in zip(old, new, strict=True):
        widths = [1 if r is None else 3 + r for r in (rank, now)]
        if rank == now:
            starts.append(len(same))
            kinds += [len(same)] if rank is not None else []
            same += [(at_old + i, at_new + i) for i in range(widths[0])]
        else:
            others += 1
            if rank is not None and now is not None:
                apart += [(at_old + i, at_new + i) for i in (1, 2)]  # dtype and device
        at_old, at_new = at_old + widths[0], at_new + widths[1]
    columns = np.array(same + apart, np.intp).reshape(-1, 2)
    return _Pairing(
        old == new, columns[:, 0], columns[:, 1], np.array(starts, np.intp), len(same), np.array(kinds, np.intp), others
    )
