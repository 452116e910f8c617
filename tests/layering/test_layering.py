"""The package's imports point one way, nothing heavy is imported early, and each file is small and says its job."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from layering import checks, circles, op_names
from tracefn.ir.op import all_ops

ROOT = Path(__file__).resolve().parents[2]
KERNEL_SIDE = ROOT / "kernel_side"
PYTHON = sorted(KERNEL_SIDE.glob("tracefn/**/*.py")) + sorted(ROOT.glob("widgets/tracefn_widgets/**/*.py"))
VIEWS = [path for suffix in ("ts", "tsx") for path in sorted(ROOT.glob(f"widgets/src/**/*.{suffix}"))]
TYPESCRIPT = VIEWS + [path for suffix in ("ts", "tsx") for path in sorted(ROOT.glob(f"labextension/src/**/*.{suffix}"))]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_imports_point_one_way():
    files = [path for path in PYTHON if path.is_relative_to(KERNEL_SIDE)]
    assert files
    found = [c for p in files for c in checks.layer_violations(checks.module_name(p, KERNEL_SIDE), p.read_text())]
    assert found == []


def test_rooms_are_entered_in_order_and_by_their_doors():
    files = [path for path in PYTHON if path.is_relative_to(KERNEL_SIDE)]
    found = [c for p in files for c in checks.room_violations(checks.module_name(p, KERNEL_SIDE), p.read_text())]
    assert found == []


def test_each_room_has_its_level():
    for package, levels in checks.ROOMS.items():
        folder = KERNEL_SIDE / package.replace(".", "/")
        inside = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
        assert levels.keys() - {"__init__"} <= inside, package
        assert package not in checks.ORDERED or inside | {"__init__"} == levels.keys(), package


def test_no_files_import_one_another():
    assert circles.circles(circles.imports(KERNEL_SIDE / "tracefn")) == []


def test_imports_for_type_checkers_make_no_large_circles():
    """A record and its printer may name each other's types, and a Tensor that of its trace."""
    found = circles.circles(circles.imports(KERNEL_SIDE / "tracefn", with_types=True))
    assert [sorted(circle) for circle in found if len(circle) > checks.MAX_CIRCLE] == []


def test_the_tracer_imports_at_the_top():
    late = circles.late_imports(KERNEL_SIDE / "tracefn" / "trace")
    assert late == [late[0]] and late[0].startswith("numpy_api/protocols.py:"), late  # fills registries at first use


def test_all_that_rooms_below_call_is_provided():
    for module in ("tracefn.trace.provided", "tracefn.ir.printing"):
        provided = importlib.import_module(module)
        assert [name for name in provided.__annotations__ if not hasattr(provided, name)] == []


def test_a_class_name_stands_once_in_a_package():
    files = [path for path in PYTHON if path.is_relative_to(KERNEL_SIDE)]
    found = checks.class_names({checks.module_name(p, KERNEL_SIDE): p.read_text() for p in files})
    assert {name: modules for name, modules in found.items() if len(modules) > 1} == {}


def test_facts_about_ops_stand_with_the_op():
    ops = {op.name for op in all_ops()}
    files = [p for room in ("passes", "codegen", "runtime") for p in KERNEL_SIDE.glob(f"tracefn/{room}/**/*.py")]
    assert files
    assert [c for p in files for c in op_names.name_sets(checks.module_name(p, KERNEL_SIDE), p.read_text(), ops)] == []


@pytest.mark.parametrize(
    "source",
    [
        "QUIET = frozenset('add subtract multiply'.split())",
        "SHAPES = {'sum': 0, 'mean': 1, 'prod': 2}",
        "if name in ('add', 'subtract', 'multiply'):\n    pass",
        "LOOPS = {'add', 'subtract', 'multiply', 'other'}",
    ],
)
def test_a_list_of_names_of_ops_is_caught(source):
    assert op_names.name_sets("tracefn.passes.new", source, {"add", "subtract", "multiply", "sum", "mean", "prod"})


def test_tables_of_functions_are_no_lists_of_names():
    source = "RULES = {'add': add, 'subtract': subtract, 'multiply': Rule(1)}\nPAIR = ('add', 'subtract')"
    assert op_names.name_sets("tracefn.passes.new", source, {"add", "subtract", "multiply"}) == []


def test_only_numpy_is_imported_early():
    files = [path for path in PYTHON if path.is_relative_to(KERNEL_SIDE)]
    found = [c for p in files for c in checks.eager_violations(checks.module_name(p, KERNEL_SIDE), p.read_text())]
    assert found == []


def test_importing_the_package_loads_nothing_heavy():
    heavy = ["IPython", "anywidget", "comm", "cupy", "graphviz", "ipykernel", "ipywidgets", "plotly", "zmq"]
    code = f"import sys, tracefn; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=KERNEL_SIDE)
    assert done.stdout.split() == []


def test_files_are_small():
    assert TYPESCRIPT
    assert [c for p in PYTHON + TYPESCRIPT for c in checks.size_violations(name(p), p.read_text())] == []


def test_folders_are_small():
    folders = {path.parent for path in PYTHON} - {KERNEL_SIDE / "tracefn" / "ops"}  # a family of ops is a file
    assert [name(f) for f in folders if len(list(f.glob("*.py"))) > checks.MAX_FILES] == []


def test_first_lines_say_what_the_file_is_for():
    assert [c for p in PYTHON + TYPESCRIPT for c in checks.first_line_violations(name(p), p.read_text())] == []


def test_style_sheets_of_the_panel_leave_outputs_of_cells_alone():
    made = {found for path in PYTHON for found in re.findall(r'<\w+ class="(tracefn-[\w-]+)', path.read_text())}
    styled = "".join(path.read_text() for path in ROOT.glob("*/style/*.css"))
    assert "tracefn-output-summary" in made and ".tracefn-summary" in styled
    assert [name for name in made - {"tracefn-report"} if re.search(rf"\.{name}\b(?!-)", styled)] == []


