"""Writes a Python function line by line, with the objects that it refers to."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

from ..unseen_frames import MARK


class _Miss:
    def __repr__(self) -> str:
        return "MISS"


MISS: Any = _Miss()
"""Returned by a generated function for a call of another signature."""


class Source:
    """Collects the lines of a generated function and the names it uses, which all begin with an underscore. `miss` is
    its result for a call of another signature."""

    def __init__(self, miss: str = "_MISS") -> None:
        self.miss = miss
        self.lines: list[str] = []
        self.namespace: dict[str, Any] = {"_MISS": MISS, "_ndarray": np.ndarray, "np": np}

    def constant(self, value: Any, prefix: str = "k") -> str:
        """A name in the namespace for a value."""
        prefix = f"_{prefix}"
        for name, known in self.namespace.items():
            if known is value and name.startswith(prefix):
                return name
        name = f"{prefix}{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def miss_if(self, condition: str) -> None:
        self.lines.append(f"if {condition}: return {self.miss}")

    def local(self, expression: str) -> str:
        """A local variable that holds the expression."""
        if expression.isidentifier():
            return expression
        name = f"_t{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        return name

    def function(self, parameters: str) -> Callable[..., Any]:
        body = "\n    ".join(self.lines)
        source = f"def dispatch({parameters}):\n    {body}\n"
        exec(_compiled(source), self.namespace)
        function: Callable[..., Any] = self.namespace["dispatch"]
        return function


@functools.lru_cache(maxsize=512)
def _compiled(source: str) -> CodeType:
    """The code of a text. Objects in it are names, so that methods of all instances of a class have one text."""
    return compile(source, f"<tracefn dispatch, {MARK}>", "exec")
