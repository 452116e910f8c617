"""Keeps the arguments of the first call of each traced function, for `%%tracefn --time`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tracefn.function import Function


@dataclass(frozen=True, slots=True)
class CapturedCall:
    """A call as it was made, with its own copies of the arrays."""

    function: Function
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
