"""The Makefile's rules that no other target checks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("node") is None, reason="needs make and Node.js")
def test_scripts_in_the_python_environment_are_no_modules(tmp_path):
    """JupyterLab brings its own yarn, which uses `require`; the repository's package.json would make it a module."""
    for name in ("Makefile", "package.json"):
        shutil.copy(ROOT / name, tmp_path)
    stamp, script = tmp_path / "build/stamps/python", tmp_path / ".venv/lib/yarn.js"
    for path in (stamp, script):
        path.parent.mkdir(parents=True)
    stamp.touch()
    script.write_text("console.log(require('path').sep);")
    made = ["make", "-o", "build/stamps/python", ".venv/package.json"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run(["node", str(script)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("/\n", "")
