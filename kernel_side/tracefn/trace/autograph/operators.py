"""What rewritten control flow calls: Python itself for Python values, a branch or loop in the graph for traced ones."""

from __future__ import annotations

import builtins
import functools
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import ControlFlowError, TensorIterationError, message
from ...ir.dims import Dim
from ...ir.types import python
from ..body import BodyTrace
from ..context import Trace, current
from ..origin import user_source, where
from ..symbolic_int import SymbolicInt
from ..tensor import Tensor
from .effects import outside_effect
from .staging import branch, enter, for_staged, placeholder, while_staged
from .syntax import RETURN_VALUE
from .undefined import Undefined, raise_unbound

UNROLL = 32
"""Rows of a traced array that a `for` loop unrolls; more rows stay a loop in the graph."""

State = tuple[Any, ...]


def undefined(name: str) -> Undefined:
    return Undefined(name)


def returned(done: Any, value: Any) -> Any:
    """What a function returns that may return in several places."""
    if type(done) is Tensor:
        raise ControlFlowError(
            message(
                "a function returns a value on some paths and nothing on others, and a traced value decides which",
                where(user_source(2)),
                "Return a value of the same structure, dtype and rank on every path.",
            )
        )
    return None if type(value) is Undefined else value


def defined(value: Any) -> Any:
    """The value itself. Raises UnboundLocalError for a variable that is not set."""
    if type(value) is Undefined:
        raise_unbound(value)
    return value


# --- expressions


def and_(*operands: Callable[[], Any]) -> Any:
    value = operands[0]()
    for operand in operands[1:]:
        if type(value) is Tensor:
            value = _either(value, operand, functools.partial(_itself, value))
        elif not value:
            return value
        else:
            value = operand()
    return value


def or_(*operands: Callable[[], Any]) -> Any:
    value = operands[0]()
    for operand in operands[1:]:
        if type(value) is Tensor:
            value = _either(value, functools.partial(_itself, value), operand)
        elif value:
            return value
        else:
            value = operand()
    return value


def _itself(value: Any) -> Any:
    return value


def not_(value: Any) -> Any:
    return np.logical_not(value) if type(value) is Tensor else not value


