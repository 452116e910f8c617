"""Branches: one of several functions runs, chosen by a traced value at each call."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...ir.graph import Node
from ...ir.infer import may_raise
from ...ir.types import Kind, TensorType
from ...ops.control import branch_at
from ...records import dataclass
from .. import provided
from ..active import current
from ..aliasing.views import doubt
from ..body import BodyTrace, NeverReturns
from ..code.bytecode import line_of
from ..code.plain import stored
from ..context import Trace
from ..keys import key_text
from ..kinds import is_variable
from ..reads import as_value, in_trace
from ..state.compared import same_value
from ..state.place import Contents, Held, Place
from ..tensor import Tensor
from ..this_call import now
from ..tree import Tree, flatten, parts
from ..values.symbolic_int import SymbolicInt
from .choices import choice, is_array, is_private, is_up_to_date
from .chosen import keep_chosen, keep_shared, settle_containers
from .joins import StandIn, are_of_one_type, common, is_found, is_value, meet, node_of, refuse, structure, value_type
from .leaving import Leaving, refuse_met_later
from .one_object import OneObject
from .operations import do_again, operations_of, taken_apart, with_changed_containers
from .outside_containers import NO_CONTAINERS, flatten_made, is_outside_container
from .record import bodies_of, name_of, record
from .undefined import Maybe
from .unlike import settle
from .unsettled import complete, settle_contents


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any) -> Any:
    """`true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`; only one of the two runs at each call.

    `pred` is a Python bool, or an array or NumPy value of one element. Where it is traced, both functions are traced
    and must return the same structure with the same dtypes and ranks; a Python number takes the other side's dtype.
    Raises `ControlFlowError` where they do not.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: cond(x.sum() > 0, lambda: x * 2, lambda: -x))
    >>> f(np.array([1.0, 2.0])), f(np.array([-1.0, -2.0])), f.tracing_count
    (array([2., 4.]), array([1., 2.]), 1)
    """
    trace, pred = current(), now(in_trace(pred))
    if trace is None or not isinstance(pred, Tensor):
        return true_fn(*operands) if pred else false_fn(*operands)
    check_condition(pred)
    return _choose(trace, "cond", pred, {"if_true": true_fn, "if_false": false_fn}, operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """`branches[index](*operands)`; only that branch runs at each call.

    `index` is a Python int, or an integer NumPy value or array without axes; a negative one counts from the end. Where
    it is traced, all branches are traced and must return the same structure with the same dtypes and ranks; a Python
    number takes the dtype of the other branches. Raises `ControlFlowError` where they do not, and `IndexError`, in a
    trace at the call, where there is no such branch.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda n, x: switch(n, [np.sin, np.cos, lambda x: 0], x))
    >>> [f(np.int64(n), np.zeros(1)[0]) for n in (0, 1, -1)], f.tracing_count
    ([np.float64(0.0), np.float64(1.0), np.float64(0.0)], 1)
    """
    trace, index = current(), now(in_trace(index))
    if trace is None or not isinstance(index, Tensor):
        return branch_at(branches, index)(*operands)
    _check_index(index)
    if not branches:
        refuse("a switch has no branches", "nothing to choose from", "Give it at least one function.")
    return _choose(trace, "switch", index, {f"branch_{i}": b for i, b in enumerate(branches)}, operands)


def _choose(
    trace: Trace, op_name: str, selector: Tensor, functions: dict[str, Callable[..., Any]], operands: tuple[Any, ...]
) -> Any:
    """Traces every branch and records the choice between them."""
    sides = [run_side(trace, name, lambda f=f: {"result": f(*operands)}) for name, f in functions.items()]  # type: ignore[misc]
    return choose(trace, op_name, selector, sides)["result"]


@dataclass
class Side:
    """A branch that was traced: the values that it leaves, by variable or place; None where it ends by raising.
    `written` and `shown` have, by the id of an array or view, its content at the branch's end."""

    body: BodyTrace
    values: dict[Any, Any] | None
    function: Any = None
    written: dict[int, Tensor] = dataclasses.field(default_factory=dict)
    operations: dict[Any, Any] = dataclasses.field(default_factory=dict)
    shown: dict[int, Tensor] = dataclasses.field(default_factory=dict)

    def value(self, key: Any) -> Any:
        return None if self.values is None else self.values[key]