def test_views_know_no_jupyterlab():
    assert VIEWS
    assert [c for p in VIEWS for c in checks.view_violations(name(p), p.read_text())] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("tracefn.errors", "from tracefn.ir.types import Shape"),
        ("tracefn.errors", "from tracefn.events import bus"),
        ("tracefn.ir.graph", "import tracefn.ops"),
        ("tracefn.ops.reduce", "def f():\n    from tracefn.trace import tensor"),
        ("tracefn.trace.tensor", "from tracefn.passes import pipeline"),
        ("tracefn.events.bus", "from tracefn.ir import graph"),
        ("tracefn.timing", "from tracefn.explain import reasons"),
        ("tracefn.function.function", "from tracefn import notebook"),
        ("tracefn.notebook.magic", "import tracefn"),
        ("tracefn.runtime.plan", "from tracefn.unheard import of"),
        ("tracefn.unheard", "from tracefn.ir import graph"),
        ("tracefn.ir.graph", "from ..ops import reduce"),
        ("tracefn.ir.__init__", "from ..ops import reduce"),
        ("tracefn.ir.graph", "from .. import trace"),
    ],
)
def test_an_import_that_points_up_is_caught(module, source):
    assert checks.layer_violations(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("tracefn.ir.graph", "from tracefn.ir.types import Shape"),
        ("tracefn.ir.graph", "from tracefn import errors"),
        ("tracefn.passes.fold", "import tracefn.ops.reduce"),
        ("tracefn.ops.reduce", "from tracefn.events import types"),
        ("tracefn.events.bus", "from tracefn.errors import TraceError"),
        ("tracefn.__init__", "from .notebook.magic import load_ipython_extension"),
        ("tracefn.ir.__init__", "from .graph import Graph"),
        ("tracefn.ops.reduce", "from ..ir.types import Shape"),
        ("tracefn.ops.reduce", "from .. import errors"),
    ],
)
def test_an_import_that_points_down_is_fine(module, source):
    assert checks.layer_violations(module, source) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("tracefn.codegen.native.fusion.rows", "from ..kernels.row_nest import row_code"),
        ("tracefn.codegen.native.kernels.nest", "def f():\n    from ..loops import code"),
        ("tracefn.codegen.native.scalar.rules", "from ..pipeline import steps"),
        ("tracefn.codegen.entry.call", "from ..native import with_kernels"),
        ("tracefn.runtime.tiers", "from ..codegen.native.pipeline import steps"),
        ("tracefn.runtime.tiers", "from ..codegen.native import pipeline"),
        ("tracefn.trace.tensor", "from . import operators"),
        ("tracefn.trace.values.random", "def f():\n    from ..control.loops import fori_loop"),
        ("tracefn.trace.state.place", "if TYPE_CHECKING:\n    from ..context import Trace"),
        ("tracefn.trace.operators", "from .variables.variable import Variable"),
        ("tracefn.trace.autograph.hooks.items", "from ..calls.dispatch import callee"),
        ("tracefn.function.cache", "from .history.traces import History"),
    ],
)
def test_an_import_past_a_door_or_up_the_rooms_is_caught(module, source):
    assert checks.room_violations(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("tracefn.codegen.native.loops.code", "from ..kernels.kernel import Kernel"),
        ("tracefn.codegen.native.loops.code", "from .nests.nest import Nest"),
        ("tracefn.codegen.native.kernels.entry", "from ...machine import abi"),
        ("tracefn.trace.autograph.hooks.loops", "from ... import body, provided"),
        ("tracefn.trace.tensor", "if TYPE_CHECKING:\n    from .context import Trace"),
        ("tracefn.runtime.tiers", "from ..codegen.native import steps"),
    ],
)
def test_an_import_by_the_door_or_down_the_rooms_is_fine(module, source):
    assert checks.room_violations(module, source) == []


@pytest.mark.parametrize(
    "source",
    [
        "import cupy",
        "import os, plotly.graph_objects",
        "try:\n    import graphviz\nexcept ImportError:\n    graphviz = None",
        "class A:\n    from IPython import display",
    ],
)
def test_an_early_heavy_import_is_caught(source):
    assert checks.eager_violations("tracefn.runtime.gpu", source)


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np",
        "def f():\n    import cupy",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import cupy",
    ],
)
def test_a_late_or_light_import_is_fine(source):
    assert checks.eager_violations("tracefn.runtime.gpu", source) == []


def test_circles_are_found():
    assert circles.circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]
    assert circles.circles({"a": {"b"}, "b": {"c"}, "c": set(), "d": {"a"}}) == []


def test_the_other_rules_catch_what_they_forbid():
    twice = checks.class_names({"tracefn.ir.a": "class A:\n    pass\n", "tracefn.ir.b.c": "class A:\n    pass\n"})
    assert twice == {("ir", "A"): ["tracefn.ir.a", "tracefn.ir.b.c"]}
    assert checks.size_violations("long.py", "x\n" * 401)
    assert checks.size_violations("right.py", "x\n" * 400) == []
    assert checks.first_line_violations("a.py", "import os\n")
    assert checks.first_line_violations("a.py", '"""Does one thing."""\n') == []
    assert checks.first_line_violations("a.ts", "import x from 'x';\n")
    assert checks.first_line_violations("a.ts", "// Does one thing.\n") == []
    assert checks.first_line_violations("a.ts", "/**\n * Does one thing.\n */\n") == []
    assert checks.view_violations("a.ts", "import { Widget } from '@lumino/widgets';")
    assert checks.view_violations("a.ts", "import { draw } from './draw';") == []
