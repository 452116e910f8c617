"""Random draws while tracing: refused, because later calls would repeat the numbers."""

from __future__ import annotations

import pickle
from typing import Any

from ...errors import UnsupportedFunctionError, message
from ..origin import user_source, where
from .resolve import Captures


class RandomState:
    """The states of the random generators that a function reads, before it is traced."""

    def __init__(self, name: str, captures: Captures) -> None:
        self._name = name
        self._states = [(path, generator, _state(generator)) for path, generator in captures.generators.values()]

    def check(self) -> None:
        """Raises `UnsupportedFunctionError` where a generator was drawn from, and puts its state back."""
        drawn = [(path, generator, state) for path, generator, state in self._states if _state(generator) != state]
        for _, generator, state in drawn:
            _restore(generator, state)
        if drawn:
            raise UnsupportedFunctionError(
                message(
                    f"`{self._name}` draws random numbers from `{drawn[0][0]}` while it is traced; every later call "
                    "would get the same ones",
                    where(user_source(4)),
                    "Draw outside and pass the array as an argument.",
                )
            )


def _state(generator: Any) -> bytes:
    """The state as bytes: of a `Generator`, or of a `RandomState` such as the one behind `np.random.normal`."""
    return pickle.dumps(generator.bit_generator.state if hasattr(generator, "bit_generator") else generator.get_state())


def _restore(generator: Any, state: bytes) -> None:
    if hasattr(generator, "bit_generator"):
        generator.bit_generator.state = pickle.loads(state)
    else:
        generator.set_state(pickle.loads(state))