def run_side(
    trace: Trace, name: str, run: Callable[[], dict[Any, Any]], function: Any = None, is_call: bool = False
) -> Side:
    """Traces a branch, or a body that runs in any case (`is_call`). Its changes are taken back, and are among the
    values that it leaves.

    `function` is the Python function whose code says in which line a variable is set.
    """
    body = BodyTrace(trace, name, is_call)
    body.is_branch = not is_call or trace.is_branch
    try:
        values: dict[Any, Any] | None = body.run(run) if is_call else body.run_or_raise(run)
    except NeverReturns:
        values = None
    body.ended = False
    shown = {} if values is None else _shown_by(body, [*values.values(), *[p.load() for p in body.journal.places()]])
    operations = operations_of(body.journal)
    changes = body.journal.take_back()
    if values is not None:
        values |= {place: after for place, (_, after) in changes.items()}
    return Side(body, values, function, written_arrays(changes), operations, shown)


def _shown_by(body: BodyTrace, values: Iterable[Any]) -> dict[int, Tensor]:
    """The content of views and choices among the values that a branch leaves, at its end."""
    found: dict[int, Tensor] = {}
    for value in values:
        for _, leaf in [("", value)] if type(value) is Tensor else flatten(value)[0]:
            if type(leaf) is Tensor and (leaf._base is not None or leaf._choice is not None):
                found[id(leaf)] = Tensor(body.node_of(leaf), body, owned=False)
    return found


def written_arrays(changes: dict[Place, tuple[Any, Any]]) -> dict[int, Tensor]:
    """By the id of a Tensor that a body has written into, its tensor at the end of the body."""
    return {id(place.owner): after for place, (_, after) in changes.items() if type(place.owner) is Tensor}


