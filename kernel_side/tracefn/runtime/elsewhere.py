"""Native programs that the compiler's process builds for this one.

A build is asked for and taken into use on the worker's thread; meanwhile nothing here waits for it, or holds the
signature that it is for: if that goes, the build is stopped.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from .. import events
from ..codegen.machine import abi, engine, object_cache
from ..config import compiler_choice
from ..ir.serialise import NotSerialisable
from .code_version import code_version
from .compiler.process import COMPILER, Answer
from .worker import WORKER


class Buildable(Protocol):
    """An object for which the compiler can build a native program."""

    function_id: str
    signature_id: str
    precise: bool

    @property
    def plan(self) -> str: ...

    @property
    def nodes(self) -> int: ...

    def serialised(self) -> bytes: ...

    def take_native(self, content: bytes) -> Any: ...

    def use_native(self, program: Any) -> None: ...

    def make_direct(self) -> None: ...


def is_wanted() -> bool:
    """True if the compiler's process is to build, and there can be one."""
    return compiler_choice() == "process" and not COMPILER.unavailable


def build_elsewhere(owner: Buildable, build_here: Callable[[Any], None], ready: Callable[..., None]) -> None:
    """Has the compiler build the native program of an owner and takes it into use. `build_here` builds the programs
    that it cannot. `ready` tells of a program that is in use, and when it was begun."""
    if WORKER.is_unwanted(name := owner.signature_id):
        return
    ids: dict[str, Any] = {"function": owner.function_id, "signature": name}
    if reason := abi.unknown():
        events.emit(events.PlanKept(**ids, plan=owner.plan, reason=reason, duration_ns=0))
        return
    try:
        graph = owner.serialised()
    except NotSerialisable:
        build_here(owner)
        return
    events.emit(events.PlanBuild(**ids, state="building"))
    start = time.perf_counter_ns()
    reference = weakref.ref(owner, lambda _: COMPILER.stop(name))
    cache = object_cache.folder()
    request = {
        "kind": "program",
        "name": name,
        "precise": owner.precise,
        "nodes": owner.nodes,
        "cache": "off" if cache is None else os.path.abspath(cache),
    }

    def take(owner: Buildable, answer: Answer) -> None:
        reason = "compiling was stopped" if answer.outcome == "stopped" else answer.header.get("error", "")
        if not reason and (answer.outcome == "lost" or not _take(owner, answer)):
            build_here(owner)
            return
        if not reason and not answer.header["is_better"]:
            reason = NOT_BETTER
        if not reason:
            ready(owner, start)
            return
        duration = time.perf_counter_ns() - start
        events.emit(events.PlanKept(**ids, plan=owner.plan, reason=reason, duration_ns=duration))

    def answered(answer: Answer) -> None:
        gone = lambda: events.emit(events.PlanBuild(**ids, state="gone"))  # noqa: E731
        WORKER.put(reference, lambda owner: take(owner, answer), gone)
        WORKER.arrived()

    WORKER.expect()
    COMPILER.ask(request, [graph], answered, name)


NOT_BETTER = "no part of the graph is worth a kernel"


def _take(owner: Buildable, answer: Answer) -> bool:
    """Takes the built program into use, where it is better. False where it does not fit this process."""
    if "not_serialisable" in answer.header or answer.header["version"] != code_version():
        return False
    if answer.header["is_better"]:
        content, *objects = answer.blobs
        try:
            held = [engine.taken(name, code) for name, code in zip(answer.header["objects"], objects, strict=True)]
            native = owner.take_native(content)
        except (LookupError, ValueError):
            return False
        del held  # the program holds all that it needs
        owner.use_native(native)
    owner.make_direct()
    return True


def _code(text: str, has_loops: bool) -> bytes | None:
    """The machine code of a text, on the worker's thread."""
    return COMPILER.code(text, has_loops) if is_wanted() else None


def _use_compiler() -> None:
    engine.ELSEWHERE.code = _code


WORKER.begin = _use_compiler
