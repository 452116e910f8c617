"""The variables that a branch or loop shares with the code around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....ir.dims import Dim
from ....ir.types import Kind, TensorType
from ....ops.control import Elements
from ...aliasing.writes import places_of
from ...body import BodyTrace
from ...context import Trace
from ...control import loops
from ...control.branches import choose, run_side
from ...control.carried import carry
from ...tensor import Tensor
from ...tree import flatten, unflatten
from ..containers.split import assuming, split_values
from .bindings import note_held

State = tuple[Any, ...]


class Variables:
    """`get` and `set` read and write the variables `names`, in their order. `written` gives the objects of which a loop
    certainly, or perhaps, sets items, `augmented` are the names that it changes by `op=` alone."""

    def __init__(
        self,
        names: tuple[str, ...],
        get: Callable[[], State],
        set_: Callable[[State], None],
        written: Callable[[], State] = tuple,
        augmented: tuple[str, ...] = (),
    ) -> None:
        self.names = names
        self.get = get
        self.set = set_
        self.written = written
        self.augmented = augmented
        self.exact = written is not tuple  # the arrays of its names after a loop may be written into
        self.unlike = False  # a round may leave them with values of other types

    def _state(self) -> carry.State:
        return dict(zip(self.names, self.get(), strict=True))

    def _arrays(self) -> State:
        try:
            return self.written()
        except NameError:  # the loop itself will say so, if it comes to that
            return ()

    def _put(self, state: carry.State) -> None:
        self.set(tuple([state[n] for n in self.names]))

    def branch(self, trace: Trace, test: Tensor, body: Callable[[], None], orelse: Callable[[], None]) -> None:
        """Sets the variables to the values that one of two bodies leaves, chosen by a traced condition."""
        before = self._state()

        def leaving(run: Callable[[], None], holds: bool) -> Callable[[], carry.State]:
            def side() -> carry.State:
                self._put(before)
                note_held(self.get())
                with assuming(trace, test, holds):
                    run()
                return self._state()

            return side

        ways = (("if_true", body, True), ("if_false", orelse, False))
        try:
            sides = [run_side(trace, n, leaving(f, holds), f) for n, f, holds in ways]
        finally:
            self._put(before)
        after = choose(trace, "cond", test, sides)
        self._put({n: after[n] for n in self.names})

    def split(self, owner: Any, run: Callable[[], None]) -> None:
        """Sets the variables to the results of a loop over a container, for each possible content."""
        before = self._state()

        def leaving() -> carry.State:
            self._put(before)
            run()
            return self._state()

        try:
            after = split_values(owner, leaving)
        finally:
            self._put(before)
        self._put({n: after[n] for n in self.names})

    def call(self, trace: Trace, body: Callable[[], None]) -> None:
        """Sets the variables to the values that a body leaves. Where it cannot be traced, nothing has changed."""
        before = self._state()

        def leaving() -> carry.State:
            note_held(self.get())
            body()
            return self._state()

        try:
            side = run_side(trace, "rounds", leaving, body, is_call=True)
        finally:
            self._put(before)
        self._put({n: v for n, v in choose(trace, "call", None, [side]).items() if n in before})

    def while_loop(self, trace: Trace, test: Callable[[], Any], body: Callable[[], None]) -> None:
        """Sets the variables to their values after a loop that stays in the graph."""
        self._loop(
            lambda initial: loops.while_staged(
                trace, initial, self._after(test, False), self._after(body), self.exact, self.unlike, self.augmented
            )
        )

    def for_loop(
        self,
        trace: Trace,
        bounds: list[Any],
        body: Callable[[Any], None],
        going: Callable[[], Any] | None,
        is_worth: loops.IsWorth | None = None,
    ) -> None:
        """The same for a loop over `range(*bounds)`, for as long as `going()` holds after a round. Raises
        BetterUnrolled if the nodes of a round are not worth it."""
        self._loop(
            lambda initial: loops.for_staged(
                trace, initial, bounds, self._round(body), going, is_worth, self.exact, self.unlike, self.augmented
            )
        )

    def for_each(
        self, trace: Trace, dataset: Any, body: Callable[[Any], None], going: Callable[[], Any] | None
    ) -> None:
        """The same for a loop over the elements of a dataset."""
        specs, tree = flatten(dataset.element_spec, "element")

        def enter(inner: BodyTrace) -> Any:
            leaves = [inner.input(path, _type_of_spec(spec)) for path, spec in specs]
            return unflatten(tree, leaves)

        elements = Elements(dataset, None if tree.is_leaf else _leaves)
        self._loop(lambda initial: loops.for_each_staged(trace, elements, enter, initial, self._round(body), going))

    def _round(self, body: Callable[[Any], None]) -> Callable[[Any, carry.State], carry.State]:
        def run(item: Any, state: carry.State) -> carry.State:
            self._put(state)
            note_held(self.get())
            body(item)
            return self._state()

        return run

    def _after(self, function: Callable[[], Any], changes: bool = True) -> Callable[[carry.State], Any]:
        def run(state: carry.State) -> Any:
            self._put(state)
            note_held(self.get())
            found = function()
            return self._state() if changes else found

        return run

    def _loop(self, stage: Callable[[carry.State], carry.State]) -> None:
        before = self._state()
        try:
            after = stage(before | places_of(self._arrays()))
        except BaseException:
            self._put(before)
            raise
        self._put(after)


def _leaves(element: Any) -> tuple[Any, ...]:
    return tuple([leaf for _, leaf in flatten(element)[0]])


def _type_of_spec(spec: Any) -> TensorType:
    """The type of an element's leaf. Lengths that the spec leaves open may differ from element to element."""
    shape = tuple([Dim.fresh() if n is None else n for n in spec.shape])
    return TensorType(spec.dtype, shape, spec.kind or (Kind.ARRAY if shape else Kind.SCALAR))