def if_exp(test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    if type(test) is Tensor:
        return _either(test, body, orelse)
    return body() if test else orelse()


def _either(test: Tensor, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    (value,) = branch(_trace(), test, [("if_true", lambda: (body(),)), ("if_false", lambda: (orelse(),))], ["value"])
    return value


def augmented(name: str, target: Any, value: Any) -> Any:
    """`target op= value` for a variable."""
    return _IN_PLACE[name](defined(target), value)


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv, "Mod": operator.imod,
    "FloorDiv": operator.ifloordiv, "Pow": operator.ipow, "MatMult": operator.imatmul, "BitAnd": operator.iand,
    "BitOr": operator.ior, "BitXor": operator.ixor, "LShift": operator.ilshift, "RShift": operator.irshift,
}  # fmt: skip


class TracedRange:
    """`range` with a traced bound: a loop over it stays in the graph."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step

    def __iter__(self) -> Iterator[Any]:
        raise TensorIterationError(
            message(
                "a range with a traced bound is iterated over outside a `for` statement",
                where(user_source(2)),
                "Use a `for` statement, or pass the bound as a Python int.",
            )
        )


def callee(function: Any) -> Any:
    """What is called in the place of a function: `range` that takes traced bounds, the rewritten form of a method.

    Raises `ControlFlowError` in a staged branch or loop body for a function of the user's own that changes more than
    its variables: it would do so while tracing, whatever the value.
    """
    if function is builtins.range:
        return _range
    trace = current()
    python_function = getattr(function, "__func__", function)
    if trace is None or type(python_function) is not types.FunctionType:
        return function
    if isinstance(trace, BodyTrace) and (effect := outside_effect(python_function.__code__)):
        _refuse_effect(f"a call of `{python_function.__qualname__}`, which {effect},")
    copy = trace.function_copy(python_function)
    return (
        function
        if copy is python_function or function is python_function
        else types.MethodType(copy, function.__self__)
    )


def _range(*args: Any) -> Any:
    if not any(type(a) is Tensor or isinstance(a, SymbolicInt) for a in args):
        return range(*args)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return TracedRange(start, stop, step)


# --- statements


def if_stmt(
    test: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
    effect: str,
) -> None:
    if type(test) is not Tensor:
        body() if test else orelse()
        return
    _refuse_effect(effect)
    before = get_state()

    def side(run: Callable[[], None]) -> Callable[[], State]:
        def result() -> State:
            set_state(before)
            run()
            return get_state()

        return result

    try:
        after = branch(_trace(), test, [("if_true", side(body)), ("if_false", side(orelse))], list(names))
    except BaseException:
        set_state(before)
        raise
    set_state(after)


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
    effect: str,
) -> None:
    while True:
        going = test()
        if type(going) is Tensor:
            break
        if not going:
            return
        body()
    _refuse_effect(effect)
    _staged_loop([], test, lambda index: body(), get_state, set_state, names)


def for_stmt(
    iterable: Any,
    going: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
    effect: str,
) -> None:
    if isinstance(iterable, TracedRange):
        _refuse_effect(effect)
        _staged_range(iterable.start, iterable.stop, iterable.step, going, body, get_state, set_state, names)
        return
    if type(iterable) is Tensor:
        length = iterable._node.type.shape[0] if iterable.ndim else 0
        if isinstance(length, Dim) or length > UNROLL:
            _refuse_effect(effect)
            rows = iterable
            _staged_range(0, rows.shape[0], 1, going, lambda i: body(rows[i]), get_state, set_state, names)
            return
    for item in iterable:
        state = True if going is None else going()
        if type(state) is Tensor:
            if_stmt(state, functools.partial(body, item), lambda: None, get_state, set_state, names, effect)
        elif not state:
            return
        else:
            body(item)


def _staged_range(
    start: Any,
    stop: Any,
    step: Any,
    going: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
) -> None:
    if going is None:
        _staged_loop([start, stop, step], None, body, get_state, set_state, names)
        return

    def guarded(index: Any) -> None:
        if_stmt(going(), lambda: body(index), lambda: None, get_state, set_state, names, "")

    _staged_loop([start, stop, step], None, guarded, get_state, set_state, names)


def _staged_loop(
    bounds: list[Any],
    test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
) -> None:
    """A loop in the graph over the variables that are set before it; the others live in one round only."""
    before = get_state()
    variables = _Variables(names, before, body, get_state, set_state)
    try:
        variables.find_return_value()
        if test is None:
            after = for_staged(_trace(), variables.kept, variables.initial, bounds, variables.round)
        else:
            after = while_staged(
                _trace(), variables.kept, variables.initial, lambda *v: variables.test(test, *v), variables.round_alone
            )
    except BaseException:
        set_state(before)
        raise
    set_state(variables.filled(after))


class _Variables:
    """The variables of a loop that stays in the graph: those that are set before it are carried."""

    def __init__(
        self,
        names: tuple[str, ...],
        before: State,
        body: Callable[[Any], None],
        get_state: Callable[[], State],
        set_state: Callable[[State], None],
    ) -> None:
        self._names = names
        self._before = before
        self._body = body
        self._get_state = get_state
        self._set_state = set_state

    @property
    def _carried(self) -> list[int]:
        return [i for i, v in enumerate(self._before) if type(v) is not Undefined]

    @property
    def kept(self) -> list[str]:
        return [self._names[i] for i in self._carried]

    @property
    def initial(self) -> State:
        return tuple(self._before[i] for i in self._carried)

    def filled(self, values: State) -> State:
        """The values of all variables, given those of the carried ones."""
        state = [
            Undefined(n, "it is set in a loop that may not run" if n != RETURN_VALUE else "")
            if type(v) is Undefined
            else v
            for n, v in zip(self._names, self._before, strict=True)
        ]
        for i, v in zip(self._carried, values, strict=True):
            state[i] = v
        return tuple(state)

    def _run(self, index: Any, values: State) -> State:
        self._set_state(self.filled(values))
        self._body(index)
        return self._get_state()

    def round(self, index: Any, *values: Any) -> State:
        """The carried variables after one round."""
        after = self._run(index, values)
        return tuple(after[i] for i in self._carried)

    def round_alone(self, *values: Any) -> State:
        return self.round(None, *values)

    def test(self, test: Callable[[], Any], *values: Any) -> Any:
        self._set_state(self.filled(values))
        return test()

    def find_return_value(self) -> None:
        """Where the loop may return, gives the return value a placeholder of its type, found by tracing a round."""
        if RETURN_VALUE not in self._names or RETURN_VALUE in self.kept:
            return
        trial = BodyTrace(_trace(), "body")
        values = enter(trial, self.kept, self.initial)
        index = trial.input("i", python(int))
        position = self._names.index(RETURN_VALUE)
        found = trial.run(lambda: self._run(index, values)[position])
        if type(found) is not Undefined:
            self._before = (*self._before[:position], placeholder(found), *self._before[position + 1 :])


def _refuse_effect(effect: str) -> None:
    if effect:
        raise ControlFlowError(
            message(
                f"{effect} is in a branch or loop that a traced value decides, and would happen while tracing whatever "
                "the value",
                where(user_source(3)),
                "Let the branch or loop change variables only, and do this after it or outside the traced function.",
            )
        )


def _trace() -> Trace:
    trace = current()
    if trace is None:
        raise ControlFlowError(message("a traced value is used as a condition outside its trace"))
    return trace


__all__ = [
    "Undefined", "and_", "augmented", "callee", "defined", "for_stmt", "if_exp", "if_stmt", "not_", "or_",
    "returned",
"undefined", "while_stmt",
]  # fmt: skip
