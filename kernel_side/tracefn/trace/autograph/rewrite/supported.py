"""Code that is not rewritten."""

from __future__ import annotations

import ast

from .parts import FunctionParts
from .piecewise import is_piecewise, what_stays


class UnsupportedSyntax(Exception):
    """A construct that is not rewritten; the function runs as it is."""


_READS_ITS_FRAME = {"locals", "vars", "dir", "eval", "exec"}


def check_supported(parts: FunctionParts) -> None:
    if parts.own(ast.Await, ast.AsyncFor, ast.AsyncWith):
        raise UnsupportedSyntax("it is a coroutine")
    if is_piecewise(parts) and (reason := what_stays(parts)):
        raise UnsupportedSyntax(reason)
    for call in parts.own(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in _READS_ITS_FRAME:
            if call.func.id in ("eval", "exec") or not call.args:
                raise UnsupportedSyntax(f"it calls `{call.func.id}`, which reads the variables of its frame")
