"""Copies of the user's functions in which captured arrays are Tensors.

An array that a function reads from a global or a closure cell must be symbolic while tracing, also where only it is
computed with (`W.mean()`), or its values would be frozen into the graph. The copies share the original code; their
globals and cells are copies in which arrays are Tensors and helper functions are such copies again.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from .resolve import Captures


class FunctionCopies:
    """One copy of each function, globals dict and cell that is in play; none where nothing is to be replaced.

    `tensor(array)` gives the Tensor that stands for a captured array. `rewrite(code)`, if given, the code object that
    takes the place of a function's, or None to leave it; such code finds `helpers` among its globals.
    """

    def __init__(
        self,
        captures: Captures,
        tensor: Callable[[Any], Any],
        rewrite: Callable[[types.CodeType], types.CodeType | None] | None = None,
        helpers: Mapping[str, Any] | None = None,
    ) -> None:
        self._tensor = tensor
        self._rewrite = rewrite or (lambda code: None)
        self._needed = rewrite is not None or any(c.path.is_variable for c in captures.arrays.values())
        self._written = captures.written
        self._functions: dict[int, types.FunctionType] = {}
        self._cells: dict[int, types.CellType] = {}
        self._originals: dict[int, types.FunctionType] = {}
        self._own_cells: dict[int, types.CellType] = {}
        self._helpers = dict(helpers or {})
        self._ours = {id(f) for f in captures.functions}
        self._arrays = {(id(c.path.root[1]), c.path.root[2]) for c in captures.arrays.values() if not c.path.steps}
        self._globals: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        if not self._needed:
            return
        self._globals = {id(f.__globals__): (f.__globals__, dict(f.__globals__)) for f in captures.functions}
        for original, copy in self._globals.values():
            copy.update(helpers or {})
            for name, value in original.items():
                if (id(original), name) in self._arrays:
                    copy[name] = tensor(value)
                elif id(value) in self._ours:
                    copy[name] = self.function(value)

    def function(self, fn: Any) -> Any:
        """The copy of a function, or the function itself where it is not one of those in play."""
        if not self._needed or id(fn) not in self._ours:
            return fn
        if id(fn) not in self._functions:
            code = self._rewrite(fn.__code__) or fn.__code__
            cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
            closure = tuple([self._cell(cells[n], n) for n in code.co_freevars])
            if id(fn) not in self._functions:  # a recursive function meets itself in its own cells
                namespace = self._globals[id(fn.__globals__)][1]
                copy = self._functions[id(fn)] = _function_like(fn, code, namespace, closure)
                self._originals[id(copy)] = fn
        return self._functions[id(fn)]

    def original(self, fn: Any) -> Any:
        """The function behind a copy. A function that a copy has defined gets the real globals and cells, as it is to
        run on arrays; rewritten code keeps its helpers."""
        if id(fn) in self._originals:
            return self._originals[id(fn)]
        copied = isinstance(fn, types.FunctionType) and next(
            (own for own, copy in self._globals.values() if copy is fn.__globals__), None
        )
        if not copied:
            return fn
        closure = tuple([self._own_cells.get(id(c), c) for c in fn.__closure__ or ()])
        return _function_like(fn, fn.__code__, copied | self._helpers if self._helpers else copied, closure)

    def _cell(self, cell: types.CellType, name: str) -> types.CellType:
        if id(cell) in self._cells:
            return self._cells[id(cell)]
        copy = cell
        if (id(cell), name) in self._arrays:
            copy = types.CellType(self._tensor(cell.cell_contents))
        elif _contents_id(cell) in self._ours:
            copy = self._cells[id(cell)] = types.CellType()
            copy.cell_contents = self.function(cell.cell_contents)
        self._cells[id(cell)] = copy
        self._own_cells[id(copy)] = cell
        return copy

    def write_back(self) -> None:
        """Moves what the copies assigned to globals into the real globals."""
        for original, copy in self._globals.values():
            for name in [n for owner, n in self._written if owner == id(original)]:
                if name in copy and copy[name] is not original.get(name):
                    original[name] = copy[name]


def _function_like(
    fn: types.FunctionType, code: types.CodeType, namespace: dict[str, Any], closure: tuple[Any, ...]
) -> types.FunctionType:
    copy = types.FunctionType(code, namespace, fn.__name__, fn.__defaults__, closure)
    copy.__kwdefaults__, copy.__qualname__, copy.__module__ = fn.__kwdefaults__, fn.__qualname__, fn.__module__
    return copy


def _contents_id(cell: types.CellType) -> int | None:
    try:
        return id(cell.cell_contents)
    except ValueError:
        return None
