"""An error in a traced function: what the cell and the panel show of it."""

from __future__ import annotations

from playwright.sync_api import expect

DEFINE = """\
import numpy as np
import tracefn

def layer(x, w):
    y = np.tanh(x) * 2
    return y @ w

@tracefn.function
def model(x):
    return layer(x, np.ones((4, 4)))

@tracefn.function
def pick(x, i):
    y = np.tanh(x) * 2
    return sum([y[i + k] for k in (0, 1, 2)])
"""


def test_an_error_is_shown_at_the_users_line(lab, panel, screenshot):
    call = "for i in (0, 1): pick(np.ones(3), np.int64(i))"
    notebook = lab.new_notebook(DEFINE, "model(np.ones(3))", call)
    notebook.run(0)
    notebook.run(1)
    output = notebook.output(1)
    expect(output).to_contain_text("return y @ w")
    expect(output).to_contain_text("matmul of float64[3], float64[4, 4]")
    assert len(output.inner_text().splitlines()) < 25
    assert "kernel_side" not in output.inner_text() and "site-packages" not in output.inner_text()

    failure = panel.hook("failure")
    expect(failure).to_contain_text("matmul: Input operand 1 has a mismatch")
    expect(panel.hook("failure-note")).to_have_text("matmul of float64[3], float64[4, 4]")
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)
    raised = panel.region.locator("[data-change=failed]")
    expect(raised).to_have_count(1)
    expect(raised).to_contain_text("matmul")
    panel.hook("show-raised").click()
    expect(panel.property("op")).to_have_text("matmul")
    screenshot(lab, "error-graph")

    failure.get_by_role("button", name="cell [1] line 6").click()
    assert notebook.active_cell() == 0
    panel.show("Notices")
    expect(panel.hook("notice")).to_contain_text("cell [1] line 6")
    expect(panel.hook("notice")).to_contain_text("Called at cell [2] line 1")

    notebook.run(2)  # the second call raises, for which the first was traced
    panel.show("Graph")
    expect(failure).to_contain_text("A call raised IndexError")
    expect(failure.get_by_role("button", name="cell [1] line 15")).to_be_visible()
    expect(raised).to_have_count(1)
    expect(raised).to_contain_text("getitem")
    screenshot(lab, "error-call")
