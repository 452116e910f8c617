"""What a function that is called in a staged body may change besides its own variables, found in its bytecode."""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType

from ..captures.reads import reads_of
from ..captures.resolve import MUTATORS
from ..origin import is_library

_STORES = {"STORE_ATTR": "sets an attribute", "STORE_SUBSCR": "sets an item", "DELETE_SUBSCR": "deletes an item"}


@lru_cache(maxsize=1024)
def outside_effect(code: CodeType) -> str:
    """The first such change in words; '' where none is seen, and for code of libraries."""
    if is_library(code.co_filename):
        return ""
    found = reads_of(code)
    if found.written:
        return f"rebinds `{min(found.written)}`"
    for read in found.reads:
        if read.steps and read.steps[-1][0] == "attr" and read.steps[-1][1] in MUTATORS:
            return f"calls `{read.name}{''.join(f'.{k}' for _, k in read.steps)}`"
    return _store(code)


def _store(code: CodeType) -> str:
    for instruction in dis.get_instructions(code):
        if instruction.opname in _STORES:
            return _STORES[instruction.opname]
    return next((text for c in code.co_consts if isinstance(c, CodeType) and (text := _store(c))), "")
