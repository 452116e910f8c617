"""Collections of op names in the code of passes and code generators: facts that belong to the op's own block."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

MOST_NAMES = 2
"""Names in one collection that are no list yet: `name in ("dot", "matmul")`."""


def name_sets(module: str, source: str, ops: Collection[str]) -> list[str]:
    """Sets, tuples, lists, split texts and dicts of plain values in `source` that hold the names of several ops.

    A dict from names to functions or records is no list of names: it is where these are written down.
    """
    return [
        f"{module}, line {line}: {', '.join(sorted(names))}: make that a field of Op, or of the rule's record"
        for line, texts in _texts(ast.parse(source))
        if len(names := {text for text in texts if text in ops}) > MOST_NAMES
    ]


def _texts(tree: ast.AST) -> Iterator[tuple[int, list[str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Set | ast.Tuple | ast.List):
            yield node.lineno, _strings(node.elts)
        elif isinstance(node, ast.Dict) and all(_is_plain(value) for value in node.values):
            yield node.lineno, _strings(node.keys)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            if isinstance(node.func.value, ast.Constant) and isinstance(node.func.value.value, str):
                yield node.lineno, node.func.value.value.split()


def _strings(nodes: Collection[ast.AST | None]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _is_plain(value: ast.AST) -> bool:
    """True for texts, numbers and collections of these."""
    return isinstance(value, ast.Constant | ast.Set | ast.Tuple | ast.List | ast.UnaryOp | ast.JoinedStr)
