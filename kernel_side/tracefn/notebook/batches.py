"""The messages of the events comm, made from the ledger: `hello`, batches and keyframes (docs/protocol.md)."""

from __future__ import annotations

import json
import uuid
from typing import Any

from tracefn.events import PROTOCOL_VERSION, Event, GraphBuilt, Ledger, live_counters

MOST_EVENTS = 500
MOST_CHARACTERS = 512 * 1024
# A hash costs some 100 bytes; forgetting them all only means that a graph is sent a second time.
MOST_SENT_HASHES = 20_000


class Batcher:
    """Cuts the ledger's events into numbered messages, each event once."""

    def __init__(self, ledger: Ledger, version: str) -> None:
        self.ledger = ledger
        self.session = uuid.uuid4().hex
        self.batch = 0
        self.last = 0
        self._version = version
        self._sent_graphs: set[str] = set()

    def head(self) -> dict[str, Any]:
        """What every message and every snapshot says about its sender."""
        return {"protocol": PROTOCOL_VERSION, "session": self.session, "version": self._version}

    def hello(self) -> dict[str, Any]:
        """The first message on the comm."""
        return self.head() | {"kind": "hello", "last": self.ledger.last}

    def keyframe(self) -> dict[str, Any]:
        """Where the stream stands, with the totals of all signatures that were called."""
        totals = {
            counter.signature: {"count": counter.count, "timed": counter.timed, "timed_ns": counter.timed_ns}
            for counter in live_counters()
            if counter.count
        }
        return self.head() | {"kind": "keyframe", "batch": self.batch, "last": self.last, "totals": totals}

    def next_batch(self) -> dict[str, Any] | None:
        """The next events that were not sent yet, with their graphs; None when there are none."""
        waiting = self.ledger.since(self.last)
        if not waiting:
            return None
        events: list[dict[str, Any]] = []
        graphs: dict[str, Any] = {}
        room = MOST_CHARACTERS
        for event in waiting[:MOST_EVENTS]:
            data = event.to_json()
            room -= len(json.dumps(data, default=str))
            graph = self._unsent_graph(event, graphs)
            if graph is not None:
                room -= len(json.dumps(graph, default=str))
            if room < 0 and events:
                break
            events.append(data)
            if graph is not None:
                graphs[graph["hash"]] = graph
        first, self.last = waiting[0].seq, waiting[len(events) - 1].seq
        self.batch += 1
        if len(self._sent_graphs) > MOST_SENT_HASHES:
            self._sent_graphs.clear()
        self._sent_graphs.update(graphs)
        return self.head() | {
            "kind": "batch",
            "batch": self.batch,
            "first": first,
            "last": self.last,
            "events": events,
            "graphs": graphs,
        }

    def _unsent_graph(self, event: Event, graphs: dict[str, Any]) -> dict[str, Any] | None:
        if not isinstance(event, GraphBuilt) or event.graph_hash in graphs or event.graph_hash in self._sent_graphs:
            return None
        return dict(event.graph.to_json(), hash=event.graph_hash)
