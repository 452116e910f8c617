"""The cache of traces on disk: looked up before a function is traced, written in the background afterwards."""

from __future__ import annotations

import json
import types
import weakref
from collections.abc import Callable
from typing import Any

from ... import events
from ...codegen.machine import object_cache
from ...ir.serialise import NotSerialisable, Serialiser
from ...runtime.worker import AT_REST, WORKER
from ...trace.autograph import is_marked
from ...trace.signature import CallSignature
from ..concrete import ConcreteFunction
from ..options import Options
from ..wrapped import Wrapped
from .made_as import identity_of
from .outside import CameThrough, Differs
from .rewritten import has_new, store_new
from .surroundings import surroundings
from .trace import KeptBuilt, kept_trace, serialise_signature, serialise_trace

_FORM = "trace 1"


def key_of(wrapped: Wrapped, options: Options, signature: CallSignature, falls_back: bool) -> str:
    """The name of the trace of a function for a signature. Raises NotSerialisable where none is kept."""
    function = wrapped.function
    if type(function) is not types.FunctionType or wrapped.has_own or not wrapped.is_traced or wrapped.runs_piecewise:
        raise NotSerialisable("it is no plain function")
    if is_marked(function.__code__) or not options.autograph:  # its effects while it is traced are not seen
        raise NotSerialisable("it is not rewritten")
    serialiser = Serialiser()
    key = json.dumps(serialise_signature(signature, serialiser))
    blobs = " ".join([blob.hex() for blob in serialiser.content()])
    own = *identity_of(function), repr(options), str(falls_back)
    return object_cache.key(_FORM, *surroundings(), *own, key, blobs)


def look_up(key: str, wrapped: Wrapped, name: str) -> KeptBuilt | None:
    """The trace that an earlier process has kept under a key. None where there is none, or something that it rests on
    is not as it was. Its guards are still to be asked."""
    if not object_cache.has(key):
        return None
    content = object_cache.load(key)
    if content is None:
        return None
    function = wrapped.function
    assert isinstance(function, types.FunctionType)
    function.__globals__.setdefault("__warningregistry__", {})
    try:
        return kept_trace(content, function, name, function.__globals__)
    except Differs:
        return None
    except Exception as error:
        events.emit(events.Error(error=type(error).__name__, message=str(error), phase="cache"))
        return None


def keep_later(concrete: ConcreteFunction, key: str, reason: str, came_through: CameThrough | None) -> None:
    """Keeps a trace that was just made for later processes, in the background. Where there is no key, `reason` says
    why: to say so is less work than to have a thread do it, of which a storm of retraces would need thousands."""
    if came_through is not None and key:
        WORKER.put(weakref.ref(concrete), _keeping(key, came_through), size=AT_REST)
        return
    _tell(concrete, reason)
    if has_new():
        WORKER.put(weakref.ref(concrete), lambda _: store_new(), size=AT_REST)


def _keeping(key: str, came_through: CameThrough) -> Callable[[ConcreteFunction], None]:
    def keep(concrete: ConcreteFunction) -> None:
        store_new()
        why = ""
        try:
            own = concrete._execution.target.own
            if own is None or not own.holds:
                raise NotSerialisable("its code was replaced")
            object_cache.store(key, serialise_trace(concrete._built, own.function, came_through))
        except NotSerialisable as why_not:
            why = str(why_not)
        _tell(concrete, why)

    return keep


def _tell(concrete: ConcreteFunction, why: str) -> None:
    """Says whether a trace was kept, and why not."""
    concrete.not_kept = why
    ids: dict[str, Any] = {"function": concrete.function_id, "signature": concrete.signature_id}
    events.emit(events.TraceKept(**ids, kept=not why, reason=why))
