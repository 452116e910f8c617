"""Marks in the notebook itself: beside lines that were traced again, unrolled or staged, and in the margin of cells."""

from __future__ import annotations

from playwright.sync_api import expect

DECAY = """\
import numpy as np, tracefn

@tracefn.function
def decay(x, rate, n):
    for w in [1, 2, 3]:
        x = x * w
    for _ in range(n):
        x = x * np.exp(-rate)
    return x

@tracefn.function
def checksum(x):
    return hash(x.tobytes())"""
CALLS = """\
x, n = np.ones(3), np.int64(2)
for i in range(12): decay(x, 0.1 * i, n)
checksum(x)"""

#: The marks of a cell, from the top, and the line beside which each stands.
MARKS = """
const cell = find(a[0]).content.widgets[a[1]];
const middle = element => { const { top, height } = element.getBoundingClientRect(); return top + height / 2; };
const lines = [...cell.node.querySelectorAll('.cm-line')];
const marks = [...cell.node.querySelectorAll('[data-tracefn="line-mark"]')];
return marks.map(mark => [
  mark.textContent,
  lines.find(line => Math.abs(middle(line) - middle(mark)) < line.getBoundingClientRect().height / 2)?.textContent
]);
"""


def test_marks_beside_lines_and_cells(lab, panel, screenshot):
    notebook = lab.new_notebook(DECAY, CALLS)

    def marks(cell):
        return [(mark, line.strip()) for mark, line in lab.evaluate(MARKS, [notebook.path, cell])]

    notebook.run_all()
    calls, definition = notebook.cell(1), notebook.cell(0)
    expect(calls.locator('[data-tracefn="line-mark"]')).to_have_text("↻11")
    assert marks(1) == [("↻11", "for i in range(12): decay(x, 0.1 * i, n)")]
    expect(definition.locator('[data-tracefn="line-mark"]')).to_have_count(3)
    inside = [("×3", "for w in [1, 2, 3]:"), ("◆", "for _ in range(n):"), ("!", "return hash(x.tobytes())")]
    assert marks(0) == inside
    badge = calls.locator('[data-tracefn="cell-badge"]')
    expect(badge).to_have_text("↻ 11")
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        lab.set_theme(theme)
        screenshot(lab, f"marks-{theme.split()[-1].lower()}")

    lab.set_setting("@tracefn/labextension:marks", "lineMarks", False)
    expect(lab.page.locator('[data-tracefn="line-mark"]')).to_have_count(0)
    lab.set_setting("@tracefn/labextension:marks", "lineMarks", True)
    expect(definition.locator('[data-tracefn="line-mark"]')).to_have_count(3)

    # Marks stay with their lines while the user types, and what is new comes where it ran.
    source = f"# typed later\n{DECAY}"
    lab.evaluate(
        "find(a[0]).content.widgets[0].model.sharedModel.updateSource(0, 0, '# typed later\\n')", [notebook.path]
    )
    assert notebook.source(0) == source
    assert marks(0) == inside

    notebook.run(1)
    expect(badge).to_have_text("↻ 0 (11)")  # a run whose calls find all traces does not accuse itself of them
    screenshot(lab, "marks-found")

    panel.close()
    badge.click()
    expect(panel.hook("filter-bar")).to_have_text("cell [2] ✕")
    expect(panel.hook("retrace")).to_have_count(11)

    fixed = DECAY.replace("@tracefn.function\ndef decay", "@tracefn.function(reduce_retracing=True)\ndef decay")
    asarray = CALLS.replace("0.1 * i", "np.asarray(0.1 * i)")
    for cell, text in enumerate((fixed, asarray)):
        lab.evaluate("find(a[0]).content.widgets[a[1]].model.sharedModel.setSource(a[2])", [notebook.path, cell, text])
        notebook.run(cell)
    expect(badge).to_have_text("✓ 11 → 0")
    expect(calls.locator('[data-tracefn="line-mark"]')).to_have_count(0)
    expect(definition.locator('[data-tracefn="line-mark"]')).to_have_count(3)
    screenshot(lab, "marks-fixed")
