"""Code as if it stood at the user's lines: programs, so that NumPy's warnings name these, and entries of tracebacks."""

from __future__ import annotations

import functools
import types
from typing import Any

from ..ir.place import Source

_NO_COLUMNS, _LONG = 13, 14
"""A location with a line and no columns, and one with both: see "Location table" in CPython's
InternalDocs/code_objects.md."""

_UNITS = 8
"""The most code units that one location stands for."""


def at_users_lines(code: types.CodeType, sources: dict[int, Source]) -> types.CodeType:
    """The same code with the file and the lines of the user's code. `sources` has them for lines of the program; lines
    in between count as the one before. Of several files, which one code object cannot have, it is the most frequent."""
    if not sources:
        return code
    files = [s.file for s in sources.values()]
    file = max(dict.fromkeys(files), key=files.count)
    lines = {number: s.line for number, s in sources.items() if s.file == file}
    first = lines[min(lines)]
    table, last, line, begin = bytearray(), first, first, 0
    before: int | None = None
    for start, _, number in code.co_lines():
        if number == before:
            continue
        before = number
        now = lines.get(number, line) if number is not None else line
        if now != line:
            table += _locations(line - last, (start - begin) // 2)
            last, line, begin = line, now, start
    table += _locations(line - last, (len(code.co_code) - begin) // 2)
    return code.replace(co_filename=file, co_firstlineno=first, co_linetable=bytes(table))


@functools.lru_cache(maxsize=4096)
def _locations(step: int, units: int, columns: tuple[int, int] | None = None) -> bytes:
    """The entries of `units` code units, `step` lines behind those before."""
    found = bytearray()
    kind = _NO_COLUMNS if columns is None else _LONG
    while units > 0:
        count = min(units, _UNITS)
        found.append(0x80 | kind << 3 | count - 1)
        found += _number(-step << 1 | 1 if step < 0 else step << 1)
        if columns is not None:
            found += _number(0) + _number(columns[0] + 1) + _number(columns[1] + 1)
        step = 0
        units -= count
    return bytes(found)


@functools.lru_cache(maxsize=1024)
def _number(number: int) -> bytes:
    """A number in parts of six bits, the lowest first."""
    found = bytearray()
    while number >= 64:
        found.append(0x40 | number & 63)
        number >>= 6
    found.append(number)
    return bytes(found)


def entry_at(
    function: types.CodeType, line: int, variables: dict[str, Any] | None = None, columns: tuple[int, int] | None = None
) -> types.TracebackType:
    """An entry of a traceback, as of a call of a function that is at a line of it. Of `function` the names, the file
    and the first line count, by which source is looked up."""
    code = compile("raise StopIteration", function.co_filename, "exec")
    code = code.replace(
        co_name=function.co_name,
        co_qualname=function.co_qualname,
        co_firstlineno=function.co_firstlineno,
        co_linetable=_locations(line - function.co_firstlineno, len(code.co_code) // 2, columns),
    )
    try:
        exec(code, dict(variables or {}))
    except StopIteration as marker:
        assert marker.__traceback__ is not None and marker.__traceback__.tb_next is not None
        return marker.__traceback__.tb_next
    raise AssertionError


def line_at(code: types.CodeType, offset: int) -> int | None:
    """The line of the instruction at an offset."""
    return next((line for start, end, line in code.co_lines() if start <= offset < end), None)
