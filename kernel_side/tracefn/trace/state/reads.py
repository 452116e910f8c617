"""The outer names that a code object reads and writes, found in its bytecode.

A read is a root (a global, a closure cell or a parameter) followed by steps: attributes and constant subscripts, as in
`config.model.lr` or `params['w']`. The analysis takes every read in the code, executed or not: a guard too many costs a
retrace, a guard too few would cost a wrong answer.
"""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType
from typing import Any

from ...records import dataclass
from ..code.bytecode import instructions
from ..code.item_stores import item_stores

Step = tuple[str, Any]  # ('attr', name), ('item', key), or ('get', key) where looking it up would make it


MUTATORS = frozenset(
    "append extend insert add update setdefault pop popitem remove discard clear sort reverse write appendleft "
    "extendleft popleft rotate subtract move_to_end difference_update intersection_update "
    "symmetric_difference_update".split()
)
"""Methods that change their object."""


@dataclass(frozen=True, slots=True)
class Read:
    """`root` is 'global', 'closure' or 'parameter'."""

    root: str
    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Reads:
    """All reads of a code object and of the functions defined inside it, the outer names that it rebinds, the names of
    the attributes, and of the items, that it stores, and the outer names whose items it sets."""

    reads: tuple[Read, ...]
    written: frozenset[str]
    stored: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()
    with_items: frozenset[str] = frozenset()


@lru_cache(maxsize=2048)
def reads_of(code: CodeType) -> Reads:
    """The reads of a code object from outside."""
    reads: dict[Read, None] = {}
    written: set[str] = set()
    stored: set[str] = set()
    items = _stored_items(instructions(code))
    own_cells = set(code.co_cellvars)
    parameters = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    listing = [i for i in instructions(code) if i[0] not in _NO_EFFECT]
    reassigned = {n for op, n in listing if op in _REASSIGNING}
    for position, (name, variable) in enumerate(listing):
        root = _ROOTS.get(name)
        if root is None:
            if name in _WRITING and (name not in _OF_CELLS or variable not in own_cells):
                written.add(variable)
            elif name == "STORE_ATTR":
                stored.add(variable)
            continue
        if root == "parameter" and (variable not in parameters or variable in reassigned):
            continue
        if root == "closure" and variable in own_cells:
            if variable not in parameters:
                continue
            root = "parameter"
        reads[Read(root, variable, _steps(listing, position + 1))] = None
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner = reads_of(constant)
            written |= {n for n in inner.written if n not in own_cells}
            stored |= inner.stored
            items |= inner.items
            for read in inner.reads:
                if read.root == "global" or (read.root == "closure" and read.name not in own_cells):
                    reads[read] = None
                elif read.root == "closure" and read.name in parameters:
                    reads[Read("parameter", read.name, read.steps)] = None
    return Reads(tuple(reads), frozenset(written), frozenset(stored), frozenset(items), item_stores(code))


def _stored_items(listing: tuple[tuple[str, Any], ...]) -> set[str]:
    """The constant keys of `d["n"] = …` and `d["n"] += …`."""
    pairs = zip(listing, listing[1:], strict=False)
    return {key for (op, key), (after, _) in pairs if op == "LOAD_CONST" and type(key) is str and after in _STORES_ITEM}


_STORES_ITEM = {"STORE_SUBSCR", "COPY"}
"""The instruction behind a key: an item that is changed has its key copied first."""

_NO_EFFECT = {"CACHE", "PUSH_NULL", "PRECALL", "RESUME", "NOP", "EXTENDED_ARG", "NOT_TAKEN", "COPY"}


_ROOTS = {
    **dict.fromkeys(("LOAD_GLOBAL", "LOAD_NAME"), "global"),
    **dict.fromkeys(("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"), "closure"),
    **dict.fromkeys([n for n in dis.opmap if n.startswith("LOAD_FAST")], "parameter"),
}
"""The kind of read of an instruction."""

_REASSIGNING = frozenset([n for n in dis.opmap if n.startswith(("STORE_FAST", "DELETE_FAST"))])
_OF_CELLS = frozenset({"STORE_DEREF", "DELETE_DEREF"})
_WRITING = _OF_CELLS | {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_NAME"}


def _steps(code: list[tuple[str, Any]], position: int) -> tuple[Step, ...]:
    steps: list[Step] = []
    while position < len(code):
        name, value = code[position]
        if name in ("LOAD_ATTR", "LOAD_METHOD"):
            steps.append(("attr", value))
            position += 1
        elif (
            name in ("LOAD_CONST", "LOAD_SMALL_INT")
            and position + 1 < len(code)
            and _is_subscript(*code[position + 1])
            and isinstance(value, str | int)
        ):
            steps.append(("item", value))
            position += 2
        else:
            break
    return tuple(steps)


def _is_subscript(name: str, value: Any) -> bool:
    return name == "BINARY_SUBSCR" or (name == "BINARY_OP" and value == "[]")
