"""The fixed values among which a traced number chooses: `None`, texts, functions, each with a number."""

from __future__ import annotations

from typing import Any

import numpy as np

_BY_VALUE = (str, bytes, slice, np.dtype)


class Fixed:
    """The fixed values of a trace, by number. `decided` has the numbers of choices in the branch that is traced, by the
    id of their selector, `conditions` the truth of conditions there, by the id of the node."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.in_use = False
        self.decided: dict[int, int] = {}
        self.conditions: dict[int, bool] = {}

    def number(self, value: Any) -> int:
        """The number of a value; a new one gets the next."""
        for number, known in enumerate(self.values):
            if known is value or (type(known) is type(value) and isinstance(value, _BY_VALUE) and known == value):
                return number
        self.values.append(value)
        return len(self.values) - 1
