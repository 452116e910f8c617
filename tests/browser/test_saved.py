"""Notebooks that are opened again: what is left of their widgets."""

from __future__ import annotations

from playwright.sync_api import expect

CELL = """\
import numpy as np, tracefn
from tracefn_widgets import GraphView, Inspector

@tracefn.function
def smooth(x):
    return np.tanh(x) * 2

smooth(np.ones(3))
smooth(np.ones(4))
"""


def test_widgets_show_what_was_saved(lab, screenshot):
    notebook = lab.new_notebook(CELL, "GraphView(smooth)", "Inspector(smooth)")
    for cell in range(3):
        notebook.run(cell)
    expect(notebook.output(1).locator("[data-tracefn=graph]")).to_contain_text("float64[4]")
    notebook.output(1).locator("[data-tracefn=graph-choice]").select_option("#1 x: float64[3]")
    expect(notebook.output(1).locator("[data-tracefn=graph]")).to_contain_text("float64[3]")
    expect(notebook.cell(1).locator(".tracefn-output-saved")).to_be_hidden()
    notebook.save()
    lab.close_all()

    notebook.open()  # with a new kernel, which has no widgets
    expect(notebook.cell(1).locator(".tracefn-output-saved")).to_be_visible()
    expect(notebook.cell(1)).to_contain_text("smooth: graph of 3 nodes")
    expect(notebook.cell(2)).to_contain_text("shape (3,) → (4,)")
    expect(notebook.cell(1).get_by_text("Loading widget")).to_be_hidden()
    screenshot(lab, "saved")
    notebook.run(0)
    notebook.run(1)
    expect(notebook.output(1).locator("[data-tracefn=graph]")).to_be_visible()
    expect(notebook.cell(1).locator(".tracefn-output-saved")).to_be_hidden()


def test_what_was_executed_without_a_front_end_shows(lab):
    html = '<div class="tracefn-output-saved">smooth: graph</div>'
    saved = {"text/html": html, "text/plain": "smooth", "application/vnd.tracefn.saved+json": {}}
    notebook = lab.new_notebook("from IPython.display import display", f"display({saved!r}, raw=True)")
    notebook.run_all()
    expect(notebook.cell(1).locator(".tracefn-output-saved")).to_be_visible()
