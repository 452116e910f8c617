"""Makes `records.ts` and `events.ts` in `widgets/src/protocol`, and the table in `docs/protocol.md`, from the kernel's
event types.

Run it after a change of `event.py` or `types.py` in `kernel_side/tracefn/events`; a test fails where it was forgotten.
"""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from pathlib import Path
from typing import Any, Union

from tracefn.events import types as events

ROOT = Path(__file__).resolve().parents[1]
PROTOCOL = ROOT / "widgets" / "src" / "protocol"
PAGE = ROOT / "docs" / "protocol.md"
BEGIN, END = "<!-- events: made by tools/protocol.py -->", "<!-- end of events -->"

SIMPLE = {
    str: ("string", "asText"),
    int: ("number", "asNumber"),
    float: ("number", "asNumber"),
    bool: ("boolean", "asFlag"),
}
ALWAYS = ("seq", "time_ns")
"""Fields with a default that the bus fills in."""
RECORDS = (
    events.Location,
    events.Argument,
    events.Cause,
    events.PassCount,
    events.ProfileStep,
    events.ProfileTime,
    events.ProfileLine,
    events.SweepPoint,
)

RECORDS_HEAD = """/**
 * The records inside of events: their types, and how they are read from untrusted JSON. Made by `tools/protocol.py`
 * from `kernel_side/tracefn/events/event.py`.
 */

import { asList, asNumber, asText, fail, asFields, orNull } from './reading';

/** One dimension of a shape: a length, the text of a symbolic length, or null for any length. */
export type Dimension = number | string | null;

/** Untrusted JSON → `Dimension`. */
export function asDimension(value: unknown): Dimension {
  return value === null || typeof value === 'number' || typeof value === 'string'
    ? value
    : fail('dimension');
}

/** Lower quartile, median and upper quartile, in ns. */
export type Quartiles = readonly [number, number, number];

/** Untrusted JSON → `Quartiles`. */
export function asQuartiles(value: unknown): Quartiles {
  const [low, median, high] = asList(value, asNumber);
  return low === undefined || median === undefined || high === undefined
    ? fail('quartiles')
    : [low, median, high];
}
"""

EVENTS_HEAD = f"""/**
 * The events: their types, and how they are read from untrusted JSON. Made by `tools/protocol.py` from
 * `kernel_side/tracefn/events/types.py`.
 */

import {{ asFlag, asList, asNumber, asRecord, asText, Fields, orElse, orNull }} from './reading';
import {{
  {{records}}
}} from './records';

/** The protocol version that these types describe. */
export const PROTOCOL_VERSION = {events.PROTOCOL_VERSION};
"""


def typed(kind: Any) -> tuple[str, str]:
    """The TypeScript type of a field of a type, and the function that reads one."""
    if kind in SIMPLE:
        return SIMPLE[kind]
    if dataclasses.is_dataclass(kind):
        return kind.__name__, f"as{kind.__name__}"
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        if set(args) == {int, str, type(None)}:
            return "Dimension", "asDimension"
        (inner,) = [a for a in args if a is not type(None)]
        name, read = typed(inner)
        return f"{name} | null", f"value => orNull(value, {read})"
    if origin is tuple and args == (float, float, float):
        return "Quartiles", "asQuartiles"
    if origin is tuple and args[1:] == (...,):
        name, read = typed(args[0])
        return f"readonly {name}[]", f"value => asList(value, {read})"
    if origin is dict and args[0] is str:
        name, read = typed(args[1])
        return f"Readonly<Record<string, {name}>>", f"value => asRecord(value, {read})"
    raise TypeError(f"no TypeScript type is known for {kind!r}: add it to tools/protocol.py")


def fields(cls: Any) -> list[tuple[str, str, str]]:
    """Each field of a record or event that JSON has: its name, its TypeScript type, and the expression that reads it.

    One with a default may be absent; None stands for absent fields, too.
    """
    hints = typing.get_type_hints(cls)
    own = [f for f in dataclasses.fields(cls) if not f.metadata.get("by_reference")]
    if issubclass(cls, events.Event) and cls is not events.Event:
        header = {f.name for f in dataclasses.fields(events.Event)}
        own = [f for f in own if f.name not in header]
    found = []
    for field in own:
        name, read = typed(hints[field.name])
        default = dataclasses.MISSING if field.name in ALWAYS else field.default
        found.append((field.name, name, _reading(field.name, read, default)))
    for computed in getattr(cls, "computed", ()):
        name, read = typed(typing.get_type_hints(getattr(cls, computed).fget)["return"])
        found.append((computed, name, _reading(computed, read, dataclasses.MISSING)))
    return found


