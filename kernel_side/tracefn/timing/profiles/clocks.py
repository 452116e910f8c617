"""Programs with a clock, or a look at the memory, around each of their lines."""

from __future__ import annotations

import ast
import dataclasses
import functools
import time
import tracemalloc
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median
from typing import Any

from tracefn.codegen import Program

Clock = Callable[[], int]

CALIBRATED = 400
"""How many empty lines the cost of the clock is measured on."""


class Clocks:
    """A program that times each of its lines. `spent` has the ns, and `rounds` how often the line ran, by
    the number of the line, since the last `reset`."""

    def __init__(self, program: Program, clock: Clock = time.perf_counter_ns) -> None:
        self.spent: dict[int, int] = {}
        self.rounds: dict[int, int] = {}
        self._names: dict[str, Any] = {"_clock": clock, "_spent": self.spent, "_rounds": self.rounds}
        self.program, self.lines = _with_statements(program, _clocked, self._names)
        self.reset()

    def reset(self) -> None:
        """Sets all to 0."""
        self.spent.update(dict.fromkeys(self.lines, 0))
        self.rounds.update(dict.fromkeys(self.lines, 0))

    @functools.cached_property
    def overhead(self) -> float:
        """The overhead of the clock for a line, in ns: the median on lines that do nothing."""
        tree = ast.parse("def empty():\n" + "    pass\n" * CALIBRATED)
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.body = _around(definition.body, _clocked, [])
        spent, rounds = dict.fromkeys(range(CALIBRATED + 2), 0), dict.fromkeys(range(CALIBRATED + 2), 0)
        names = self._names | {"_spent": spent, "_rounds": rounds}
        exec(compile(ast.fix_missing_locations(tree), "<tracefn clock>", "exec"), names)
        for _ in range(3):
            spent.update(dict.fromkeys(spent, 0))
            names["empty"]()
        return median(list(spent.values())[2:])


class Memory:
    """A program that notes the memory that NumPy and Python have taken since it began: `after` each of its lines, and
    at most while it ran (`peak`), in bytes, by the number of the line."""

    def __init__(self, program: Program) -> None:
        self.after: dict[int, int] = {}
        self.peak: dict[int, int] = {}
        self._base = 0
        names = {"_note": self._note, "_begin": self._begin}
        self.program, self.lines = _with_statements(program, _noted, names, "_begin()")

    def _begin(self) -> None:
        tracemalloc.reset_peak()
        self._base = tracemalloc.get_traced_memory()[0]

    def _note(self, line: int) -> None:
        now, peak = tracemalloc.get_traced_memory()
        self.after[line] = max(self.after.get(line, 0), now - self._base)
        self.peak[line] = max(self.peak.get(line, 0), peak - self._base)
        tracemalloc.reset_peak()


@contextmanager
def memory_is_traced() -> Iterator[None]:
    """While the block runs, Python's `tracemalloc` follows allocations."""
    if tracemalloc.is_tracing():
        yield
        return
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


Around = Callable[[int], tuple[str, str]]
"""The statements before and after a line of this number."""


def _clocked(line: int) -> tuple[str, str]:
    return "_before = _clock()", f"_spent[{line}] += _clock() - _before; _rounds[{line}] += 1"


def _noted(line: int) -> tuple[str, str]:
    return "", f"_note({line})"


def _with_statements(
    program: Program, around: Around, names: Mapping[str, Any], first: str = ""
) -> tuple[Program, list[int]]:
    """The program with statements around each of its lines, in which `names` are known, and the numbers of these
    lines. The heads of branches and loops stay as they are."""
    tree = ast.parse(program.source)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    lines: list[int] = []
    definition.body = ast.parse(first).body + _around(definition.body, around, lines)
    code = compile(ast.fix_missing_locations(tree), program.file, "exec")
    inner = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    function = types.FunctionType(inner, {**program.function.__globals__, **names})
    return dataclasses.replace(program, constants={**program.constants, **names}, function=function), lines


def _around(body: list[ast.stmt], around: Around, lines: list[int]) -> list[ast.stmt]:
    """The statements of a block, with the clock's statements around those of each line."""
    found: list[ast.stmt] = []
    i = 0
    while i < len(body):
        statement = body[i]
        i += 1
        if inner := [name for name in ("body", "orelse", "finalbody") if getattr(statement, name, None)]:
            for name in inner:
                setattr(statement, name, _around(getattr(statement, name), around, lines))
            found.append(statement)
        elif isinstance(statement, ast.Return | ast.Break | ast.Continue | ast.Raise):
            found.append(statement)
        else:
            together = [statement]
            while i < len(body) and body[i].lineno == statement.lineno and not hasattr(body[i], "body"):
                together.append(body[i])
                i += 1
            lines.append(statement.lineno)
            before, after = (ast.parse(text).body for text in around(statement.lineno))
            found += [*before, *together, *after]
    return found
