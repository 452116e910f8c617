"""Warns in plain scripts that `print` and logging run once for each trace; notebooks show it in the panel."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

from ...errors import TracingOnlyWarning
from ...trace.context import SideEffect

_KINDS = frozenset({"print", "log"})
_said: set[tuple[str, str, int]] = set()


def warn_of(key: str, name: str, effects: tuple[SideEffect, ...]) -> None:
    """Warns once for each function (by its `key`) and line that prints or logs while tracing alone."""
    for effect in effects:
        source = effect.source
        if effect.kind not in _KINDS or source is None or (key, source.file, source.line) in _said or not _is_heard():
            continue
        _said.add((key, source.file, source.line))
        text = f"{effect.text}: later calls of `{name}` that find the trace do not. {effect.alternative}"
        warnings.warn_explicit(text, TracingOnlyWarning, source.file, source.line)


def _is_heard() -> bool:
    """False in a notebook, where the panel shows it, and in tests, unless they look at their warnings."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is not None:
        return False
    if "PYTEST_CURRENT_TEST" not in os.environ:
        return True
    action, text, category, *_ = warnings.filters[0] if warnings.filters else ("", None, None)
    return text is None and category is not None and issubclass(TracingOnlyWarning, category) and action != "ignore"
