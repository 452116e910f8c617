"""`for` and `while` in rewritten code: unrolled, or one loop in the graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ....errors import ControlFlowError, TracefnError, message
from ....ir.graph import Node
from ....ir.types import TensorType
from ...active import current
from ...body import take_back_bodies
from ...context import Trace
from ...control.loops import BetterUnrolled, IsWorth
from ...control.one_of import MadeOfOne, OneOf
from ...entering import UnrolledRounds
from ...origin import user_source, where
from ...reads import in_trace
from ...state.place import Contents
from ...tensor import Tensor
from ...this_call import rounds_now
from ...values.graph_container import is_container
from ...values.symbolic_int import SymbolicInt
from ...values.traced_range import TracedRange
from ..containers.contents import rounds_over
from ..containers.split import made, owner_in
from ..iterators.advancing import Items, items_taken
from ..iterators.iterables import containers_in, is_staged_iterable, length_of, refuse_changed, taken
from .conditions import condition
from .side_effects import note
from .staged_loops import _staged
from .variables import State, Variables
from .worth import FEW, MAX_TRIALS, UNROLL, is_worth_a_loop, may_be_worth, may_carry, recorded

MAX_UNROLLED = 20_000
"""The most operations that an unrolled loop makes: a longer trace takes as long as thousands of eager rounds."""

MAX_LEFT = 4000
"""The same where a traced value says in each round whether the loop goes on, as all variables are results of each.
Functions without fallback may have more."""


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
    written: Callable[[], State] = tuple,
    augmented: tuple[str, ...] = (),
) -> None:
    trace = current()
    rounds, nodes = 0, len(trace.nodes) if trace is not None else 0
    loop = UnrolledRounds(trace, "while")
    while True:
        start = len(trace.nodes) if trace is not None else 0
        going = condition(test())
        if type(going) is Tensor:
            break
        if not going:
            if trace is not None and rounds and len(trace.nodes) > nodes:
                trace.staging.note("while", "unrolled", rounds, len(trace.nodes) - nodes)
            return
        with loop:
            body()
        rounds += 1
    trace = current()
    assert trace is not None
    trace.forget_effects(start)
    trace.staging.note("while", "staged")
    variables = Variables(names, get_state, set_state, written, augmented)

    def going_on() -> Any:
        return condition(test())

    def stage(inner: Trace, of: Variables, around: Callable[..., Any]) -> None:
        of.while_loop(inner, going_on, around(body))

    def peeled(rest: Callable[[Trace], None]) -> None:
        _peeled(trace, variables, going_on(), body, None, rest)

    _staged(trace, variables, stage, peeled)


def for_stmt(
    iterable: Any,
    going: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
    written: Callable[[], State] = tuple,
    augmented: tuple[str, ...] = (),
) -> None:
    trace = current()
    if trace is None:
        items = iter(iterable)
        while (going is None or going()) and (item := next(items, _END)) is not _END:
            body(item)
        return
    variables = Variables(names, get_state, set_state, written, augmented)
    if (owner := owner_in((iterable,))) is not None:

        def loop() -> None:
            for_stmt(made(iterable), going, body, get_state, set_state, names, written, augmented)

        variables.split(owner, loop)
        return
    if is_container(iterable):
        with iterable.in_rounds():
            for_stmt(iterable.listed(), going, body, get_state, set_state, names, written, augmented)
        return
    iterable = taken(rounds_over(items_taken(in_trace(iterable))))
    if type(iterable) is OneOf and iterable.is_iterated_by_option:

        def each_option(option: Any) -> None:
            for_stmt(option, going, body, get_state, set_state, names, written, augmented)

        _over_options(variables, iterable, iterable.all_numbers(), each_option)
        return
    if type(iterable) is MadeOfOne:

        def made_of_option(option: Any) -> None:
            for_stmt(iterable.make(option), going, body, get_state, set_state, names, written, augmented)

        _over_options(variables, iterable.choice, iterable.choice.all_numbers(), made_of_option)
        return
    if trace.root.value_now is not None:
        _unroll(trace, variables, rounds_now(iterable), going, body)
        return
    if getattr(type(iterable), "__tracefn_dataset__", False):
        trace.staging.note("for", "staged", detail="over a Dataset")
        _from_the_start(trace, variables, going, lambda t: variables.for_each(t, iterable, body, going))
        return
    if is_staged_iterable(iterable):
        length = None if isinstance(iterable, TracedRange) else length_of(iterable)
        if type(length) is not int or length > UNROLL:
            trace.staging.note("for", "staged")
            before = _changes(trace, iterable)
            _from_the_start(trace, variables, going, lambda t: _stage(t, variables, iterable, length, body, going))
            if _changes(trace, iterable) != before:
                refuse_changed()
            return
        if _is_staged_on_trial(trace, variables, iterable, length, going, body):
            return
    elif type(iterable) is range:
        over = TracedRange(iterable.start, iterable.stop, iterable.step)
        length = UNROLL + 1 if iterable[UNROLL:] else len(iterable)  # that of a range has any number of bits
        if _is_staged_on_trial(trace, variables, over, length, going, body):
            return
    _unroll(trace, variables, iterable, going, body)


def _changes(trace: Trace, iterable: Any) -> list[Any]:
    """The changes so far of the containers from outside that a loop goes over."""
    found, journal = [], trace.journal
    for container in containers_in(iterable):
        done = journal.operations.get(place := Contents(container, ""))
        is_written = place in journal, journal.has_items(container), id(container) in trace.root.keyed
        found.append((*is_written, None if done is None else len(done)))
    return found


def each(
    iterable: Any,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
) -> None:
    """`for item in iterable: body(item)`"""
    for_stmt(iterable, None, body, get_state, set_state, names)


def _over_options(variables: Variables, choice: OneOf, numbers: list[int], over: Callable[[Any], None]) -> None:
    """The loop over one of several iterables that a traced number selects: their lengths may differ."""
    number, *others = [choice.which] if type(choice.which) is int else numbers
    if not others:
        over(choice.option(number))
        return
    first, rest = (lambda: over(choice.option(number))), (lambda: _over_options(variables, choice, others, over))
    variables.branch(_inner(), choice.which == number, first, rest)


def _from_the_start(
    trace: Trace, variables: Variables, going: Callable[[], Any] | None, loop: Callable[[Trace], None]
) -> None:
    """Runs a loop that may have been left before its first round: where a loop around it was."""
    state = True if going is None else going()
    if type(state) is Tensor:
        variables.branch(trace, state, lambda: loop(_inner()), _nothing)
    elif state:
        loop(trace)


def _inner() -> Trace:
    trace = current()
    assert trace is not None
    return trace


def _nothing() -> None:
    pass


def _stage(
    trace: Trace,
    variables: Variables,
    iterable: Any,
    length: Any,
    body: Callable[[Any], None],
    going: Callable[[], Any] | None,
    is_worth: IsWorth | None = None,
) -> None:
    bounds, of_index = [0, length, 1], lambda index: body(iterable[index])
    if isinstance(iterable, TracedRange):
        bounds, of_index = [iterable.start, iterable.stop, iterable.step], body
    if is_worth is not None and length <= FEW:  # the other ways cost as many traces of the body as rounds
        variables.for_loop(trace, bounds, of_index, going, is_worth)
        return

    def stage(inner: Trace, of: Variables, around: Callable[..., Any], over: list[Any] = bounds) -> None:
        of.for_loop(inner, over, around(of_index), going, is_worth)

    def peeled(rest: Callable[[Trace], None]) -> None:
        any_round = bounds[1] > bounds[0] if type(bounds[2]) is int and bounds[2] > 0 else iterable.length > 0
        _peeled(trace, variables, any_round, lambda: of_index(bounds[0]), going, rest)

    def in_pairs() -> None:
        _stage_in_pairs(_inner(), variables, iterable, body)

    after_one = functools.partial(stage, over=[bounds[0] + bounds[2], *bounds[1:]])
    _staged(trace, variables, stage, peeled, after_one, in_pairs if going is None else None)


def _peeled(
    trace: Trace,
    variables: Variables,
    going_on: Any,
    first: Callable[[], None],
    going: Callable[[], Any] | None,
    rest: Callable[[Trace], None],
) -> None:
    """The first round of a loop, and the others behind it. `going_on` says whether there is one."""

    def rounds() -> None:
        first()
        _from_the_start(_inner(), variables, going, rest)

    if type(going_on) is Tensor:
        variables.branch(trace, going_on, rounds, _nothing)
    elif going_on:
        variables.call(trace, rounds)


def _stage_in_pairs(trace: Trace, variables: Variables, iterable: Any, body: Callable[[Any], None]) -> None:
    """Two rounds in one: buffers that each round swaps (`x, new = new, x`), one of them an array from outside, are then
    the same as before. The last round of an odd number is a branch."""
    length = iterable.length if isinstance(iterable, TracedRange) else length_of(iterable)
    if isinstance(length, SymbolicInt):
        length = trace.dimension(length.dim)

    def two(index: Any) -> None:
        body(iterable[2 * index])
        body(iterable[2 * index + 1])

    def last() -> None:
        body(iterable[length - 1])

    variables.for_loop(trace, [0, length // 2, 1], two, None)
    odd = length % 2 == 1
    if type(odd) is Tensor:
        variables.branch(trace, odd, last, _nothing)
    elif odd:
        last()


def _is_staged_on_trial(
    trace: Trace,
    variables: Variables,
    iterable: Any,
    length: int,
    going: Callable[[], Any] | None,
    body: Callable[[Any], None],
) -> bool:
    """Stages a loop whose numbers are known, where that is worth it and its body does not need them while tracing.
    False if it is to be unrolled."""
    code, staging = body.__code__, trace.staging
    is_unrolled = length <= UNROLL and (staging.failed[code] >= MAX_TRIALS or (code, length) in staging.better_unrolled)
    if is_unrolled or not may_be_worth(code, length, going is not None):
        return False
    count, printed = len(trace.nodes), trace.root.printed
    told, entered = len(printed), len(trace.root.bodies)

    def is_worth(nodes: list[Node], types: list[TensorType], goes_on: Node | None) -> bool:
        """A short loop prints once for each round."""
        return (length > FEW or len(printed) == told) and is_worth_a_loop(length, nodes, types, goes_on)

    def forget() -> None:
        take_back_bodies(trace, entered)
        trace.forget_from(count)
        del printed[told:]

    around, trace.attempt = trace.attempt, True
    in_branch, trace.is_branch = trace.is_branch, False  # of its body
    try:
        if not may_carry(length, variables.get()):
            raise BetterUnrolled
        _from_the_start(
            trace, variables, going, lambda t: _stage(t, variables, iterable, length, body, going, is_worth)
        )
    except BetterUnrolled:
        forget()
        staging.better_unrolled.add((code, length))
        return False
    except Exception as error:
        forget()
        staging.failed[code] += 1
        if length > UNROLL:
            first = str(error).partition("\n")[0] if isinstance(error, TracefnError) else repr(error)
            detail = f"its body needs the numbers of the range: {first}"
            staging.note("for", "not converted", detail=detail)
        return False
    finally:
        trace.attempt, trace.is_branch = around, in_branch
    staging.note("for", "staged")
    return True


def _unroll(
    trace: Trace, variables: Variables, iterable: Any, going: Callable[[], Any] | None, body: Callable[[Any], None]
) -> None:
    if hasattr(iterable, "__next__") and not isinstance(iterable, zip | enumerate | reversed | map | filter):
        note("iterator", "an iterator or generator is advanced while tracing; later calls repeat its items",
             "Loop over a list, an array or a tracefn.data.Dataset.", 4)  # fmt: skip
    rounds, operations, nodes, items = 0, 0, len(trace.nodes), iter(iterable)
    loop = UnrolledRounds(trace, "for")
    while True:
        state, noted = True if going is None else going(), trace.journal.noted
        if type(state) is not Tensor and not state:
            break
        if type(state) is Tensor and type(iterable) is Items:
            iterable.refuse()  # the call decides whether it takes the next one
        if (item := next(items, _END)) is _END:
            break
        if type(state) is Tensor and trace.journal.noted != noted:
            raise ControlFlowError(
                message(
                    "a loop goes over an iterator that changes something, and a traced value says when it ends",
                    where(user_source(4)),
                    "Loop over a list.",
                )
            )
        rounds, before = rounds + 1, len(trace.nodes)
        with loop:
            if type(state) is Tensor:
                variables.branch(trace, state, functools.partial(body, item), _nothing)
            else:
                body(item)
        operations += recorded(trace.nodes[before:])
        most = MAX_LEFT if type(state) is Tensor and trace.root.may_fall_back else MAX_UNROLLED
        if operations > most:
            trace.budget.is_given_up = True
            raise ControlFlowError(
                message(
                    f"an unrolled loop made more than {most} operations in {rounds} rounds",
                    where(user_source(4)),
                    "Loop over an array: that stays in the graph.",
                )
            )
    if rounds and len(trace.nodes) > nodes:
        trace.staging.note("for", "unrolled", rounds, len(trace.nodes) - nodes)


_END: Any = object()


__all__ = ["UNROLL", "each", "for_stmt", "while_stmt"]
