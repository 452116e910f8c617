"""The values that a call leaves in Variables."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from ...records import dataclass
from ...trace.variables.variable import Variable
from ..device import is_gpu_array
from .source import MISS


@dataclass(frozen=True, eq=False)
class Assignment:
    """Output number `output` becomes the value of a Variable: leaf number `leaf` of the call, else `variable`.

    `is_fresh` says that the program makes that array anew at each call and nothing else can hold it.
    """

    output: int
    leaf: int | None
    variable: Variable | None
    is_fresh: bool = False

    def target(self, leaves: Sequence[Any]) -> Variable:
        """The variable to assign in a call with these leaves."""
        return leaves[self.leaf] if self.leaf is not None else self.variable  # type: ignore[return-value]


def assign_all(assignments: Sequence[Assignment], variables: Sequence[Variable], outputs: Sequence[Any]) -> None:
    """Assigns all or, where a value does not fit, none. To be called inside `Locked`."""
    accepted = [
        v._accepted(_on_host(outputs[a.output]), a.is_fresh) for v, a in zip(variables, assignments, strict=True)
    ]
    for variable, value in zip(variables, accepted, strict=True):
        variable._value = value


def assigning(run: Callable[..., Any], target: Any, reads: Sequence[int | None]) -> Callable[..., Any]:
    """A program on the CPU that assigns Variables, which it is given before its own arguments. `reads` says where the
    value of each is among these: where it is no longer that, as another thread has assigned one, nothing is done, and
    `MISS` returned."""
    count = len(target.assignments)
    stored = [
        (k, place, a.output, a.is_fresh) for k, (place, a) in enumerate(zip(reads, target.assignments, strict=True))
    ]
    one_output = target.outputs == 1

    def assigned(*args: Any) -> Any:
        given = args[count:]
        with args[0]._lock if count == 1 else Locked(args[:count]):
            for k, place, _, _ in stored:
                if place is not None and args[k]._value is not given[place]:
                    return MISS
            found = run(*given)
            outputs = (found,) if one_output else found
            accepted = [args[k]._accepted(outputs[output], is_fresh) for k, _, output, is_fresh in stored]
            for variable, value in zip(args, accepted, strict=False):
                variable._value = value
        return found

    return assigned


def _on_host(value: Any) -> Any:
    return value if type(value) is np.ndarray or not is_gpu_array(value) else value.get()


_PYTHON_CALLS = threading.RLock()


class Locked:
    """While a program runs that assigns these variables, no other thread assigns them.

    One that `calls_python` may come to assign more while it runs: only one such runs at a time, and no other call waits
    for a lock while holding another, so that none waits for ever.
    """

    __slots__ = ("_locks",)

    def __init__(self, variables: Sequence[Variable], calls_python: bool = False) -> None:
        locks = [v._lock for v in variables]
        self._locks = [_PYTHON_CALLS, *locks] if calls_python else locks

    def __enter__(self) -> None:
        wanted = 0
        while True:
            taken = []
            try:
                self._locks[wanted].acquire()
                taken.append(self._locks[wanted])
                for number, lock in enumerate(self._locks):
                    if not lock.acquire(blocking=False):
                        wanted = number
                        break
                    taken.append(lock)
                else:
                    taken.pop(0).release()  # it was taken twice
                    return
            except BaseException:  # Ctrl-C while waiting
                for lock in taken:
                    lock.release()
                raise
            for lock in taken:
                lock.release()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for lock in reversed(self._locks):
            lock.release()
