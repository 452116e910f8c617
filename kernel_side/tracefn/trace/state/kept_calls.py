"""Bound methods and partial functions in the state: their functions are guarded, and their objects are reached through
them."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from ..code.bound import is_bound
from .captures import Captures
from .compared import reference
from .paths import IdentityCapture, Path


def record_kept_call(captures: Captures, path: Path, value: Any, record: Callable[[Path, Any], None]) -> bool:
    """Records a bound method or partial function at a path. False for other values than bound methods."""
    if isinstance(value, types.MethodType) or is_bound(value):
        way, owner = path.then("attr", "__self__"), value.__self__
        captures.meet(way, owner)
        captures.identities.setdefault(way.key(), IdentityCapture(way, reference(owner)))
        record(path.then("attr", "__func__"), value.__func__)
        return True
    if type(value) is functools.partial:
        args, named = path.then("attr", "args"), path.then("attr", "keywords")
        record(path.then("attr", "func"), value.func)
        for at, given in enumerate(value.args):
            record(args.then("item", at), given)
        for key, given in value.keywords.items():
            record(named.then("item", key), given)
    return False
