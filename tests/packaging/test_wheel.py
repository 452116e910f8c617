"""The wheel: made from the sdist, installed into a fresh environment, working there with JupyterLab without Node.js."""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LABEXTENSION = "tracefn-*.data/data/share/jupyter/labextensions/@tracefn/labextension"

EXPECTED = [
    "tracefn/__init__.py",
    "tracefn/py.typed",
    "tracefn_widgets/__init__.py",
    "tracefn_widgets/py.typed",
    "tracefn_widgets/static/*.js",
    f"{LABEXTENSION}/package.json",
    f"{LABEXTENSION}/install.json",
    f"{LABEXTENSION}/schemas/@tracefn/labextension/*.json",
    f"{LABEXTENSION}/static/remoteEntry.*.js",
    "tracefn-*.dist-info/licenses/LICENSE",
]

NOTEBOOK = """
import nbclient, nbformat
cells = ["%load_ext tracefn",
         "import numpy as np, tracefn\\nf = tracefn.function(lambda x: np.tanh(x) + 1)\\nprint(f(np.zeros(3)))"]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
nbclient.NotebookClient(book, timeout=60, kernel_name="python3").execute()
print(book.cells[1].outputs[0].text)
"""


def run(command: list[str | Path], cwd: Path, **environment: str) -> str:
    """What the command wrote; its output is the failure's message if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def without_node(*first: Path) -> str:
    """A PATH with the given folders alone, so that neither node nor npm can be found."""
    path = os.pathsep.join(map(str, first))
    assert shutil.which("node", path=path) is None
    return path


@pytest.fixture(scope="session")
def sdist(tmp_path_factory) -> Path:
    assert (ROOT / "build/labextension/package.json").exists(), "the front end is not built: run `make build`"
    folder = tmp_path_factory.mktemp("sdist")
    run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder], cwd=ROOT)
    (path,) = folder.glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def wheel(sdist, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    run(command, cwd=source, PATH=without_node(Path(sys.executable).parent))
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def environment(wheel, tmp_path_factory) -> Path:
    """The bin folder of a fresh environment with the wheel. What that requires, and JupyterLab, are imported from this
    one: downloads take minutes at times, and fail."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    run([sys.executable, "-m", "venv", "--without-pip", folder], cwd=ROOT)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin/python"]
    run([*pip, "install", "-q", "--no-compile", "--no-deps", wheel], cwd=ROOT)
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "required.pth").write_text(sysconfig.get_path("purelib"))  # which does not look for .pth files in there
    return folder / "bin"


def test_the_sdist_holds_the_sources_and_the_built_front_end(sdist):
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    for pattern in ["pyproject.toml", "package-lock.json", "labextension/src/*.ts", "widgets/src/*.ts", "LICENSE"]:
        assert fnmatch.filter(names, pattern), pattern
    assert fnmatch.filter(names, "build/labextension/static/remoteEntry.*.js")
    assert fnmatch.filter(names, "*node_modules*") == []


def test_the_wheel_holds_all_it_should_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for pattern in EXPECTED:
        assert fnmatch.filter(names, pattern), pattern
    top = {name.partition("/")[0] for name in names}
    assert top == {"tracefn", "tracefn_widgets", "tracefn-0.1.0.data", "tracefn-0.1.0.dist-info"}
    assert [name for name in names if name.endswith((".ts", ".map", ".pyc"))] == []


def test_the_wheel_from_the_tree_is_the_wheel_from_the_sdist(wheel, tmp_path):
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=ROOT)
    (other,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(other) as second:
        assert first.namelist() == second.namelist()


def test_the_panel_is_enabled(environment, tmp_path):
    command = [environment / "python", "-m", "jupyterlab.labextensions", "list"]
    out = run(command, cwd=tmp_path, PATH=without_node(environment))
    (line,) = [line for line in out.splitlines() if "@tracefn/labextension" in line]
    assert "enabled" in line
    assert "OK" in line


def test_tracefn_works_there(environment, tmp_path):
    out = run([environment / "python", "-c", "import tracefn; print(tracefn.__file__)"], cwd=tmp_path, PYTHONPATH="")
    assert Path(out.strip()).is_relative_to(environment.parent)
    path = without_node(environment)
    out = run([environment / "python", "-c", NOTEBOOK], cwd=tmp_path, PATH=path, PYTHONPATH="")
    assert "[1. 1. 1.]" in out
