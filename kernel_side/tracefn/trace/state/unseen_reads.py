"""Reads that no hook sees: by Python's own functions, by special methods that run as they are written, and by
functions that are not rewritten. Their results of arrays from outside are constants of the trace, though other steps of
it read the same arrays at each call."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..code.hidden import refuse_hidden


class UnseenReads:
    """`special` are the classes of the user's objects that the trace has met, each with its special methods that read;
    `happened` is True once any of them may have run. `arrays` are those that code without hooks was given, by
    id, `whole` those in containers that it compares or goes over as a whole."""

    def __init__(self) -> None:
        self.special: dict[type, list[Any]] = {}
        self.happened = False
        self.arrays: dict[int, Any] = {}
        self.whole: dict[int, Any] = {}

    def may_happen(self, *values: Any) -> None:
        """Notes that code which is not rewritten is given these values. Raises for an object with an operator that
        changes something."""
        if ATOMS.issuperset(map(type, values)):
            return
        for part in _parts(values):
            if type(part) is np.ndarray:
                self.arrays[id(part)] = part
                continue
            refuse_hidden(type(part))
            if self.special.get(type(part)):
                self.happened = True

    def reads_whole(self, container: Any) -> None:
        """Notes that such code reads all that is in a container."""
        for part in _parts((container,)):
            if type(part) is np.ndarray:
                self.whole[id(part)] = part
            else:
                refuse_hidden(type(part))

    def may_ask(self, *values: Any) -> None:
        """Notes the same of code that hands on what is in its arguments: it asks objects alone."""
        if not self.happened and any(self.special.values()):
            self.happened = any(self.special.get(type(part)) for part in _parts(values))

    def around(self, function: Callable[..., Any], note: Callable[..., None]) -> Callable[..., Any]:
        """A function that is not rewritten. `note` is told its arguments."""

        def call(*args: Any, **kwargs: Any) -> Any:
            note(*args, *kwargs.values())
            return function(*args, **kwargs)

        return call


def _parts(held: tuple[Any, ...]) -> Iterator[Any]:
    """The values, and those in the containers among them."""
    met: set[int] = set()
    pending = list(held)
    while pending:
        value = pending.pop()
        cls = type(value)
        if cls in ATOMS or id(value) in met:
            continue
        met.add(id(value))
        yield value
        if issubclass(cls, dict):  # the type itself, as stand-ins say that they are of another one
            pending += [*dict.keys(value), *dict.values(value)]
        elif issubclass(cls, _CONTAINERS):
            base = next(base for base in _CONTAINERS if issubclass(cls, base))
            pending += base.__iter__(value)


ATOMS = {int, float, bool, complex, str, bytes, type(None)}
"""Types of values of which nothing is noted."""

_CONTAINERS: tuple[Any, ...] = (list, tuple, set, frozenset, deque, type({}.values()), type({}.items()))
