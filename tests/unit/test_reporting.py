"""Reports: what is in the file, and the command that writes one."""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
import tracefn
from tracefn.__main__ import main
from tracefn.errors import WidgetBundleMissingError
from tracefn.events import BUS, Ledger

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def built(monkeypatch, tmp_path):
    """A package with the names of the built files, so that these tests need no Node. Processes find it, too."""
    static = tmp_path / "front_end" / "tracefn_widgets" / "static"
    static.mkdir(parents=True)
    (static.parent / "__init__.py").touch()
    (static / "tracefn.css").write_text("/* style */")
    (static / "report.js").write_text("const text = '</script>';")
    monkeypatch.setattr(BUS, "ledger", Ledger())  # that of all tests is long
    monkeypatch.setattr("tracefn.reporting._folders", lambda: [static.parent])
    return static


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="tracefn-data">(.*?)</script>', page, re.S)[1])


def test_a_report_has_events_graphs_and_answers(tmp_path):
    f = tracefn.function(lambda x: x + 1, name="reported")
    f(np.ones(2))
    f(np.ones(3))
    tracefn.report(tmp_path / "out.html")
    data = data_of((tmp_path / "out.html").read_text())
    mine = [event for event in data["events"] if event["function"] == f.function_id]
    assert [e["type"] for e in mine].count("trace.started") == 2
    assert {e["graph_hash"] for e in mine if e["type"] == "graph.built"} <= data["graphs"].keys()
    about = [a for a in data["answers"] if a.get("function", f.function_id) == f.function_id]
    answers = {(a["query"], a.get("trace")): a["result"] for a in about}
    assert answers["explain", 2] == tracefn.explain.explain(f, 2, may_run=False).to_dict()
    assert answers["staging", 1] == f.staging(1).to_dict()
    assert answers["what_if", None]["traces"] == 2
    assert {span["name"] for span in answers["timeline", None]} >= {"reported #1", "reported #2"}
    assert [e["count"] for e in mine if e["type"] == "calls"] == [1, 1]


def test_nothing_of_the_users_ends_a_script(tmp_path):
    f = tracefn.function(lambda d: d[HOSTILE] + 1, name=HOSTILE)
    f({HOSTILE: np.ones(2)})
    tracefn.report(tmp_path / "out.html", title=HOSTILE)
    page = (tmp_path / "out.html").read_text()
    assert "<img" not in page and page.count("</script>") == 2
    assert data_of(page)["title"] == HOSTILE


def test_a_page_may_fetch_nothing(tmp_path):
    tracefn.report(tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    assert "default-src &#x27;none&#x27;" in page
    assert re.findall(r"https?://", page.split('id="tracefn-data"')[0]) == []


def test_a_missing_bundle_says_how_to_build_it(built, tmp_path):
    (built / "report.js").unlink()
    with pytest.raises(WidgetBundleMissingError, match="npm run build"):
        tracefn.report(tmp_path / "out.html")


SCRIPT = """
import numpy as np, tracefn
f = tracefn.function(lambda x: x + 1, name="of_the_script")
f(np.ones(2))
"""


def test_the_command_reports_on_a_script(tmp_path, capsys):
    (tmp_path / "work.py").write_text(SCRIPT)
    assert main(["report", str(tmp_path / "work.py")]) == 0
    assert "work.html written" in capsys.readouterr().out
    assert "of_the_script" in (tmp_path / "work.html").read_text()


def test_a_script_that_raises_is_reported_on_all_the_same(tmp_path, capsys):
    (tmp_path / "work.py").write_text(SCRIPT + "f(np.ones(3)) @ np.ones(4)\n")
    assert main(["report", str(tmp_path / "work.py"), "-o", str(tmp_path / "out.html")]) == 1
    assert "the script raised ValueError" in capsys.readouterr().out
    assert "of_the_script" in (tmp_path / "out.html").read_text()


def test_the_command_runs_a_notebook(built, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONPATH", f"{built.parents[1]}:{Path(tracefn.__file__).parents[1]}")
    cells = [nbformat.v4.new_code_cell(source) for source in (SCRIPT, "1 / 0", "f(np.ones(3))")]
    cells.insert(0, nbformat.v4.new_markdown_cell("cells count as in the notebook's margin"))
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "book.ipynb")
    before = (tmp_path / "book.ipynb").read_text()
    assert main(["report", str(tmp_path / "book.ipynb"), "-o", str(tmp_path / "out.html")]) == 1
    assert "cell [2] raised ZeroDivisionError" in capsys.readouterr().out
    data = data_of((tmp_path / "out.html").read_text())
    assert [e["trace"] for e in data["events"] if e["type"] == "trace.started"] == [1, 2]
    assert (tmp_path / "book.ipynb").read_text() == before


def test_a_file_that_is_not_there_is_said(tmp_path):
    command = [sys.executable, "-m", "tracefn", "report", str(tmp_path / "no.ipynb")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "there is no file" in done.stderr
