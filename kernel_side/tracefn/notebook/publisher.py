"""The publisher: a daemon thread that pushes the ledger's events to the front end while cells run.

It sleeps until something happens. The calls of a signature make no events; while a cell runs, or calls keep coming, the
thread reads their counters now and then. Beside a busy cell it takes a small share of the time: events that it cannot
send then follow when the cell has ended.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from tracefn.events import BUS, CounterReader
from tracefn.notebook.batches import Batcher

BATCH_INTERVAL = 0.05
COUNTERS_INTERVAL = 0.5
# The front end takes a first call for a long one when a keyframe shows that its end is not on the way.
IDLE_KEYFRAME = 0.4
BUSY_KEYFRAME = 10.0
# The share of the time that the thread takes beside a busy cell, unless it would rest for longer than that.
BUSY_SHARE = 0.02
LONGEST_REST = 1.0


class Publisher:
    """Sends the batcher's messages with `send`, at most 20 a second and when a cell ends, from a thread of its own.

    `busy()` says whether the kernel runs a cell. Times are in seconds.
    """

    def __init__(
        self,
        batcher: Batcher,
        reader: CounterReader,
        send: Callable[[dict[str, Any]], None],
        busy: Callable[[], bool],
    ) -> None:
        self._batcher = batcher
        self._reader = reader
        self._send = send
        self._busy = busy
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._ended = threading.Event()
        self._counting = False
        self._took = 0.0
        self._next_count = 0.0
        self._last_keyframe = time.monotonic()
        self._idle_keyframe: float | None = None
        self._failed = False
        self._thread = threading.Thread(target=self._run, name="tracefn-publisher", daemon=True)
        self._wake.set()
        self._thread.start()

    def look(self) -> None:
        """Look at once whether there is something to send, calls included; for when a cell begins or ends."""
        self._next_count = 0.0
        if not self._busy():
            self._ended.set()
        self._wake.set()

    def stop(self, timeout: float = 1.0) -> None:
        """End the thread; events that were not sent yet stay in the ledger."""
        self._stopped.set()
        self._ended.set()
        self._wake.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait(self._rest())
            # First the pause, then the work: events close together go together, and a short cell is left alone.
            self._pause()
            if not self._stopped.is_set():
                self._wake.clear()
                BUS.wake(self._wake.set)
                begin = time.thread_time()
                self._step()
                self._took = time.thread_time() - begin

    def _pause(self) -> None:
        """Leaves the time to a busy cell that is its own, and returns as soon as the cell has ended."""
        resumes = time.monotonic() + min(self._took / BUSY_SHARE, LONGEST_REST)
        while not self._ended.wait(BATCH_INTERVAL) and time.monotonic() < resumes and self._busy():
            pass
        self._ended.clear()

    def _rest(self) -> float | None:
        """How long the thread may sleep if nothing wakes it; None: until something does."""
        moments = []
        if self._idle_keyframe is not None:
            moments.append(self._idle_keyframe)
        if self._counting or self._busy():
            moments += [self._next_count, self._last_keyframe + BUSY_KEYFRAME]
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _step(self) -> None:
        try:
            now = time.monotonic()
            if now >= self._next_count:
                self._next_count = now + COUNTERS_INTERVAL
                self._counting = bool(BUS.emit_calls(self._reader))
            batch = self._batcher.next_batch()
            if batch is not None:
                self._idle_keyframe = now + IDLE_KEYFRAME
                self._wake.set()
                self._send(batch)
                while self._batcher.goes_on and (batch := self._batcher.next_batch()):
                    self._send(batch)
            elif self._keyframe_is_due(now):
                self._idle_keyframe = None
                self._last_keyframe = now
                self._send(self._batcher.keyframe())
        except Exception:
            # A numbered message that could not be sent is a gap, which the front end finds and repairs.
            if not self._failed:
                self._failed = True
                logging.getLogger("tracefn").exception("Events could not be sent to the front end.")

    def _keyframe_is_due(self, now: float) -> bool:
        if self._idle_keyframe is not None and now >= self._idle_keyframe:
            return True
        return (self._counting or self._busy()) and now >= self._last_keyframe + BUSY_KEYFRAME
