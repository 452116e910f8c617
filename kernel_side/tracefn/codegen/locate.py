"""Errors of a program, shown at the lines of the user's code that stand behind it."""

from __future__ import annotations

import ast
import linecache
import re
import types

from ..ir.graph import Graph, Node, Source
from .numpy_program import Program, ProgramWriter

_MARK = re.compile(r"  #(\d+)$")


def locate(program: Program, graph: Graph, error: BaseException) -> None:
    """Adds to an error's traceback, behind the line of the program that raised it, the user's line it was made from."""
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == program.file:
            source = _line_sources(graph).get(step.tb_lineno)
            if source is not None:
                frame = _frame(source)
                frame.tb_next, step.tb_next = step.tb_next, frame
            return
        step = step.tb_next


def _line_sources(graph: Graph) -> dict[int, Source]:
    """For the lines of a graph's program, where in the user's code their node was made."""
    writer = _MarkingWriter(graph)
    lines = writer.source().splitlines()
    marks = {number: _MARK.search(line) for number, line in enumerate(lines, 1)}
    sources = {number: writer.marked[int(mark[1])].source for number, mark in marks.items() if mark}
    return {number: source for number, source in sources.items() if source is not None}


class _MarkingWriter(ProgramWriter):
    """Writes the same lines, each with the number of its node."""

    def __init__(self, graph: Graph) -> None:
        self.marked: list[Node] = []
        super().__init__(graph)

    def lines_of(self, node: Node) -> list[str]:
        number = len(self.marked)
        self.marked.append(node)
        return [line if _MARK.search(line) else f"{line}  #{number}" for line in super().lines_of(node)]


def _frame(source: Source) -> types.TracebackType:
    """A traceback of one frame, which is at a line of the user's code."""
    code = compile("raise StopIteration", source.file, "exec")
    name = _function_at(source)
    units = len(code.co_code) // 2
    # no columns are known: see "Location table" in CPython's InternalDocs/code_objects.md (entries of code 13)
    table = b"".join(bytes([0x80 | 13 << 3 | min(8, units - at) - 1, 0]) for at in range(0, units, 8))
    code = code.replace(co_firstlineno=source.line, co_linetable=table, co_name=name, co_qualname=name)
    try:
        exec(code, {})
    except StopIteration as marker:
        assert marker.__traceback__ is not None and marker.__traceback__.tb_next is not None
        return marker.__traceback__.tb_next
    raise AssertionError


def _function_at(source: Source) -> str:
    """The name of the function that a line is in."""
    try:
        tree = ast.parse("".join(linecache.getlines(source.file)))
    except SyntaxError:  # a cell with magics
        return "<traced>"
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        and node.lineno <= source.line <= (node.end_lineno or 0)
    ]
    innermost = max(around, key=lambda node: node.lineno, default=None)
    return getattr(innermost, "name", "<lambda>") if innermost is not None else "<traced>"
