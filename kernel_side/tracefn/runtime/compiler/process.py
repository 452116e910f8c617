"""The compiler as a process: a Python of its own, which gets graphs and texts and gives machine code back.

It is started when there is something to build, one for each process, and ends when it has had nothing to do for a
while, when this process ends, however it does, or when it is told to. A thread starts it and writes to it, and another
reads. Only a thread that asks for the code of one text waits for it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import os
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ... import events
from ...ir.packed import pack, unpack
from ...records import dataclass
from .frames import KEY, Broken, Frames, write

TRIES = 2
"""So often a request is sent: one that a compiler dies of is not tried for ever."""

DEATHS = 3
"""Compilers that died at work before this process builds for itself."""

NICENESS = 10
"""How much the compiler steps back behind other processes: beside one that is busy it gets a tenth of a processor."""

_START = (
    "import os, sys; os.nice(int(sys.argv[2])); sys.path += sys.argv[3:]; "
    "from tracefn.runtime.compiler_main import main; main(int(sys.argv[1]))"
)


class Stopped(BaseException):
    """Ends a build that is no longer wanted. Not an Exception: handlers of failures must not take it for one."""


Done = Callable[["Answer"], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a request: 'done', with `header` and `blobs`, 'lost' where there is no compiler any
    more, or 'stopped'."""

    outcome: str
    header: dict[str, Any] = dataclasses.field(default_factory=dict)
    blobs: Sequence[bytes] = ()


@dataclass(slots=True, eq=False)
class _Request:
    name: str
    header: dict[str, Any]
    blobs: Sequence[bytes]
    done: Done
    tries: int = 0
    is_over: bool = False


