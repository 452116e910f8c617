"""Notebooks with widgets, executed and exported by nbconvert."""

from __future__ import annotations

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

CELL = """\
from pathlib import Path
import numpy as np, tracefn, tracefn_widgets
from tracefn_widgets import bundle
bundle.read_bundle = lambda name: ""

@tracefn.function(name="<b>layer</b>")
def layer(x, w):
    return np.tanh(x @ w)

for rows in (2, 3):
    layer(np.ones((rows, 4)), np.ones((4, 4)))
"""


def test_html_of_a_notebook_shows_graphs_and_retraces() -> None:
    views = ["tracefn_widgets.GraphView(layer.concrete_functions[0])", "tracefn_widgets.Inspector(layer)"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (CELL, *views)])
    NotebookClient(notebook).execute()
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert "GraphView object" not in page and "<b>layer</b>" not in page
    assert page.count("&lt;b&gt;layer&lt;/b&gt;: graph of 4 nodes") == 2
    assert "x: shape (2, 4) → (3, 4) at dimension 0" in page
