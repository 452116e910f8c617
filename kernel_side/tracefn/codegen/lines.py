"""The code of a program as if it stood at the user's lines, so that NumPy's warnings name these."""

from __future__ import annotations

import functools
import types

from ..ir.place import Source

_NO_COLUMNS = 13
"""A location with a line and no columns: see "Location table" in CPython's InternalDocs/code_objects.md."""

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
def _locations(step: int, units: int) -> bytes:
    """The entries of `units` code units, `step` lines behind those before."""
    found = bytearray()
    while units > 0:
        count = min(units, _UNITS)
        found.append(0x80 | _NO_COLUMNS << 3 | count - 1)
        number, step = (-step << 1 | 1 if step < 0 else step << 1), 0
        while number >= 64:
            found.append(0x40 | number & 63)
            number >>= 6
        found.append(number)
        units -= count
    return bytes(found)


def line_at(code: types.CodeType, offset: int) -> int | None:
    """The line of the instruction at an offset."""
    return next((line for start, end, line in code.co_lines() if start <= offset < end), None)
