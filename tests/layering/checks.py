"""The rules of the tree's shape, as functions from source text to a list of complaints (empty when all is well)."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

MAX_LINES = 400

#: Files that are longer, with their lines: one class each. They may only shrink.
LONGER = {}

#: Python files of a folder, `__init__.py` among them.
MAX_FILES = 25

#: Files that may import one another where imports for type checkers count, too.
MAX_CIRCLE = 3

#: The one larger circle: `Trace`, and the values that are annotated with it. It may only shrink.
TRACE_AND_ITS_VALUES = 18

#: A part of the package may import itself and the parts with a smaller number. Parts with equal numbers do not know
#: each other. `__init__` is the public face: it may import everything, and nothing inside may import it.
LAYERS = {
    "errors": 0,
    "ir": 1,
    "ops": 2,
    "trace": 3,
    "passes": 3,
    "config": 4,
    "debugging": 4,
    "codegen": 4,
    "runtime": 5,
    "function": 6,
    "explain": 7,
    "timing": 7,
    "data": 7,
    "reporting": 8,
    "notebook": 9,
    "testing": 9,
    "__main__": 10,
    "__init__": 10,
}

#: The same for the rooms of packages that have several. A package in `DOORS` is imported from outside by its own name
#: alone, never by that of a module in it.
ROOMS = {
    "tracefn.codegen": {"machine": 0, "entry": 1, "native": 2},
    "tracefn.codegen.native": {
        "builder": 0,
        "scalar": 0,
        "fusion": 1,
        "rewrites": 2,
        "kernels": 2,
        "loops": 3,
        "pipeline": 4,
        "__init__": 5,
    },
}

DOORS = ("tracefn.codegen.native",)

PARTS = LAYERS.keys() | {"events"}

#: What may be imported when a module is imported; everything else waits until it is needed.
EAGER = sys.stdlib_module_names | {"__future__", "numpy", "tracefn"}

#: `notebook` is loaded by Jupyter alone, so what Jupyter itself is made of costs nothing there.
EAGER_IN_NOTEBOOK = EAGER | {"IPython", "comm", "ipykernel", "traitlets"}


def layer_violations(module: str, source: str) -> list[str]:
    """Imports of `source`, the text of module `module` (`tracefn.ir.graph`), that point the wrong way."""
    part = _part(module)
    complaints = []
    for line, target in _package_imports(module, source):
        other = _part(target)
        if other == part or (other == "events" and part != "errors"):
            continue
        if part == "events":
            allowed = other == "errors"
        else:
            allowed = LAYERS.get(other, sys.maxsize) < LAYERS.get(part, -1)
        if not allowed:
            complaints.append(f"{module}, line {line}: {part} must not import {other} ({target})")
    return complaints


def room_violations(module: str, source: str) -> list[str]:
    """Imports between the rooms of a package that point the wrong way, and those that go past its door."""
    complaints = []
    for line, target in _package_imports(module, source):
        for package, levels in ROOMS.items():
            room, other = _room(module, package), _room(target, package)
            if room in levels and other in levels and room != other and levels[other] >= levels[room]:
                complaints.append(f"{module}, line {line}: {room} must not import {other} ({target})")
        for door in DOORS:
            if _is_inside(target, door) and target != door and not _is_inside(module, door):
                complaints.append(f"{module}, line {line}: import {target} from {door}")
    return complaints


def _room(module: str, package: str) -> str:
    """The first name of a module below a package. Empty for one that is not inside."""
    return module[len(package) + 1 :].partition(".")[0] if _is_inside(module, package) else ""


def _is_inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def eager_violations(module: str, source: str) -> list[str]:
    """Third-party imports other than NumPy that run as soon as `module` is imported."""
    allowed = EAGER_IN_NOTEBOOK if _part(module) == "notebook" else EAGER
    complaints = []
    for node in _run_at_import(ast.parse(source).body):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        else:
            continue
        complaints += [
            f"{module}, line {node.lineno}: {name} is imported at module level; import it where it is needed"
            for name in names
            if name.partition(".")[0] not in allowed
        ]
    return complaints


def size_violations(name: str, source: str) -> list[str]:
    """A file longer than `MAX_LINES` does two jobs."""
    lines, limit = source.count("\n"), LONGER.get(name, MAX_LINES)
    return [f"{name}: {lines} lines, more than {limit}: split it"] if lines > limit else []


def class_names(sources: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    """The modules that define each class at their top, by the part of the package and the name of the class."""
    found: dict[tuple[str, str], list[str]] = {}
    for module, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault((_part(module), node.name), []).append(module)
    return found


def first_line_violations(name: str, source: str) -> list[str]:
    """A file says its job in its first line: a docstring in Python, a comment in TypeScript."""
    pattern = r'"""\S' if name.endswith(".py") else r"//\s*\S|/\*\*?\s*(\n \*\s*)?\S"
    return [] if re.match(pattern, source) else [f"{name}: its first line does not say what the file is for"]


def view_violations(name: str, source: str) -> list[str]:
    """Imports of a file of `widgets/src` that tie a view to JupyterLab."""
    found = re.findall(r"""(?:from|import)\s*\(?\s*['"](@(?:lumino|jupyterlab|jupyter-widgets)/[^'"]+)""", source)
    return [f"{name}: views are pure, they do not import {target}" for target in found]


def module_name(path: Path, root: Path) -> str:
    """`tracefn.ir.graph` for `<root>/tracefn/ir/graph.py`, `tracefn.ir.__init__` for its `__init__.py`."""
    return ".".join(path.relative_to(root).with_suffix("").parts)


def _part(module: str) -> str:
    """The first name below `tracefn`, `__init__` for the package itself."""
    names = module.split(".")
    return names[1] if len(names) > 1 else "__init__"


def _package_imports(module: str, source: str) -> Iterator[tuple[int, str]]:
    """Line and absolute name of everything imported from `tracefn`, wherever in the file the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(module.split(".")[: -node.level]) if node.level else ""
            base = ".".join(filter(None, [base, node.module]))
            # `from tracefn import ir` names a part; any other name comes from `__init__`.
            parts = [f"tracefn.{alias.name}" if alias.name in PARTS else base for alias in node.names]
            targets = parts if base == "tracefn" else [base]
        else:
            continue
        for target in targets:
            if target.partition(".")[0] == "tracefn":
                yield node.lineno, target


def _run_at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported: not those in functions, nor below `if TYPE_CHECKING`."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _run_at_import(node.orelse)
            continue
        yield node
        for field in ("body", "orelse", "finalbody"):
            yield from _run_at_import(getattr(node, field, []))
        for handler in getattr(node, "handlers", []):
            yield from _run_at_import(handler.body)
