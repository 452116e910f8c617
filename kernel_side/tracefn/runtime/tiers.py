"""Which program runs a signature: the NumPy program at once, and a native one as soon as it is built and worth it."""

from __future__ import annotations

import importlib
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from .. import events
from ..codegen.machine import abi
from ..config import compiler_choice
from ..ir.graph import Graph
from . import elsewhere, worth
from .garbage import no_collection
from .worker import WORKER, Stopped, later

OFTEN = 64
"""A signature called this often gets native code, however short its calls are."""

RARE = 3
"""A signature that is called no more often than this gets none, but where one call takes longer than building."""

ELSEWHERE = 4
"""Where another process builds, calls ask for it that have together taken this part of the time of building. It takes a
processor that other work may want, and of this process 8 ms, to ask and to load the code. A thread takes all its time
from the calls: it builds when these have taken as much."""


class Tiered(elsewhere.Buildable, Protocol):
    """An owner of a NumPy program that may get a native one."""

    graph: Graph

    @property
    def native(self) -> Any: ...

    def kept_native(self) -> Any: ...

    def build_native(self) -> Any: ...


def native_now(owner: Tiered) -> None:
    """Takes a native program into use: one that an earlier process built, or its own."""
    if not use_kept(owner):
        build(owner)


def native_later(owner: Tiered) -> None:
    """Takes a native program into use when one is found or built in the background."""
    _queue(owner, lambda owner: None if use_kept(owner) else _build_there(owner))


def build_later(owner: Tiered) -> None:
    """Builds the native program in the background, and takes it into use when it is ready."""
    _queue(owner, _build_there)


def _build_there(owner: Tiered) -> None:
    """Has the compiler build the native program, where there is one, or builds it, if that is worth it."""
    reason = "the compiler is off" if compiler_choice() == "off" else worth.futile(owner.graph)
    if reason:
        _kept(owner, reason, time.perf_counter_ns())
    elif elsewhere.is_wanted():
        elsewhere.build_elsewhere(owner, build, _ready)
    else:
        build(owner)


def _queue(owner: Tiered, work: Callable[[Any], None]) -> None:
    """Has the worker do it, and reports waiting programs: a large one can keep others waiting for long."""
    ids: dict[str, Any] = {"function": owner.function_id, "signature": owner.signature_id}
    events.emit(events.PlanBuild(**ids, state="queued"))
    gone = events.PlanBuild(**ids, state="gone")
    WORKER.put(weakref.ref(owner), work, lambda: events.emit(gone), owner.nodes)


def stop_building(signature_id: str) -> bool:
    """Stops making the native program of a signature, or waiting for its turn: the NumPy program stays. True if it was
    being built."""
    was_built = WORKER.stop_work(signature_id)
    if not was_built:
        function = signature_id.rpartition("/")[0]
        events.emit(events.PlanBuild(function=function, signature=signature_id, state="gone"))
    return was_built


def use_kept(owner: Tiered) -> bool:
    """Takes into use the program that an earlier process built, if there is one."""
    start = time.perf_counter_ns()
    try:
        native = owner.kept_native()
    except Exception as error:
        events.emit(events.Error(error=type(error).__name__, message=str(error), phase="cache"))
        return False
    if native is None:
        return False
    if native.is_better:
        owner.use_native(native)
        _ready(owner, start)
    else:
        _kept(owner, elsewhere.NOT_BETTER, start)
    later(weakref.ref(owner), lambda owner: owner.make_direct())
    return True


def build(owner: Tiered) -> None:
    """Builds the native program and takes it into use. A failure is an event: the NumPy program stays, as where no part
    of the graph is worth a kernel."""
    if WORKER.is_unwanted(owner.signature_id):
        return
    ids: dict[str, Any] = {"function": owner.function_id, "signature": owner.signature_id}
    events.emit(events.PlanBuild(**ids, state="building"))
    start = time.perf_counter_ns()
    native = None
    try:
        is_first = f"{__package__}.native_program" not in sys.modules
        with no_collection(for_good=is_first):  # LLVM and the builder of programs are a hundred modules
            reason = abi.unavailable()
            if not reason:
                importlib.import_module(".native_program", __package__)
        if not reason:
            with WORKER.stoppable(owner.signature_id):
                native = owner.build_native()
            reason = "" if native.is_better else elsewhere.NOT_BETTER
    except Stopped:
        native, reason = None, "compiling was stopped"
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    if native is not None:
        owner.use_native(native)
    if not reason:
        _ready(owner, start)
        return
    _kept(owner, reason, start)


def _kept(owner: Tiered, reason: str, start: int) -> None:
    duration = time.perf_counter_ns() - start
    ids: dict[str, Any] = {"function": owner.function_id, "signature": owner.signature_id}
    events.emit(events.PlanKept(**ids, plan=owner.plan, reason=reason, duration_ns=duration))


def _ready(owner: Tiered, start: int) -> None:
    duration, native = time.perf_counter_ns() - start, owner.native
    ids: dict[str, Any] = {"function": owner.function_id, "signature": owner.signature_id}
    source, size = native.program.source, native.size
    events.emit(events.PlanReady(**ids, plan="native", device="cpu", source=source, duration_ns=duration, size=size))


class Heat:
    """Decides when a signature is worth native code, from the calls that are timed. It asks once."""

    def __init__(self, owner: Tiered) -> None:
        self._owner: weakref.ref[Tiered] | None = weakref.ref(owner)
        self._cost_ns = worth.cost_ns(owner.nodes)

    def first_run(self, duration_ns: int) -> None:
        if duration_ns >= self._cost_ns:
            self._ask()

    def timed(self, count: int, duration_ns: int) -> int:
        """Takes note of a call. After as many more as it gives, if any, it may be time to ask."""
        if self._owner is None:
            return 0
        price = self._cost_ns // ELSEWHERE if elsewhere.is_wanted() else self._cost_ns
        enough = min(OFTEN, max(RARE + 1, -(-price // max(duration_ns, 1))))
        if count < enough:
            return enough - count
        self._ask()
        return 0

    def _ask(self) -> None:
        reference, self._owner = self._owner, None
        owner = reference() if reference is not None else None
        if owner is not None:
            native_later(owner)
