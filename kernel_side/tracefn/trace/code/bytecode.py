"""The instructions of a code object with their names and constants: as `dis` gives them, in a tenth of its time."""

from __future__ import annotations

import dis
import re
import sys
from functools import lru_cache
from opcode import _nb_ops  # type: ignore[attr-defined]
from types import CodeType
from typing import Any

_CACHE, _EXTENDED = dis.opmap["CACHE"], dis.opmap["EXTENDED_ARG"]
_FLAGS = {"LOAD_GLOBAL": 1, "LOAD_ATTR": int(sys.version_info >= (3, 12)), "LOAD_SUPER_ATTR": 2}
"""How many bits below the number of a name say something else."""


_CONSTANT, _NAME, _OPERATOR, _NUMBER = range(4)
"""The tables that arguments are numbers of; those of all other instructions stand for themselves."""


def _table(op: int) -> int:
    if dis.opname[op] == "BINARY_OP":
        return _OPERATOR
    return _CONSTANT if op in dis.hasconst else _NAME if op in dis.hasname else _NUMBER


_KINDS = {op: (name, _table(op), _FLAGS.get(name, 0)) for name, op in dis.opmap.items()}
"""The name of each instruction, the table of its argument, and the bits of that which are no number."""

_OPERATORS = [symbol for _, symbol in _nb_ops]

_PAIRS = {
    op: found.groups()
    for name, op in dis.opmap.items()
    if name.count("_FAST") == 2
    and (found := re.fullmatch(r"((?:LOAD|STORE)_FAST(?:_BORROW)?)_((?:LOAD|STORE)_FAST(?:_BORROW)?)", name))
}
"""Instructions that Python 3.13 makes of two that load or store a variable."""


_OF_VARIABLES = {op: dis.opname[op] for op in (*dis.haslocal, *dis.hasfree) if op not in _PAIRS}


@lru_cache(maxsize=256)
def instructions(code: CodeType) -> tuple[tuple[str, Any], ...]:
    """(name, argument) of each instruction, and of both that one is made of. The argument is a constant, a name, or the
    symbol of an operator; all others are numbers. Who traces a function asks several times."""
    found: list[tuple[str, Any]] = []
    content, extended = code.co_code, 0
    variables = _variables(code)
    tables = code.co_consts, code.co_names, _OPERATORS
    for op, arg in zip(content[::2], content[1::2], strict=True):
        if op == _CACHE:
            continue
        if extended:
            arg |= extended
            extended = 0
        if op in _OF_VARIABLES:
            found.append((_OF_VARIABLES[op], variables[arg]))
        elif op in _PAIRS:
            first, second = _PAIRS[op]
            found += ((first, variables[arg >> 4]), (second, variables[arg & 15]))
        elif op == _EXTENDED:
            extended = arg << 8
        else:
            name, table, flags = _KINDS[op]
            found.append((name, arg if table == _NUMBER else tables[table][arg >> flags]))
    return tuple(found)


def _variables(code: CodeType) -> tuple[str, ...]:
    local = code.co_varnames
    return (*local, *[name for name in code.co_cellvars if name not in local], *code.co_freevars)


def name_of(code: CodeType, op: int, arg: int) -> str:
    """The name in an instruction that reads a variable."""
    return _variables(code)[arg] if op in _OF_VARIABLES else code.co_names[arg >> _KINDS[op][2]]


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
