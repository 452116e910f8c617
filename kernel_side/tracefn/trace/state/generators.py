"""Random generators that a function reads from outside: where each is found at a call."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.module_name import module_of
from ...ir.types import random_kind
from ...records import dataclass
from ..code.plain import seen

if TYPE_CHECKING:
    from .paths import Path


@dataclass(frozen=True, slots=True)
class GeneratorCapture:
    """A random generator. Its path is looked up at every call, unless several lead to it."""

    path: Path
    generator: Any


class Generators:
    """The generators among the captures, and other objects with random state.

    `functions` are the functions of `np.random` that the code names.
    """

    def __init__(self) -> None:
        self._captures: dict[Any, GeneratorCapture] = {}
        self._watched: dict[int, tuple[str, Any]] = {}
        self.functions: set[str] = set()

    def found(self, path: Path, value: Any) -> bool:
        """Notes any value that is reached. True for a generator, which needs no guards of its own."""
        if not any(module_of(c).startswith("numpy.random") for c in type(value).__mro__):
            return False
        self._watched[id(value)] = (path.text, value)
        if random_kind(value) is None:
            return False
        self._captures[path.key()] = GeneratorCapture(path, value)
        return True

    def named(self, module: Any, steps: tuple[tuple[str, Any], ...]) -> None:
        """Notes the attributes of a module, or of a function of `np.random`, that the code reads."""
        if isinstance(module, types.ModuleType):
            if module is np and steps[:1] == (("attr", "random"),):
                self._watch_global(steps[1:])
            elif module.__name__ == "numpy.random":
                self._watch_global(steps)
        elif seen(module, "__module__") == "numpy.random" or random_kind(seen(module, "__self__")) is not None:
            self._watch_global((("attr", seen(module, "__name__") or ""),))

    def _watch_global(self, steps: tuple[tuple[str, Any], ...]) -> None:
        self.functions.update(str(name) for _, name in steps[:1])
        self._watched[0] = ("np.random", np.random.mtrand._rand)

    def paths_to(self, generator: Any) -> list[Path]:
        """The paths that lead to a generator."""
        return [c.path for c in self._captures.values() if c.generator is generator]

    def __iter__(self) -> Any:
        return iter(self._captures.values())

    @property
    def watched(self) -> list[tuple[str, Any]]:
        """(path, object) of all random state, which no unseen code may change."""
        return list(self._watched.values())
