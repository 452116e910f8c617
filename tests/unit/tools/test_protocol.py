"""What the front end knows of events is made from the kernel's types, and is current."""

from __future__ import annotations

import protocol


def test_the_types_of_the_front_end_are_current():
    made = {"events.ts": protocol.typescript(), "records.ts": protocol.records()}
    for file, text in made.items():
        assert (protocol.PROTOCOL / file).read_text() == text, "run: python tools/protocol.py"


def test_the_table_of_events_is_current():
    text = protocol.PAGE.read_text()
    assert protocol.page(text) == text, "run: python tools/protocol.py"
    assert all(f"| `{name}` |" in text for name in protocol.events.EVENT_TYPES)


def test_fields_have_types_and_readers():
    assert protocol.fields(protocol.events.Cause)[-1] == (
        "dimension",
        "number | null",
        "orNull(data.dimension, asNumber)",
    )
    assert protocol.fields(protocol.events.PlanReady)[-1] == ("size", "number", "orElse(data.size, asNumber, 0)")
    assert protocol.fields(protocol.events.GraphBuilt)[-2:] == [
        ("graph_hash", "string", "asText(data.graph_hash)"),
        ("raised", "string | null", "orNull(data.raised, asText)"),
    ]
