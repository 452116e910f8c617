"""Decides when the eager calls of a signature get machine code, which checks them in a tenth of the time."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from ...codegen.machine import abi
from ...config import jit_mode
from ...runtime.calls.eager_entry import Eagerly, Make
from ...runtime.calls.target import Form
from ...runtime.worker import later
from ...trace.signature import CallSignature
from .reasons import Fallback

MANY = 2000
"""The number of eager calls at which machine code pays. It saves a third of a microsecond per call."""


class EagerCalls(NamedTuple):
    """The eager calls of one signature, or all calls where that is None. `make` makes the Python function that takes
    them."""

    fallback: Fallback
    form: Form
    signature: CallSignature | None
    run: Eagerly
    parameters: Sequence[inspect.Parameter]
    make: Make


class TakesEagerCalls(Protocol):
    """The cache of a function, as far as eager calls need it."""

    functions: weakref.WeakSet[Any]

    def take_directly(self, fallback: Fallback, form: Form, make: Make) -> None: ...


class EagerHeat:
    """The listener of a counter of eager calls, told of timed ones. It asks for machine code once."""

    def __init__(self, cache: TakesEagerCalls, calls: EagerCalls) -> None:
        self._cache, self._calls = weakref.ref(cache), calls
        self._is_over = False

    @property
    def is_gone(self) -> bool:
        """True where the function whose calls these are is gone: another one may share the counter."""
        return self._cache() is None

    def timed(self, count: int, duration_ns: int) -> None:
        cache = self._cache()
        if count < MANY or self._is_over or cache is None:
            return
        self._is_over = True
        if any((function.jit or jit_mode()) != "off" for function in list(cache.functions)):
            later(self._cache, self._build)

    def _build(self, cache: TakesEagerCalls) -> None:
        if abi.unknown():
            return
        from ...runtime.calls.checks import Unfit
        from ...runtime.calls.native_eager_entry import EagerCode  # with LLVM, for the first that is built

        calls = self._calls
        try:
            code = EagerCode(calls.signature, calls.parameters, calls.run)
        except (Unfit, ImportError):  # no LLVM, and no other process has kept this code
            return

        def make(otherwise: Callable[..., Any]) -> Callable[..., Any]:
            return code.function(calls.make(otherwise) or otherwise)

        cache.take_directly(calls.fallback, calls.form, make)
