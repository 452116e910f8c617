"""The thread that builds native programs and layouts of kernels in the background."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from .. import events

SWITCH_INTERVAL_S = 1e-3
"""The longest time in seconds that Python code of the worker keeps the GIL while another thread waits for it."""


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


def _nothing() -> None:
    pass


class Stopped(BaseException):
    """Ends a build that is no longer wanted. Not an Exception: handlers of failures must not take it for one."""


class Worker:
    """One thread that builds programs, started when there is something to build."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[_Reference, _Work, _Nothing] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._unfinished = 0
        self._under_way = ""
        self._unwanted: set[str] = set()
        self._idle = threading.Condition(self._lock)

    def put(self, owner: _Reference, work: _Work, gone: _Nothing = _nothing) -> None:
        """Does `work` for the owner in the background, or calls `gone` if the reference gives nothing by then."""
        with self._lock:
            self._unfinished += 1
            if self._thread is None or not self._thread.is_alive():  # a fork takes no threads along
                self._thread = threading.Thread(target=self._work, name="tracefn compiler", daemon=True)
                self._thread.start()
        self._waiting.put((owner, work, gone))

    @contextlib.contextmanager
    def stoppable(self, name: str) -> Iterator[None]:
        """Around a part of the work that `stop_work` may end, by raising `Stopped` in it. On other threads nothing
        does."""
        if threading.current_thread() is not self._thread:
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
            thread = self._thread
            if self._under_way != name or thread is None or thread.ident is None:
                return False
            raised = ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
            return bool(raised)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until nothing is left to build. False if that takes longer than `timeout` seconds."""
        with self._idle:
            return self._idle.wait_for(lambda: self._unfinished == 0, timeout)

    def stop(self) -> None:
        """Lets the thread end, at the end of the process: LLVM must not be at work when it is taken down."""
        if self._thread is not None and self._thread.is_alive():
            while not self._waiting.empty():
                self._waiting.get()
            self._waiting.put(None)
            self._thread.join(timeout=5)

    def _work(self) -> None:
        while (task := self._waiting.get()) is not None:
            reference, work, gone = task
            owner = reference()
            if owner is not None and threading.main_thread().is_alive():  # else the process is about to end
                with _short_turns(), contextlib.suppress(Stopped):
                    work(owner)
            elif owner is None:
                gone()
            del owner
            with self._idle:
                self._unfinished -= 1
                self._idle.notify_all()


WORKER = Worker()
atexit.register(WORKER.stop)


def wait_until_built(timeout: float | None = None) -> bool:
    """Waits until all work that was asked for is done. False if that takes longer than `timeout` s."""
    return WORKER.wait(timeout)


def later(owner: Callable[[], Any], work: Callable[[Any], object]) -> None:
    """Does some work for an owner in the background, if a weak reference still gives it then. A failure is an event."""

    def done(found: Any) -> None:
        try:
            work(found)
        except Exception as error:
            events.emit(events.Error(error=type(error).__name__, message=str(error), phase="layouts"))

    WORKER.put(owner, done)
