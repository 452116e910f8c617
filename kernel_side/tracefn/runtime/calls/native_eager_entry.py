"""Machine code around eager calls: the checks of one signature, and the reading of methods."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...codegen.entry.call import CallWriter
from ...codegen.entry.method import binder, getter
from ...codegen.machine.engine import compiled
from ...trace.signature import CallSignature
from ...trace.tree import LEAF
from .. import own_frames
from ..builtin import METH_FASTCALL, METH_KEYWORDS, builtin
from .eager_entry import Eagerly
from .native_checks import NativeChecks
from .target import Target


class EagerCode:
    """Machine code that checks calls of one signature, or takes all where that is None, and lets the Python function
    have them. Raises `Unfit` where there is none."""

    def __init__(self, signature: CallSignature | None, parameters: Sequence[inspect.Parameter], run: Eagerly) -> None:
        writer = CallWriter()
        if signature is not None:
            call = NativeChecks(_target(signature, run), parameters)
            call.checked()
            writer = call.writer
        self._run, self._objects = run, writer.objects
        self._code = compiled(writer.passed_on(), has_loops=False)

    def function(self, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """The native function that takes calls. `otherwise` takes calls of other signatures, and sampled calls."""
        counter = self._run.counter
        if counter.native is None:
            counter.native = np.zeros(1, np.int64)
        looking = functools.partial(_looking, counter, otherwise)
        owned = (otherwise, self._run.function, looking, None, counter.native, *self._objects)
        return builtin(self._code, "call", METH_FASTCALL | METH_KEYWORDS, *owned)


def _target(signature: CallSignature, run: Eagerly) -> Target:
    """A target of which calls are checked and nothing else is taken."""
    return Target(
        signature=signature,
        run=run.function,
        counter=run.counter,
        captures=(),
        capture_specs=(),
        values=(),
        identities=(),
        contents=(),
        dim_guards=(),
        symbols={},
        result=LEAF,
        result_leaves=(),
        outputs=0,
    )


@own_frames.hidden
def _looking(counter: Any, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """A counted call, which also checks whether the fallback still holds."""
    counter.begin_turn(0)
    counter.counted -= 1
    return function(*args, **kwargs)


def method_getter(instances: dict[int, Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """The `__get__` of a class: the function of an instance, bound to it. `otherwise` makes those that `instances`
    lacks."""
    code = compiled(getter(), has_loops=False)
    return builtin(code, "get", METH_FASTCALL | METH_KEYWORDS, otherwise, instances)


def method_binder(otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """The `__get__` of a class whose functions have none for each instance. `otherwise` takes objects that are no
    instances."""
    code = compiled(binder(), has_loops=False)
    return builtin(code, "get", METH_FASTCALL | METH_KEYWORDS, otherwise, None)
