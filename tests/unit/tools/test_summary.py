"""The last line of `make test` counts every test; a suite that failed fails the whole; what failed once is named."""

from __future__ import annotations

import pytest
import run_tests
import summary


def report(*cases):
    """A JUnit report of cases with these outcomes, as "failure error"."""
    text = "".join([
        f'<testcase classname="tests.t" name="t{k}">{"".join(f"<{o}/>" for o in case.split())}</testcase>'
        for k, case in enumerate(cases)
    ])  # fmt: skip
    return f"<testsuites><testsuite>{text}</testsuite></testsuites>"


@pytest.fixture
def reports(tmp_path):
    (tmp_path / "python.xml").write_text(report("", "failure", "error", "failure error", *["skipped"] * 3, *[""] * 3))
    (tmp_path / "typescript.xml").write_text(report("", "", "failure", *[""] * 6))
    return tmp_path


def test_the_reports_are_added_up(reports):
    assert summary.totals(reports) == {"passed": 12, "failed": 4, "skipped": 3}


def test_a_test_that_fails_once_is_run_again_and_named(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "test_chance.py").write_text(
        "import pathlib, pytest\n"
        "def test_good(): pass\n"
        "def test_twice(): assert False\n"
        "@pytest.mark.parametrize('k', ['::'])\n"
        "def test_once(k):\n"
        "    file = pathlib.Path('tried'); tried = file.exists(); file.touch(); assert tried\n"
    )
    assert run_tests.main("reports/python.xml", "test_chance.py", "-p", "xdist.plugin") == 1
    assert summary.totals(tmp_path / "reports") == {"passed": 2, "failed": 1, "skipped": 0}
    summary.main("reports", "7", "python")
    out = capsys.readouterr().out
    assert "FAILED ONCE, passed when run again: python: test_chance: test_once[::]\n" in out
    assert out.count("FAILED ONCE") == 1


def test_a_suite_without_a_report_fails_the_whole(reports, capsys):
    assert summary.main(str(reports), "7") == 0
    assert summary.main(str(reports), "7", "browser") == 1
    out = capsys.readouterr().out
    assert "FAILED: browser" in out
    assert out.endswith("===== make test: 12 passed, 4 failed, 3 skipped in 7.00s =====\n")


def test_the_dearest_files_are_named_first(reports):
    case = '<testcase classname="{}" time="{}"/>'
    cases = "".join([case.format("tests.a", 1), case.format("tests.b", 5), case.format("tests.a", 7)])
    (reports / "native.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    assert summary.dearest(reports, 2) == [("native: tests.a", 8.0), ("native: tests.b", 5.0)]
    assert summary.dearest(reports, 1) == [("native: tests.a", 8.0)]
