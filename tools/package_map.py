"""Prints a map of the package: its folders with their imports of each other, its files with size and first line."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "kernel_side" / "tracefn"


def first_line(path: Path) -> str:
    """The first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]


def imported_folders(path: Path, package: Path = PACKAGE) -> set[str]:
    """The folders below the package that a module imports from, wherever its imports stand."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1]
            names = (node.module or "").split(".") if node.module else []
            if not folder.is_relative_to(package):
                continue
            for alias in node.names:
                target = folder.joinpath(*names, alias.name)
                inside = target if target.is_dir() else folder.joinpath(*names)
                found.add(_name(inside if inside.is_dir() else inside.parent, package))
    return found - {_name(path.parent, package)}


def _name(folder: Path, package: Path) -> str:
    return str(folder.relative_to(package)) if folder != package else "."


def lines(package: Path = PACKAGE) -> Iterator[str]:
    """The map, line by line."""
    for folder in [package, *sorted(path.parent for path in package.rglob("__init__.py") if path.parent != package)]:
        files = sorted(folder.glob("*.py"))
        sizes = {path: path.read_text().count("\n") for path in files}
        needed = sorted(set().union(*[imported_folders(path, package) for path in files]))
        size = f"{len(files)} files, {sum(sizes.values())} lines"
        yield f"{_name(folder, package)}/  {size}: {first_line(folder / '__init__.py')}"
        if needed:
            yield f"    imports {', '.join(needed)}"
        for path in files:
            if path.name != "__init__.py":
                yield f"    {path.name:24} {sizes[path]:4}  {first_line(path)}"
        yield ""


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines())
