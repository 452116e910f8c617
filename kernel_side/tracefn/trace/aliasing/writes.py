"""Writing into arrays while tracing: the Tensor of the array stands for a new value from then on, and its views follow.

Where it is not certain which arrays share memory, writing is refused.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import InPlaceWriteError, message
from ...ir.op import by_name
from ...ir.types import Kind, ghost
from .. import provided
from ..active import current
from ..one_by_one import one_by_one
from ..origin import user_source, where
from ..references import VARIABLE, holders
from ..state.place import Held, Place
from ..tensor import Tensor
from .views import is_read_only, refuse_carried

if TYPE_CHECKING:
    from ..context import Trace


def base_for_writing(target: Any, spelled: str) -> tuple[Trace, Tensor]:
    """The trace under way and the base to write into. Raises `InPlaceWriteError` where it may not be written into."""
    if not isinstance(target, Tensor):
        refuse(
            f"an array that the trace does not know is written to in place (`{spelled}`)",
            "Make it in the traced function, or return the new value and assign it outside: x = f(x).",
        )
    trace = current()
    if trace is None:
        target._trace.check(target)
        raise AssertionError
    if not trace.node_of(target).types[0].has_memory:
        raise TypeError("return arrays must be of ArrayType")
    base = target._base if target._base is not None else target
    if is_read_only(target):
        raise ValueError("assignment destination is read-only")
    if not (base._owned or base._outside or base._choice is not None) and not _is_left_alone(trace, base):
        refuse_carried(base)
        trace.lists_stay_plain()
        refuse(
            f"{target.describe()} is written to in place (`{spelled}`), and its aliases are not known: "
            "it may be an array from elsewhere",
            "Write into a copy: `x = x.copy()`.",
        )
    doubtful = [view for view in base._alive_views() if view._base is not base and not _is_of_round(trace, view)]
    if base._held or doubtful:
        for view in doubtful:
            refuse_carried(view)
        trace.lists_stay_plain()
        what = "a list holds it" if base._held else "another variable may show its memory, or not"
        refuse(
            f"{target.describe()} is written to in place (`{spelled}`), and {what}",
            "Write into a copy: `x = x.copy()`.",
        )
    trace.root.outside.writing = True
    if base._outside:
        trace.root.outside.writes(base)
        if trace.root.outside.is_read_only(base) and not spelled.endswith(".at"):  # NumPy's `at` takes no heed of it
            into = "output array" if spelled.endswith(("out=x)", "= ...", "mask)")) else "assignment destination"
            raise ValueError(f"{'sort array' if spelled.startswith('x.sort') else into} is read-only")
        base = target._base if target._base is not None else target  # it may have become a view of another one
    return trace, base


def _is_left_alone(trace: Trace, tensor: Tensor) -> bool:
    """True for a view, or a copy, which is not known, of arrays of the function that no code can reach any more:
    `d = (d - m).reshape(shape)`. It counts as an array of its own from then on."""
    if (
        trace is not trace.root
        or not tensor._doubts
        or not all(_is_out_of_reach(trace, tensor, n) for n in tensor._doubts)
    ):
        return False
    tensor._owned, tensor._doubts = True, {}
    return True


def _is_out_of_reach(trace: Trace, tensor: Tensor, number: int) -> bool:
    """True for one of the arrays that a Tensor may show, if nothing else holds or shows it."""
    array, node = tensor._doubts[number]
    is_own = array._owned and not (array._outside or array._held or array._aliased) and array._choice is None
    is_unseen = holders(array) - VARIABLE <= 1 and all(view is tensor for view in array._alive_views())
    return is_own and is_unseen and array._node is node and array._trace is trace


def _is_of_round(trace: Trace, view: Tensor) -> bool:
    """True if no later round of a loop can use a possible view: then it is enough to look when it is used."""
    found: Any = trace
    while found is not view._home and found is not None and not found.repeats:
        found = getattr(found, "parent", None)
    return found is view._home


def write(target: Any, op_name: str, args: tuple[Any, ...], kwargs: dict[str, Any], spelled: str) -> None:
    """Writes into an array or a view of one, by a writing op: `args` are those after the array and the path."""
    trace, base = base_for_writing(target, spelled)
    if base._choice is not None:
        if not provided.is_own_now(trace, base):
            provided.write_chosen(trace, target, lambda array: write(array, op_name, args, kwargs, spelled))
            return
    path = target._path
    if op_name == "setitem" and path and path[-1][0] in ("getitem", "getitem_slice") and _is_whole(args[0]):
        path, args = path[:-1], (path[-1][1][0], *args[1:])
    if (picked := _of_itself(trace, target, op_name, args, kwargs)) is not None:
        op_name, path, args, kwargs = "setitem", (), (..., picked), {}
    rebind(base, trace.record(by_name(op_name), (base, path, *args), kwargs))


def _is_whole(index: Any) -> bool:
    return index is Ellipsis or index == () if not isinstance(index, Tensor) else False


def _of_itself(trace: Trace, target: Tensor, op_name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The op of a write of an array into itself that NumPy does without a copy, so that it reads its own writes: by a
    mask of all axes, and in C order. Then the index, the value and the path; None for any other write."""
    place = _ONE_BY_ONE.get(op_name)
    if place is None or (op_name == "setitem" and not _is_mask(args[0], target.ndim)):
        return None
    value = args[place] if place < len(args) else kwargs.get("val")
    base = target if target._base is None else target._base
    if type(value) is not Tensor or base is not (value if value._base is None else value._base) or not value.ndim:
        return None
    paths = target._path, value._path
    if target.dtype != base.dtype or any(name in ("real", "imag", "view") for path in paths for name, *_ in path):
        refuse(
            f"{target.describe()} is written to in place with what shows other parts of its own numbers",
            "Write a copy: `x[...] = value.copy()`.",
        )
    wrap = (kwargs["wrap"],) if "wrap" in kwargs else ()
    before, after = args[:place], (*args[place + 1 :], *wrap)
    came_from = by_name("came_from")
    places = trace.record(came_from, (came_from.call, base, op_name, *paths, before, after), {})
    return np.ravel(Tensor(trace.node_of(base), trace, owned=False))[places]


