"""The messages of the events comm, made from the ledger: `hello`, batches and keyframes (docs/protocol.md)."""

from __future__ import annotations

import logging
import time
import uuid
from typing import Any

from tracefn.events import PROTOCOL_VERSION, Error, Event, GraphBuilt, Ledger, TraceFinished, TracePhase, live_counters
from tracefn.notebook.left_out import SUMMED, Sums, traces_to_leave_out

# Half of the protocol's limit: while a message is encoded, the user's code stands still.
MOST_EVENTS = 250
MOST_CHARACTERS = 512 * 1024
# Graphs of more nodes come in parts: one of 50,000 nodes has 7 MB, over which both sides would stand still.
MOST_NODES = 1000
# About how many characters a node takes, but for its call.
NODE_CHARACTERS = 200
# The number of graphs that one batch carries, at most.
MOST_GRAPHS = 8
# From how many events on the stream leaves traces out, and how many it is behind then. A thousand traces are 11,000.
# The ledger keeps 20,000.
MOST_BEHIND = 12_000
LEAST_BEHIND = 5_000
# How many events are looked at for one batch: the phases among them are left out.
MOST_LOOKED_AT = 4 * MOST_EVENTS
# After this long the user's thread gets a turn. In a busy cell it then takes its 5 ms (`sys.getswitchinterval()`).
SLICE_SECONDS = 0.0005
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
        #: The graph that the last message had a part of, and how many of its nodes were sent.
        self._begun = ("", 0)
        #: The signatures of whose traces only sums are sent, and the last event that these take in.
        self._left_out: frozenset[str | None] = frozenset()
        self._summed = 0

    @property
    def goes_on(self) -> bool:
        """Whether a graph was begun whose other parts the next messages have."""
        return self._begun[1] > 0

    def head(self) -> dict[str, Any]:
        """The part of every message and every snapshot about its sender, and its time."""
        sender = {"protocol": PROTOCOL_VERSION, "session": self.session, "version": self._version}
        return sender | {"time_ns": time.perf_counter_ns()}

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
        """The next events that were not sent yet, with their graphs; None when there are none.

        Left out are the phases of traces that have ended meanwhile, which are in `trace.finished`, and, of many
        graphs, all but the newest: in a storm of retraces none is looked at, and the page can ask for each. A stream
        that is far behind has the sums of old traces alone.
        """
        looked_at, sums = self._leave_out_traces()
        waiting, complete = self.ledger.since(self.last, looked_at)
        if not waiting:
            return None
        ends = {event.signature: event.seq for event in waiting if isinstance(event, TraceFinished)}
        to_send = [
            e
            for e in waiting
            if not (isinstance(e, TracePhase) and e.seq < ends.get(e.signature, 0))
            and not (e.signature in self._left_out and e.type in SUMMED)
        ]
        window = to_send[:MOST_EVENTS]
        with_graph = {event.seq for event in [e for e in window if isinstance(e, GraphBuilt)][-MOST_GRAPHS:]}
        if self.goes_on:
            with_graph.add(window[0].seq)
        events: list[dict[str, Any]] = []
        graphs: dict[str, Any] = {}
        room = MOST_CHARACTERS
        slice_ends = time.perf_counter() + SLICE_SECONDS
        begun, self._begun = self._begun, ("", 0)
        for event in window:
            if time.perf_counter() > slice_ends:
                time.sleep(0)
                slice_ends = time.perf_counter() + SLICE_SECONDS
            data = event_json(event)
            room -= _size(data)
            graph = self._unsent_graph(event, graphs, begun) if event.seq in with_graph else None
            if graph is not None:
                room -= sum([NODE_CHARACTERS + len(node["call"]) for node in graph["nodes"]])
            if room < 0 and events:
                break
            if graph is not None:
                graphs[graph["hash"]] = graph
                if graph["left"]:
                    self._begun = (graph["hash"], graph["first"] + len(graph["nodes"]))
                    break  # its event goes with its last part
            events.append(data)
        first = self.last + 1 if complete else waiting[0].seq
        # Events that were left out before the next one count as sent.
        self.last = to_send[len(events)].seq - 1 if len(events) < len(to_send) else waiting[-1].seq
        self.batch += 1
        if len(self._sent_graphs) > MOST_SENT_HASHES:
            self._sent_graphs.clear()
        self._sent_graphs.update(name for name, graph in graphs.items() if not graph["left"])
        return self.head() | {
            "kind": "batch",
            "batch": self.batch,
            "first": first,
            "last": self.last,
            "events": events,
            "graphs": graphs,
            "left_out": sums,
            "current": self.last == self.ledger.last,
        }

    def _leave_out_traces(self) -> tuple[int, dict[str, Sums]]:
        """How many events are to be looked at, and the sums of traces among them that are left out, by function."""
        behind = self.ledger.last - self.last
        if behind <= MOST_BEHIND or self.last < self._summed or self.goes_on:
            return MOST_LOOKED_AT, {}
        old, _ = self.ledger.since(self.last, behind - LEAST_BEHIND)
        if not old:
            return MOST_LOOKED_AT, {}
        self._left_out, sums = traces_to_leave_out(old)
        self._summed = old[-1].seq
        return len(old), sums

    def _unsent_graph(self, event: Event, graphs: dict[str, Any], begun: tuple[str, int]) -> dict[str, Any] | None:
        """The graph of an event, or its next part; None where all of it was sent."""
        if not isinstance(event, GraphBuilt) or event.graph_hash in graphs or event.graph_hash in self._sent_graphs:
            return None
        graph = event.graph  # another thread may release it
        if graph is None:
            return None
        try:
            first = begun[1] if begun[0] == event.graph_hash else 0
            return dict(graph.part_json(first, MOST_NODES), hash=event.graph_hash)
        except Exception:
            logging.getLogger("tracefn").exception("A graph could not be written as JSON.")
            return None


def event_json(event: Event) -> dict[str, Any]:
    """The event, or, so that the stream goes on, an error in its place."""
    try:
        return event.to_json()
    except Exception as error:
        logging.getLogger("tracefn").exception("An event could not be written as JSON.")
        text = f"The event {event.type} could not be written as JSON: {error}"
        stand_in = Error(seq=event.seq, time_ns=event.time_ns, error=type(error).__name__, message=text, phase="call")
        return stand_in.to_json()


def _size(data: dict[str, Any]) -> int:
    """About how many characters of JSON this is: the long parts of events are texts and lists."""
    size = 30 * len(data)
    for value in data.values():
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, list):
            size += 150 * len(value)
    return size
