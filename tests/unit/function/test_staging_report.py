"""The staging report as a table: each line with its mark and the number of nodes that it made."""

from __future__ import annotations

import numpy as np
import tracefn


def test_lines_have_marks_and_nodes() -> None:
    @tracefn.function
    def f(x):
        y = np.tanh(x) * 2
        if x.sum() > 0:
            y = y + 1
        for _ in [1, 2, 3]:
            y = y * x
        print("<traced>")
        return y

    f(np.ones(3))
    report = f.staging()
    rows = {source.strip(): (mark, nodes) for _, mark, nodes, source in report.lines}
    assert rows["y = np.tanh(x) * 2"] == ("", 2)
    assert rows["y = y * x"] == ("", 3)
    assert rows["for _ in [1, 2, 3]:"][0] == "unrolled ×3"
    assert rows["if x.sum() > 0:"][0] == "staged"
    assert rows['print("<traced>")'][0].startswith("effect")
    assert "unrolled ×3 |" in report and repr(report) == str(report)
    page = report._repr_html_()
    assert "&lt;traced&gt;" in page and "<traced>" not in page and "3 nodes" in page
