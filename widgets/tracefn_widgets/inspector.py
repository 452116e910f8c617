"""Functions, signatures, graphs and retraces as a widget that follows the kernel's events."""

from __future__ import annotations

from typing import Any

import traitlets
from tracefn.events import BUS, CounterReader, GraphBuilt
from tracefn.function import Function
from tracefn.notebook.batches import Batcher
from tracefn.notebook.publisher import Publisher
from tracefn.notebook.queries import Queries
from tracefn.notebook.summary import Summary, summarize

from tracefn_widgets.bundle import BundledWidget
from tracefn_widgets.saved import graph_html


class Inspector(BundledWidget):
    """Shows what was traced, of the function `f` or of all, and keeps showing what is traced while it is open.

    `height` is in px. `selected` is the id of the signature shown, '' for the newest. `close()` ends it. Raises
    TypeError if `f` is no traced function.
    """

    bundle = "inspector.js"

    events: traitlets.List[Any] = traitlets.List().tag(sync=True)
    graphs: traitlets.Dict[Any, Any] = traitlets.Dict().tag(sync=True)
    height = traitlets.Int(640).tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)

    def __init__(self, f: Function | None = None, height: int = 640) -> None:
        if f is not None and not isinstance(f, Function):
            raise TypeError(
                f"Inspector follows a traced function, or all of them when called without one; got {type(f).__name__}. "
                "Put @tracefn.function on the function first."
            )
        self._function = None if f is None else f.function_id
        super().__init__(height=height)
        batcher = Batcher(BUS.ledger, "")
        batcher.last = self._show_all()
        reader = CounterReader()
        self._queries = Queries(batcher, reader)
        self.on_msg(self._answer)
        self._publisher = Publisher(batcher, reader, self._append, lambda: False)

    def close(self) -> None:
        """End: the views disappear, and nothing is followed any more."""
        publisher = getattr(self, "_publisher", None)
        if publisher is not None:
            publisher.stop()
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        # What came since is not in the traits, and a view made now would lack it.
        self._show_all()
        return super()._repr_mimebundle_(**options)

    def saved_html(self) -> str:
        built = [event.graph for event in self._shown if isinstance(event, GraphBuilt)]
        newest = [graph for graph in built if graph is not None][-1:]
        return "".join([self._summary()._repr_html_(), *map(graph_html, newest)])

    def saved_text(self) -> str:
        return f"Inspector\n{self._summary()}"

    def _summary(self) -> Summary:
        return summarize(self._shown, {})

    def _show_all(self) -> int:
        """Set the traits to all that the ledger keeps; the number of its newest event."""
        snapshot = BUS.ledger.snapshot()
        kept = [event for event in snapshot.events if self._is_shown(event.function)]
        self._shown = kept
        with self.hold_sync():
            built = [(event.graph_hash, event.graph) for event in kept if isinstance(event, GraphBuilt)]
            self.graphs = {name: graph.to_json() for name, graph in built if graph is not None}
            self.events = [event.to_json() for event in kept]
        return snapshot.last

    def _append(self, message: dict[str, Any]) -> None:
        """Send a batch on to the views, less what belongs to other functions."""
        shown = [event for event in message.get("events", ()) if self._is_shown(event["function"])]
        hashes = {event["graph_hash"] for event in shown if event["type"] == GraphBuilt.type}
        left_out = {name: sums for name, sums in message.get("left_out", {}).items() if self._is_shown(name)}
        if shown or left_out:
            graphs = {name: graph for name, graph in message["graphs"].items() if name in hashes}
            self.send({"events": shown, "graphs": graphs, "left_out": left_out})

    def _answer(self, _: Any, query: Any, buffers: Any) -> None:
        """Answer a view's question; all views hear it, and the one that asked knows it by its id."""
        self.send({"answer": self._queries.answer(query)})

    def _is_shown(self, function: str | None) -> bool:
        return self._function is None or function == self._function
