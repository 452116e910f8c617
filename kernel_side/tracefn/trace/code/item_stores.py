"""The names of outer variables whose items a code object sets or deletes, found in its bytecode."""

from __future__ import annotations

import dis
from types import CodeType

from .bytecode import name_of

_CHANGES = frozenset([dis.opmap[name] for name in ("STORE_SUBSCR", "DELETE_SUBSCR")])
_READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
_COPY, _CACHE, _EXTENDED = dis.opmap["COPY"], dis.opmap["CACHE"], dis.opmap["EXTENDED_ARG"]

_Step = tuple[int, int, int]
"""An instruction: where it is, its kind, and its argument."""


def item_stores(code: CodeType) -> frozenset[str]:
    """The outer variables in `d[key] = value`, `del d[key]` and `d[key] += value`. A name is left out where the key is
    computed in several ways (`d[a if c else b]`)."""
    if _CHANGES.isdisjoint(code.co_code[::2]):  # as in most functions
        return frozenset()
    steps = _steps(code)
    found: set[str] = set()
    for position, (_, kind, _) in enumerate(steps):
        is_augmented = kind == _COPY and steps[position + 1][1] == _COPY  # `d[key] += value`
        if (kind in _CHANGES or is_augmented) and (name := _container(code, steps, position)) is not None:
            found.add(name)
    return frozenset(found)


def _steps(code: CodeType) -> list[_Step]:
    """The instructions: as `dis` gives them, in a tenth of its time."""
    found: list[_Step] = []
    content, extended = code.co_code, 0
    for place, (kind, argument) in enumerate(zip(content[::2], content[1::2], strict=True)):
        if kind == _CACHE:
            continue
        found.append((2 * place, kind, extended | argument))
        extended = (extended | argument) << 8 if kind == _EXTENDED else 0
    return found


def _container(code: CodeType, steps: list[_Step], end: int) -> str | None:
    """The name of the outer variable that the instruction at `end` finds below a key, if that is one."""
    pushed = 0
    for position in range(end - 1, -1, -1):
        _, kind, argument = steps[position]
        if "JUMP" in dis.opname[kind]:
            return None
        if pushed == 1:  # the key is behind
            is_of_outer = dis.opname[kind] in _READS and not _is_jumped_into(code, steps[position : end + 1])
            return name_of(code, kind, argument) if is_of_outer else None
        pushed += dis.stack_effect(kind, argument if kind >= dis.HAVE_ARGUMENT else None, jump=False)
    return None


def _is_jumped_into(code: CodeType, steps: list[_Step]) -> bool:
    """True if one of some instructions, but for the last one, is where others jump to."""
    targets = set(dis.findlabels(code.co_code))  # type: ignore[arg-type]  # it takes bytes
    return not targets.isdisjoint([place for place, _, _ in steps[:-1]])
