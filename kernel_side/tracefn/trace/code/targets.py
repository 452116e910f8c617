"""The name that the code gives the value of a conditional expression, of `cond` and of `switch`: its target."""

from __future__ import annotations

import ast
import linecache
import re
from functools import lru_cache
from types import FrameType

from .compiled import parsed

_CHOOSING = ("cond", "switch")

_MAY_CHOOSE = re.compile(rf"\b(?:{'|'.join(_CHOOSING)})\b|\belse\b(?!\s*:)")
"""Text that may have a choice among its values: the `else` of a statement is none. Parsing takes a millisecond."""


def target_of(frame: FrameType | None) -> tuple[str, ...]:
    """The names that the statement at which a frame is assigns the value of a choice to, several where it takes the
    value apart; none where it does something else with it, or where the source cannot be read."""
    if frame is None:
        return ()
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    first, end = _function_around(lines, frame.f_lineno - 1)
    targets = _targets("".join(lines[first:end]))
    if targets is None:  # text in several lines looks like code to the left of the code around it
        first, targets = 0, _targets("".join(lines)) or ()
    line = frame.f_lineno - first
    found = [(end - start, names) for start, end, names in targets if start <= line <= end]
    return min(found)[1] if found else ()


def _function_around(lines: list[str], index: int) -> tuple[int, int]:
    """Where the function begins and ends that a line is in, by how far lines are indented: files are long. That of the
    whole file where it is in none."""
    first, indented = index, _indentation(lines[index]) if index < len(lines) else 0
    while first >= 0 and not (lines[first : first + 1] and _is_head(lines[first], indented)):
        first -= 1
    if first < 0:
        return 0, len(lines)
    end, indented = index + 1, _indentation(lines[first])
    while end < len(lines) and (_indentation(lines[end]) > indented or lines[end].lstrip()[:1] in _GOING_ON):
        end += 1
    return first, end


def _is_head(line: str, indented: int) -> bool:
    """True for the first line of a function around code that is so far indented."""
    return line.lstrip().startswith(("def ", "async def ")) and _indentation(line) < indented


_GOING_ON = ("", "#", ")", "]", "}")
"""How lines begin that end nothing, however little they are indented."""


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


@lru_cache(maxsize=32)
def _targets(source: str) -> tuple[tuple[int, int, tuple[str, ...]], ...] | None:
    """The first and last lines of such statements, with the names. None where it is no code."""
    if not _MAY_CHOOSE.search(source):
        return ()
    is_indented = source[:1].isspace()
    try:
        tree = parsed("if True:\n" + source if is_indented else source)
    except SyntaxError:
        return None
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_choice(node.value):
            [target] = node.targets
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            if all(isinstance(part, ast.Name | ast.Attribute | ast.Subscript) for part in parts):
                first, last = node.lineno - is_indented, (node.end_lineno or node.lineno) - is_indented
                found.append((first, last, tuple([ast.unparse(p) for p in parts])))
    return tuple(found)


def _is_choice(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        called = value.func
        return getattr(called, "attr", getattr(called, "id", "")) in _CHOOSING
    return isinstance(value, ast.IfExp)
