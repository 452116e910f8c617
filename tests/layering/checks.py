"""The rules of the tree's shape, as functions from source text to a list of complaints (empty when all is well)."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

MAX_LINES = 400

#: Python files of a folder, `__init__.py` among them.
MAX_FILES = 25

#: Files that may import one another where imports for type checkers count, too.
MAX_CIRCLE = 3

#: A part of the package may import itself and the parts with a smaller number. Parts with equal numbers do not know
#: each other. `__init__` is the public face: it may import everything, and nothing inside may import it.
LAYERS = {
    "records": -1,
    "errors": 0,
    "tables": 0,
    "ir": 1,
    "ops": 2,
    "trace": 3,
    "passes": 3,
    "autodiff": 4,
    "config": 4,
    "debugging": 4,
    "codegen": 4,
    "runtime": 5,
    "function": 6,
    "explain": 7,
    "gradients": 7,
    "timing": 7,
    "data": 7,
    "nn": 8,
    "optimize": 8,
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
    "tracefn.trace": {
        # what Python tells, and where the user's code is
        "active": 0,
        "keys": 0,
        "kinds": 0,
        "of_the_moment": 0,
        "one_by_one": 0,
        "origin": 0,
        "provided": 0,
        "references": 0,
        "code": 1,
        "libraries": 1,
        "stand_ins": 1,
        # what is outside, and what values and traces are made of
        "state": 2,
        "tensor_parts": 2,
        "trace_parts": 3,
        # values and traces
        "modes": 5,
        "tensor": 5,
        "context": 6,
        "aliasing": 7,
        "entering": 7,
        "values": 8,
        "recording": 9,
        "tree": 9,
        "iterators_around": 9,
        "body": 10,
        "this_call": 9,
        "reads": 10,
        # what is traced: control flow, NumPy, other libraries, Python
        "control": 11,
        "foreign": 12,
        "numpy_api": 12,
        "tensor_array": 12,
        "operators": 13,
        "variables": 13,
        "signature": 14,
        "effects": 15,
        "autograph": 16,
        "__init__": 17,
    },
    "tracefn.trace.autograph": {
        "augmented": 0,
        "callbacks": 0,
        "special": 0,
        "overrides": 1,
        "rewrite": 1,
        "iterators": 2,
        "containers": 3,
        "hooks": 4,
        "calls": 5,
        "operators": 6,
        "__init__": 7,
    },
    "tracefn.runtime": {
        "builtin": 0,
        "code_version": 0,
        "compiler": 0,
        "device": 0,
        "freed_memory": 0,
        "garbage": 0,
        "own_frames": 0,
        "store": 0,
        "threads": 0,
        "unseen_frames": 0,
        "worth": 0,
        "calls": 1,
        "worker": 1,
        "elsewhere": 2,
        "laid_out": 2,
        "loop_kernel": 2,
        "native_steps": 2,
        "reducing": 2,
        "native_kernel": 3,
        "tiers": 3,
        "native_program": 4,
        "kept_kernel": 5,
        "kept_program": 6,
        "compiler_main": 7,
        "__init__": 8,
    },
    "tracefn.function": {
        "bound": 0,
        "guards": 0,
        "held": 0,
        "input_signature": 0,
        "kernels": 0,
        "options": 0,
        "redefinition": 0,
        "registry": 0,
        "stages": 0,
        "wrapped": 0,
        "fallback": 1,
        "mutation_watch": 1,
        "made": 2,
        "inside": 2,
        "methods": 2,
        "execution": 3,
        "concrete": 4,
        "cache": 5,
        "history": 5,
        "evicting": 6,
        "kept": 6,
        "run_eagerly": 6,
        "first_runs": 7,
        "transfer": 6,
        "tracing": 7,
        "looking": 8,
        "traced": 9,
        "one_call": 10,
        "replay": 10,
        "decorator": 10,
        "__init__": 11,
    },
}

DOORS = ("tracefn.codegen.native",)

#: Packages of which each file and folder has its level in `ROOMS`.
ORDERED = ROOMS.keys() - {"tracefn.codegen"}

#: Imports up the rooms, for type checkers alone: a Tensor names the type of its trace, which makes Tensors, and the
#: execution of calls that of the concrete function that it is of.
NAMED_BY_THEIR_PARTS = {
    ("tracefn.function.execution", "tracefn.function.concrete"),
    ("tracefn.trace.active", "tracefn.trace.context"),
    ("tracefn.trace.tensor", "tracefn.trace.context"),
}

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
        if other == part or (other == "events" and part not in ("errors", "records")):
            continue
        if part == "events":
            allowed = other in ("errors", "records")
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
            is_up = room in levels and other in levels and room != other and levels[other] >= levels[room]
            if is_up and (module, target) not in NAMED_BY_THEIR_PARTS:
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
    lines = source.count("\n")
    return [f"{name}: {lines} lines, more than {MAX_LINES}: split it"] if lines > MAX_LINES else []


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


@functools.cache
def _package_imports(module: str, source: str) -> tuple[tuple[int, str], ...]:
    """Line and absolute name of everything imported from `tracefn`, wherever in the file the import stands."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(module.split(".")[: -node.level]) if node.level else ""
            base = ".".join(filter(None, [base, node.module]))
            # `from tracefn import ir` names a part or a room; any other name comes from `__init__`.
            known = PARTS if base == "tracefn" else ROOMS.get(base, {}).keys()
            targets = [f"{base}.{alias.name}" if alias.name in known else base for alias in node.names]
        else:
            continue
        found += [(node.lineno, target) for target in targets if target.partition(".")[0] == "tracefn"]
    return tuple(found)


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
