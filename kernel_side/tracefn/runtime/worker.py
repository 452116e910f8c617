"""The thread that works in the background: it builds native programs and layouts of kernels, or has the compiler's
process build them."""

from __future__ import annotations

import _thread
import atexit
import contextlib
import ctypes
import heapq
import itertools
import math
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from .. import events
from .compiler.process import COMPILER, Stopped

SWITCH_INTERVAL_S = 1e-3
"""The longest time in seconds that Python code of the worker keeps the GIL while another thread waits for it."""


AT_REST = math.inf
"""The size of low-priority work: it begins after an idle pause of the queue (`PAUSE_S`), or at exit."""

PAUSE_S = 0.1
"""The idle pause in seconds before low-priority work begins. Calls that follow a first one are over by then, or so long
that its cost is lost in theirs."""


@contextlib.contextmanager
def _short_turns() -> Iterator[None]:
    """Lets Python change threads every millisecond: the user's thread would wait 5 ms for each of its turns."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, SWITCH_INTERVAL_S))
    during = sys.getswitchinterval()
    try:
        yield
    finally:
        if sys.getswitchinterval() == during:  # else other code has set it
            sys.setswitchinterval(before)


_Reference = Callable[[], Any]
_Work = Callable[[Any], None]
_Nothing = Callable[[], object]
_Task = tuple[float, int, _Reference, _Work, _Nothing]
"""Its size, its number, and its work."""

_LOOK_AGAIN = ()


def _nothing() -> None:
    pass


class Worker:
    """One thread that builds programs, started when there is something to build. The smallest comes first."""

    def __init__(self) -> None:
        self.begin: Callable[[], None] = _nothing
        """Is called once on the thread."""
        self._unwanted: set[str] = set()
        self._reset()

    def _reset(self) -> None:
        self._arriving: queue.SimpleQueue[_Task | tuple[()] | None] = queue.SimpleQueue()
        self._waiting: list[_Task] = []
        self._numbers = itertools.count()
        self._ident: int | None = None
        self._runs = self._is_over = False
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._unfinished = 0
        self._waiters = 0
        self._under_way = ""
        self._idle = threading.Condition(self._lock)
        self._may_begin = threading.Event()
        self._may_begin.set()

    def put(self, owner: _Reference, work: _Work, gone: _Nothing = _nothing, size: float = 0) -> None:
        """Does `work` for the owner in the background, or calls `gone` if the reference gives nothing by then."""
        task = size, next(self._numbers), owner, work, gone
        with self._lock:
            if not self._runs:
                self._is_over = False
                self._ended.clear()
                # `threading.Thread.start` would wait for it: for milliseconds, where processors are busy
                _thread.start_new_thread(self._work, ())
                self._runs = True
            self._unfinished += 1
            self._arriving.put(task)

    def expect(self) -> None:
        """Counts something as unfinished that is under way elsewhere, until `arrived`."""
        with self._lock:
            self._unfinished += 1

    def arrived(self) -> None:
        with self._idle:
            self._unfinished -= 1
            self._idle.notify_all()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """While the block runs, no work is begun: what is measured has the machine for itself, and stays the same."""
        self._may_begin.clear()
        try:
            yield
        finally:
            self._may_begin.set()

    @contextlib.contextmanager
    def stoppable(self, name: str) -> Iterator[None]:
        """Around a part of the work that `stop_work` may end, by raising `Stopped` in it. On other threads nothing
        does."""
        if threading.get_ident() != self._ident:
            yield
            return
        with self._lock:
            self._under_way = name
        try:
            yield
        finally:
            with self._lock:
                self._under_way = ""

    def is_unwanted(self, name: str) -> bool:
        """True for work that was stopped, also before its turn."""
        return name in self._unwanted

    def stop_work(self, name: str) -> bool:
        """Ends the work of this name, which is under way or waits. True if it was under way: it ends as soon as Python
        code of it runs, so after a step of LLVM."""
        with self._lock:
            self._unwanted.add(name)
            if self._under_way != name or self._ident is None:
                return COMPILER.stop(name)
            raised = ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._ident), ctypes.py_object(Stopped))
            return bool(raised)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until nothing is left to build. False if that takes longer than `timeout` seconds."""
        with self._idle:
            self._waiters += 1
            self._arriving.put(_LOOK_AGAIN)  # work may be at rest
            try:
                return self._idle.wait_for(lambda: self._unfinished == 0, timeout)
            finally:
                self._waiters -= 1

    def stop(self) -> None:
        """Lets the thread end, at the end of the process, with the work that was at rest: LLVM must not be at work when
        it is taken down."""
        COMPILER.end()
        if self._runs:
            self._arriving.put(None)
            self._ended.wait(timeout=5)

    def forget(self) -> None:
        """Run in a forked child: the thread and its work are its parent's."""
        self._reset()

    def _work(self) -> None:
        threading.current_thread().name = "tracefn compiler"
        self._ident = threading.get_ident()
        try:
            self.begin()
            while (task := self._next()) is not None:
                self._may_begin.wait()
                try:
                    self._do(*task)
                except Exception as error:
                    events.emit(events.Error(error=type(error).__name__, message=str(error), phase="background"))
                self.arrived()
        finally:
            with self._idle:
                self._runs, self._ident = False, None
                while self._is_over and not self._arriving.empty():  # what came after the end is not done
                    self._unfinished -= bool(self._arriving.get())
                self._idle.notify_all()
            self._ended.set()

    def _do(self, size: float, _: int, reference: _Reference, work: _Work, gone: _Nothing) -> None:
        owner = reference()
        if owner is None:
            gone()
        elif size == AT_REST or not self._is_over:
            with _short_turns(), contextlib.suppress(Stopped):
                work(owner)

    def _next(self) -> _Task | None:
        """The smallest waiting task. None at the end of the process."""
        while not self._is_over:
            try:
                task = self._arriving.get(timeout=self._pause())
            except queue.Empty:
                break
            if task is None:
                self._is_over = True
            elif task:
                heapq.heappush(self._waiting, task)
        return heapq.heappop(self._waiting) if self._waiting else None

    def _pause(self) -> float | None:
        """How long other work may still arrive before a waiting task begins. None where none waits."""
        if not self._waiting:
            return None
        return PAUSE_S if self._waiting[0][0] == AT_REST and not self._waiters else 0


WORKER = Worker()
atexit.register(WORKER.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WORKER.forget)


def wait_until_built(timeout: float | None = None) -> bool:
    """Waits until all work that was asked for is done. False if that takes longer than `timeout` s."""
    return WORKER.wait(timeout)


def held() -> contextlib.AbstractContextManager[None]:
    """While the block runs, no work is begun."""
    return WORKER.held()


def later(owner: Callable[[], Any], work: Callable[[Any], object]) -> None:
    """Does some work for an owner in the background, if a weak reference still gives it then. A failure is an event."""

    def done(found: Any) -> None:
        try:
            work(found)
        except Exception as error:
            events.emit(events.Error(error=type(error).__name__, message=str(error), phase="layouts"))

    WORKER.put(owner, done)
