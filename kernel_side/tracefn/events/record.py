"""`record()`: the events of a block of code, as a list."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tracefn.events.bus import BUS
from tracefn.events.counters import CounterReader
from tracefn.events.types import Calls, Event


@contextmanager
def record() -> Iterator[list[Event]]:
    """Yield a list that fills with the events of the block, from all threads, in the order of their `seq`.

    When the block ends, one `Calls` event follows for each signature that was called in it, with its totals since it
    was made (not for a function that no longer exists by then). Totals that others ask for meanwhile are left out, so
    that the same code always gives the same list.

    >>> from tracefn.events import SideEffect, emit, record
    >>> with record() as events:
    ...     _ = emit(SideEffect(kind="print", text="print('hi')", alternative="print outside"))
    >>> [event.type for event in events]
    ['side_effect']
    """
    events: list[Event] = []
    reader = CounterReader(from_now=True)

    def keep(event: Event) -> None:
        if not isinstance(event, Calls):
            events.append(event)

    stop = BUS.listen(keep)
    try:
        yield events
    finally:
        stop()
        events.extend(BUS.emit_calls(reader))
