"""Import circles between the files of the package, with or without the imports for type checkers alone."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from pathlib import Path


def imports(root: Path, with_types: bool = False) -> dict[str, set[str]]:
    """Each module below `root` with the modules that it imports, in functions too, and for type checkers alone."""
    run, for_types = _all_imports(root)
    return {module: found | for_types[module] for module, found in run.items()} if with_types else run


@functools.cache
def _all_imports(root: Path) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The imports that are run, and those for type checkers alone."""
    run: dict[str, set[str]] = {}
    for_types: dict[str, set[str]] = {}
    files = {_module(path, root): path for path in root.rglob("*.py")}
    for module, path in files.items():
        tree = ast.parse(path.read_text())
        run[module], for_types[module] = _imported(tree, module, path.name == "__init__.py", files)
    return run, for_types


def _module(path: Path, root: Path) -> str:
    parts = [root.name, *path.relative_to(root).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(tree: ast.AST, module: str, is_package: bool, known: Mapping[str, Path]) -> tuple[set[str], set[str]]:
    run: set[str] = set()
    for_types: set[str] = set()
    stack = [(tree, run)]
    while stack:
        node, found = stack.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            stack += [(statement, for_types) for statement in node.body] + [(other, found) for other in node.orelse]
            continue
        stack += [(child, found) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.ImportFrom) and node.level:
            base = module.split(".") if is_package else module.split(".")[:-1]
            names = [*base[: len(base) - node.level + 1], *filter(None, [node.module])]
            source = ".".join(names)
            targets = {f"{source}.{alias.name}" for alias in node.names}
            found |= {target if target in known else source for target in targets}
    return (run & known.keys()) - {module}, (for_types & known.keys()) - {module}


def circles(found_imports: Mapping[str, set[str]]) -> list[set[str]]:
    """The sets of modules that import one another, however far around."""
    reached = {module: _reached(module, found_imports) for module in found_imports}
    found = {
        frozenset(other for other in reached[module] if module in reached[other])
        for module in found_imports
        if module in reached[module]
    }
    return [set(circle) for circle in found]


def _reached(start: str, imports: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    stack = [start]
    while stack:
        for module in imports[stack.pop()] - reached:
            reached.add(module)
            stack.append(module)
    return reached


def late_imports(root: Path) -> list[str]:
    """The imports in functions of the files below `root`, as `file:line`."""
    return [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in sorted(root.rglob("*.py"))
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