def choose(trace: Trace, op_name: str, selector: Tensor | None, sides: Sequence[Side]) -> dict[Any, Any]:
    """Records the choice between traced branches. Returns the values afterwards; changes of places are made.

    Raises `ControlFlowError` naming the variable where the branches leave it with values that do not fit together, and
    `NeverReturns` where all of them end by raising.
    """
    refuse_met_later([side.values or () for side in sides])
    changed = with_changed_containers(sides, functools.partial(_is_container, sides=sides))
    steps = taken_apart(sides)
    complete(trace, sides)
    returning = [side for side in sides if side.values is not None]
    keys = list(returning[0].values or ()) if returning else []
    outputs: list[list[Node]] = [[] for _ in sides]
    types: list[TensorType] = []
    names: list[str] = []
    owned: list[bool] = []
    shown: list[list[Any]] = []
    given_by: list[list[Any]] = []
    leaving = Leaving([side.body for side in sides])
    keep_shared([side.values or {} for side in returning], keys, functools.partial(_is_container, sides=returning))
    after: dict[Any, tuple[Tree, list[Any], Sequence[Any]]] = {}
    unchanged: dict[Any, Any] = {}
    for key in keys:
        is_plain = not isinstance(key, Contents) and are_of_one_type([side.value(key) for side in returning])
        if is_plain:
            values = [side.value(key) for side in returning]
        else:
            values = settle_containers([side.values or {} for side in returning], key)
            if isinstance(key, Contents):
                values = settle_contents(trace, key, values, [side.body for side in returning])
            if all(v is values[0] for v in values) and _is_container(values[0], returning):
                unchanged[key] = values[0]  # itself, whatever is in it
                continue
            values = settle(trace, key, values, [side.body for side in returning])
        flat = [flatten_made(value, str(key)) for value in values]
        tree = flat[0][1]
        if any(other != tree for _, other in flat):
            found = [_shown(v) if t.is_leaf else structure(t) for (_, t), v in zip(flat, values, strict=True)]
            refuse(f"the branches give `{key}` different structures", _compared(returning, key, found))
        leaves: list[Any] = []
        for position, (path, first) in enumerate(flat[0][0]):
            parts = [found[position][1] for found, _ in flat]
            first = next((v for v in parts if type(v) is not StandIn), first)  # its stand-in is never read
            if all(type(v) is StandIn or _is_same(first, v) for v in parts) and not _is_of_body(first, returning):
                leaves.append(first)
                continue
            variables = parts
            parts = [_value_in(side, v) for side, v in zip(returning, parts, strict=True)]
            if not all(map(is_value, parts)):
                found = [_shown(v) for v in parts]
                detail = _compared(returning, key, found)
                refuse(f"the branches differ in `{path}`, and it is no array or number", detail)
            if all(type(v) is StandIn for v in parts):
                leaves.append(first)
                continue
            is_known = not isinstance(key, Held) and _are_arrays(leaving, sides, variables)
            owned.append(not is_known and all(map(is_own, parts)))
            parts = meet(parts, [s.body for s in returning])
            joined = common(parts)
            if joined is None:
                if isinstance(key, Held):
                    key.owner.stays_plain()
                found = [repr(value_type(v)) for v in parts]
                refuse(f"the branches differ in `{path}`", _compared(returning, key, found))
            types.append(joined)
            names.append(name_of(key, path))
            given = iter(parts)
            for side, column in zip(sides, outputs, strict=True):
                value = next(given) if side.values is not None else StandIn(joined)
                column.append(node_of(StandIn(joined) if type(value) is StandIn else value, side.body))
            shown.append(parts)
            given_by.append(variables if is_known else [])
            leaves.append(_CHOSEN)
        after[key] = (tree, leaves, values)
    count = len(types)
    types += leaving.types
    for number, (side, column) in enumerate(zip(sides, outputs, strict=True)):
        left = zip(leaving.column(number), leaving.types, strict=True)
        column += [node_of(StandIn(t), side.body) if node is None else node for node, t in left]
    trace.root.leaves_more |= len(types) > count
    graphs, outer = bodies_of([(side.body, column) for side, column in zip(sides, outputs, strict=True)], names)
    if selector is not None:
        selector = Tensor(trace.node_of(selector), trace, owned=True)
    chosen_by = [] if selector is None else [selector]
    made = list(record(trace, op_name, [*chosen_by, *graphs, outer], types, [*owned, *[True] * (len(types) - count)]))
    if not returning:
        raise NeverReturns
    leaving.are(made[count:])
    choices = []
    for position, (tensor, parts, variables) in enumerate(zip(made, shown, given_by, strict=False)):
        if not variables:
            may_show(tensor, parts)
            continue
        arrays = [leaving.stands_for(v, trace) for v in variables if type(v) is not StandIn]
        given = iter([arrays.pop(0) if type(v) is not StandIn else None for v in variables])
        options = [next(given) if side.values is not None else None for side in sides]
        one = next(o for o in options if o is not None)
        made[position] = choice(trace, op_name, selector, tuple([one if o is None else o for o in options]), tensor)
        if made[position] is tensor:
            choices.append(tensor)
        elif any(o is None for o in options):
            _read_here(trace, made[position])
    results = iter(made)
    one_object = OneObject([side.values or {} for side in returning], functools.partial(_is_kept, returning, changed))
    for key, (tree, leaves, alike) in after.items():
        filled = [next(results) if leaf is _CHOSEN else leaf for leaf in leaves]
        one_object.add(key, tree, filled, alike, alike[0])
    chosen = {key: one_object.value(key) for key in after}
    for key, value in chosen.items():
        if type(value) is Maybe and is_outside_container(held := after[key][2][0].value):
            value.value = held
        keep_chosen(trace, [side.value(key) for side in returning], value)
    chosen |= unchanged
    do_again(trace, steps, chosen, selector if op_name == "cond" and len(returning) == 2 else None)
    store_places(trace, chosen)
    for tensor in choices:
        is_up_to_date(tensor)
    return chosen


def _read_here(trace: Trace, array: Tensor) -> None:
    """Makes a view that some branches leave one object, which later branches hold as well. One that may raise is left
    to those that read it."""
    if array._base is None:
        return
    start = len(trace.nodes)
    trace.node_of(array)
    if any(map(may_raise, trace.nodes[start:])):
        trace.forget_from(start)


