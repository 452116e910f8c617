"""A foreign call as the graph holds it: made on real values at each call, with the types of its results checked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.bail_out import BailOut
from ...ir.types import TensorType
from ..libraries import is_foreign_value
from .arguments import Arguments
from .checkpoint import Checkpoint
from .reach import Reach, Unfollowed
from .results import Results
from .states import set_state
from .surroundings import RandomStates, show
from .undo import NestedContents, remember, stays_as_it_is


class Recorded:
    """The results, warnings and changed random states of a step while tracing."""

    def __init__(
        self, outputs: tuple[Any, ...], states: RandomStates | None, generators: Sequence[Any], warned: list[Any]
    ) -> None:
        self.outputs = outputs
        self.warned = warned
        self.states = states
        self.generators = generators
        self.thread: int | None = None


class Step:
    """A function with its arguments. `bails_out`: an error is met by a `try` of the traced code, or comes after writes
    that a program makes at its end, so the call is made again. `changes`: it may change its first argument; `touches`:
    any object. `lasts`: it may have effects that cannot be undone. `variables` are those that a function reads which is
    called back, where derivatives ask: the last values of the node are theirs."""

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Arguments,
        results: Results,
        name: str,
        checkpoint: Checkpoint,
        bails_out: bool,
        changes: bool,
        touches: bool,
        lasts: bool,
    ) -> None:
        self.function = function
        self.__name__ = name
        self._arguments = arguments
        self._results = results
        self._count = len(results.checked)
        self._checkpoint = checkpoint
        self._bails_out = bails_out
        self._changes, self._touches = changes, touches
        self.lasts = lasts
        self.variables: list[Any] = []
        self.recorded: Recorded | None = None
        if hasattr(function, "undo"):
            function.undo = checkpoint.undo

    def types(self) -> tuple[TensorType, ...]:
        return self._results.types()

    def arguments_of(self, values: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of the call, given the values of its node: numbers that are lengths come first."""
        return self._arguments.fill(values[self._count :])

    def objects_outside(self) -> list[Any]:
        """The objects from outside among the arguments."""
        return [found for refer in self._arguments.outside if (found := refer()) is not None]

    def arm(self, thread: int) -> None:
        """Notes that the next run in a thread is by the call that was traced."""
        if self.recorded is not None:
            self.recorded.thread = thread

    def __call__(self, xp: Any, *values: Any) -> tuple[Any, ...]:
        lengths, values = values[: self._count], values[self._count :]
        recorded = self.recorded
        if recorded is not None:
            if recorded.thread == threading.get_ident():
                return self._taken(recorded, values)
            if recorded.thread is None:
                self.recorded = None  # there was no call
        if xp.__name__ != "numpy":
            values = tuple([xp.asnumpy(v) if isinstance(v, xp.ndarray) else v for v in values])
        try:
            outputs = self._made(lengths, values[: len(values) - len(self.variables)])
        except BailOut:
            self._checkpoint.restore()
            raise
        return (
            outputs
            if xp.__name__ == "numpy"
            else tuple([xp.asarray(v) if type(v) is np.ndarray else v for v in outputs])
        )

    def _made(self, lengths: tuple[Any, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
        args, kwargs = self._arguments.fill(values)
        if self._changes:
            remember(self._checkpoint.undo, args[0], self.__name__, kwargs)
        for held in (*args, *kwargs.values()) if self._touches else ():
            if is_foreign_value(held) and not stays_as_it_is(held, self.__name__, kwargs):
                remember(self._checkpoint.undo, held, self.__name__, kwargs)
        reach = self._reach(args, kwargs)
        if self.variables and (reach is None or not _are_same(self.variables, reach.variables)):
            raise BailOut(f"`{self.__name__}` calls a function back that reads another Variable")
        held = NestedContents((args, kwargs)) if self._arguments.makes_containers else None
        try:
            returned = self.function(*args, **kwargs)
        except Exception as error:
            changed = reach is not None and reach.put_back()
            if self._bails_out or changed:
                raise BailOut(f"`{self.__name__}` raised {type(error).__name__}") from error
            raise
        if reach is not None and (changed := reach.put_back()):
            raise BailOut(f"`{self.__name__}` calls a function back that changes `{changed}`")
        if held is not None and held.put_back():  # the call that was traced happened to leave it as it was
            raise BailOut(f"`{self.__name__}` changes a list or dict that it is given")
        results = self._results
        given = [*values, *[refer() for refer in self._arguments.outside]] if results.has_given else ()
        return results.check(returned, given, lengths, self.__name__)

    def _reach(self, args: Any, kwargs: dict[str, Any]) -> Reach | None:
        if _runs_no_code(self.function, args):
            return None
        try:
            return self._arguments.reach(args, kwargs)
        except Unfollowed as found:
            raise BailOut(f"`{self.__name__}` reaches {found}") from found

    def _taken(self, recorded: Recorded, values: tuple[Any, ...]) -> tuple[Any, ...]:
        self.recorded = None
        if (begins := getattr(self.function, "first_run", None)) is not None:
            begins()
        show(recorded.warned)
        if recorded.states is not None:
            recorded.states.set()
        for place, state in recorded.generators:
            set_state(values[place], state)
        return recorded.outputs


def _are_same(some: Sequence[Any], others: Sequence[Any]) -> bool:
    return {id(v) for v in some} <= {id(v) for v in others}


def _runs_no_code(function: Callable[..., Any], args: Sequence[Any]) -> bool:
    """True for the read of an attribute that an object holds itself. It changes nothing, and to compare all that a
    large object reaches takes a thousand times as long."""
    if function is not getattr:
        return False
    owner, name = args[:2]
    cls = type(owner)
    held = cls.__getattribute__ is object.__getattribute__ and getattr(owner, "__dict__", None)
    return isinstance(held, dict) and name in held and not any(name in vars(c) for c in cls.__mro__)
