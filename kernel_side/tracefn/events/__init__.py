"""The event stream: its types, the bus that numbers the events, the ledger that keeps them, and call counters.

`emit(event)` sends one, `listen(listener)` follows them, `record()` collects those of a block, `silence()` keeps none
of a block, `locate(file, line)` makes the `Location` that an event carries. `docs/protocol.md` says how the events
reach the panel.
"""

from tracefn.events.bus import BUS, Bus, Listener
from tracefn.events.cells import CELLS, Cell, CellRegistry, CellRun
from tracefn.events.counters import CallCounter, CounterReader, live_counters
from tracefn.events.ledger import Ledger, Snapshot
from tracefn.events.record import record
from tracefn.events.types import (
    EVENT_TYPES,
    PROTOCOL_VERSION,
    Argument,
    AutographFallback,
    CacheCleared,
    Calls,
    Cause,
    CellStarted,
    Error,
    Event,
    Fallback,
    GraphBuilt,
    Location,
    Numerics,
    PassCount,
    PlanBuild,
    PlanKept,
    PlanReady,
    ProfileLine,
    ProfileMeasured,
    ProfileStep,
    ProfileTime,
    RetraceExplained,
    SideEffect,
    SweepMeasured,
    SweepPoint,
    TimingMeasured,
    TraceEvicted,
    TraceFinished,
    TraceKept,
    TracePhase,
    TraceStarted,
    Transfer,
)

emit = BUS.emit
listen = BUS.listen
silence = BUS.silence
locate = CELLS.locate
renumbered = CELLS.renumbered

__all__ = [
    "BUS",
    "CELLS",
    "EVENT_TYPES",
    "PROTOCOL_VERSION",
    "Argument",
    "AutographFallback",
    "Bus",
    "CacheCleared",
    "CallCounter",
    "Calls",
    "Cause",
    "Cell",
    "CellRegistry",
    "CellRun",
    "CellStarted",
    "CounterReader",
    "Error",
    "Event",
    "Fallback",
    "GraphBuilt",
    "Ledger",
    "Listener",
    "Location",
    "Numerics",
    "PassCount",
    "PlanBuild",
    "PlanKept",
    "PlanReady",
    "ProfileLine",
    "ProfileMeasured",
    "ProfileStep",
    "ProfileTime",
    "RetraceExplained",
    "SideEffect",
    "SweepMeasured",
    "SweepPoint",
    "Snapshot",
    "TimingMeasured",
    "TraceEvicted",
    "TraceFinished",
    "TraceKept",
    "TracePhase",
    "TraceStarted",
    "Transfer",
    "emit",
    "listen",
    "live_counters",
    "locate",
    "renumbered",
    "record",
    "silence",
]
