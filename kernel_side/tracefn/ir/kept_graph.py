"""A graph that an earlier process has made: read from bytes when something looks at its nodes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from .graph import Graph
from .op import by_name

_READING = threading.RLock()


class KeptGraph(Graph):
    """A `Graph` of which little is known until its nodes are asked for: its name, that it has `total` nodes with those
    of bodies, its `hash`, and the names of its ops. `read` gives the graph; then this is one as any other."""

    def __init__(self, name: str, total: int, hash: str, ops: Iterable[str], read: Callable[[], Graph]) -> None:
        known = {"name": name, "_total": total, "hash": hash, "ops": frozenset(map(by_name, ops))}
        self.__dict__.update(known, _read=read)

    def __getattr__(self, name: str) -> Any:
        if name not in ("nodes", "inputs", "outputs"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        with _READING:
            if "nodes" not in self.__dict__:
                graph = self.__dict__.pop("_read")()
                self.__dict__.update(inputs=graph.inputs, outputs=graph.outputs, results=graph.results)
                self.__dict__.update(nodes=graph.nodes)
                object.__setattr__(self, "__class__", Graph)  # copies of it are made by that class
        return self.__dict__[name]
