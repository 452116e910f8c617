"""Lists of the graph as parts of results, serialised: the structure of their items."""

from __future__ import annotations

from typing import Any

from ...ir.serialise import Deserialiser, NotSerialisable, Serialiser
from ...trace.values.records import COLUMN, Record

_KINDS: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}


def serialise_list(kept: tuple[Record | None] | None, serialiser: Serialiser) -> list[Any]:
    """The metadata of a `GraphList` in the tree of a result, serialised. Raises NotSerialisable for named tuples."""
    return [] if kept is None else [_part(kept[0], serialiser)]


def list_of(record: list[Any], deserialiser: Deserialiser) -> tuple[Record | None] | None:
    """The metadata that was serialised so."""
    return (_of(record[0], deserialiser),) if record else None


def _part(part: Any, serialiser: Serialiser) -> list[Any]:
    if part is COLUMN:
        return ["column"]
    if type(part) is not Record:
        return ["constant", serialiser.template(part)]
    if _KINDS.get(part.kind.__name__) is not part.kind:
        raise NotSerialisable(f"it gives a list of {part.kind.__name__}")
    keys = [serialiser.template(key) for key in part.keys]
    return ["record", part.kind.__name__, keys, [_part(p, serialiser) for p in part.parts]]


def _of(record: list[Any], deserialiser: Deserialiser) -> Any:
    if record[0] == "column":
        return COLUMN
    if record[0] == "constant":
        return deserialiser.template(record[1])
    _, kind, keys, parts = record
    found = tuple([_of(part, deserialiser) for part in parts])
    return Record(_KINDS[kind], tuple([deserialiser.template(key) for key in keys]), found)
