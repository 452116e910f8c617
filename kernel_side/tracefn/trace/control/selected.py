"""Which objects a selected list or dict may be: eager code selects one of several, and the trace has a copy.

A copy may leave the trace where none of the others does. Where two lists leave that may be one object in eager code,
the call runs eagerly, and so does a change of a list after it may have been selected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from ...errors import ControlFlowError, message
from ..active import current
from ..context import Trace
from ..kinds import is_choice
from ..origin import user_source, where
from ..tree import containers, parts
from ..values.graph_list import GraphList
from ..values.kept_items import is_lent
from .chosen import Chosen, ChosenDict, refuse_lent


class Selection(NamedTuple):
    """A list or dict, and the ids of those that it may be. Selections by one `step`, such as the items of a sorted
    list, are different objects."""

    value: Any
    may_be: frozenset[int]
    step: object = None


def note_selected(trace: Trace, made: Sequence[Any], options: Sequence[Any]) -> None:
    """Notes that `made`, the results of one step, are some of the `options`, and that each list and dict in them is one
    of those in its place there. From here on the options do not change."""
    if not isinstance(made[0], list | dict | tuple):
        return
    if not isinstance(made[0], tuple):
        found = [_selection(trace, option) for option in options]
        step = object() if len(made) > 1 and _are_apart(found) else None
        may_be = frozenset().union(*[selection.may_be for selection in found])
        trace.root.selected |= {id(value): Selection(value, may_be, step) for value in made}
        trace.options |= {id(option): option for option in options}
    columns = zip(*_held(made), strict=True), zip(*_held(options), strict=True)
    for made_there, options_there in zip(*columns, strict=True):
        note_selected(trace, made_there, options_there)


def _held(values: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [found.children for found in map(parts, values) if found is not None]


def _selection(trace: Trace, value: Any) -> Selection:
    """The objects that a list or dict may be. A copy of a selected one, as loops make, may be any of the options."""
    if (found := trace.root.selected.get(id(value))) is not None:
        return found
    if isinstance(value, Chosen | ChosenDict):
        return Selection(value, frozenset(trace.root.options | trace.options), trace.root)
    return Selection(value, frozenset({id(value)}))


def _are_apart(found: Sequence[Selection]) -> bool:
    """True where these are certainly different objects."""
    steps: dict[int, object] = {}
    return len({id(s.value) for s in found}) == len(found) and not any(_meets(selection, steps) for selection in found)


def _meets(selection: Selection, steps: dict[int, object]) -> bool:
    """True where a list or dict may be one of those before it, of which `steps` has the objects that they may be. It is
    added to them."""
    known = [steps[one] for one in selection.may_be if one in steps]
    steps |= dict.fromkeys(selection.may_be, selection.step)
    return any(step is None or step is not selection.step for step in known)


def may_be_one(left: Any, right: Any) -> bool:
    """True where two lists or dicts, of which a traced value has selected one, may be one object."""
    trace = current()
    if trace is None or left is right or not isinstance(left, list | dict) or not isinstance(right, list | dict):
        return False
    is_selected = any(isinstance(value, Chosen | ChosenDict) for value in (left, right))
    return is_selected and not _are_apart([_selection(trace, left), _selection(trace, right)])


def refuse_leaving(value: Any) -> None:
    """Raises for a list or dict that leaves the trace, and that may be one from outside or another that leaves."""
    trace = current()
    if trace is None:
        return
    _refuse_copies(trace, value)
    if trace.root.selected:
        for _, held in containers(value, ()):
            if isinstance(held, list | dict) and id(held) not in trace.root.leaving:
                trace.root.leaving[id(held)] = held
                if _meets(_selection(trace, held), trace.root.steps_of_leaving):
                    _refuse("a list or dict is returned or stored that may be another one which is, too")


def _refuse_copies(trace: Trace, value: Any) -> None:
    """Raises for a list or dict of which the trace has a copy, and which lives outside as well."""
    if is_choice(value):
        for option in value.values:
            _refuse_copies(trace, option)
    if not issubclass(type(value), list | dict | set | tuple):
        return
    if is_lent(trace, value):
        refuse_lent("leaves the function", "tuple" if isinstance(value, tuple) else "list, dict or set")
    is_staged = type(value) is GraphList and value.is_staged
    if is_staged or not (trace.root.chose_outside or trace.root.lent or trace.root.kept_items):
        return
    if isinstance(value, Chosen | ChosenDict):
        _refuse("a list or dict from outside is returned or stored, and a traced value decides which of several it is")
    for held in dict.values(value) if isinstance(value, dict) else value:
        _refuse_copies(trace, held)


def _refuse(what: str) -> NoReturn:
    raise ControlFlowError(message(what, where(user_source(3)), "Return a copy, or choose by a Python value."))
