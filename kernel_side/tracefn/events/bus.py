"""The bus: numbers the events, keeps them in the ledger and hands them to the listeners."""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tracefn.events.counters import CounterReader
from tracefn.events.ledger import Ledger
from tracefn.events.lock import LOCK
from tracefn.events.types import Event

Listener = Callable[[Event], object]

_set = object.__setattr__


class _Silent(threading.local):
    on = False


class Bus:
    """Takes events from any thread, in one order.

    A listener is called with each event, in that order and while no other event can be emitted from another thread, so
    it must be short. Its own events are delivered after the event at hand. A listener that raises is logged
    (logger `tracefn`) and not called again: watching must never break the watched code.
    """

    def __init__(self, ledger: Ledger | None = None) -> None:
        self.ledger = Ledger() if ledger is None else ledger
        self._listeners: tuple[Listener, ...] = ()
        self._sleepers: set[Callable[[], object]] = set()
        self._undelivered: deque[Event] = deque()
        self._delivering = False
        self._silent = _Silent()

    @contextmanager
    def silence(self) -> Iterator[None]:
        """While the block runs, events from this thread are neither kept nor delivered: the functions
        of a measurement are not the user's."""
        before = self._silent.on
        self._silent.on = True
        try:
            yield
        finally:
            self._silent.on = before

    def emit(self, event: Event) -> Event:
        """Number and date `event`, keep it and deliver it. Returns the event as it was kept."""
        if self._silent.on:
            return event
        with LOCK:
            if event.seq != -1:
                event = dataclasses.replace(event)
            # The event is frozen for everyone but the bus, and not shared before this.
            _set(event, "time_ns", time.perf_counter_ns())
            _set(event, "seq", self.ledger.last + 1)
            self.ledger.append(event)
            if self._sleepers:
                self._wake()
            if self._listeners:
                self._undelivered.append(event)
                if not self._delivering:
                    self._deliver()
        return event

    def emit_calls(self, reader: CounterReader) -> list[Event]:
        """Emit the totals of the signatures that were called since `reader` last read them."""
        with LOCK:
            return [self.emit(calls) for calls in reader.read()]

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on. Returns a function that ends it."""
        with LOCK:
            self._listeners = (*self._listeners, listener)

        def stop() -> None:
            with LOCK:
                self._listeners = tuple(other for other in self._listeners if other is not listener)

        return stop

    def wake(self, sleeper: Callable[[], object]) -> None:
        """Call `sleeper` once, at the next event: for a thread that reads the ledger when there is something new. It
        must be short, and raise nothing."""
        with LOCK:
            self._sleepers.add(sleeper)

    def forget_sleepers(self) -> None:
        """Forget all sleepers, in a forked child: their threads are those of the parent."""
        self._sleepers = set()

    def _wake(self) -> None:
        sleepers, self._sleepers = self._sleepers, set()
        for sleeper in sleepers:
            sleeper()

    def _deliver(self) -> None:
        try:
            self._delivering = True
            while self._undelivered:
                event = self._undelivered.popleft()
                for listener in self._listeners:
                    try:
                        listener(event)
                    except Exception:
                        self._listeners = tuple(other for other in self._listeners if other is not listener)
                        import logging  # which nothing else of an import needs

                        logging.getLogger("tracefn").exception("An event listener raised and is no longer called.")
        finally:
            self._delivering = False


BUS = Bus()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=BUS.forget_sleepers)
