"""The states of random generators."""

from __future__ import annotations

from typing import Any

import numpy as np


def state_of(generator: Any) -> Any:
    """The state of a random generator, as a value."""
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.bit_generator.state


def set_state(generator: Any, state: Any) -> None:
    """Makes it draw the same again."""
    if isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    else:
        generator.bit_generator.state = state
