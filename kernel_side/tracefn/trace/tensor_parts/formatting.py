"""Tensors in texts: markers take their place until the call fills them in."""

from __future__ import annotations

import threading
from typing import Any


class _Formatting(threading.local):
    """While this is on, texts contain markers for traced values, and the call fills them in."""

    def __init__(self) -> None:
        self.stack: list[list[tuple[Any, str, str]]] = []
        self.is_shown = False  # True while `print` shows the text of the trace
        self.stand_ins = 0  # texts of the trace so far, such as `Tensor("x:0")`, in the place of a value

    def marker(self, tensor: Any, conversion: str, spec: str) -> str:
        self.stack[-1].append((tensor, conversion, spec))
        return f"\0{len(self.stack[-1]) - 1}\0"

    def stand_in(self, text: str) -> str:
        """The text of the trace for a value that only the call knows."""
        self.stand_ins += 1
        return text


FORMATTING = _Formatting()
