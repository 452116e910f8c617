"""Which numbers from outside change so often that each call is to read them, and which must not be traced values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from ...trace.signature import TensorSpec
from ...trace.state.compared import is_stored
from ...trace.state.numbers import Numbers
from ...trace.state.paths import Path, length_of
from ...trace.trace_parts.list_kinds import ListKinds
from ..concrete import ConcreteFunction
from ..guards import GONE, Now
from ..made.built import Built

MAX_GUARDED = 2
"""So many traces are made as one number is another than before; then each call reads it. One that the function itself
changes will change again."""

SEVERAL = 2
"""The number of changed numbers in a dict, or in objects of one, after which all of the same pattern are inputs. A dict
may hold settings as well. In a list one is enough."""


class Changing:
    """The facts that a function, or a method of all instances of a class, has learned about numbers from outside, by
    their paths."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._fixed: set[str] = set()
        self._alike: dict[Hashable, set[str]] = defaultdict(set)  # by pattern, the paths of numbers that changed
        self._unlike: set[Hashable] = set()  # patterns of numbers that must not be traced values
        self._changes: Counter[str] = Counter()
        self._growing: dict[str, frozenset[int]] = {}
        self.list_kinds = ListKinds()

    def numbers(self) -> Numbers:
        """The treatment of numbers in the next trace."""
        learned = dict(self._growing)  # another thread may learn more
        growing = {path: axes for path, axes in learned.items() if self._changes[path] >= MAX_GUARDED}
        alike = [pattern for pattern, paths in self._alike.copy().items() if len(paths) >= SEVERAL]
        return Numbers(frozenset(self._paths), frozenset(self._fixed), growing, frozenset(alike) - self._unlike)

    def learn(self, traces: Iterable[ConcreteFunction], now: Now) -> None:
        """Notes the changes outside since these traces: those that the call fits otherwise, and the last one."""
        changed: dict[str, bool] = defaultdict(bool)  # True for those that the function itself changes
        numbers: list[Path] = []
        for concrete in traces:
            target, stored = concrete._execution.target, concrete._built.stored
            for guard, _ in now.broken(target.values):
                if guard.what == "length" and type(length_of(now.load(guard.path))) is int:
                    numbers.append(guard.path.length)
                    changed[guard.path.length.text] |= is_stored(guard.path.text, stored)
                if guard.what == "value" and _is_number(guard.value) and _is_number(now.load(guard.path)):
                    numbers.append(guard.path)
                    changed[guard.path.text] |= is_stored(guard.path.text, stored)
            for path, spec in zip(target.captures, target.capture_specs, strict=True):
                if isinstance(path, Path) and (axes := _other_lengths(spec, now.load(path))):
                    changed[path.text] |= is_stored(path.text, stored)
                    self._growing[path.text] = self._growing.get(path.text, frozenset()) | axes
        for text, is_own in changed.items():
            self._changes[text] += MAX_GUARDED if is_own else 1
            if self._changes[text] >= MAX_GUARDED and text not in self._growing:
                self._paths.add(text)
        for path in numbers:
            if path.is_in_container:
                self._alike[path.pattern] |= {path.text, ""} if path.is_numbered else {path.text}

    def allows(self, built: Built) -> bool:
        """False for a trace that guards a number, or a length, that each call is to read."""
        numbers = self.numbers()
        if any(numbers.changes(guard.path) for guard in built.values):
            return False
        captured = zip(built.captures, built.program.captures, strict=True)
        return not any(
            isinstance(path, Path) and any(type(node.shape[axis]) is int for axis in numbers.growing.get(path.text, ()))
            for path, node in captured
        )

    def must_be_fixed(self, numbers: Numbers) -> bool:
        """Notes that a trace failed. True if it read numbers that may be to blame: they are guarded from now on."""
        new = numbers.lengths - self._fixed or numbers.used - self._fixed
        self._fixed |= new
        self._unlike |= numbers.met
        return bool(new)

    def is_not_to_blame(self, numbers: Numbers) -> None:
        """Notes that the trace failed without them, too. `numbers` are those of the first try."""
        self._fixed &= numbers.fixed
        self._unlike -= numbers.alike


def _is_number(value: object) -> bool:
    return value is not GONE and (type(value) in (int, float, complex) or isinstance(value, np.number))


def _other_lengths(spec: Any, value: Any) -> frozenset[int]:
    """The axes along which an array has other lengths than the one that a trace has captured."""
    if not isinstance(spec, TensorSpec) or type(value) is not np.ndarray or spec.dtype != value.dtype:
        return frozenset()
    if len(spec.shape) != value.ndim:
        return frozenset()
    pairs = enumerate(zip(spec.shape, value.shape, strict=True))
    return frozenset([axis for axis, (n, m) in pairs if n is not None and n != m])
