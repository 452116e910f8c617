"""Loops: a function runs on a state again and again, as often as a traced value says."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any

from ...ir.graph import Node
from ...ir.types import TensorType, python
from ..active import current
from ..aliasing.views import WritesCarried
from ..body import BodyTrace
from ..context import Trace
from ..reads import all_in_trace, in_trace
from ..tensor import Tensor
from ..this_call import now, staged_or_run
from ..values.symbolic_int import SymbolicInt
from .branches import check_condition
from .carried.carry import Carry
from .carried.results import Ambiguous, State
from .joins import refuse
from .record import bodies_of, record


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], init: Any) -> Any:
    """The state after `state = body_fn(*state)` for as long as `cond_fn(*state)` is true.

    `init` is a tuple or list, the state before the first round; `body_fn` returns the next state, of the same
    structure, dtypes and ranks. A Python number in `init` takes the dtype that the body gives it. Where the condition
    is traced the loop stays in the graph. Raises `ControlFlowError` where a round makes a change that it may not.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: while_loop(lambda x, n: x > 1, lambda x, n: (x / 2, n + 1), (x, 0)))
    >>> f(np.float64(10)), f(np.float64(3)), f.tracing_count
    ((np.float64(0.625), 4), (np.float64(0.75), 2), 1)
    """
    trace = current()
    state = init = all_in_trace(init)
    while True:
        start = len(trace.nodes) if trace is not None else 0
        found = in_trace(cond_fn(*state))
        if trace is not None and isinstance(found, Tensor):
            trace.forget_effects(start)
            break
        if not found:
            return state
        state = _like(init, body_fn(*state))
    check_condition(found)

    def run() -> Any:
        after = state
        while now(in_trace(cond_fn(*after))):
            after = _like(init, body_fn(*after))
        return after

    def staged() -> Any:
        after = while_staged(
            trace,
            {"state": state},
            lambda values: cond_fn(*values["state"]),
            lambda values: {"state": _like(state, body_fn(*values["state"]))},
        )
        return after["state"]

    return staged_or_run(trace, staged, run)


def fori_loop(lower: Any, upper: Any, body_fn: Callable[..., Any], init: Any, step: int = 1) -> Any:
    """The state after `state = body_fn(i, state)` for each i in `range(lower, upper, step)`.

    `init` is the state before the first round, of any structure. In a trace the loop stays in the graph, also where the
    bounds are Python ints: the graph does not grow with the number of rounds. Raises `ControlFlowError` where a round
    changes a dtype, a rank or the structure of the state.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x, n: fori_loop(0, n, lambda i, s: s * x + i, 1.0))
    >>> f(np.float64(2), np.int64(3)), f(np.float64(2), np.int64(4))
    (np.float64(12.0), np.float64(27.0))
    """
    trace = current()
    bounds, init = [in_trace(bound) for bound in (lower, upper, step)], all_in_trace(init)

    def run() -> Any:
        state = init
        for index in range(*[now(bound) for bound in bounds]):
            state = body_fn(index, state)
        return state

    def staged() -> Any:
        assert trace is not None
        body = lambda i, values: {"state": body_fn(i, values["state"])}  # noqa: E731
        return for_staged(trace, {"state": init}, bounds, body)["state"]

    return run() if trace is None else staged_or_run(trace, staged, run)


def while_staged(
    trace: Trace,
    initial: State,
    test: Callable[[State], Any],
    run: Callable[[State], State],
    exact: bool = False,
    unlike: bool = False,
    augmented: Collection[str] = (),
) -> State:
    """The state after `run` for as long as `test` holds. Places that the rounds change are changed afterwards. Raises
    `InPlaceWriteError` where `exact` asks for the arrays of the names afterwards, and these are not certain. Where
    `unlike`, a round may leave names with values of other types. The names `augmented` change by `op=` alone."""
    carry = Carry(initial, unlike, augmented)
    body = carry.trace_body(
        trace, lambda b: b.run_or_raise(run, carry.enter(b)), functools.partial(carry.check, False) if exact else None
    )
    carry.notes_whether_it_ran(body)
    outputs = carry.outputs(body)
    check = BodyTrace(trace, "test")
    entered = carry.enter_test(check)
    known = len(check.journal)
    try:
        found = check.run(test, entered)
    except WritesCarried as error:
        raise (error.refusal() if any(error.tensor is t for t in check.carried) else error) from None
    changes = check.journal.take_back()
    if carry.is_read_in(check):
        raise Ambiguous("the condition of a loop reads an array that the body writes into by another name")
    if len(changes) > known:
        place = list(changes)[known]
        refuse(f"the condition of a loop changes `{place}`", "only the body may", "Change it in the body of the loop.")
    condition = check.value_node(found)
    first = carry.initial(trace)
    bodies, outer = bodies_of([(check, [condition]), (body, outputs)])
    results = record(trace, "while_loop", [*bodies, first, outer], carry.types, carry.owned(ran=False))
    return carry.after(trace, results, ran=False)


Going = Callable[[], Any]
IsWorth = Callable[[list[Node], list[TensorType], Node | None], bool]
"""Takes the nodes of a round, the types that it carries, and the value that says whether there is another one."""


class BetterUnrolled(Exception):
    """A loop is not worth being one in the graph."""


def for_staged(
    trace: Trace,
    initial: State,
    bounds: list[Any],
    run: Callable[[Any, State], State],
    going: Going | None = None,
    is_worth: IsWorth | None = None,
    exact: bool = False,
    unlike: bool = False,
    augmented: Collection[str] = (),
) -> State:
    """The state after `run(index, state)` for each index of `range(*bounds)`, for as long as `going()` holds after a
    round. Raises BetterUnrolled if a round `is_worth` no loop in the graph, and as `while_staged` does."""
    ran = all(type(b) is int for b in bounds) and bool(range(*bounds))

    def enter(body: BodyTrace) -> Tensor:
        index = body.input("i", python(int))
        body.first[index._node] = bounds[0]
        return index

    return _rounds(trace, "for_loop", bounds, initial, enter, run, going, ran, is_worth, exact, unlike, augmented)


def for_each_staged(
    trace: Trace,
    elements: Any,
    enter: Callable[[BodyTrace], Any],
    initial: State,
    run: Callable[[Any, State], State],
    going: Going | None,
) -> State:
    """The same for each of `elements`; `enter` makes the inputs of the body that stand for one."""
    return _rounds(trace, "for_each", [elements], initial, enter, run, going, ran=False)


def _rounds(
    trace: Trace,
    op_name: str,
    over: list[Any],
    initial: State,
    enter: Callable[[BodyTrace], Any],
    run: Callable[[Any, State], State],
    going: Going | None,
    ran: bool,
    is_worth: IsWorth | None = None,
    exact: bool = False,
    unlike: bool = False,
    augmented: Collection[str] = (),
) -> State:
    carry = Carry(initial, unlike, augmented)
    found: list[Any] = []

    def one_round(item: Any, state: State) -> State:
        after = run(item, state)
        found[:] = [going()] if going is not None else []
        return after

    def judge(nodes: list[Node]) -> None:
        goes_on = found[0]._node if found and type(found[0]) is Tensor else None
        if is_worth is not None and not is_worth(nodes, carry.types, goes_on):
            raise BetterUnrolled

    check = functools.partial(carry.check, ran) if exact else None
    body = carry.trace_body(trace, lambda b: b.run_or_raise(one_round, enter(b), carry.enter(b)), check, judge)
    if carry.tells_whether_it_ran and op_name == "for_loop" and (runs := _runs(trace, over)) is not None:
        if not runs:  # the numbers are then unchanged, and not yet of the types that a round gives them
            body.ended = True
            return initial
        ran = True
    if not ran:
        carry.notes_whether_it_ran(body)
    outputs = carry.outputs(body)
    outputs += [body.value_node(g) for g in found if g is not True]
    first = carry.initial(trace)
    bodies, outer = bodies_of([(body, outputs)])
    results = record(trace, op_name, [*over, *bodies, first, outer], carry.types, carry.owned(ran))
    return carry.after(trace, results, ran)


def _runs(trace: Trace, bounds: list[Any]) -> bool | None:
    """Whether a range with open lengths has a round in the call that is traced, which is then guarded. None where that
    is known anyway, or no length of the call tells."""
    start, stop, step = bounds
    lengths = [b.dim for b in (start, stop) if isinstance(b, SymbolicInt)]
    if not lengths or type(step) is not int or not all(isinstance(b, int | SymbolicInt) for b in (start, stop)):
        return None
    if not all(n.symbols() <= trace.hints.keys() for n in lengths):
        return None
    return bool(stop > start if step > 0 else stop < start)


def _like(init: Any, returned: Any) -> Any:
    """The result of a body, as a state like `init`: tuple and list stand for each other, a value for one of it."""
    if type(init) not in (tuple, list) or type(returned) is type(init):
        return returned
    values = returned if isinstance(returned, tuple | list) else (returned,)
    return tuple(values) if type(init) is tuple else list(values)
