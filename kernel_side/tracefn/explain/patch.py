"""A function and its arguments with arrays in the place of numbers that it reads outside, for a trial."""

from __future__ import annotations

import copy
import types
from collections.abc import Sequence
from typing import Any

from ..function.made.built import Built
from ..trace.state.paths import Path


class Patch:
    """`arrays` are the values to find at these paths instead. No object of the user's is changed: the function and its
    helpers get other globals and closure cells, in which the objects on the way to the numbers are copies."""

    def __init__(self, arrays: Sequence[tuple[Path, Any]]) -> None:
        self._arrays = arrays

    def function(self, function: Any) -> Any:
        """The function with other globals and closure cells."""
        outside = [(path, array) for path, array in self._arrays if path.root[0] != "argument"]
        if not outside or type(function) is not types.FunctionType:
            return function
        namespace = dict(function.__globals__)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for path, array in outside:
            kind, owner, name = path.root
            if kind == "global" and owner is function.__globals__:
                namespace[name] = _replaced(namespace[name], path.steps, array)
            elif kind == "closure":
                for variable, cell in cells.items():
                    if cell is owner or variable == name:
                        cells[variable] = types.CellType(_replaced(cell.cell_contents, path.steps, array))
            elif kind == "held":  # by the object itself, which variables hold
                held = owner()
                changed = _replaced(held, path.steps, array)
                namespace |= {n: changed for n, v in list(function.__globals__.items()) if v is held}
                cells |= {n: types.CellType(changed) for n, c in cells.items() if c.cell_contents is held}
        for name, helper in list(function.__globals__.items()):
            if type(helper) is types.FunctionType and helper.__globals__ is function.__globals__:
                namespace[name] = _function_in(namespace, helper, helper.__closure__)
        return _function_in(namespace, function, tuple(cells.values()) or None)

    def arguments(self, paths: Sequence[str], values: Sequence[Any]) -> list[Any]:
        """The leaves of a call with copies of the objects that hold the numbers."""
        found = list(values)
        for path, array in self._arrays:
            if path.root[0] == "argument":
                position = list(paths).index(path.root[2])
                found[position] = _replaced(found[position], path.steps, array)
            elif path.root[0] == "held":
                held = path.root[1]()
                found = [_replaced(v, path.steps, array) if v is held else v for v in found]
        return found

    def missed(self, built: Built) -> list[str]:
        """The paths that a trace did not read as arrays."""
        read = {path.text for path in built.captures if isinstance(path, Path)}
        return [path.text for path, _ in self._arrays if path.text not in read]


def _function_in(namespace: dict[str, Any], function: Any, closure: Any) -> Any:
    made = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__qualname__, made.__module__ = (
        function.__kwdefaults__,
        function.__qualname__,
        function.__module__,
    )
    made.__dict__.update(function.__dict__)
    return made


def _replaced(value: Any, steps: Sequence[tuple[str, Any]], array: Any) -> Any:
    """A copy of the value with the array at the end of the steps. Raises TypeError where an object on the way is
    its own copy, as a function is."""
    if not steps:
        return array
    (kind, key), *rest = steps
    made = copy.copy(value)
    if made is value:
        raise TypeError(f"{type(value).__name__} objects are not copied")
    if kind == "attr":
        object.__setattr__(made, key, _replaced(getattr(value, key), rest, array))
    else:
        made[key] = _replaced(value[key], rest, array)
    return made
