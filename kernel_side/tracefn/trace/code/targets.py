"""What the code calls the value of a conditional expression, of `cond` and of `switch`: what it is assigned to."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from types import FrameType

from .compiled import compiled_before

_CHOOSING = ("cond", "switch")


def target_of(frame: FrameType | None) -> tuple[str, ...]:
    """The names that the statement at which a frame is assigns the value of a choice to, several where it takes the
    value apart; none where it does something else with it, or where the source cannot be read."""
    if frame is None:
        return ()
    line = frame.f_lineno
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    found = [(end - start, names) for start, end, names in _targets("".join(lines)) if start <= line <= end]
    return min(found)[1] if found else ()


@lru_cache(maxsize=32)
def _targets(source: str) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """The first and last lines of such statements, with the names."""
    try:
        with compiled_before():
            tree = ast.parse(source)
    except SyntaxError:
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_choice(node.value):
            [target] = node.targets
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            if all(isinstance(part, ast.Name | ast.Attribute | ast.Subscript) for part in parts):
                found.append((node.lineno, node.end_lineno or node.lineno, tuple([ast.unparse(p) for p in parts])))
    return tuple(found)


def _is_choice(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        called = value.func
        return getattr(called, "attr", getattr(called, "id", "")) in _CHOOSING
    return isinstance(value, ast.IfExp)
