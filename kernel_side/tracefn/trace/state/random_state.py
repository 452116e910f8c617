"""Random draws while tracing, in code that no hook sees: refused, because later calls would repeat the numbers."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable
from typing import Any

from ...errors import UnsupportedFunctionError, message
from ..origin import user_source, where
from .captures import Captures


class RandomState:
    """The states of the random generators that a function reads, before it is traced.

    `passed` are (path, value) of its arguments.
    """

    def __init__(self, name: str, captures: Captures, passed: Iterable[tuple[str, Any]]) -> None:
        self._name = name
        self._states = [
            (path, holder, pickle.dumps(_state(holder)))
            for path, found in (*captures.generators.watched, *passed)
            if (holder := _holder(found)) is not None
        ]

    def restore(self) -> None:
        """Puts all states back: the trace is given up."""
        for _, holder, state in self._states:
            if pickle.dumps(_state(holder)) != state:
                _restore(holder, pickle.loads(state))

    def check(self) -> None:
        """Raises `UnsupportedFunctionError` where a generator was drawn from, and puts its state back."""
        drawn = [(path, holder, state) for path, holder, state in self._states if pickle.dumps(_state(holder)) != state]
        for _, holder, state in drawn:
            _restore(holder, pickle.loads(state))
        if drawn:
            raise UnsupportedFunctionError(
                message(
                    f"`{self._name}` draws random numbers from `{drawn[0][0]}` while it is traced, in code that is not "
                    "rewritten (a library's, or with autograph=False); every later call would get the same ones",
                    where(user_source(4)),
                    "Draw in the traced function itself, or outside, and pass the array as an argument.",
                )
            )


def _holder(value: Any) -> Any:
    """The owner of the state of a generator: a legacy generator itself, or the bit generator. None for other
    objects."""
    if "numpy.random" not in sys.modules:
        return None
    import numpy as np

    if isinstance(value, np.random.Generator):
        return value.bit_generator
    return value if isinstance(value, np.random.RandomState | np.random.BitGenerator) else None


def _state(holder: Any) -> Any:
    return holder.state if hasattr(holder, "state") else holder.get_state()


def _restore(holder: Any, state: Any) -> None:
    if hasattr(holder, "state"):
        holder.state = state
    else:
        holder.set_state(state)
