"""The events as JSON."""

from __future__ import annotations

import dataclasses
import json

import pytest
from tracefn.events import (
    EVENT_TYPES,
    PROTOCOL_VERSION,
    Argument,
    Event,
    GraphBuilt,
    Location,
    PassCount,
    TraceStarted,
)


def test_nested_fields_become_plain_data() -> None:
    event = TraceStarted(
        seq=4,
        function="f#1",
        signature="f#1/1",
        location=Location("a.py", 2),
        function_name="f",
        function_key="m.f",
        defined=None,
        trace=1,
        signature_text="x: float64[2, None]",
        signature_hash="h",
        arguments=(Argument("x", "tensor", "float64[2, None, 2*n]", "float64", (2, None, "2*n")),),
    )
    data = json.loads(json.dumps(event.to_json()))
    assert data["v"] == PROTOCOL_VERSION
    assert (data["type"], data["seq"], data["engine"]) == ("trace.started", 4, "tracefn")
    assert data["location"] == {"file": "a.py", "line": 2, "cell": None, "cell_number": None}
    assert data["arguments"][0]["shape"] == [2, None, "2*n"]


def test_a_graph_travels_beside_its_event() -> None:
    passes = (PassCount("fold", 3, 2, 100),)
    event = GraphBuilt(known_hash="9f", nodes_before=3, nodes_after=2, passes=passes, graph=object())
    data = event.to_json()
    assert "graph" not in data
    assert data["graph_hash"] == "9f"
    assert data["passes"] == [{"name": "fold", "before": 3, "after": 2, "duration_ns": 100}]


def test_every_type_is_known_by_its_name() -> None:
    assert {cls.type for cls in Event.__subclasses__()} == set(EVENT_TYPES)
    assert all(EVENT_TYPES[name].type == name for name in EVENT_TYPES)


@pytest.mark.parametrize("cls", EVENT_TYPES.values())
def test_events_are_frozen(cls: type[Event]) -> None:
    fields = [f for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING]
    event = cls(**{f.name: () for f in fields})
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.seq = 3  # type: ignore[misc]
