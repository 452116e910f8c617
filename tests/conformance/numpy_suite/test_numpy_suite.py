"""A sample of NumPy's own tests runs traced; `make numpy-tests` runs all of them."""

from __future__ import annotations

import numpy as np
import pytest

from . import counts, modules, runs, skips

COMMITTED = counts.committed()
ELSEWHERE = f"the counts are those of NumPy {COMMITTED['numpy']}, this is {np.__version__}"


PARTS = 2
"""In so many processes the sample runs: each takes seconds to begin."""


@pytest.mark.skipif(COMMITTED["numpy"] != np.__version__, reason=ELSEWHERE)
@pytest.mark.parametrize("part", range(PARTS))
def test_modules_of_numpy(part):
    sample = modules.SAMPLE[part::PARTS]
    outcomes = runs.run(sample)
    assert skips.differences(outcomes) == []
    assert counts.of(outcomes)["modules"] == {m: COMMITTED["modules"][m] for m in sample}, "run: make numpy-tests"


def test_every_module_is_counted_and_every_skip_belongs_to_one():
    assert sorted(COMMITTED["modules"]) == sorted(modules.MODULES)
    assert set(modules.SAMPLE) <= set(modules.MODULES)
    assert {name.partition("::")[0] for name in skips.listed()} <= set(modules.MODULES)


def test_the_list_of_skips_and_the_counts_agree():
    failed = sum(module.get("failed", 0) for module in COMMITTED["modules"].values())
    assert failed >= len([reason for reason in skips.listed().values() if not reason.startswith(skips.NOT_RUN)])


def test_a_failure_that_is_not_listed_and_a_listed_test_that_passes_are_differences(monkeypatch):
    monkeypatch.setattr(skips, "listed", lambda: {"m.py::a*": "counts references", "m.py::b": "not run: slow"})
    assert skips.differences({"m.py::a[1]": ("failed", ""), "m.py::a[2]": ("passed", "")}) == []
    assert skips.differences({"m.py::c": ("failed", "why"), "m.py::a[1]": ("failed", "")}) == ["fails: m.py::c: why"]
    assert skips.differences({"m.py::a[1]": ("passed", "")}) == ["passes now, take it off skips.txt: m.py::a*"]
    assert skips.differences({"n.py::a": ("passed", "")}) == []
