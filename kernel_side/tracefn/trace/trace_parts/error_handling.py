"""Floating-point error handling of traced code: `with np.errstate(...)` holds for its nodes at each call."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy._core.umath import _extobj_contextvar

from ..origin import user_source

Settings = tuple[tuple[str, Any], ...]
"""The handling of each kind of error, as keywords of `np.errstate`."""


class ErrorHandling:
    """The settings of the moment, as far as they differ from those around the call that is traced, or are `explicit`:
    said in rewritten code, though they may be the same."""

    def __init__(self) -> None:
        self.explicit: list[set[str]] = [set()]
        self._restoring: dict[Settings, set[str]] = {}  # by the result of `np.seterr`: the explicit settings then
        self._set_at: Any = None
        # an object that is another one whenever NumPy's settings are set; `np.geterr` costs far more
        self._around = self._seen = _extobj_contextvar.get(None)
        self._around_as = _settings_of(self._around)
        self._settings: Settings = ()

    def now(self) -> Settings:
        state = _extobj_contextvar.get(None)
        if state is not self._seen:
            self._seen = state
            self._settings = self._differing() if state is not self._around else ()
        return self._settings

    def seterr(self, settings: dict[str, Any]) -> dict[str, Any]:
        """`np.seterr(**settings)`; given the result of an earlier one, it restores the settings before that."""
        before = np.seterr(**settings)
        restored = self._restoring.get(tuple(sorted(settings.items())))
        if restored is None:
            self._restoring[tuple(sorted(before.items()))] = set(self.explicit[-1])
            self.explicit[-1] |= settings.keys()
        else:
            self.explicit[-1] = set(restored)
        self._set_at = user_source(3)
        return dict(before)

    def note_what_stays(self, trace: Any) -> None:
        """Reports settings that hold after the call that is traced, and not after later ones."""
        if self._set_at is not None and dict(np.geterr()) != self._around_as:
            trace.note_effect(
                "seterr",
                "`np.seterr` sets at each call how this function handles floating-point errors; that the setting "
                "stays after the call is so while tracing alone",
                "Write `with np.errstate(...)` in the function, or call np.seterr outside.",
                self._set_at,
            )

    def _differing(self) -> Settings:
        said = set().union(*self.explicit)
        found: dict[str, Any] = {k: v for k, v in np.geterr().items() if {k, "all"} & said or v != self._around_as[k]}
        if {"call", "log"} & set(found.values()):
            found["call"] = np.geterrcall()
        return tuple(found.items())


@lru_cache(maxsize=1)
def _settings_of(state: Any) -> dict[str, Any]:
    """The settings that hold now, while this is NumPy's object that has them."""
    return {**np.geterr()}


@contextlib.contextmanager
def errstate(handling: ErrorHandling, **settings: Any) -> Iterator[None]:
    """`np.errstate(**settings)`, in rewritten code."""
    with np.errstate(**settings):
        handling.explicit.append(set(settings))
        try:
            yield
        finally:
            handling.explicit.pop()
