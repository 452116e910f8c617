"""The two comms between kernel and front end (docs/protocol.md), on whatever kernel runs this process."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from typing import Any

from tracefn.events import BUS, CounterReader
from tracefn.notebook.batches import Batcher
from tracefn.notebook.publisher import Publisher
from tracefn.notebook.queries import Queries

EVENTS_TARGET = "tracefn.events"
QUERY_TARGET = "tracefn.query"


class EventsComm:
    """The push-only comm. Its id is fixed, so that a front end that comes late can listen without asking first."""

    def __init__(self, hello: dict[str, Any]) -> None:
        from comm import create_comm

        self._comm = create_comm(target_name=EVENTS_TARGET, comm_id=EVENTS_TARGET, data=hello)
        self._comm.on_close(self._on_close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.abandon)
        self.send(hello)

    def send(self, message: dict[str, Any]) -> None:
        """Publish one message."""
        self._comm.send(message)

    def abandon(self) -> None:
        """Forget the comm without a word to the front end, as a forked child or an ending process must."""
        self._comm._closed = True

    def _on_close(self, message: dict[str, Any]) -> None:
        # A front end without the panel closes unknown comms; the next one must still find it by its id.
        from comm import get_comm_manager

        get_comm_manager().register_comm(self._comm)


def serve_queries(answer: Callable[[Any], dict[str, Any]]) -> None:
    """Answer messages on the query comms that front ends open."""
    from comm import get_comm_manager

    def on_open(comm: Any, message: dict[str, Any]) -> None:
        comm.on_msg(lambda request: comm.send(answer(request["content"]["data"])))

    get_comm_manager().register_target(QUERY_TARGET, on_open)


def open_comms(version: str, busy: Callable[[], bool]) -> Publisher:
    """Open the events comm, serve queries, and start to publish. Called once, in a process that a kernel runs."""
    batcher = Batcher(BUS.ledger, version)
    reader = CounterReader()
    events_comm = EventsComm(batcher.hello())
    serve_queries(Queries(batcher, reader).answer)
    publisher = Publisher(batcher, reader, events_comm.send, busy)

    def close() -> None:
        publisher.stop()
        events_comm.abandon()

    atexit.register(close)
    return publisher
