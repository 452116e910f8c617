"""Refusals of values that a loop of the graph cannot carry."""

from __future__ import annotations

from collections import deque
from typing import Any

from ....errors import ControlFlowError, InPlaceWriteError, message
from ...keys import key_text
from ...origin import user_source, where
from ...references import holders
from ...state.compared import same_value
from ...state.place import MISSING, Contents, Held, Place
from ...tensor import Tensor
from ...tree import containers
from ..branches import is_own
from ..chosen import leads_to_changes
from ..joins import is_value, line_of_value, refuse, value_type
from ..outside_containers import is_outside_container, may_change
from ..undefined import Maybe


def written_and_replaced(path: str, other: str, swaps: bool) -> InPlaceWriteError:
    """The refusal of a round that writes into an array and gives its name another one; `swaps` says whether that is an
    array of the loop's, too. `other` is the name of an array of before the loop."""
    refusal = InPlaceWriteError(
        message(
            f"a round of the loop writes into the array `{path}` and gives the name another one: its "
            "aliases are not known",
            where(user_source(4)),
            f"Make `{other}` an own array before the loop: `{other} = {other}.copy()`.",
        )
    )
    refusal.swaps = swaps  # type: ignore[attr-defined]
    return refusal


def check_kind(path: str, was: Any, now: Any) -> None:
    """Raises where a round changes a value that is no array or number, or leaves something else in the place of one."""
    is_equal = was is not now and not is_value(was) and same_value(was, now)
    if is_equal and may_change(now):
        raise no_way(f"a round of the loop gives `{path}` an equal container", "Change the one that it has.")
    if not is_value(was) and was is not now and not is_equal:
        what = f"a round of the loop changes `{path}`, which is no array or number"
        refuse(what, f"{was!r} → {now!r}{line_of_value(now)}")
    if is_value(was) and not is_value(now):
        refuse(f"a round of the loop sets `{path}` to no array or number", f"{value_type(was)!r} → {now!r}")


def no_way(what: str, fix: str) -> ControlFlowError:
    """The refusal of a body that no way to stage its loop mends: the others are not tried."""
    refusal = ControlFlowError(message(what, where(user_source(4)), fix))
    refusal.is_final = True  # type: ignore[attr-defined]
    return refusal


def refuse_one_in_two(state: dict[Any, Any], entered: dict[Any, Any]) -> None:
    """Raises where a round makes one list, dict or the like and leaves it in two places, or leaves one that has another
    name: the carried values would be two.

    `entered` is the state that the round found.
    """
    _refuse_shared(state, entered)
    places: dict[int, Any] = {}
    for key, value in state.items():
        if isinstance(key, Contents | Held) or value is entered.get(key):
            continue
        is_bare = may_change(value) and isinstance(value, set | deque)
        for _, held in [("", value)] if is_bare else containers(value, ()):
            other = places.setdefault(id(held), key)
            if other != key and not is_outside_container(held) and any(isinstance(k, Place) for k in (key, other)):
                raise _one_in_two(held, other, key)
    for key, value in state.items():
        if isinstance(key, Contents) and value is not entered.get(key):
            for place, held in containers(value, ()):
                if place and (other := places.get(id(held))) is not None and not is_outside_container(held):
                    raise _one_in_two(held, other, key)


def _one_in_two(held: Any, first: Any, second: Any) -> ControlFlowError:
    what = f"a round of the loop puts one {type(held).__name__} into `{first}` and `{second}`"
    return no_way(what, "Make a copy of it for one of them.")


def _refuse_shared(state: dict[Any, Any], entered: dict[Any, Any]) -> None:
    found = {id(value) for value in entered.values()}
    for key in state:
        if isinstance(key, Contents | Held) or id(state[key]) in found or not leads_to_changes(state[key]):
            continue
        is_held = holders(state[key]) > 2  # state, and variable or changes
        if not is_outside_container(state[key]) and (is_held or _has_shared(state[key], entered.get(key))):
            kind = "tuple with a list" if isinstance(state[key], tuple) else "list or dict"
            what = f"a round of the loop gives `{key}` a {kind} that has another name"
            raise no_way(what, "Make a copy of it: `dict(d)`, `list(items)`.")


def _has_shared(container: Any, entered: Any) -> bool:
    """True if something else holds a list or dict that is in one, but for those that the round has found there."""
    known = {id(held) for _, held in containers(entered, ())}

    def is_shared(around: Any, key: Any) -> bool:
        if not leads_to_changes(around[key]) or id(around[key]) in known or is_outside_container(around[key]):
            return False
        return holders(around[key]) > 1 or any(is_shared(around[key], inner) for inner in _keys(around[key]))

    return any(is_shared(container, key) for key in _keys(container))


def _keys(container: Any) -> Any:
    return container.keys() if isinstance(container, dict) else range(len(container))


def found_before(place: Any, before: Any, after: Any) -> Any:
    """The value of a place before the loop. Raises `ControlFlowError` for one that rounds set, and nothing before."""
    if before is MISSING:
        value = after.value if type(after) is Maybe else after
        shown = value.describe() if type(value) is Tensor else key_text(value)
        refuse(f"`{place}` is set in a loop that may not run", shown, f"Set `{place}` before the loop.")
    return before


def is_of_others(value: Any) -> bool:
    """True for an array that more than one variable shows, or that the function has not made."""
    return type(value) is Tensor and value._node.type.has_memory and not is_own(value)


def is_view(place: Any) -> bool:
    """True for the place of an array that has turned out to be another one, which has a place."""
    return isinstance(place, Held) and type(place.owner) is Tensor and place.owner._base is not None
