"""The arrays that a trace is given or finds outside: its writes into them, and its assumptions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, Generic, NoReturn

import numpy as np

from ...errors import InPlaceWriteError, message
from ...ir.graph import Node
from ...records import dataclass
from ..origin import user_source, where
from ..tensor_parts.memory import T

MAX_OWNER_PART = 8
"""The most bytes of an owner for each byte of two views: a write may copy the owner."""


@dataclass(eq=False)
class OutsideArray(Generic[T]):
    """`node` is the leaf of the graph that stands for its content at first, `array` the array of the call that is
    traced, None where there is none."""

    tensor: T
    node: Node
    array: Any


class ExternalArrays(Generic[T]):
    """The arrays. `same` are pairs that are one array, `views` those of which the second is a view of the first, at an
    offset in bytes; `disjoint` share no element though they lie in the same memory; `contiguous` are those that
    must be so in C order, `strided` those that must have the strides that they have, `aligned` and `read_only` those
    that must be so. `layouts` has how values lie in memory, while `layout` looks for that. `asked` is True once code
    asks whether arrays share memory. `writing` is True once anything is written into, be it made inside: before, views
    and copies are the same to the trace. `add_owner` adds the array that an array is a view of, and that later calls
    reach through it. It is False where they cannot. `in_body` is True in the body of a branch, loop or call: a write
    there happens in some calls or rounds alone. `is_entered` is True for an array that holds what a round finds."""

    def __init__(self) -> None:
        self._arrays: dict[int, OutsideArray[T]] = {}
        self._written: dict[int, OutsideArray[T]] = {}
        self.same: list[tuple[OutsideArray[T], OutsideArray[T]]] = []
        self.different: list[tuple[OutsideArray[T], OutsideArray[T]]] = []
        self.views: list[tuple[OutsideArray[T], OutsideArray[T], int]] = []
        self.disjoint: list[tuple[OutsideArray[T], OutsideArray[T]]] = []
        self.contiguous: list[OutsideArray[T]] = []
        self.strided: list[OutsideArray[T]] = []
        self.aligned: list[OutsideArray[T]] = []
        self.read_only: list[OutsideArray[T]] = []
        self._refused: list[tuple[OutsideArray[T], OutsideArray[T]]] = []
        self.layouts: dict[Node, Any] | None = None
        self.writing = False
        self.asked = False
        self.add_owner: Callable[[OutsideArray[T], np.ndarray[Any, Any]], bool] = _never
        self.in_body: Callable[[], bool] = lambda: True
        self.is_entered: Callable[[T], bool] = _never

    def add(self, tensor: T, node: Node, array: Any) -> None:
        found = self._arrays[id(tensor)] = OutsideArray(tensor, node, array)
        for written in [*self._written.values()]:
            self._relate(written, found)

    def writes(self, tensor: T) -> None:
        """Told before one of them is written into: others may be the same array."""
        if id(tensor) not in self._written:
            written = self._written[id(tensor)] = self._arrays[id(tensor)]
            for other in [*self._arrays.values()]:  # owners may come in between
                self._relate(written, other)

    def share(self, left: T, right: T) -> bool | None:
        """Notes that code asks whether two arrays share memory. False where they are apart, which is guarded, and None
        where that is not certain or one of them is a view of the other."""
        arrays = [self._arrays.get(id(t)) for t in (left, right)]
        if None in arrays:
            return None
        self.asked = True
        try:
            self.writes(left)
        except InPlaceWriteError:  # other views of one array
            del self._refused[-1]
            return None
        is_apart = any(set(map(id, pair)) == set(map(id, arrays)) for pair in self.apart())
        return False if is_apart else None

    def are_one(self, left: T, right: T) -> bool | None:
        """Told that code asks whether two of them are one array, which is guarded. None where one is none of them."""
        one, other = self._arrays.get(id(left)), self._arrays.get(id(right))
        if one is None or other is None:
            return None
        is_one = one.array is other.array and one.array is not None
        found = self.same if is_one else self.different
        found += [] if (one, other) in found else [(one, other)]
        return is_one

    def let_go(self) -> None:
        """Lets go of all of them, when the trace is over."""
        self._arrays.clear()
        self._written.clear()
        self._refused.clear()
        self.add_owner = self.is_entered = self.in_body = _never

    @property
    def related(self) -> int:
        """How many of them have turned out to share memory."""
        return len(self.same) + len(self.views)

    def _relate(self, written: OutsideArray[T], other: OutsideArray[T]) -> None:
        """Makes an array that is the same as one that is written into another name of it, and a view a view."""
        known = other.tensor._base is not None or written.tensor._base is not None
        if other is written or known or written.array is None or other.array is None:
            return
        if other.array is written.array:
            self.same.append((written, other))
            _becomes(other.tensor, written.tensor, ())
        elif np.may_share_memory(written.array, other.array):
            for base, view in ((written, other), (other, written)):
                path = path_to(base.array, view.array)
                is_late = not self._is_as_given(view)
                may_be = not is_late or (base.tensor._node is base.node and not self.in_body())
                if path is not None and may_be and _is_fixed(base) and _is_fixed(view):
                    content: Any = view.tensor.copy() if is_late else None  # type: ignore[attr-defined]
                    self.views.append((base, view, address(view.array) - address(base.array)))
                    self.assume_layout((base,))
                    _becomes(view.tensor, base.tensor, path)
                    if view is written:
                        self.writes(base.tensor)
                    if is_late:  # the base is met after writes into its view
                        view.tensor[...] = content  # type: ignore[index]
                    return
            if never_meet(written.array, other.array):
                self.disjoint.append((written, other))
                return
            if self._are_of_one_owner(written, other):
                return
            self._refused.append((written, other))
            _refuse(written, other)

    def _are_of_one_owner(self, written: OutsideArray[T], other: OutsideArray[T]) -> bool:
        """Makes two arrays that lie across each other views of the array that owns their memory, if that can be."""
        owner = owner_of(written.array, other.array)
        is_new = self._is_as_given(written) and self._is_as_given(other)
        if owner is None or not (is_new or not self.in_body()) or not (_is_fixed(written) and _is_fixed(other)):
            return False
        known = next((a for a in self._arrays.values() if a.array is owner), None)
        if known is not None:
            self._relate(written, known)
        elif not self.add_owner(written, owner):
            return False
        return written.tensor._base is not None and other.tensor._base is not None

    def _is_as_given(self, array: OutsideArray[T]) -> bool:
        """True for an array that nothing was written into, the rounds of a loop included: a round that relates an array
        to another one is traced again."""
        return array.tensor._node is array.node or self.is_entered(array.tensor)

    def assume_contiguous(self, leaves: Iterable[Node]) -> bool:
        """True if all of these are contiguous in C order, which is guarded from here on."""
        found = [a for a in self._arrays.values() if a.node in leaves]
        if not all(a.array is None or a.array.flags.c_contiguous for a in found):
            return False
        self.contiguous += [a for a in found if a not in self.contiguous]
        return True

    def assume_aligned(self, tensors: Iterable[T]) -> bool:
        """True if the arrays from outside among these are aligned in memory, which is guarded from here on."""
        found = [known for tensor in tensors if (known := self._arrays.get(id(tensor))) is not None]
        if not all(a.array is None or a.array.flags.aligned for a in found):
            return False
        self.aligned += [a for a in dict.fromkeys(found) if a not in self.aligned]
        return True

    def written(self, tensor: T) -> OutsideArray[T] | None:
        """The array that a Tensor stands for, if it is from outside and the trace has written into it."""
        found = self._arrays.get(id(tensor))
        return found if found is not None and tensor._base is None and tensor._node is not found.node else None

    def holds_writes(self, tensor: T) -> bool:
        """True for an array from outside whose value is no longer the array that was given."""
        found = self._arrays.get(id(tensor))
        return found is not None and not self._is_as_given(found)

    def of_node(self, node: Node) -> OutsideArray[T] | None:
        """The array that a leaf of the graph stands for. None for leaves that no array outside is behind."""
        return next((a for a in self._arrays.values() if a.node is node), None)

    def is_read_only(self, tensor: T) -> bool:
        """True for an array that cannot be written into in the call that is traced, which is guarded then."""
        known = self._arrays.get(id(tensor))
        found = known is not None and known.array is not None and not known.array.flags.writeable
        if known is not None and found and known not in self.read_only:
            self.read_only.append(known)
        return found

    def assume_layout(self, arrays: Iterable[OutsideArray[T]]) -> None:
        """Notes arrays on whose layout in memory the trace rests, which is guarded from here on."""
        for known in arrays:
            is_contiguous = known.array is None or known.array.flags.c_contiguous
            found = self.contiguous if is_contiguous else self.strided
            found += [] if known in found else [known]

    def roots(self) -> list[tuple[OutsideArray[T], OutsideArray[T]]]:
        """The arrays that are views of another one, or the same, each with that one."""
        of_tensor = self._arrays
        viewing = [(a, of_tensor.get(id(a.tensor._base))) for a in of_tensor.values() if a.tensor._base is not None]
        return [(array, root) for array, root in viewing if root is not None]

    def viewing(self, tensor: T) -> OutsideArray[T] | None:
        """The array from outside that a Tensor stands for, if it is a view of another one, or the same."""
        found = self._arrays.get(id(tensor))
        return found if found is not None and id(tensor._base) in self._arrays else None

    def check(self) -> None:
        """Raises where arrays that lie across each other were refused and the trace has gone on in another way, as two
        arrays."""
        for pair in self._refused:
            if any(a.tensor._node is not a.node or a.tensor._base is not None for a in pair):
                _refuse(*pair)

    def updates(self) -> list[OutsideArray[T]]:
        """Those that hold something else at the end of the trace."""
        return [a for a in self._written.values() if a.tensor._base is None and a.tensor._node is not a.node]

    def apart(self) -> list[tuple[OutsideArray[T], OutsideArray[T]]]:
        """The pairs that must not share memory: one of them is written into."""
        known = {frozenset((id(a), id(b))) for a, b, *_ in (*self.same, *self.views, *self.disjoint)}
        found = []
        for written in self._written.values():
            for other in self._arrays.values():
                pair = frozenset((id(written), id(other)))
                of_one = other.tensor._base is written.tensor._base is not None
                if other is not written and pair not in known and not of_one:
                    known.add(pair)
                    found.append((written, other))
        return found


def _refuse(written: OutsideArray[T], other: OutsideArray[T]) -> NoReturn:
    raise InPlaceWriteError(
        message(
            f"{written.tensor.describe()} is written to in place, and {other.tensor.describe()} is another "
            "view of the same memory",
            where(user_source(5)),
            "Pass the whole array and take both views in the traced function, or pass a copy.",
        )
    )


def _never(*arrays: Any) -> bool:
    return False


def _is_fixed(array: OutsideArray[T]) -> bool:
    return all(isinstance(n, int) for n in array.node.type.shape)


def _becomes(tensor: T, base: T, path: tuple[Any, ...]) -> None:
    """Makes a Tensor, and the views of it, views of a base to which this path leads."""
    for view in (tensor, *tensor._alive_views()):
        view._seen = None
        if view._doubts:
            view._doubts = {id(base): (base, base._node)}
        if view is tensor or view._base is tensor:
            view._base, view._path = base, (*path, *view._path)
        base._is_viewed_by(view)


def address(array: np.ndarray[Any, Any]) -> int:
    """Where the first element lies."""
    return int(array.__array_interface__["data"][0])


def path_to(base: np.ndarray[Any, Any], view: np.ndarray[Any, Any]) -> tuple[Any, ...] | None:
    """The steps with which `base` gives the same view: an index, and another shape or a transposition where there is
    one. None where there are none, or they are not found: the base must be contiguous.

    >>> x = np.zeros((4, 6))
    >>> path_to(x, x[1:3, ::2]), path_to(x, np.ones(3))
    ((('getitem', ((slice(1, 3, 1), slice(0, 5, 2)),), ()),), None)
    """
    if base.flags.f_contiguous and not base.flags.c_contiguous:
        of_transposed = path_to(base.T, view)
        return None if of_transposed is None else (("transpose", (), ()), *of_transposed)
    offset, item = address(view) - address(base), base.itemsize
    if view.dtype != base.dtype or not base.flags.c_contiguous or offset % item or not 0 <= offset < base.nbytes:
        return None
    order = sorted(range(view.ndim), key=lambda axis: -abs(view.strides[axis]))
    if view.ndim > base.ndim:
        shape = _as_rows(base, [abs(view.strides[axis]) // item for axis in order[:-1]])
        of_rows = None if shape is None else path_to(base.reshape(shape), view)
        return None if of_rows is None else (("reshape", (shape,), ()), *of_rows)
    first = np.unravel_index(offset // item, base.shape)
    for axes in itertools.combinations(range(base.ndim), view.ndim):
        index: list[Any] = [int(n) for n in first]
        for axis, of_view in zip(axes, order, strict=True):
            length, start = view.shape[of_view], index[axis]
            step = view.strides[of_view] // base.strides[axis] or 1
            stop = start + (length - 1) * step + (1 if step > 0 else -1)
            index[axis] = slice(start, None if stop < 0 else stop, step)
        if _same_memory(found := base[tuple(index)], view.transpose(order)):
            path: tuple[Any, ...] = (("getitem", (tuple(index),), ()),)
            if order != list(range(view.ndim)):
                path += (("transpose", (tuple(np.argsort(order).tolist()),), ()),)
            return path if isinstance(found, np.ndarray) else None
    return None


def _as_rows(base: np.ndarray[Any, Any], distances: list[int]) -> tuple[int, ...] | None:
    """The shape in which steps along the axes, from the outermost but for the last, are this many elements long."""
    sizes = [base.size, *distances]
    if not all(sizes) or any(size % inner for size, inner in itertools.pairwise(sizes)):
        return None
    return (*[size // inner for size, inner in itertools.pairwise(sizes)], sizes[-1])


def owner_of(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """The array that two arrays are views of, if it is not much larger than they are.

    >>> x = np.zeros(4)
    >>> owner_of(x[:3], x[1:]) is x, owner_of(x[:3], np.ones(3))
    (True, None)
    """
    owner = left.base
    if type(owner) is not np.ndarray or owner is not right.base or not owner.flags.writeable:
        return None
    if owner.nbytes > MAX_OWNER_PART * (left.nbytes + right.nbytes):
        return None
    return owner if path_to(owner, left) is not None and path_to(owner, right) is not None else None


def _same_memory(left: Any, right: np.ndarray[Any, Any]) -> bool:
    return (
        isinstance(left, np.ndarray)
        and left.shape == right.shape
        and left.size > 0
        and address(left) == address(right)
        and all(n == 1 or a == b for n, a, b in zip(left.shape, left.strides, right.strides, strict=True))
    )


def never_meet(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> bool:
    """True if it is soon found that two arrays have no element in common."""
    try:
        return not np.shares_memory(left, right, max_work=100_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return False
