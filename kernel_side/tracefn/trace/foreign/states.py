"""The states of random generators."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...ir.types import random_kind


def is_random(value: Any) -> bool:
    """True for a random generator of NumPy's or of Python's."""
    return random_kind(value) is not None or _is_of_python(value)


def _is_of_python(value: Any) -> bool:
    random = sys.modules.get("random")
    return random is not None and isinstance(value, random.Random)


def state_of(generator: Any) -> Any:
    """The state of a random generator, as a value."""
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.getstate() if _is_of_python(generator) else generator.bit_generator.state


def set_state(generator: Any, state: Any) -> None:
    """Makes it draw the same again."""
    if isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    elif _is_of_python(generator):
        generator.setstate(state)
    else:
        generator.bit_generator.state = state
