"""Kernels as texts and machine code, from which a process that has not built them makes their functions."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..codegen.machine import engine
from ..ir.place import Source
from ..ir.serialise import NotSerialisable, deserialise, serialise
from .builtin import KernelCode


class Gone(LookupError):
    """Machine code that is not on disk any more."""


class KeptKernel:
    """A kernel that was built elsewhere. Its machine code leaves calls to Python, for which the kernel is put together
    when there is the first one: nothing is compiled for it. `sources` are the places in the code that it refers to."""

    def __init__(
        self,
        text: Mapping[str, Any],
        body: bytes,
        sources: Sequence[Source | None],
        name: str,
        module: Mapping[str, Any] | None,
    ) -> None:
        self._text = text
        self._body = body
        self._sources = sources
        self._name = name
        self._module = module
        self._code = _code_of(text)
        self._words = np.array(text["words"], np.int64)
        others = [functools.partial(self._left, k) for k in range(self._code.others)]
        self.size = self._code.size
        self.function = self._code.function(self._words, *others)

    def _left(self, place: int, *args: Any) -> Any:
        return self._whole.others[place](*args)

    @functools.cached_property
    def _whole(self) -> Any:
        """The kernel as Python knows it."""
        from .native_kernel import NativeKernel  # the builder of kernels is a hundred modules

        body, kind = deserialise(self._body, self._sources), self._text["kind"]
        if kind == "loops":
            from .loop_kernel import LoopKernel

            owned, fresh = ([body.inputs[i] for i in self._text[which]] for which in ("owned", "fresh"))
            return LoopKernel(body, self._name, self._module, owned, fresh, self._words)
        by_columns: Callable[[], Callable[..., Any]] | None = None
        if kind == "rows":
            from .native_program import without_rows

            by_columns = functools.partial(without_rows, body, self._name, self._module)
        return NativeKernel(body, self._name, self._module, by_columns, self._code)


def serialise_kernel(kernel: Any, places: Mapping[Source, int]) -> tuple[dict[str, Any], bytes]:
    """A kernel as a text, and its body. `places` are numbers for places in the code. Raises NotSerialisable."""
    code = kernel.code
    if code is None:
        raise NotSerialisable("a kernel that Python calls")
    text = {
        "entry": code.entry.name,
        "run": code.run.name,
        "others": code.others,
        "words": code.words,
        "place": code.place,
        "objects": [_serialise_object(o) for o in code.objects],
    }
    if hasattr(kernel, "owned"):
        inputs = kernel.graph.inputs
        owned, fresh = ([i for i, n in enumerate(inputs) if n in of] for of in (kernel.owned, kernel.fresh))
        text |= {"kind": "loops", "owned": owned, "fresh": fresh}
    else:
        text["kind"] = "rows" if kernel.is_by_rows else "kernel"
    return text, serialise(kernel.graph, places)


def _code_of(text: Mapping[str, Any]) -> KernelCode:
    """Raises Gone where machine code is not there any more."""
    entry, run = engine.kept(text["entry"]), engine.kept(text["run"])
    if entry is None or run is None:
        raise Gone
    objects = tuple([_object(found) for found in text["objects"]])
    return KernelCode(entry, run, text["others"], tuple(text["words"]), text["place"], objects)


def _serialise_object(value: object) -> list[Any]:
    """An object that machine code compares with others, each of which there is once."""
    if value is True or value is False:
        return ["value", value]
    if isinstance(value, np.dtype) and np.dtype(value.char) is value:
        return ["dtype", value.char]
    if isinstance(value, type):
        if issubclass(value, np.generic) and np.dtype(value).type == value:
            return ["scalar type", np.dtype(value).char]
        if getattr(builtins, value.__name__, None) == value:
            return ["type", value.__name__]
    raise NotSerialisable(repr(value))


def _object(text: list[Any]) -> Any:
    kind, value = text
    if kind == "value":
        return value
    if kind == "type":
        return getattr(builtins, value)
    return np.dtype(value) if kind == "dtype" else np.dtype(value).type
