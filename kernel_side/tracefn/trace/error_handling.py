"""What traced code says about floating-point errors: `with np.errstate(...)` holds for its nodes at each call."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy._core.umath import _extobj_contextvar

Settings = tuple[tuple[str, Any], ...]
"""What to do about which kind of error, as keywords of `np.errstate`."""


class ErrorHandling:
    """The settings of the moment, as far as they differ from those around the call that is traced, or are `explicit`:
    said in rewritten code, though they may be the same."""

    def __init__(self) -> None:
        self.explicit: list[set[str]] = []
        self._around = self._seen = _state()
        self._around_as: dict[str, Any] = {**np.geterr()}
        self._settings: Settings = ()

    def now(self) -> Settings:
        state = _state()
        if state is not self._seen:
            self._seen = state
            self._settings = self._differing() if state is not self._around else ()
        return self._settings

    def _differing(self) -> Settings:
        said = set().union(*self.explicit)
        found: dict[str, Any] = {k: v for k, v in np.geterr().items() if {k, "all"} & said or v != self._around_as[k]}
        if {"call", "log"} & set(found.values()):
            found["call"] = np.geterrcall()
        return tuple(found.items())


def _state() -> Any:
    """The object that holds NumPy's settings: another one whenever they are set. `np.geterr` costs far more."""
    return _extobj_contextvar.get(None)


@contextlib.contextmanager
def errstate(handling: ErrorHandling, **settings: Any) -> Iterator[None]:
    """`np.errstate(**settings)`, in rewritten code."""
    with np.errstate(**settings):
        handling.explicit.append(set(settings))
        try:
            yield
        finally:
            handling.explicit.pop()