def _reading(name: str, read: str, default: Any) -> str:
    value = f"data.{name}"
    expression = read.partition("=> ")[2].replace("(value,", f"({value},", 1) if "=>" in read else f"{read}({value})"
    if default in (dataclasses.MISSING, None):
        return expression
    return f"orElse({value}, {read}, {json.dumps(default)})".replace('"', "'")


def _comment(cls: Any, indent: str = "") -> str:
    paragraph = " ".join((cls.__doc__ or "").strip().partition("\n\n")[0].split())
    return f"{indent}/** {paragraph} */\n"


def records() -> str:
    """The text of `records.ts`."""
    parts = [RECORDS_HEAD]
    for record in RECORDS:
        declared = "".join(f"  readonly {name}: {kind};\n" for name, kind, _ in fields(record))
        read = ",\n".join(f"    {name}: {expression}" for name, _, expression in fields(record))
        title = record.__name__
        parts.append(f"{_comment(record)}export interface {title} {{\n{declared}}}\n")
        parts.append(
            f"/** Untrusted JSON → `{title}`. */\nexport function as{title}(value: unknown): {title} {{\n"
            f"  const data = asFields(value);\n  return {{\n{read}\n  }};\n}}\n"
        )
    return "\n".join(parts)


def typescript() -> str:
    """The text of `events.ts`."""
    parts = []
    header = fields(events.Event)
    declared = "".join(f"  readonly {name}: {kind};\n" for name, kind, _ in header)
    read = ",\n".join(f"    {name}: {expression}" for name, _, expression in header)
    parts.append(f"{_comment(events.Event)}export interface Header {{\n  readonly v: number;\n{declared}}}\n")
    parts.append(
        "/** The header of an event. */\nexport function asHeader(data: Fields): Header {\n"
        f"  return {{\n    v: PROTOCOL_VERSION,\n{read}\n  }};\n}}\n"
    )
    declared = "".join(
        f"{_comment(cls, '  ')}  '{name}': {{\n"
        + "".join(f"    readonly {field}: {kind};\n" for field, kind, _ in fields(cls))
        + "  };\n"
        for name, cls in events.EVENT_TYPES.items()
    )
    parts.append(
        f"/** The fields of each event type, beside its header. */\nexport interface EventFields {{\n{declared}}}\n"
    )
    read = ",\n".join(
        f"  '{name}': data => ({{\n" + ",\n".join(f"    {field}: {e}" for field, _, e in fields(cls)) + "\n  })"
        for name, cls in events.EVENT_TYPES.items()
    )
    parts.append(
        "/** How the own fields of each event type are read. */\n"
        "export const READERS: { readonly [T in keyof EventFields]: (data: Fields) => EventFields[T] } = {\n"
        f"{read}\n}};\n"
    )
    text = "\n".join(parts)
    names = [*[record.__name__ for record in RECORDS], "Dimension", "Quartiles"]
    used = [n for name in names for n in (f"as{name}", name) if re.search(rf"\b{n}\b", text)]
    return EVENTS_HEAD.replace("{records}", ",\n  ".join(used)) + "\n" + text


def table() -> str:
    """The table of `protocol.md`."""
    rows = ["| `type` | fields | meaning |", "|---|---|---|"]
    for name, cls in events.EVENT_TYPES.items():
        own = ", ".join(f"`{field}`" for field, _, _ in fields(cls))
        paragraph = " ".join((cls.__doc__ or "").strip().partition("\n\n")[0].split())
        rows.append(f"| `{name}` | {own} | {paragraph} |")
    return "\n".join(rows)


def page(text: str) -> str:
    """The page with the table as it is now."""
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{table()}\n{END}", text, flags=re.S)


if __name__ == "__main__":
    (PROTOCOL / "records.ts").write_text(records())
    (PROTOCOL / "events.ts").write_text(typescript())
    PAGE.write_text(page(PAGE.read_text()))
