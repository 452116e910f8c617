"""The step that fetches elements ahead, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, Queue
from typing import Any

from .node import Node


class Prefetch(Node):
    """Up to `size` elements wait, made by a thread while the consumer works on earlier ones.

    The thread starts with the first element that is asked for, and ends when the iterator ends or is dropped. Its
    errors are raised where the element is asked for.
    """

    def __init__(self, source: Node, size: int) -> None:
        self._size = size
        super().__init__(f"prefetch({size})", source.spec, source.cardinality, [source])

    def __iter__(self) -> Iterator[Any]:
        ready: Queue[tuple[Any, BaseException | None]] = Queue(self._size)
        dropped = threading.Event()
        arguments = (self.inputs[0], ready, dropped)
        threading.Thread(target=_fetch, args=arguments, name="tracefn-prefetch", daemon=True).start()
        try:
            while True:
                element, error = ready.get()
                if error is _END:
                    return
                if error is not None:
                    raise error
                yield element
        finally:
            dropped.set()
            _drain(ready)


_END = StopIteration()


def _fetch(source: Node, ready: Queue[Any], dropped: threading.Event) -> None:
    try:
        for element in source:
            ready.put((element, None))
            if dropped.is_set():
                return
        ready.put((None, _END))
    except BaseException as error:
        ready.put((None, error))


def _drain(ready: Queue[Any]) -> None:
    """Makes room for the one `put` that the thread may be waiting in; it looks at `dropped` after that."""
    try:
        while True:
            ready.get_nowait()
    except Empty:
        pass