class _Running:
    """A compiler that runs, and the requests that it has."""

    def __init__(self) -> None:
        import subprocess  # with the first compiler

        key = os.urandom(KEY)
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        command = [sys.executable, "-I", "-S", "-c", _START, str(os.getpid()), str(NICENESS), *_folders()]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        # A process group of its own keeps Ctrl-C of the terminal away. So would a session of its own, but Linux's
        # autogroup scheduling gives each session an equal share of the processors, whatever its niceness.
        self.process = subprocess.Popen(
            command, 0, None, pipe, pipe, nothing, env=environment, process_group=0, cwd=os.sep
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.pipes = self.process.stdin, self.process.stdout
        self.frames = Frames(self.pipes[1].fileno(), self.pipes[0].fileno(), key)
        self.requests: dict[int, _Request] = {}
        self._writing = threading.Lock()  # nothing is written to the number of a file that is closed
        with contextlib.suppress(OSError):  # it has ended already, which its reader sees
            write(self.pipes[0].fileno(), key)

    def send(self, header: dict[str, Any], blobs: Sequence[bytes] = ()) -> None:
        """Sends a message. Where it has ended, its reader sees that, and has its requests sent again."""
        with self._writing, contextlib.suppress(OSError):
            if not self.pipes[0].closed:
                self.frames.write(pack(header, blobs))

    def close(self) -> int:
        """Ends it and gives its status back to the system."""
        self.process.kill()
        with self._writing:
            for pipe in self.pipes:
                pipe.close()
        return self.process.wait()


class Compiler:
    """The compiler of this process. All methods return at once, but `code`."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._waiting: queue.SimpleQueue[_Request | str] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._writer: threading.Thread | None = None
        self._names: dict[str, list[_Request]] = {}
        self._numbers = 0
        self._deaths = 0
        self._unavailable = _why_not()
        self._is_over = False

    @property
    def unavailable(self) -> str:
        """Why there is none, and this process builds for itself. Empty where there can be one."""
        return self._unavailable

    @property
    def pid(self) -> int | None:
        """The number of its process. None where none runs."""
        running = self._running
        return None if running is None else running.process.pid

    def ask(self, header: dict[str, Any], blobs: Sequence[bytes], done: Done, name: str = "") -> None:
        """Has something built; `done` is called with the answer, on another thread. A request with a name can be
        stopped."""
        request = _Request(name, header, blobs, done)
        try:
            with self._lock:
                if name:
                    self._names.setdefault(name, []).append(request)
                if self._writer is None:
                    writer = threading.Thread(target=self._write, name="tracefn compiler: asks", daemon=True)
                    writer.start()
                    self._writer = writer
        except RuntimeError:  # the process is about to end
            self._finish(request, Answer("stopped"))
        else:
            self._waiting.put(request)

    def stop(self, name: str) -> bool:
        """Ends the request with this name. False where there is none. It may be called at any moment, as when an
        object goes that waits for it."""
        found = name in self._names
        if found:
            self._waiting.put(name)
        return found

    def code(self, text: str, has_loops: bool) -> bytes | None:
        """The machine code of a text of LLVM's. None where there is no compiler, or it does not understand the text.
        Raises Stopped when the process ends."""
        answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self.ask({"kind": "module", "loops": has_loops}, [text.encode()], answers.put)
        answer = answers.get()
        if answer.outcome == "stopped":
            raise Stopped
        return answer.blobs[0] if answer.blobs else None

    def end(self) -> None:
        """Ends it, and does not wait for it."""
        self._is_over = True
        running = self._running
        if running is not None:
            running.process.kill()

    def forget(self) -> None:
        """Run in a forked child: the compiler is its parent's."""
        running = self._running
        if running is not None:
            running.process.returncode = 0  # it is no child of this process
            for pipe in running.pipes:
                pipe.close()
        self._begin()

    # --- the thread that writes

    def _write(self) -> None:
        while True:
            item = self._waiting.get()
            if isinstance(item, str):
                self._stop(item)
            else:
                self._send(item)

    def _send(self, request: _Request) -> None:
        if request.is_over:
            return
        while (running := self._started() if request.tries < TRIES else None) is not None:
            with self._lock:
                if self._running is not running:  # it has ended meanwhile
                    continue
                self._numbers += 1
                number = self._numbers
                running.requests[number] = request
            request.tries += 1
            running.send({**request.header, "id": number}, request.blobs)
            return
        self._finish(request, Answer("stopped" if self._is_over else "lost"))

    def _stop(self, name: str) -> None:
        with self._lock:
            requests, running = list(self._names.get(name, ())), self._running
            asked = [] if running is None else [k for k, r in running.requests.items() if r in requests]
        for number in asked:
            assert running is not None
            running.send({"kind": "stop", "id": number})
        for request in requests:
            self._finish(request, Answer("stopped"))

    def _started(self) -> _Running | None:
        """The compiler that runs, which is started where none does. None where it cannot be."""
        with self._lock:
            if self._running is not None or self._unavailable or self._is_over:
                return self._running
            reason = ""
            try:
                running = self._running = _Running()
            except (OSError, ValueError) as error:
                reason = f"{type(error).__name__}: {error}"
        if reason:
            self._give_up(reason)
            return None
        threading.Thread(target=self._read, args=(running,), name="tracefn compiler: answers", daemon=True).start()
        return running

    def _give_up(self, reason: str) -> None:
        self._unavailable = f"the compiler's process is not used: {reason}"
        events.emit(events.Error(error="RuntimeError", message=self._unavailable, phase="compiler"))

    # --- the thread that reads, one for each process

    def _read(self, running: _Running) -> None:
        reason = ""
        try:
            while (content := running.frames.read()) is not None:
                header, blobs = unpack(content)
                with self._lock:
                    request = running.requests.pop(header.pop("id"), None)
                if request is not None:
                    self._finish(request, Answer("done", header, blobs))
        except (Broken, ValueError, KeyError) as error:
            reason = str(error)
        except OSError:
            pass
        with self._lock:
            self._running = None
            lost = list(running.requests.values())
        status = running.close()
        with self._lock:
            self._deaths += bool(lost and status)
            gives_up = not (self._unavailable or self._is_over) and bool(reason or self._deaths >= DEATHS)
        if gives_up:
            self._give_up(reason or f"it has died {DEATHS} times")
        for request in lost:
            self._waiting.put(request)

    def _finish(self, request: _Request, answer: Answer) -> None:
        with self._lock:
            if request.is_over:
                return
            request.is_over = True
            if others := self._names.get(request.name):
                others.remove(request)
                if not others:
                    del self._names[request.name]
        request.done(answer)


def _why_not() -> str:
    """Why no process can be started. Empty where one can."""
    name = os.path.basename(sys.executable or "").lower()
    if not name.startswith(("python", "pypy")):  # an application that has a Python in it is not to be started again
        return "there is no Python to be started"
    return "" if os.name == "posix" else "it is not known on this system"


def _folders() -> list[str]:
    """The compiler's import path: it takes nothing from the folder in which this process works, nor from the
    environment variables of Python."""
    found = [spec.origin for name in ("tracefn", "numpy", "llvmlite") if (spec := importlib.util.find_spec(name))]
    return list(
        dict.fromkeys([os.path.abspath(os.path.dirname(os.path.dirname(origin))) for origin in found if origin])
    )


COMPILER = Compiler()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=COMPILER.forget)
