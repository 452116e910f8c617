"""Containers from outside as arguments of a step: each call finds them by their path."""

from __future__ import annotations

from typing import Any

from ...ir.bail_out import BailOut
from ..state.paths import Path


def leads_to(path: Path, value: Any) -> bool:
    """True if the code, as far as it has run, has not put anything else on the path."""
    try:
        return path.load() is value
    except (LookupError, AttributeError, ValueError, TypeError):
        return False


class Located:
    """A container on a path. `traced` stands for it until the trace has made the step."""

    def __init__(self, path: Path, traced: Any) -> None:
        self._path = path
        self._traced = traced

    def settle(self) -> None:
        """Ends the trace: from now on the container is found by its path."""
        self._traced = None

    def now(self) -> Any:
        if self._traced is not None:
            return self._traced
        try:
            return self._path.load()
        except (LookupError, AttributeError, ValueError, TypeError) as error:
            raise BailOut(f"`{self._path.text}` is gone") from error