def _are_arrays(leaving: Leaving, sides: Sequence[Side], variables: Sequence[Any]) -> bool:
    """True if it is known of all values of a variable which arrays they share memory with. The values that the trace
    around needs to have these are noted."""
    numbers = [number for number, side in enumerate(sides) if side.values is not None]
    if not all(type(v) is StandIn or is_array(v) for v in variables):
        return False
    are_known = [type(v) is StandIn or leaving.needed(n, v) for n, v in zip(numbers, variables, strict=True)]
    return all(are_known)


def _value_in(side: Side, value: Any) -> Any:
    """The content of a value at the end of a branch."""
    if type(value) is Tensor:
        return side.written.get(id(value), side.shown.get(id(value), value))
    if not is_variable(value):
        return value
    for place, after in (side.values or {}).items():
        if isinstance(place, Place) and place.owner is value:
            return after
    with side.body.active():
        held = as_value(value)
    side.body.ended = False
    return held


def store_places(trace: Trace, values: dict[Any, Any]) -> None:
    """Makes the changes of places that a branch or loop amounts to, in the trace around it."""
    for place, value in values.items():
        if isinstance(place, Place):
            if stored(place.owner, "_trace") is not trace:  # objects made in this trace are not shared
                trace.journal.will_change(place)
            place.store(value)


def _compared(sides: Sequence[Side], key: Any, found: Sequence[str]) -> str:
    """The value of each branch in words, with the line that sets the variable."""
    parts = []
    for side, text in zip(sides, found, strict=True):
        line = line_of(side.function, str(key))
        parts.append(f"{text} in `{side.body.name}`" + (f" (line {line})" if line else ""))
    return ", ".join(parts)


def _shown(value: Any) -> str:
    return repr(value_type(value)) if is_value(value) else key_text(value)


def _is_kept(sides: Sequence[Side], changed: set[int], value: Any) -> bool:
    """True for a container that is none of those that branches changed and made, or made of values of theirs."""
    return id(value) not in changed and _is_container(value, sides)


def _is_container(value: Any, sides: Sequence[Side]) -> bool:
    """True for a container that was there before the branches, or holds nothing of theirs."""
    if type(value) in NO_CONTAINERS or parts(value) is None:
        return False
    return not any(_is_of_body(leaf, sides) for _, leaf in flatten(value)[0])


def _is_of_body(value: Any, sides: Sequence[Side]) -> bool:
    if is_found(value):
        return any(value._trace is side.body for side in sides)
    return type(value) is Tensor and any(value._home is side.body for side in sides)


_CHOSEN = object()


def is_own(value: Any) -> bool:
    """True for arrays that the function has made itself, and only one variable shows: a value that may be it can be
    written to in its place."""
    if type(value) is not Tensor:
        return True
    is_owned = value._owned if value._choice is None else is_private(value)
    return is_owned and not value._is_shared and not value._aliased


def may_show(tensor: Tensor, sources: Iterable[Any]) -> None:
    """Notes that a value may share memory with some of these: it is not used once their arrays are written into."""
    for source in sources:
        if type(source) is Tensor and source is not tensor and source._node.type.has_memory:
            if not is_own(source):
                base = source._base if source._base is not None else source
                base._is_viewed_by(tensor)
                doubt(tensor, base)


def _is_same(first: Any, other: Any) -> bool:
    """True if the two are fixed while tracing and certainly the same value."""
    if first is other:
        return True
    if isinstance(first, Tensor | SymbolicInt | np.ndarray) or isinstance(other, Tensor | SymbolicInt | np.ndarray):
        return False
    if is_outside_container(first) or is_outside_container(other):
        return False
    return same_value(first, other)


def check_condition(pred: Tensor) -> None:
    """Raises ValueError for an array that certainly has not one element."""
    size = pred._node.type.size
    if isinstance(size, int) and size != 1:
        bool(np.zeros(2 if size else 0))  # NumPy's own error


def _check_index(index: Tensor) -> None:
    found = index._node.type
    kinds = "biu" if found.kind is Kind.PYTHON else "iu"
    if found.shape or found.dtype.kind not in kinds:
        fix = "Give it one integer: `n.astype(np.int64)`, `np.argmax(x)`, `n[0]`."
        refuse("the index of a switch is no single integer", repr(found), fix)


provided.choose = choose
provided.run_side = run_side
