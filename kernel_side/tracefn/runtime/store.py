"""What a call changes outside its arguments' arrays, as a generated Python function: attributes, items, names, containers.

The function is given the outputs of the program. It looks up all that it changes before it changes anything, makes new
containers and objects anew, and then does what the traced code did, in that order.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

from ..trace.captures import Path


class StoreSource:
    """Collects the lines of such a function. `source` is its text as a person can read it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._constants: dict[str, Any] = {}
        self._numbers: dict[int, str] = {}
        self._owners: dict[Any, str] = {}
        self.lookups: list[str] = []
        self.made: list[str] = []
        self.writes: list[str] = []
        self.result = ""

    def constant(self, value: Any) -> str:
        """A name for an object that each call uses."""
        if id(value) not in self._numbers:
            name = self._numbers[id(value)] = f"k{len(self._constants)}"
            self._constants[name] = value
        return self._numbers[id(value)]

    def owner(self, path: Path) -> str:
        """A variable with what a path leads to before anything is changed."""
        key = path.key()
        if key not in self._owners:
            kind, root, name = path.root
            start = self.constant(root)
            start += {"held": "()", "global": f"[{name!r}]", "closure": ".cell_contents"}.get(kind, "")
            variable = self._owners[key] = f"o{len(self._owners)}"
            self.lookups.append(f"{variable} = {start}{path.steps_source}  # {path.text}")
        return self._owners[key]

    def new(self, expression: str) -> str:
        """A variable with a container or object that each call makes."""
        variable = f"n{len(self.made)}"
        self.made.append(f"{variable} = {expression}")
        return variable

    def then(self, line: str) -> None:
        """Adds a line that completes what was made."""
        self.made.append(line)

    @property
    def source(self) -> str:
        lines = [*self.lookups, *self.made, *self.writes, *([f"return {self.result}"] if self.result else [])]
        return "\n".join([f"def {self._name}(r):", *[f"    {line}" for line in lines or ["pass"]], ""])

    def function(self) -> Callable[[Any], Any]:
        """The function of the tuple of the program's outputs."""
        file, source = f"<tracefn store {self._name} {id(self):x}>", self.source
        namespace = dict(self._constants)
        exec(compile(source, file, "exec"), namespace)
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        function: Callable[[Any], Any] = namespace[self._name]
        return function
