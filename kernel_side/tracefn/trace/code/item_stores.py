"""The names of outer variables whose items a code object sets or deletes, found in its bytecode."""

from __future__ import annotations

import dis
from types import CodeType

_CHANGES = {"STORE_SUBSCR", "DELETE_SUBSCR"}
_READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}


def item_stores(code: CodeType) -> frozenset[str]:
    """The outer variables in `d[key] = value`, `del d[key]` and `d[key] += value`. A name is left out where the key is
    computed in several ways (`d[a if c else b]`)."""
    listing = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    found: set[str] = set()
    for position, instruction in enumerate(listing):
        is_augmented = instruction.opname == "COPY" and listing[position + 1].opname == "COPY"  # `d[key] += value`
        if instruction.opname in _CHANGES or is_augmented:
            found |= _container(listing, position)
    return frozenset(found)


def _container(listing: list[dis.Instruction], end: int) -> set[str]:
    """The name of the variable that the instruction at `end` finds below a key, if that is one."""
    pushed = 0
    for instruction in reversed(listing[:end]):
        if "JUMP" in instruction.opname or instruction.is_jump_target:
            break
        if pushed == 1:  # the key is behind
            return {str(instruction.argval)} if instruction.opname in _READS else set()
        pushed += dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
    return set()
