"""Context managers of `contextlib` that call methods of others: what they call is rewritten."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NoReturn

from ....errors import UnsupportedFunctionError, message
from ... import provided
from ...active import current
from ...origin import user_source, where


def followed(manager: Any, enter: Callable[[Any], Any]) -> Any:
    """The manager that a `with` enters in the place of another. `enter` gives those that an ExitStack enters."""
    if isinstance(manager, contextlib.closing):
        return _Closing(vars(manager)["thing"])
    if not isinstance(manager, contextlib.ExitStack):
        return manager
    trace, stack = current(), manager
    if type(stack) is not contextlib.ExitStack or trace is None or trace.is_outside(stack) or vars(stack)[_CALLBACKS]:
        _refuse()
    vars(stack)["enter"] = enter
    stack.__class__ = _Stack
    return stack


_CALLBACKS = "_exit_callbacks"


class _Closing:
    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def __enter__(self) -> Any:
        return self._thing

    def __exit__(self, *error: Any) -> None:
        provided.method(self._thing, "close")()


class _Stack(contextlib.ExitStack[Any]):
    """An ExitStack of traced code while it is entered."""

    enter: Callable[[Any], Any]

    def __exit__(self, *error: Any) -> Any:
        try:
            return super().__exit__(*error)
        finally:
            self.__class__ = contextlib.ExitStack  # type: ignore[assignment]

    def enter_context(self, cm: Any) -> Any:
        return super().enter_context(self.enter(cm))

    def callback(self, callback: Any, /, *args: Any, **kwds: Any) -> Any:
        super().callback(provided.callee(callback), *args, **kwds)
        return callback

    def push(self, exit: Any) -> NoReturn:
        _refuse()

    def pop_all(self) -> NoReturn:
        _refuse()


def _refuse() -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            "an ExitStack gets what it calls before it is entered, or gives it away, which is not seen",
            where(user_source(4)),
            "Write `with contextlib.ExitStack() as stack:`, or a `with` or `try` for each.",
        )
    )
