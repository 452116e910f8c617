"""Default hooks of a trace, and the effects that it reports."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedArgumentError, UnsupportedFunctionError, message
from ...ir.types import is_traceable
from ...records import dataclass
from ..origin import user_source, where


@dataclass(frozen=True, slots=True)
class SideEffect:
    """Something that happened while tracing and will not happen at later calls."""

    kind: str
    text: str
    alternative: str
    source: Any


def itself(function: Any) -> Any:
    return function


def as_it_is(owner: Any, kind: str, key: Any, value: Any) -> Any:
    return value


def ignored_item(owner: Any, key: Any) -> None: ...


def as_held(place: Any, value: Any) -> Any:
    return value


def as_found(owner: Any, key: Any, value: Any) -> Any:
    return value


def never(value: Any) -> bool:
    return False


def needs_nothing(*what: Any) -> bool:
    return True


def ignored(*what: Any) -> None: ...


def refuse_unknown_generator(generator: Any) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            "a random generator is drawn from, and where the traced function has it from is not known",
            where(user_source(4)),
            "Pass it as an argument, keep it in a global or an attribute, or make it in the traced function.",
        )
    )


def check_array(array: Any, what: str, source: Any = None) -> None:
    """Raises `UnsupportedArgumentError` for arrays that cannot be traced."""
    if type(array) is not np.ndarray and isinstance(array, np.ndarray):
        kind = f"{type(array).__module__}.{type(array).__name__}"
        fix = "Pass a plain array: `np.asarray(x)` (for a masked array, choose a fill value with `x.filled()`)."
        raise UnsupportedArgumentError(message(f"{what} is a {kind}, which is not traced", where(source), fix))
    if array.dtype.kind == "V" and (array.dtype.names is None or isinstance(array, np.generic)):
        kind = "element of a structured array" if array.dtype.names else "array of raw bytes"
        fix = "Pass the array and the index." if array.dtype.names else "View it as bytes: `x.view(np.uint8)`."
        raise UnsupportedArgumentError(message(f"{what} is an {kind} ({array.dtype})", where(source), fix))
    if not is_traceable(array.dtype):
        raise UnsupportedArgumentError(
            message(
                f"{what} holds Python objects (dtype {array.dtype})",
                where(source),
                "Give it a numeric or string dtype: `np.asarray(x, dtype=float)`.",
            )
        )
