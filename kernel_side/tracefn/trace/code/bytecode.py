"""The instructions of a code object with the names and constants in them: what `dis` tells, in a tenth of its time."""

from __future__ import annotations

import dis
import re
import sys
from collections.abc import Callable, Iterator
from opcode import _nb_ops  # type: ignore[attr-defined]
from types import CodeType
from typing import Any

_CACHE, _EXTENDED = dis.opmap["CACHE"], dis.opmap["EXTENDED_ARG"]
_FLAGS = {"LOAD_GLOBAL": 1, "LOAD_ATTR": int(sys.version_info >= (3, 12)), "LOAD_SUPER_ATTR": 2}
"""How many bits below the number of a name say something else."""


def _reader(op: int) -> Callable[[CodeType, int], Any]:
    """What gives, for an instruction of this kind, what its argument stands for."""
    if op in dis.hasconst:
        return lambda code, arg: code.co_consts[arg]
    if op in dis.hasname:
        flags = _FLAGS.get(dis.opname[op], 0)
        return lambda code, arg: code.co_names[arg >> flags]
    if op in dis.haslocal or op in dis.hasfree:
        return _variable
    if dis.opname[op] == "BINARY_OP":
        return lambda code, arg: _nb_ops[arg][1]
    return lambda code, arg: arg


def _variable(code: CodeType, number: int) -> str:
    name: str = code._varname_from_oparg(number)  # type: ignore[attr-defined]
    return name


_KINDS = {op: (name, _reader(op)) for name, op in dis.opmap.items()}

_PAIRS = {
    op: found.groups()
    for name, op in dis.opmap.items()
    if (found := re.fullmatch(r"((?:LOAD|STORE)_FAST(?:_BORROW)?)_((?:LOAD|STORE)_FAST(?:_BORROW)?)", name))
}
"""Instructions that Python 3.13 makes of two that load or store a variable."""


def instructions(code: CodeType) -> Iterator[tuple[str, Any]]:
    """(name, argument) of each instruction, and of both that one is made of. The argument is a constant, a name, or the
    symbol of an operator; all others are numbers."""
    content, extended = code.co_code, 0
    for op, arg in zip(content[::2], content[1::2], strict=True):
        if op == _CACHE:
            continue
        arg |= extended
        extended = arg << 8 if op == _EXTENDED else 0
        if op in _PAIRS:
            first, second = _PAIRS[op]
            yield first, _variable(code, arg >> 4)
            yield second, _variable(code, arg & 15)
        elif op != _EXTENDED:
            name, read = _KINDS[op]
            yield name, read(code, arg)


def line_of(function: Any, variable: str) -> int | None:
    """The last line in which a function, or one inside it, sets a variable."""
    code = getattr(function, "__code__", function)
    if not isinstance(code, CodeType):
        return None
    lines = [
        i.positions.lineno
        for i in dis.get_instructions(code)
        if i.opname.startswith("STORE_") and i.argval == variable and i.positions and i.positions.lineno
    ]
    lines += [n for c in code.co_consts if (n := line_of(c, variable)) is not None]
    return max(lines, default=None)