def _is_mask(index: Any, axes: int) -> bool:
    """True for a mask of this many axes."""
    found = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if isinstance(found, list) and all(type(item) is bool for item in found):
        return axes == 1
    return isinstance(found, Tensor | np.ndarray) and found.dtype == bool and found.ndim == axes > 0


def rebind(base: Tensor, value: Tensor) -> None:
    """Makes a base stand for another value from here on."""
    trace = current()
    if trace is not None and base._trace is not trace:
        trace.journal.will_change(Held(base, base._name()), user_source(3))
    base._set_state(value)


def set_shape(target: Tensor, shape: Any) -> None:
    """`x.shape = shape`, of an array that the function has made and that nothing else shows, or of its view of one."""
    trace = current()
    if trace is None or target._home is not trace or not target._node.type.has_memory:
        refuse(
            f"{target.describe()} was changed in place (x.shape = ...)",
            "Write `x = x.reshape(shape)`, which gives another variable the shape.",
        )
    if target._base is None and not target._owned or target._outside or target._is_shared or target._choice:
        refuse(
            f"{target.describe()} was changed in place (x.shape = ...), and others may see it",
            "Write `x = x.reshape(shape)`, or copy it first.",
        )
    made = target.reshape(shape)
    if made._base is None and not made._owned:
        refuse(
            f"{target.describe()} was changed in place (x.shape = ...), and its memory layout is not known",
            "Write `x = x.reshape(shape)`.",
        )
    if made._base is None:  # it had to be copied
        raise AttributeError(
            "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape."
        )
    for text, category in _warnings_of_set_shapes():
        provided.warn(text, category)
    if target._base is None:
        target._node = made._node
        return
    target._node, target._path, target._seen = made._node, made._path, made._seen


@functools.cache
def _warnings_of_set_shapes() -> list[tuple[str, type[Warning]]]:
    """NumPy's warnings of `x.shape = shape`: it is deprecated from NumPy 2.5 on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.zeros(1).shape = (1, 1)
    return [(str(warning.message), warning.category) for warning in caught]


def places_of(values: Iterable[Any]) -> dict[Place, Tensor]:
    """The places that writes into the arrays among some values would change, with their present tensors."""
    found: dict[Place, Tensor] = {}
    for value in values:
        if type(value) is not Tensor:
            continue
        base = value if value._base is None else value._base
        if base._node.types[0].kind is Kind.ARRAY and (base._owned or base._outside):
            place = Held(base, base._name())
            found[place] = place.load()
    return found


_ONE_BY_ONE = {"setitem": 1, "set_flat": 1, "fill_diagonal_in_place": 0}
"""The writes of elements one after the other, with the place of the value among their arguments."""


class FlatView:
    """`x.flat`: the elements in C order."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def _read(self) -> Tensor:
        return self._tensor._call(np.ravel, self._tensor)

    def __getitem__(self, index: Any) -> Any:
        found = self._read()[index]
        return found if found._node.type.kind is not Kind.ARRAY else found.copy()

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._tensor._node.type.kind is not Kind.ARRAY:  # NumPy writes into a copy
            self._tensor.dtype.type().flat[index] = ghost(value._node.type) if type(value) is Tensor else value
            return
        write(self._tensor, "set_flat", (index, value), {}, "x.flat[...] = value")

    def __iter__(self) -> Iterator[Any]:
        return one_by_one(self, len(self))

    def __len__(self) -> int:
        return len(self._read())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._read().__array__(dtype, copy)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return getattr(self._read(), name)


def refuse(what: str, fix: str) -> NoReturn:
    raise InPlaceWriteError(message(what, where(user_source(3)), fix))


provided.FlatView = FlatView
provided.write = write
provided.set_shape = set_shape
