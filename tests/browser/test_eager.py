"""A function that cannot be traced, in a notebook: what the panel, the summary and the warning say of it."""

from __future__ import annotations

from browser.panel import LUMINANCE, Colors
from playwright.sync_api import expect

CELL = """\
%load_ext tracefn
import numpy as np
import tracefn

@tracefn.function
def checksum(x):
    total = x.sum() + 1
    if x.dtype == np.int64:
        return hash(x.tobytes())
    return total

@tracefn.function
def only_eager(x):
    x.setflags(write=True)
    return x * 2
"""

CALLS = """\
%%tracefn
for n in range(3, 5):
    checksum(np.ones(n))
for _ in range(300):
    checksum(np.arange(3))
for n in range(2, 8):
    only_eager(np.ones(n))
"""


def test_what_runs_eagerly_is_shown(lab, panel, screenshot):
    notebook = lab.new_notebook(CELL, CALLS)
    notebook.run_all()
    expect(panel.functions.filter(has_text="checksum").locator('[data-tracefn="eager"]')).to_be_visible()
    row = panel.hook("eager-calls").filter(has_text="x: int64[3]")
    expect(row).to_contain_text("300×")
    expect(row).to_contain_text("cell [1] line 9: argument `x` (int64[3]) was read with .tobytes()")
    expect(panel.hook("eager-calls").filter(has_text="all calls that no trace fits")).to_contain_text("3×")
    expect(panel.hook("summary")).to_contain_text("306 eager calls")
    expect(notebook.output(1).last).to_contain_text("306 eager calls")
    expect(notebook.output(1).last).to_contain_text("runs eagerly: In cell [1] line 9")
    row.click()
    expect(panel.hook("headline")).to_contain_text("checksum runs eagerly: argument `x`")
    expect(panel.hook("eager-fix")).to_contain_text("Return it and call .tobytes() on the result.")
    expect(panel.hook("eager-costs")).to_contain_text("300 calls")
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        lab.set_theme(theme)
        screenshot(lab, f"eager-{theme.split()[-1].lower()}")
        assert Colors(*panel.hook("headline").evaluate(LUMINANCE)).contrast() > 4.5
    panel.hook("retrace-detail").get_by_role("button", name="cell [1] line 9").click()
    assert notebook.active_cell() == 0
    assert notebook.selected_text() == "        return hash(x.tobytes())"
    panel.show("Notices")
    notices = panel.hook("notice").filter(has_text="Runs eagerly").filter(has_text="only_eager")
    expect(notices).to_have_count(1)
    expect(notices.first).to_contain_text("Set flags outside the traced function.")
    screenshot(lab, "eager-notices")
    panel.show("Graph")
    panel.signatures.first.click()
    panel.show("Source")
    expect(panel.hook("staged-line").filter(has_text="return hash")).to_contain_text("eager")
    screenshot(lab, "eager-source")
