"""Arrays that a branch makes and leaves: each becomes an array of the trace around it, and so do views and choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...ir.graph import Node
from ...ir.types import TensorType
from ..body import BodyTrace
from ..context import Trace
from ..state.place import Held
from ..tensor import Tensor
from ..tensor_parts.memory import Choice
from .choices import is_array
from .joins import refuse


class Leaving:
    """The results that the traced bodies of one node leave besides the values of variables. Asked first for those that
    are `needed`, given the Tensors of the node's further results (`types`, `column`) when it has been recorded, and
    then asked for the array that `stands_for` one of a body in the trace around it."""

    def __init__(self, bodies: Sequence[BodyTrace]) -> None:
        self._bodies = bodies
        self._found: dict[int, tuple[int, Tensor]] = {}
        self._made: dict[int, Tensor] = {}

    @property
    def types(self) -> list[TensorType]:
        return [tensor._node.types[0] for _, tensor in self._found.values()]

    def column(self, side: int) -> list[Node | None]:
        """The results of one body; None for those that are another body's."""
        return [tensor._node if of == side else None for of, tensor in self._found.values()]

    def are(self, made: Sequence[Tensor]) -> None:
        """Told the Tensors of the results, in order."""
        for (_, tensor), outer in zip(self._found.values(), made, strict=True):
            outer._born = tensor._born
            outer._owned, outer._aliased, outer._held = tensor._owned, tensor._aliased, tensor._held
            self._made[id(tensor)] = outer

    def needed(self, side: int, value: Tensor) -> bool:
        """Notes the values that the trace around needs to have an array that a body leaves. False where they are not
        known."""
        if not is_array(value):
            return False
        if value._home is not self._bodies[side]:
            return True
        if value._base is not None:
            _mapped(value._path, lambda tensor: self._value(side, tensor))
            return self.needed(side, value._base)
        if (found := value._choice) is not None:
            self._value(side, found.selector)
            are_known = [self.needed(side, option) for option in found.options]
            return all(are_known)
        self._found[id(value)] = side, value
        return True

    def _value(self, side: int, tensor: Tensor) -> Tensor:
        if tensor._home is self._bodies[side]:
            self._found[id(tensor)] = side, tensor
        return tensor

    def stands_for(self, value: Tensor, trace: Trace) -> Tensor:
        """The same array in the trace around."""
        if id(value) in self._made:
            return self._made[id(value)]
        if not any(value._home is body for body in self._bodies):
            return value
        made = Tensor(value._node, value._trace, owned=False)
        made._home = trace
        made._aliased, made._held = value._aliased, value._held
        if value._base is not None:
            made._base = self.stands_for(value._base, trace)
            made._path = _mapped(value._path, lambda tensor: self._made.get(id(tensor), tensor))
            made._base._is_viewed_by(made)
        else:
            found = value._choice
            assert found is not None
            options = tuple([self.stands_for(option, trace) for option in found.options])
            made._choice = Choice(found.op_name, self._made.get(id(found.selector), found.selector), options)
        self._made[id(value)] = made
        return made


def _mapped(item: Any, function: Callable[[Tensor], Tensor]) -> Any:
    """A step of a view with a function applied to the Tensors in it."""
    kind = type(item)
    if kind is Tensor:
        return function(item)
    if kind is slice:
        return slice(*[_mapped(part, function) for part in (item.start, item.stop, item.step)])
    if kind in (tuple, list):
        return kind([_mapped(part, function) for part in item])
    return item


def refuse_met_later(sides: Iterable[Iterable[Any]]) -> None:
    """Raises where a branch, of which each of these holds the places, has written into an array from outside, and one
    that was traced after it found that it shares its memory with an array that the first knows nothing of."""
    for place in [place for places in sides for place in places if isinstance(place, Held)]:
        if type(place.owner) is Tensor and place.owner._base is not None:
            refuse(
                f"a branch writes into {place.owner.describe()}",
                "another one uses an array that shares its memory",
                "Use that array before the branches, too.",
            )
