"""Errors of a program, shown at the lines of the user's code that stand behind it."""

from __future__ import annotations

import ast
import functools
import linecache
import re
import types

from ..ir.place import Source
from ..trace.code.compiled import parsed
from .lines import entry_at, line_at
from .numpy_program import Program


def locate(program: Program, error: BaseException) -> None:
    """Completes an error's traceback: the line of the program that raised it, and behind it the user's line it was made
    from."""
    step, before = error.__traceback__, None
    while step is not None and step.tb_frame.f_code is not program.function.__code__:
        step, before = step.tb_next, step
    if step is None or before is None:
        return
    line = line_at(program.code, step.tb_lasti)
    source = program.sources.get(line or 0)
    before.tb_next = _frame(Source(program.file, line or 1), program.name, 1)
    before.tb_next.tb_next = step
    if source is not None:
        users = _frame(source, *_function_at(source))
        users.tb_next, before.tb_next.tb_next = step.tb_next, users


def raised_by(program: Program, error: BaseException) -> str | None:
    """The name of the value that the line of the program computes at which the error was raised, located or not. None
    where the error is from elsewhere, or its line computes no value or several."""
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        is_own = code is program.function.__code__
        if is_own or code.co_filename == program.file:
            line = line_at(program.code, step.tb_lasti) if is_own else step.tb_lineno
            found = _TARGET.match(program.source.splitlines()[(line or 1) - 1])
            return None if found is None else found[1]
        step = step.tb_next
    return None


_TARGET = re.compile(r"\s*(\w+) = ")


def _frame(source: Source, name: str, first: int) -> types.TracebackType:
    """A traceback of one frame, which is at a line of a function of this name, that begins in the `first` line."""
    function = _frame.__code__.replace(co_filename=source.file, co_name=name, co_qualname=name, co_firstlineno=first)
    return entry_at(function, source.line)


def _function_at(source: Source) -> tuple[str, int]:
    """The name of the function that a line is in, and its first line."""
    functions = _functions("".join(linecache.getlines(source.file)))
    if functions is None:
        return "<traced>", source.line
    around = [found for found in functions if found[0] <= source.line <= found[1]]
    first, _, name = max(around, key=lambda found: found[0], default=(source.line, 0, "<traced>"))
    return name, first


@functools.lru_cache(maxsize=16)
def _functions(text: str) -> list[tuple[int, int, str]] | None:
    """First line, last line and name of each function. To parse a large file takes as long as thousands of calls."""
    try:
        tree = parsed(text)
    except SyntaxError:  # a cell with magics
        return None
    return [
        (node.lineno, node.end_lineno or 0, getattr(node, "name", "<lambda>"))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]
