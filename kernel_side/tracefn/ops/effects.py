"""Effects: ops that do something at every execution, in program order: print, raise, check, call Python code.

They are impure, so no pass merges, folds, drops or moves them. `print` and `raise_error` have no results.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

import numpy as np

from ..ir.op import Op, register
from ..ir.types import TensorType


class Callback(Protocol):
    """A Python function as a node holds it."""

    def types(self) -> tuple[TensorType, ...]:
        """The types of its results. Unknown lengths are new symbols each time."""

    def __call__(self, xp: Any, *values: Any) -> tuple[Any, ...]:
        """Its results for these values; `xp` is the module whose arrays they are."""


def _print(*values: Any, sep: str = " ", end: str = "\n") -> None:
    builtins.print(*values, sep=sep, end=end)


def _print_rule(*values: Any, sep: str = " ", end: str = "\n") -> tuple[TensorType, ...]:
    return ()


def _print_lines(target: str, arguments: list[str]) -> list[str]:
    return [f"print({', '.join(arguments)})"]


def _raise(error: Any, *arguments: Any, met: str = "") -> NoReturn:
    raise error(*arguments)


def _raise_rule(error: Any, *arguments: Any, met: str = "") -> tuple[TensorType, ...]:
    """`met` has the operation and operands of a call that raises whatever the values are, for the note of the error."""
    return ()


def _raise_lines(target: str, arguments: list[str]) -> list[str]:
    error, *rest = [argument for argument in arguments if not argument.startswith("met=")]
    return [f"raise {error}({', '.join(rest)})"]


def _check(check: Callable[..., None], *values: Any) -> None:
    check(*values)


def _check_rule(check: Callable[..., None], *values: Any) -> tuple[TensorType, ...]:
    return ()


def _check_lines(target: str, arguments: list[str]) -> list[str]:
    check, *rest = arguments
    return [f"{check}({', '.join(rest)})"]


def _call(callback: Callback, *values: Any) -> tuple[Any, ...]:
    return callback(np, *values)


def _call_stateless(callback: Callback, *values: Any) -> tuple[Any, ...]:
    return callback(np, *values)


def _call_rule(callback: Callback, *values: Any) -> tuple[TensorType, ...]:
    return callback.types()


def _call_lines(target: str, arguments: list[str]) -> list[str]:
    callback, *rest = arguments
    call = f"{callback}({', '.join(['np', *rest])})"
    return [f"{target} = {call}" if target else call]


print_op = register(Op("print", _print, _print_rule, style="effect", pure=False, lines=_print_lines))
raise_error = register(Op("raise_error", _raise, _raise_rule, style="effect", pure=False, lines=_raise_lines))
check = register(Op("check", _check, _check_rule, style="effect", pure=False, lines=_check_lines))
py_function = register(
    Op("py_function", _call, _call_rule, style="effect", pure=False, fresh_dims=True, lines=_call_lines)
)
numpy_function = register(
    Op("numpy_function", _call_stateless, _call_rule, style="effect", fresh_dims=True, lines=_call_lines)
)
