"""The values of names after a loop: the arrays of before it, or those that rounds made."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from ....errors import InPlaceWriteError, message
from ....ir.types import Kind
from ...aliasing.views import doubt
from ...aliasing.writes import rebind
from ...body import BodyTrace
from ...context import Trace
from ...origin import user_source, where
from ...state.place import Place
from ...tensor import Tensor
from ..branches import is_own, may_show, store_places
from ..choices import is_array
from ..joins import StandIn, value_type
from ..undefined import Maybe
from .layouts import CarriedLayouts
from .rounds import RAN, Rounds

State = dict[Any, Any]
"""The carried values, by the name of a variable or by place."""


class Ambiguous(InPlaceWriteError):
    """A name stands for an array of before the loop or for another one."""


class LoopResults(Rounds, CarriedLayouts):
    """The part of a loop's state that tells its values after the loop."""

    _entered: dict[Any, Any]
    _kept: set[Any]
    _shared: set[Any]
    _replaced: set[Any]
    _given: dict[Any, Tensor]
    _written_firsts: Callable[[], list[Tensor]]
    filled: Callable[[Iterable[Any]], State]

    @property
    def tells_whether_it_ran(self) -> bool:
        """True if a first round makes a Python number one of another type, or puts an own array in the place of one
        that others may show."""
        pairs = list(zip(self._first, self.types, strict=True))
        if any(value_type(v).kind is Kind.PYTHON and value_type(v) != t for v, t in pairs):
            return True
        return any(map(operator.ne, self.owned(ran=True), self.owned(ran=False)))

    def owned(self, ran: bool) -> list[bool]:
        """For each carried leaf, whether it shares no memory with anything around the loop."""
        leaves = zip(self._carried, self._first, self._last, strict=True)
        return [
            leaf not in self._given and is_own(last) and (is_own(first) or (ran and self._is_new(last)))
            for leaf, first, last in leaves
        ]

    def check(self, ran: bool) -> None:
        """Raises `Ambiguous` where it is not certain which array a name stands for after the loop."""
        for leaf, owned, first, last in zip(self._carried, self.owned(ran), self._first, self._last, strict=True):
            is_followed = is_array(first) or (type(first) is StandIn and first.type.has_memory)
            if type(leaf[0]) is str and not owned and is_followed and not self._is_passed(leaf, last):
                what = f"after the loop `{leaf[1]}` is the array of before it, or one that a round made"
                raise Ambiguous(message(what, where(user_source(4))))

    def _is_passed(self, leaf: tuple[Any, str], last: Any) -> bool:
        """True for an array that no round puts another one in the place of."""
        return any(last is found and leaf == other for other, found in zip(self._carried, self._inputs, strict=True))

    def _is_new(self, last: Any) -> bool:
        """True for an array that each round makes."""
        return not any(last is found for found in self._inputs)

    def _is_alone(self, last: Any, body: BodyTrace) -> bool:
        """True if a value after a round is an array of that round which no other variable shows, or has no memory."""
        if type(last) is not Tensor or not last._node.type.has_memory:
            return True
        others = [other for other in self._last if type(other) is Tensor and other is not last]
        if not last._owned or last._home is not body or len(others) + 1 < sum(type(v) is Tensor for v in self._last):
            return False
        return not any(v._base is last or id(last) in v._doubts for v in others)

    def after(self, trace: Trace, values: Iterable[Any], ran: bool) -> State:
        """The state after the loop, whose places it changes. `ran` says that there was at least one round."""
        for key in () if ran else self._replaced:
            what = f"after the loop `{key}` is the list or dict of before it, or one that a round made"
            raise InPlaceWriteError(message(what, where(user_source(4)), f"Copy it before the loop: `list({key})`."))
        tensors = self._as_before_or_after(trace, list(values))
        for position, (leaf, first, last) in enumerate(zip(self._carried, self._first, self._last, strict=True)):
            if is_array(first) and type(leaf[0]) is str and self._is_passed(leaf, last):
                if last._node is not self._found[position]:
                    rebind(first, tensors[position])
                tensors[position] = first
        for first in self._written_firsts():  # another name may hold it, and has not seen that
            if first._home is trace and not any(tensor is first for tensor in tensors):
                tensor = tensors[next(i for i, f in enumerate(self._first) if f is first)]
                first._doubts = {**first._doubts, id(tensor): (tensor, first._node)}
        swapped = [f for f, last in zip(self._first, self._last, strict=True) if any(last is i for i in self._inputs)]
        for tensor, first, last in zip(tensors, self._first, self._last, strict=True):
            if all(type(v) is Tensor and v._base is v._choice is None for v in (first, last)):
                trace.root.rounds[tensor._node] = first._born, last._born
        for tensor, first, last in zip(tensors, self._first, self._last, strict=True):
            if tensor is not first and not tensor._owned:
                may_show(tensor, [first, last, *swapped])
        state = self.filled(tensors)
        if ran:
            set_by_round = {path for (_, path), v in zip(self._carried, self._last, strict=True) if v is True}
            for key, value in state.items():
                if type(value) is Maybe and f"{key}[1]" in set_by_round:
                    state[key] = value.value
        state.pop(RAN, None)
        store_places(trace, state)
        for leaf, tensor, first in zip(self._carried, tensors, self._first, strict=True):
            if leaf in self._given and tensor is not first:
                base = given._base if (given := self._given[leaf])._base is not None else given
                base._is_viewed_by(tensor)
                doubt(tensor, base)
        self._let_go()
        return {key: value for key, value in state.items() if not isinstance(key, Place)}

    def _let_go(self) -> None:
        """Lets go of the places: objects that a round of a loop around made are gone once nothing holds them."""
        self._number_leaves()
        self._init, self._trees, self._entered, self._leaves, self._given = {}, {}, {}, [], {}
        self._kept, self._shared, self._replaced, self._first_round = set(), set(), set(), None
