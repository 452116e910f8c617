"""Code of which traces may be kept: its names and its bytes determine its behaviour in any process."""

from __future__ import annotations

import marshal
from functools import lru_cache
from types import CodeType
from typing import Any

from ...ir.hashing import blake2b
from ...ir.serialise import NotSerialisable
from ...trace.code.bytecode import instructions

_REFUSED = {
    "IMPORT_NAME": "it imports something",
    "LOAD_BUILD_CLASS": "it defines a class",
    "STORE_GLOBAL": "it sets a global variable",
    "DELETE_GLOBAL": "it deletes a global variable",
    "LOAD_NAME": "it has names that are found as it runs",
    "STORE_ATTR": "it sets an attribute",
    "DELETE_ATTR": "it deletes an attribute",
    "BUILD_SET": "it makes a set, whose order is another in each process",
    "SET_ADD": "it makes a set, whose order is another in each process",
    "SET_UPDATE": "it makes a set, whose order is another in each process",
    "YIELD_VALUE": "it is a generator",
    "GET_AWAITABLE": "it is async",
}


@lru_cache(maxsize=256)
def refused(code: CodeType) -> str:
    """Why a function with this code may do something else in another process, though all that it names is the same
    there. Empty where it may not."""
    for name, argument in instructions(code):
        if name in _REFUSED and not (name == "YIELD_VALUE" and code.co_name == "<genexpr>"):
            return _REFUSED[name]
        if name in ("LOAD_ATTR", "LOAD_METHOD") and str(argument).startswith("__"):
            return f"it reads `{argument}`"
        if name == "LOAD_CONST" and isinstance(argument, frozenset) and not _is_ordered(argument):
            return "it has a set of texts, whose order is another in each process"
    inner = [refused(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return next((why for why in inner if why), "")


def _is_ordered(constant: frozenset[Any]) -> bool:
    """True for a set that is gone through in one order by all processes."""
    return all(type(item) in (bool, int, float) for item in constant)


def check(code: CodeType) -> None:
    """Raises NotSerialisable for code that may do something else in another process."""
    if why := refused(code):
        raise NotSerialisable(why)


def code_hash(code: CodeType) -> str:
    """The same for code that does the same at the same lines, in whichever file."""
    digest = blake2b(digest_size=16)
    _add(digest, code)
    return digest.hexdigest()


def _add(digest: Any, code: CodeType) -> None:
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_firstlineno
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_qualname
    constants = tuple([None if type(c) is CodeType else c for c in code.co_consts])
    fields = marshal.dumps((counts, names, constants), _SAME_BYTES)
    for part in (fields, code.co_code, code.co_exceptiontable, code.co_linetable):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            _add(digest, constant)


_SAME_BYTES = 2
"""The version of `marshal` that serialises equal values as the same bytes, however often they are referred to."""
