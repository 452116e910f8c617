"""The variables that a branch or loop shares with what is around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..context import Trace
from ..control import carry, loops
from ..control.branches import choose, run_side
from ..tensor import Tensor

State = tuple[Any, ...]


class Variables:
    """`get` and `set` read and write the variables `names`, in their order."""

    def __init__(self, names: tuple[str, ...], get: Callable[[], State], set_: Callable[[State], None]) -> None:
        self._names = names
        self._get = get
        self._set = set_

    def _state(self) -> carry.State:
        return dict(zip(self._names, self._get(), strict=True))

    def _put(self, state: carry.State) -> None:
        self._set(tuple([state[n] for n in self._names]))

    def branch(self, trace: Trace, test: Tensor, body: Callable[[], None], orelse: Callable[[], None]) -> None:
        """Sets the variables to what one of two bodies leaves, chosen by a traced condition."""
        before = self._state()

        def leaving(run: Callable[[], None]) -> Callable[[], carry.State]:
            def side() -> carry.State:
                self._put(before)
                run()
                return self._state()

            return side

        try:
            sides = [run_side(trace, n, leaving(f), f) for n, f in (("if_true", body), ("if_false", orelse))]
        finally:
            self._put(before)
        after = choose(trace, "cond", test, sides)
        self._put({n: after[n] for n in self._names})

    def while_loop(self, trace: Trace, test: Callable[[], Any], body: Callable[[], None]) -> None:
        """Sets the variables to what they are after a loop that stays in the graph."""
        self._loop(lambda initial: loops.while_staged(trace, initial, self._after(test, False), self._after(body)))

    def for_loop(self, trace: Trace, bounds: list[Any], body: Callable[[Any], None]) -> None:
        """The same for a loop over `range(*bounds)`."""

        def run(index: Any, state: carry.State) -> carry.State:
            self._put(state)
            body(index)
            return self._state()

        self._loop(lambda initial: loops.for_staged(trace, initial, bounds, run))

    def _after(self, function: Callable[[], Any], changes: bool = True) -> Callable[[carry.State], Any]:
        def run(state: carry.State) -> Any:
            self._put(state)
            found = function()
            return self._state() if changes else found

        return run

    def _loop(self, stage: Callable[[carry.State], carry.State]) -> None:
        before = self._state()
        try:
            after = stage(before)
        except BaseException:
            self._put(before)
            raise
        self._put(after)
