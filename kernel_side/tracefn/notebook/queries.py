"""The answers to the panel's queries (docs/protocol.md), from the records of traces: no user code runs here.

They are given on a thread of the kernel's own where it has subshells, while the user's cell runs on another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracefn.config import kept_arguments, kept_arguments_size
from tracefn.events import BUS, CounterReader
from tracefn.events.lock import LOCK
from tracefn.explain import advise, explain, graph_diff, ledger, what_if, written
from tracefn.function import ConcreteFunction, Function
from tracefn.function.stages import Stage
from tracefn.function.traced import FUNCTIONS
from tracefn.notebook.batches import MOST_NODES, Batcher, event_json
from tracefn.reporting import report_page
from tracefn.runtime.tiers import stop_building

Query = Callable[[dict[str, Any]], Any]


class Queries:
    """Answers requests about the ledger that `batcher` streams."""

    def __init__(self, batcher: Batcher, reader: CounterReader) -> None:
        self._batcher = batcher
        self._reader = reader
        self._queries: dict[str, Query] = {
            "snapshot": self._snapshot,
            "graph": self._graph,
            "graph_diff": self._graph_diff,
            "explain": self._explain,
            "what_if": self._what_if,
            "write_fix": self._write_fix,
            "staging": self._staging,
            "stages": self._stages,
            "stage": self._stage,
            "kernels": self._kernels,
            "ledger": self._ledger,
            "report": self._report,
            "stop_build": self._stop_build,
            "configure": self._configure,
            "timeline": self._timeline,
            "chrome_trace": self._chrome_trace,
            "ping": self._ping,
        }

    def answer(self, request: Any) -> dict[str, Any]:
        """The answer to one request; a request that cannot be answered gets one line that says why."""
        number = request.get("id") if isinstance(request, dict) else None
        try:
            return {"id": number, "ok": True, "result": self._result(request)}
        except Exception as error:
            return {"id": number, "ok": False, "error": " ".join(str(error).split()) or type(error).__name__}

    def _result(self, request: Any) -> Any:
        query = self._queries.get(str(request.get("query"))) if isinstance(request, dict) else None
        if query is None:
            raise ValueError(f"A request needs a 'query', one of {', '.join(self._queries)}; got {request!r:.200}.")
        return query(request)

    def _snapshot(self, request: dict[str, Any]) -> dict[str, Any]:
        with LOCK:
            BUS.emit_calls(self._reader)
            snapshot, batch = self._batcher.ledger.snapshot(), self._batcher.batch
        return self._batcher.head() | {
            "last": snapshot.last,
            "batch": batch,
            "dropped": snapshot.dropped,
            "events": [event_json(event) for event in snapshot.events],
        }

    def _graph(self, request: dict[str, Any]) -> dict[str, Any]:
        graph = self._kept(request.get("hash"))
        data = graph.part_json(request["first"], MOST_NODES) if "first" in request else graph.to_json()
        return dict(data, hash=request["hash"])

    def _kept(self, graph_hash: Any) -> Any:
        graph = self._batcher.ledger.graph(graph_hash) if isinstance(graph_hash, str) else None
        if graph is None:
            raise LookupError(f"The graph {graph_hash!r} is no longer kept; trace its function again to see it.")
        return graph

    def _graph_diff(self, request: dict[str, Any]) -> dict[str, Any]:
        sides = (request.get("a"), request.get("b"))
        a, b = (_stage(side).graph if isinstance(side, dict) else self._kept(side) for side in sides)
        return graph_diff(a, b).to_dict()

    def _explain(self, request: dict[str, Any]) -> dict[str, Any]:
        return explain(_function(request), request.get("trace"), may_run=False).to_dict()

    def _what_if(self, request: dict[str, Any]) -> dict[str, Any]:
        return what_if(_function(request), may_run=False).to_dict()

    def _write_fix(self, request: dict[str, Any]) -> dict[str, Any]:
        function = _function(request)
        fix = advise(function, may_run=False)
        if fix is None:
            raise LookupError(f"No change of `{function.name}` is known to help.")
        return {"cells": written(function, fix, request["cells"])}

    def _staging(self, request: dict[str, Any]) -> dict[str, Any]:
        return _function(request).staging(request.get("trace")).to_dict()

    def _stages(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"name": stage.name, "nodes": stage.nodes} for stage in _concrete(request).stages()]

    def _stage(self, request: dict[str, Any]) -> dict[str, Any]:
        stage = _stage(request)
        return {"name": stage.name, "nodes": stage.nodes, "text": stage.text, "graph": stage.graph.to_json()}

    def _kernels(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"nodes": _concrete(request).kernels()}

    def _ledger(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        return ledger().rows()

    def _report(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"html": report_page()}

    def _stop_build(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"was_built": stop_building(str(request.get("signature")))}

    def _configure(self, request: dict[str, Any]) -> dict[str, Any]:
        kept_arguments(int(request["kept_arguments"]))
        return {"kept_arguments": kept_arguments_size()}

    def _timeline(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        return [span.to_dict() for span in ledger().timeline().spans]

    def _chrome_trace(self, request: dict[str, Any]) -> dict[str, Any]:
        return ledger().to_chrome_trace()

    def _ping(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"session": self._batcher.session, "last": self._batcher.ledger.last}


def _function(request: dict[str, Any]) -> Function:
    function = FUNCTIONS.living(str(request.get("function")))
    if function is None:
        raise LookupError(f"The function {request.get('function')!r} no longer exists.")
    return function


def _concrete(request: dict[str, Any]) -> ConcreteFunction:
    trace = request.get("trace")
    traces = reversed(_function(request).concrete_functions)
    concrete = next((c for c in traces if trace in (None, c.number)), None)
    if concrete is None:
        raise LookupError(f"The trace {trace!r} is no longer kept.")
    return concrete


def _stage(request: dict[str, Any]) -> Stage:
    wanted = request.get("name")
    stage = next((s for s in _concrete(request).stages() if s.name == wanted), None)
    if stage is None:
        raise LookupError(f"The trace has no stage {wanted!r}.")
    return stage
