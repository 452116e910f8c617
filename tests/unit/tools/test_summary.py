"""The last line of `make test` counts every test, and a suite that failed fails the whole."""

from __future__ import annotations

import pytest
import summary

PYTEST = '<testsuites><testsuite tests="10" failures="1" errors="2" skipped="3"/></testsuites>'
VITEST = '<testsuites><testsuite tests="4" failures="0"/><testsuite tests="5" failures="1"/></testsuites>'


@pytest.fixture
def reports(tmp_path):
    (tmp_path / "python.xml").write_text(PYTEST)
    (tmp_path / "typescript.xml").write_text(VITEST)
    return tmp_path


def test_the_reports_are_added_up(reports):
    assert summary.totals(reports) == {"passed": 12, "failed": 4, "skipped": 3}


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
    assert summary.dearest(reports) == [("native: tests.a", 8.0), ("native: tests.b", 5.0)]
    assert summary.dearest(reports, 1) == [("native: tests.a", 8.0)]
