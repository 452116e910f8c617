"""Lists and dicts made in the trace that a traced value selects: a choice of their parts, which is read-only.

A choice is made of the parts, which leaves a container of its own. Where the ones that it was made of live on, a change
would have to go to one of them, and which, only the call knows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from ...errors import ControlFlowError, message
from ..active import current
from ..context import Trace
from ..kinds import is_choice
from ..origin import user_source, where
from ..references import holders
from ..state.compared import same_value
from ..state.place import MISSING, Contents, Place
from ..tensor import Tensor
from ..trace_parts.container_steps import ContainerStep
from ..tree import containers
from ..values.graph_list import GraphList
from ..values.kept_items import is_lent, round_of
from .outside_containers import is_outside_container
from .undefined import Undefined


class _Chosen:
    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], Any]:
        return tuple(self), None  # type: ignore[arg-type]

    @classmethod
    def __tracefn_unflatten__(cls, metadata: Any, children: tuple[Any, ...]) -> Any:
        return list(children) if current() is None else cls(children)  # type: ignore[call-arg]


class Chosen(_Chosen, list[Any]):
    """A list that a traced value selects."""


class ChosenDict(_Chosen, dict[Any, Any]):
    """A dict that a traced value selects, from dicts with equal keys."""

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], Any]:
        return tuple(self.values()), tuple(self)

    @classmethod
    def __tracefn_unflatten__(cls, metadata: Any, children: tuple[Any, ...]) -> Any:
        made = dict(zip(metadata, children, strict=True))
        return made if current() is None else cls(made)


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        refuse_change()

    method.__name__ = name
    return method


for _name in (
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "__setitem__", "__delitem__", "__iadd__",
    "__imul__",
):  # fmt: skip
    setattr(Chosen, _name, _refusing(_name))
for _name in ("update", "pop", "popitem", "clear", "setdefault", "__setitem__", "__delitem__", "__ior__"):
    setattr(ChosenDict, _name, _refusing(_name))


def refuse_change() -> NoReturn:
    raise ControlFlowError(
        message(
            "a list or dict is changed, and a traced value says which of several it is",
            where(user_source(2)),
            "Keep the values in an array with one more axis, or choose by a Python value.",
        )
    )


def refuse_option(owner: Any) -> None:
    """Raises for a change of a list or dict that is an option of a choice: the selected value may be an alias of it."""
    trace = current()
    if trace is not None and (trace.is_option(owner) or isinstance(owner, _Chosen)):
        refuse_change()
    if trace is not None and is_lent(trace, owner):
        refuse_lent("is changed")


def lend(trace: Trace, value: Any) -> None:
    """Notes an item of an iterator that is held elsewhere, too: its arrays are not to be written into, and its lists
    and dicts, of which the trace has copies, neither change nor leave."""
    if type(value) is Tensor:
        value._owned = False
    if isinstance(value, tuple | list | dict):
        if not isinstance(value, tuple):
            trace.root.lent[id(value)] = value
        for held in value.values() if isinstance(value, dict) else value:
            lend(trace, held)


def refuse_lent(what: str, kind: str = "list, dict or set") -> NoReturn:
    text = f"a {kind} that an iterator, a library or a list of the graph holds, too, {what}"
    error = ControlFlowError(message(text, where(user_source(3)), "Make a copy of it."))
    error.is_final = True  # type: ignore[attr-defined]
    raise error


def keep_chosen(trace: Trace, options: Iterable[Any], chosen: Any) -> None:
    """Notes that what branches leave may be an item of a list of the graph, where one of these `options` of theirs
    is."""
    if type(chosen) is not Tensor and any(
        is_lent(trace, held) for option in options for _, held in containers(option, ())
    ):
        found = {id(held): held for _, held in containers(chosen, ()) if isinstance(held, list | dict)}
        round_of(trace).kept_items |= found


def frozen(value: Any) -> Any:
    """A selected value: its lists and dicts are read-only, but for those from outside, which stay the same objects."""
    if is_outside_container(value):
        return value
    trace = current()
    if trace is not None and type(value) in (list, dict, GraphList):
        trace.options[id(value)] = value
    if type(value) is list or (type(value) is GraphList and not value.is_staged):
        return Chosen([frozen(held) for held in value])
    if type(value) is dict:
        return ChosenDict({key: frozen(held) for key, held in value.items()})
    if type(value) is tuple:
        return tuple([frozen(held) for held in _items(value)])
    if isinstance(value, set):
        refuse_change()
    if is_choice(value):
        return type(value)(value.fixed, value.numbers, value.which, *map(frozen, value.values))
    return value


def _items(value: tuple[Any, ...]) -> list[Any]:
    """The items of a tuple; each call reads those of one from outside."""
    trace = current()
    if trace is None or not trace.is_outside(value):
        return list(value)
    return [trace.observe(value, "item", i, held) for i, held in enumerate(value)]


def keep_shared(left: Sequence[dict[Any, Any]], keys: Sequence[Any], exists: Callable[[Any], bool]) -> None:
    """Has lists and dicts stay the objects that they are, where branches leave several under a key and other names hold
    them, too. Those that are made in a round of a loop are others in the next one."""
    trace = current()
    while trace is not None and not trace.repeats:
        trace = getattr(trace, "parent", None)
    if trace is not None or (trace := current()) is None:
        return
    for key in keys:
        if isinstance(key, Contents) or all(side[key] is left[0][key] for side in left):
            continue
        sides = [side for side in left if not _is_fixed(side[key])]
        if all(may_live(side[key]) and exists(side[key]) for side in sides) and _are_shared(sides, key):
            trace.root.living |= {id(side[key]): side[key] for side in sides if not is_outside_container(side[key])}


def _is_fixed(value: Any) -> bool:
    """True where a branch leaves nothing, or a choice of objects."""
    return value is None or value is MISSING or type(value) is Undefined or is_choice(value)


def may_live(value: Any) -> bool:
    return type(value) in (list, dict) or (type(value) is GraphList and not value.is_staged)


def leads_to_changes(value: Any) -> bool:
    """True for lists and dicts, and for tuples that hold some: an alias of the tuple shows their mutations."""
    return any(map(leads_to_changes, tuple.__iter__(value))) if isinstance(value, tuple) else may_live(value)


def _are_shared(left: Sequence[dict[Any, Any]], key: Any) -> bool:
    """True if lists or dicts that branches leave under a key are also held elsewhere."""
    return any(_is_shared(side, key, [p.owner for p in side if isinstance(p, Place)]) for side in left)


def settle_containers(left: Sequence[dict[Any, Any]], key: Any) -> list[Any]:
    """The values that branches leave under a key. They are read-only if they contain lists or dicts that are also held
    elsewhere and differ between branches."""
    values = [side[key] for side in left]
    if type(values[0]) in _BARE and any(v is not values[0] for v in values):
        del values
        _refuse_equal(left, key)
        values = [side[key] for side in left]
    others = [v for v in values if type(v) is not Tensor]  # which is asked for its class
    if not any(isinstance(v, list | dict | tuple) for v in others) or all(v is values[0] for v in values):
        return values
    del values, others
    if not _are_shared(left, key) and not any(_is_frozen(side[key]) for side in left):
        return [side[key] for side in left]
    return [frozen(side[key]) for side in left]


_BARE = frozenset({set, deque, bytearray})
"""Containers that are no structures of values."""


def _refuse_equal(left: Sequence[dict[Any, Any]], key: Any) -> None:
    """Raises where branches leave equal containers, of which another name holds one: only the call tells which."""
    first = left[0]
    if all(same_value(first[key], side[key]) for side in left) and any(holders(side[key]) > 1 for side in left):
        what = f"the branches give `{key}` equal containers, and another name holds one of these"
        raise ControlFlowError(message(what, where(user_source(3)), "Make a copy of it."))


def _is_frozen(value: Any) -> bool:
    return isinstance(value, _Chosen) or (is_choice(value) and any(map(_is_frozen, value.values)))


def _is_shared(container: Any, key: Any, changed: Sequence[Any]) -> bool:
    """True if a list or dict in a container is held by something else. `changed` has those that are known to be
    changed, which a place and this list hold."""
    kind = type(container[key])
    if kind not in (list, dict, tuple, GraphList) or (kind is GraphList and container[key].is_staged):
        return False
    held = 2 * sum(c is container[key] for c in changed)
    is_named = kind is not tuple or (leads_to_changes(container[key]) and not isinstance(key, ContainerStep))
    if is_named and holders(container[key]) > 1 + held:
        return True
    keys = container[key].keys() if kind is dict else range(len(container[key]))
    return any(_is_shared(container[key], inner, changed) for inner in keys)
