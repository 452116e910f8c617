"""An array that is one of several, as a traced value decides: reads show that one, and writes go into it.

Where the branches of an `if` leave a variable with different arrays, the variable stands for a *choice* between these.
Neither is copied: a write into the choice is one into the array that it is, in a branch for each, and a write into one
of them shows in the choice.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import InPlaceWriteError, message
from ...ir.types import Kind
from .. import provided
from ..aliasing.views import is_around, roots
from ..body import BodyTrace
from ..context import Trace
from ..origin import user_source, where
from ..references import ITEM, holders
from ..tensor import Tensor
from ..tensor_parts.memory import Choice
from .record import bodies_of, record
from .targets import MAX_NESTED, MAX_WAYS, Targets

MOST_WRITES = 1000
"""The budget of writes into choices, those of loops that are traced again included: each choice doubles the work."""

MAX_WRITTEN, MAX_READ = 32, 1024
"""The most paths from nested choices to arrays: each path is a branch of its own."""


def choice(trace: Trace, op_name: str, selector: Any, options: tuple[Tensor, ...], like: Tensor) -> Tensor:
    """The array that is one of the `options`; `like` stands for its present content."""
    if all(option is options[0] for option in options):
        return options[0]
    like._owned = False
    like._choice = Choice(op_name, selector, options)
    is_small = like._choice.depth <= MAX_NESTED and like._choice.ways <= MAX_WAYS
    targets = Targets(like._choice) if is_small else None
    if targets is not None and targets.are_fewer and not targets.are_doubtful:
        return _of_number(targets.which(trace), targets, like)
    for option in options:
        option._aliased = True  # a name that holds it does not hold it alone
    return like


def _of_number(which: Any, targets: Targets, like: Tensor) -> Tensor:
    """The array of this number among the targets; `like` stands for its content."""
    like._choice = None
    arrays = [along(base, path) if shown is None else shown for base, path, shown in targets.found]
    if type(which) is int:
        base, path, _ = targets.found[which]
        base._aliased = True
        if not path:
            return base
        like._base, like._path = base, path
        base._is_viewed_by(like)
        return like
    last = arrays.pop()
    for number, array in reversed(list(enumerate(arrays))):
        held = Tensor(like._node, like._trace, owned=False) if number else like
        held._choice = Choice("cond", which == number, (array, last))
        array._aliased = last._aliased = True
        last = held
    return last


def is_up_to_date(tensor: Tensor) -> None:
    """Notes that a choice, or a view that is the only option of one, stands for its present content."""
    if tensor._base is not None:
        tensor._seen = tensor._base._node
    elif tensor._choice is not None:
        tensor._seen = tuple([root._node for root in roots(tensor)])


def read(trace: Trace, tensor: Tensor) -> None:
    """Makes a choice stand for its present content, as a value of this trace."""
    now = tuple([root._node for root in roots(tensor)])
    if tensor._seen is not None and _are(now, tensor._seen) and is_around(tensor._trace, trace):
        return
    found = tensor._choice
    assert found is not None
    _check(found, MAX_READ)
    sides = []
    for name, option in zip(found.names, found.options, strict=True):
        body = BodyTrace(trace, name)
        body.is_branch = True
        with body.active():
            node = body.node_of(option)
        sides.append((body, [node]))
    bodies, outer = bodies_of(sides)
    (value,) = record(trace, found.op_name, [found.selector, *bodies, outer], [tensor._node.types[0]])
    tensor._node, tensor._trace = value._node, trace
    trace.refreshed.append(weakref.ref(tensor))
    is_up_to_date(tensor)


def _are(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


def write_chosen(trace: Trace, target: Tensor, write: Callable[[Tensor], None]) -> None:
    """Writes into the array that a choice, or a view of one, is."""
    trace.root.writes_chosen += 1
    if trace.root.writes_chosen > MOST_WRITES:
        what = f"{target.describe()} is written to in place, and is one of too many arrays"
        raise InPlaceWriteError(message(what, where(user_source(4)), "Write into a copy: `x = x.copy()`."))
    base = target if target._base is None else target._base
    found = base._choice
    assert found is not None
    _check(found, MAX_WRITTEN)
    sides = [
        provided.run_side(trace, name, lambda option=option: _wrote(write, along(option, target._path)))
        for name, option in zip(found.names, found.options, strict=True)
    ]
    provided.choose(trace, found.op_name, found.selector, sides)


def of_chosen(trace: Trace, target: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """The result of a function for the array that a choice, or a view of one, is: in a branch for each."""
    found = (target if target._base is None else target._base)._choice
    assert found is not None
    _check(found, MAX_WRITTEN)
    sides = [
        provided.run_side(trace, name, lambda option=option: {"result": function(along(option, target._path))})
        for name, option in zip(found.names, found.options, strict=True)
    ]
    result: Tensor = provided.choose(trace, found.op_name, found.selector, sides)["result"]
    return result


def _check(choice: Choice, most: int) -> None:
    if choice.ways > most:
        raise InPlaceWriteError(
            message(
                "many branches decide which of many arrays a variable is",
                where(user_source(4)),
                "Copy the array before it is written into: `x = x.copy()`.",
            )
        )


def _wrote(write: Callable[[Tensor], None], option: Tensor) -> dict[Any, Any]:
    write(option)
    return {}


def along(array: Tensor, path: tuple[Any, ...]) -> Tensor:
    """The view at the end of a path from an array."""
    if not path:
        return array
    base = array if array._base is None else array._base
    view = Tensor(array._node, array._trace, owned=False)
    view._base, view._path = base, (*array._path, *path)
    base._is_viewed_by(view)
    return view


def is_private(tensor: Tensor) -> bool:
    """True for a choice between arrays that nothing else shows: it may be an array of its own."""
    held: dict[int, int] = {}
    parts: list[Tensor] = []
    for option in all_options(tensor):
        if id(option) not in held:
            parts.append(option)
        held[id(option)] = held.get(id(option), 0) + 1
    for part in parts:
        if part._base is not None or part._held or part._doubts or not (part._owned or part._choice is not None):
            return False
    return all(holders(part) - ITEM <= held[id(part)] for part in parts)


def is_own_now(trace: Trace, tensor: Tensor) -> bool:
    """Makes a choice between arrays that nothing else shows an array of its own. False where there are others."""
    if tensor._home is not trace or not is_private(tensor):
        return False
    tensor._node, tensor._trace = trace.node_of(tensor), trace
    tensor._choice, tensor._seen, tensor._owned = None, None, True
    return True


def all_options(tensor: Tensor) -> Iterator[Tensor]:
    """The arrays that a choice may be, those of choices among them included."""
    seen = set()
    waiting = [tensor]
    while waiting:
        found = waiting.pop()._choice
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        yield from found.options
        waiting += found.options


def is_array(value: Any) -> bool:
    """True for an array of which it is known which arrays it shares memory with."""
    if type(value) is not Tensor or value._node.types[0].kind is not Kind.ARRAY:
        return False
    base = value if value._base is None else value._base
    return base._owned or base._outside or base._choice is not None


provided.read_choice = read
provided.is_own_now = is_own_now
provided.write_chosen = write_chosen
