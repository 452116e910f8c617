"""What the tracer concludes from reference counts holds in each Python that it supports."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tracefn
from tracefn.trace import references

FILE = Path(references.__file__)
PACKAGE = Path(tracefn.__file__).parent

CHECKS = """
def own(value): return holders(value) - PARAMETER
def of_variable(value): return holders(value) - ARGUMENT
def of_items(values): return [holders(v) - ITEM for v in values]
def of_local():
    a = object()
    alone = holders(a) - VARIABLE
    b = a
    return alone, holders(a) - VARIABLE
class Entry: pass
def of_attribute():
    entry = Entry()
    entry.array = object()
    alone = holders(entry.array)
    other = entry.array
    return alone, holders(entry.array)
def of_nested():
    inner = []
    outer = {"a": inner}
    shared = holders(outer["a"])
    del inner
    return holders(outer["a"]), shared

kept, twice = object(), object()
again = twice
assert own(object()) == 0 and own([1]) == 0
assert of_variable(kept) == 0 and of_variable(twice) == 1
assert of_items([object(), object()]) == [0, 0] and of_items([twice]) == [2]
assert of_local() == (0, 1)
assert of_attribute() == (1, 2)
assert of_nested() == (1, 2)
"""


def test_the_running_python_counts_as_expected():
    exec(CHECKS, dict(vars(references)))


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_each_supported_python_counts_as_expected(version):
    python = sys.executable if f"{sys.version_info[0]}.{sys.version_info[1]}" == version else _python(version)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    subprocess.run([python, "-c", FILE.read_text() + CHECKS], check=True, capture_output=True, timeout=60)


def _python(version: str) -> str | None:
    """An interpreter of this version that starts, without NumPy."""
    candidates = [
        shutil.which(f"python{version}"),
        *sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python")),
    ]
    for python in filter(None, candidates):
        if subprocess.run([python, "-c", "pass"], capture_output=True, timeout=60).returncode == 0:
            return str(python)
    return None


def test_reference_counts_are_asked_for_at_one_place():
    asking = []
    for path in PACKAGE.rglob("*.py"):
        names = [n.attr for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Attribute)]
        if "getrefcount" in names:
            asking.append(path)
    assert asking == [FILE]
