"""Source that Python warned of when it was imported: tracing it warns of it no more."""

import ast
import importlib
import sys
import warnings

import numpy as np
import pytest
import tracefn
from tracefn.trace.code.compiled import parsed


@pytest.mark.parametrize("line", [r"""text = "\d" """, "text = x is 1", "text = (1, 2)(3) if x.size == 7 else ''"])
def test_python_warns_of_source_once(line, tmp_path, monkeypatch):
    source = f"def f(x):\n    {line}\n    return (x * 2 if x.sum() > 1 else x), text\n"
    (tmp_path / "warned_of_before.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        monkeypatch.delitem(sys.modules, "warned_of_before", raising=False)
        f = importlib.import_module("warned_of_before").f
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        traced = tracefn.function(f)
        assert str(traced(np.ones(2))) == str(f(np.ones(2)))
    monkeypatch.delitem(sys.modules, "warned_of_before")
    assert traced.tracing_count == 1 and not seen


def test_a_parse_that_another_thread_disturbs_is_made_again(monkeypatch):
    parse, asked = ast.parse, []

    def disturbed(source):
        asked.append(source)
        if len(asked) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=177, after=60)")
        return parse(source)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert ast.unparse(parsed("x = 1")) == "x = 1" and len(asked) == 3
    monkeypatch.setattr(ast, "parse", lambda source: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        parsed("x = 1")
