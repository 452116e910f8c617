"""Tensors in texts: with markers in their place where a text is put together that each call fills in."""

from __future__ import annotations

import threading
from typing import Any


class _Formatting(threading.local):
    """Texts that are made while this is on hold marks in the place of traced values; they are filled in at the call."""

    def __init__(self) -> None:
        self.stack: list[list[tuple[Any, str, str]]] = []
        self.is_shown = False  # True while `print` shows the text of the trace

    def marker(self, tensor: Any, conversion: str, spec: str) -> str:
        self.stack[-1].append((tensor, conversion, spec))
        return f"\0{len(self.stack[-1]) - 1}\0"


FORMATTING = _Formatting()
