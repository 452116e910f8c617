"""The compiler's process: it reads requests, builds in two threads, and ends with the process that asked.

Small work has a thread of its own, so that it need not wait for large; the smallest is done first.
"""

from __future__ import annotations

import ctypes
import heapq
import importlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from ..codegen.machine import abi, engine
from ..ir.packed import pack, unpack
from ..ir.serialise import deserialise
from . import kept_program
from .code_version import code_version
from .compiler.frames import KEY, Broken, Frames, read
from .compiler.process import Stopped

IDLE_S = 60.0
"""Seconds without work after which the process ends. Its memory is then free; the next build starts another."""

SMALL = 400
"""Nodes up to which a graph is small."""

_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>

Request = tuple[dict[str, Any], list[bytes]]


def main(parent: int) -> None:
    """Serves the process that has started this one until that ends, or until there has long been nothing to do."""
    reads, writes = _own_pipes()
    _end_with(parent)
    frames = Frames(reads, writes, read(reads, KEY))
    server = Server(frames)
    while True:
        if not select.select([reads], [], [], IDLE_S)[0]:
            if not server.is_busy:
                os._exit(0)
            continue
        try:
            content = frames.read()
        except Broken:
            os._exit(1)
        if content is None:
            os._exit(0)
        server.take(*unpack(content))


def _own_pipes() -> tuple[int, int]:
    """The pipes to the other process. Other code that writes to or reads from the standard streams reaches nothing."""
    pipes = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for file in range(3):
        os.dup2(nothing, file)
    return pipes


def _end_with(parent: int) -> None:
    """Has the system end this process with the other, where it can. The pipe's end tells, too, unless a child that was
    forked holds it open."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class Server:
    """Builds in two threads, and sends answers in the order in which they are ready."""

    def __init__(self, frames: Frames) -> None:
        engine.CONTENTS = {}
        self._frames = frames
        self._sending = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
        self._requests: dict[int, Request] = {}
        self._under_way: dict[int, int] = {}  # the thread of each request
        for is_small in (True, False):
            threading.Thread(target=self._work, args=(is_small,), daemon=True).start()

    @property
    def is_busy(self) -> bool:
        return bool(self._requests)

    def take(self, header: dict[str, Any], blobs: list[bytes]) -> None:
        """Takes a request, or stops one."""
        number = header["id"]
        with self._changed:
            if header["kind"] == "stop":
                self._stop(number)
                return
            size = header.get("nodes", 0)
            self._requests[number] = header, blobs
            heapq.heappush(self._waiting[size <= SMALL], (size, number))
            self._changed.notify_all()

    def _stop(self, number: int) -> None:
        if (thread := self._under_way.get(number)) is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stopped))
        else:
            self._requests.pop(number, None)

    def _work(self, is_small: bool) -> None:
        while True:
            try:
                self._next(self._waiting[is_small])
            except Stopped:  # before its work began
                pass

    def _next(self, waiting: list[tuple[int, int]]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: waiting)
            _, number = heapq.heappop(waiting)
            if (request := self._requests.get(number)) is None:
                return
            self._under_way[number] = threading.get_ident()
        try:
            try:
                answer = _answer(*request)
            finally:
                self._ended(number)
        except Stopped:
            self._ended(number)
            answer = pack({"stopped": True, "id": number})
        with self._sending:
            self._frames.write(answer)
        with self._changed:
            self._requests.pop(number, None)
            if not self._under_way:  # else code of the other thread may not be known yet
                engine.forget_contents()

    def _ended(self, number: int) -> None:
        """From here on nothing stops the thread: an answer is sent whole."""
        with self._changed:
            self._under_way.pop(number, None)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(threading.get_ident()), None)


def _answer(header: dict[str, Any], blobs: list[bytes]) -> bytes:
    """The answer to a request. A request that fails, for example because this process does not know a part of the
    graph, is tried again in the other one."""
    number = header["id"]
    try:
        if reason := abi.unavailable():
            return pack({"id": number, "error": reason})
        found, content = _KINDS[header["kind"]](header, blobs[0])
    except Exception as error:
        return pack({"id": number, "not_serialisable": f"{type(error).__name__}: {error}"})
    return pack({**found, "id": number}, content)


def _module(header: dict[str, Any], text: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The machine code of a text of LLVM's."""
    return {}, [engine.object_code(text.decode(), header["loops"])]


def _program(header: dict[str, Any], content: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The native program of a graph, and all machine code that it needs."""
    os.environ["TRACEFN_CACHE"] = header["cache"]
    native_program: Any = importlib.import_module(".native_program", __package__)
    graph = deserialise(content)
    native = native_program.NativeProgram(graph, header["name"], None, header["precise"])
    found = {"version": code_version(), "is_better": native.is_better, "objects": []}
    if not native.is_better:
        return found, []
    kept_program.keep(native, graph, header["precise"])
    names: dict[str, None] = {}
    for kernel in native.kernels:
        for code in (kernel.code.run, kernel.code.entry) if kernel.code is not None else ():
            _add(code.name, names)
    assert engine.CONTENTS is not None
    objects = [engine.CONTENTS[name] for name in names]
    return found | {"objects": [*names]}, [kept_program.serialise(native, graph), *objects]


def _add(name: str, names: dict[str, None]) -> None:
    """Adds code behind the code that it calls."""
    assert engine.CONTENTS is not None
    for other in engine.called(engine.CONTENTS[name]):
        if other not in names:
            _add(other, names)
    names[name] = None


_KINDS: dict[str, Callable[[dict[str, Any], bytes], tuple[dict[str, Any], list[bytes]]]] = {
    "module": _module,
    "program": _program,
}
