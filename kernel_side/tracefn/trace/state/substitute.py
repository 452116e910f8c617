"""Copies of the user's functions in which captured arrays and random generators are Tensors.

An array that a function reads from a global or a closure cell must be symbolic while tracing, also where only it is
computed with (`W.mean()`), or its values would be frozen into the graph. The copies share the original code; their
globals and cells are copies in which arrays are Tensors and helper functions are such copies again.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from ..code.metadata import copy_metadata
from ..code.rewritten import GLOBALS
from ..libraries import is_foreign_class, is_foreign_value
from ..origin import is_own_function, is_users
from .captures import Captures
from .resolve import extend


class FunctionCopies:
    """One copy of each function, globals dict and cell that is in play; none where nothing is to be replaced.

    `tensor(value)` gives the Tensor that stands for a captured array or generator. `rewrite(code)`, if given, the code
    object that takes the place of a function's, or None to leave it; such code finds `helpers` among its globals.
    `check(fn)` is called for functions that are left.
    """

    def __init__(
        self,
        captures: Captures,
        tensor: Callable[[Any], Any],
        rewrite: Callable[[types.CodeType], types.CodeType | None] | None = None,
        helpers: Mapping[str, Any] | None = None,
        on_found: Callable[[], None] = lambda: None,
        number: Callable[[Any, Any], Any] | None = None,
        check: Callable[[types.FunctionType], None] = lambda fn: None,
    ) -> None:
        self._check = check
        self._captures = captures
        self._tensor = tensor
        self._rewrite = rewrite
        self._helpers = helpers or {}
        self._on_found = on_found
        self._number = number
        self._needed = rewrite is not None or any(
            c.path.is_variable for c in (*captures.arrays.values(), *captures.generators)
        )
        self._needed = self._needed or any(
            c.path.is_variable and is_foreign_value(c.target) for c in captures.identities.values()
        )
        self._functions: dict[int, types.FunctionType] = {}
        self._cells: dict[int, types.CellType] = {}
        self._cell_pairs: list[tuple[types.CellType, types.CellType]] = []
        self._codes: set[types.CodeType] = set()  # of functions that copies have defined, and others have made again
        self._ours: set[int] = set()
        self._arrays: set[tuple[int, str]] = set()
        self._globals: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        self.not_converted: dict[types.FunctionType, None] = {}
        if self._needed:
            self._take_up()

    def _take_up(self) -> None:
        """Takes the functions and arrays that the captures have by now."""
        new = [f for f in self._captures.functions if id(f) not in self._ours]
        self._ours |= {id(f) for f in new}
        self._arrays |= {
            (id(c.path.root[1]), c.path.root[2])
            for c in (*self._captures.arrays.values(), *self._captures.generators)
            if not c.path.steps
        }
        for original in {id(f.__globals__): f.__globals__ for f in new}.values():
            if id(original) not in self._globals:
                self._globals[id(original)] = (original, {**original, **self._helpers})
        known = (*self._arrays, *self._captures.number_variables)
        for original, copy in self._globals.values():
            variables = list(original.items())  # another thread may set a global
            kinds = {k for k in {type(v) for _, v in variables} if k is types.FunctionType or is_foreign_class(k)}
            here = {name for owner, name in known if owner == id(original)}
            for name, value in [(n, v) for n, v in variables if type(v) in kinds or n in here]:
                if copy.get(name) is not value:
                    continue
                if (id(original), name) in self._arrays or is_foreign_value(value):
                    copy[name] = self._tensor(value)
                elif (path := self._captures.number_variables.get((id(original), name))) is not None:
                    copy[name] = self._symbol(path, value)
                elif id(value) in self._ours:
                    copy[name] = self.function(value)

    def function(self, fn: Any) -> Any:
        """The copy of a function, or the function itself where none is needed."""
        if not self._needed:
            return fn
        if type(fn) is types.FunctionType and (defined := self._defined(fn)) is not None:
            return defined
        if id(fn) not in self._ours and not self._finds(fn):
            return fn
        if id(fn) not in self._functions:
            rewrite = None if is_own_function(fn) else self._rewrite
            code = rewrite(fn.__code__) if rewrite is not None else None
            if code is None and rewrite is not None:
                self.not_converted[fn] = None
                self._check(fn)
            code = code or fn.__code__
            cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
            closure = tuple([self._cell(cells[n], n) for n in code.co_freevars])
            if id(fn) not in self._functions:  # a recursive function meets itself in its own cells
                namespace = self._globals[id(fn.__globals__)][1]
                copy = _function_like(fn, code, namespace, closure)
                copy.__dict__.update(fn.__dict__)
                self._functions[id(fn)] = copy
        return self._functions[id(fn)]

    def _finds(self, fn: Any) -> bool:
        """Takes up a function of the user's that is met while tracing. False for any other."""
        if self._rewrite is None or type(fn) is not types.FunctionType or not is_users(fn):
            return False
        if any(fn.__globals__ is copy for _, copy in self._globals.values()):
            return False  # made by a copy: its code is rewritten already
        extend(self._captures, fn)
        self._on_found()
        self._take_up()
        return True

    def original(self, fn: Any) -> Any:
        """The function behind a copy. A function that a copy has defined gets the real globals and cells, as it is to
        run on arrays; rewritten code keeps its helpers."""
        known = next((f for f in self._captures.functions if self._functions.get(id(f)) is fn), None)
        if known is not None or not isinstance(fn, types.FunctionType):
            return known or fn
        namespace = self.original_globals(fn.__globals__)
        if namespace is fn.__globals__:
            return fn
        closure = tuple([self.original_cell(c) for c in fn.__closure__ or ()])
        if self._helpers:
            namespace = {**namespace, **self._helpers, GLOBALS: namespace}
        return _function_like(fn, fn.__code__, namespace, closure)

    def _defined(self, fn: types.FunctionType) -> types.FunctionType | None:
        """A function that a copy has defined, which had become an original, as it is in this trace. None for others.
        Its variables are the trace's own: of what it reads, only the globals are outside."""
        namespace = fn.__globals__.get(GLOBALS)
        if namespace is None or self._rewrite is None:
            return None
        if fn.__code__ not in self._codes:
            self._codes.add(fn.__code__)
            extend(
                self._captures, _function_like(fn, fn.__code__, namespace, tuple(map(_no_cell, fn.__closure__ or ())))
            )
            self._on_found()
            self._take_up()
        closure = tuple([self._cells.get(id(cell), cell) for cell in fn.__closure__ or ()])
        return _function_like(fn, fn.__code__, self._globals[id(namespace)][1], closure)

    def original_cell(self, cell: Any) -> Any:
        """The original of a copied cell; any other cell itself."""
        return next((c for c, copy in self._cell_pairs if copy is cell), cell)

    def is_outside_cell(self, cell: Any) -> bool:
        """True for a variable of a function that was there before the trace."""
        return any(cell is known for f in self._captures.functions for known in f.__closure__ or ())

    def original_globals(self, namespace: Any) -> Any:
        """The original globals of copied ones; any other dict itself."""
        return next((original for original, copy in self._globals.values() if copy is namespace), namespace)

    def _cell(self, cell: types.CellType, name: str) -> types.CellType:
        if id(cell) in self._cells:
            return self._cells[id(cell)]
        copy = cell
        if (id(cell), name) in self._arrays or _holds_foreign(cell):
            copy = types.CellType(self._tensor(cell.cell_contents))
        elif (path := self._captures.number_variables.get((id(cell), name))) is not None:
            copy = types.CellType(self._symbol(path, cell.cell_contents))
        elif _contents_id(cell) in self._ours:
            copy = self._cells[id(cell)] = types.CellType()
            copy.cell_contents = self.function(cell.cell_contents)
        self._cells[id(cell)] = copy
        self._cell_pairs.append((cell, copy))
        return copy

    def _symbol(self, path: Any, value: Any) -> Any:
        return value if self._number is None else self._number(path, value)

    def write_back(self) -> None:
        """Moves the copies' assignments to globals into the real globals."""
        for original, copy in self._globals.values():
            for name in [n for owner, n in self._captures.written if owner == id(original)]:
                if name in copy and copy[name] is not original.get(name):
                    original[name] = copy[name]


def _function_like(
    fn: types.FunctionType, code: types.CodeType, namespace: dict[str, Any], closure: tuple[Any, ...]
) -> types.FunctionType:
    copy = types.FunctionType(code, namespace, fn.__name__, fn.__defaults__, closure)
    copy.__kwdefaults__ = fn.__kwdefaults__
    copy_metadata(copy, fn)
    return copy


def _no_cell(_: types.CellType) -> types.CellType:
    return types.CellType()


def _holds_foreign(cell: types.CellType) -> bool:
    try:
        return is_foreign_value(cell.cell_contents)
    except ValueError:
        return False


def _contents_id(cell: types.CellType) -> int | None:
    try:
        return id(cell.cell_contents)
    except ValueError:
        return None
