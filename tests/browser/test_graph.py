"""How a graph is drawn, as the user chooses: folding, frames, colours, direction; lines and nodes; graphs compared."""

from __future__ import annotations

from browser.axe import findings, findings_of_view
from playwright.sync_api import expect

#: Whether all of the drawing's width is in sight.
ALL_ACROSS = """
() => {
  const stage = document.querySelector('.jp-TracefnPanel [data-tracefn=stage]').getBoundingClientRect();
  const drawn = document.querySelectorAll('.jp-TracefnPanel .tracefn-drawing .tracefn-box');
  const boxes = [...drawn].map(box => box.getBoundingClientRect());
  return boxes.length > 0 && boxes.every(({ left, right }) => left >= stage.left && right <= stage.right);
}
"""

#: Whether a frame that a click has opened is in sight, whole.
IN_SIGHT = """
frame => {
  const stage = frame.closest('[data-tracefn=stage]').getBoundingClientRect();
  const { top, bottom } = frame.getBoundingClientRect();
  return top >= stage.top && bottom <= stage.bottom;
}
"""

RESULTS = """\
import numpy as np, tracefn
@tracefn.function
def moments(x):
    y = np.tanh(np.sin(np.cos(np.tanh(np.sin(np.cos(np.tanh(np.exp(np.sin(x)) + 1)) + 1)) * 2)))
    return [y.sum(), y.mean(), y.std(), y.min(), {"most": y.max()}]
moments(np.ones(3));
"""

GRADIENT = """\
import numpy as np, tracefn
def layer(x, w):
    return np.tanh(x @ w) * 0.5 + x
def loss(w, x, y):
    for _ in range(3):
        x = layer(x, w)
    return ((x - y) ** 2).mean()
tracefn.grad(loss)(np.ones((8, 8)), np.ones((5, 8)), np.ones((5, 8)));
"""

DEFINED = """\
import numpy as np, tracefn
def relu(x):
    return np.maximum(x, 0)
@tracefn.function
def network(x, weights):
    for w in weights:
        x = relu(x @ w + 1)
    return x / x.sum()
@tracefn.function
def other(x):
    y = np.tanh(x * 1) + np.tanh(x * 1)
    for _ in range(200):
        y = y * 0.5 + x
    return y
slope = tracefn.grad(lambda z: np.tanh(z).sum())
"""
CALLED = """\
network(np.ones((3, 4)), [np.eye(4)] * 5)
network(np.ones((5, 4)), [np.eye(4)] * 5)
other(np.ones(3))
slope(np.ones(4));
"""


def test_an_opened_frame_is_in_sight_beside_its_detail(lab, panel):
    lab.new_notebook(RESULTS).run(0)
    panel.hook("group").filter(has_text="results").click()
    expect(panel.hook("detail")).to_contain_text("what the function returns")
    expect(panel.nodes.filter(has_text="result")).to_have_count(5)
    assert panel.hook("cluster").filter(has_text="results").evaluate(IN_SIGHT)


def test_choices_lines_and_comparisons(lab, panel, screenshot):
    notebook = lab.new_notebook(DEFINED, CALLED)
    notebook.run_all()
    panel.signatures.nth(0).click()
    expect(panel.hook("group").filter(has_text="round 5")).to_be_visible()  # all open is too wide to be read
    panel.hook("expand-all").click()
    expect(panel.nodes.filter(has_text="matmul")).to_have_count(5)
    panel.hook("options").click()
    panel.hook("fold").click()
    expect(panel.nodes.filter(has_text="matmul")).to_have_count(1)
    expect(panel.hook("cluster").first).to_have_text("for line 6 ×5 · weights[0…4]")
    expect(panel.hook("edge").and_(panel.region.locator("[data-back]"))).to_have_count(1)
    panel.hook("colour-by").select_option("flops")
    expect(panel.hook("colours")).to_contain_text("in all 624 flop")
    expect(panel.hook("cluster").first).to_contain_text("600 flop")
    assert findings_of_view(lab, screenshot, "graph-operations") == {}
    notebook.restart_kernel()
    notebook.run_all()
    panel.signatures.nth(0).click()
    expect(panel.hook("cluster").first).to_contain_text("×5")
    panel.hook("group-by").select_option("line")
    expect(panel.hook("group").filter(has_text="line 7").first).to_be_visible()
    panel.hook("group-by").select_option("call")
    panel.hook("colour-by").select_option("kernel")
    expect(panel.hook("colours")).to_contain_text("kernel 1")
    panel.hook("colour-by").select_option("family")
    panel.hook("options").click()

    panel.nodes.filter(has_text="maximum").click()
    stack = panel.hook("stack").locator("li")
    expect(stack).to_have_count(2)
    stack.nth(1).get_by_role("button").click()
    assert notebook.selected_text() == "        x = relu(x @ w + 1)"
    expect(panel.region.locator("[data-line]")).to_have_count(3)  # what the line made, the call of `relu`, too
    source = panel.show("Source")
    line = source.locator("[data-tracefn=staged-line]").filter(has_text="x.sum()")
    line.locator("[data-tracefn=show-nodes]").click()
    expect(panel.nodes.and_(panel.region.locator("[data-selected]"))).to_have_text("sum")
    panel.hook("stage").press("Escape")

    panel.hook("compare").click()
    expect(panel.hook("colours")).to_contain_text("the same but for shapes")
    expect(panel.region.locator(".tracefn-diff-side [data-change=reshaped]").first).to_be_visible()
    screenshot(lab, "graph-same-but-for-shapes")
    assert findings(lab) == []
    panel.hook("compare-with").select_option(label="other #1 x: float64[3]")
    expect(panel.hook("colours")).to_contain_text("removed")
    panel.signatures.filter(has_text="x: float64[3]").click()
    panel.hook("steps").click()
    simplify = panel.hook("step").locator("option", has_text="simplify")
    panel.hook("step").select_option(label=simplify.inner_text())
    panel.hook("step").dispatch_event("change")
    expect(panel.hook("compare-with").locator("option:checked")).to_contain_text("the step before")
    expect(panel.hook("colours")).to_contain_text("removed")

    panel.hook("compare").click()
    panel.signatures.filter(has_text="z: float64[4]").click()
    backward = panel.nodes.filter(has_text="∂ tanh")
    paired = panel.region.locator("[data-paired]")
    expect(backward).to_have_count(2)
    backward.first.hover()
    expect(paired).to_have_text("tanh")
    panel.nodes.filter(has_text="tanh").first.hover()
    expect(paired.and_(backward)).to_have_count(2)
    screenshot(lab, "graph-forward-and-backward")
    panel.hook("options").hover()
    expect(paired).to_have_count(0)


def test_a_gradient_in_a_narrow_panel(lab, panel, screenshot):
    lab.reload()  # what other tests have chosen in this page holds for new graphs, too
    notebook = lab.new_notebook(GRADIENT)
    lab.page.set_viewport_size({"width": 900, "height": 900})  # JupyterLab gives the panel 400 px
    try:
        notebook.run_all()
        expect(panel.region.locator(".tracefn-drawing [data-backward]").first).to_be_visible()
        lab.page.wait_for_function(ALL_ACROSS)
        if not panel.hook("colour-by").count():  # open already, where another test has left it so
            panel.hook("options").click()
        panel.hook("colour-by").select_option("kept")
        expect(panel.hook("colours").first).to_contain_text("in all")
        assert findings_of_view(lab, screenshot, "graph-gradient") == {}
        panel.hook("colour-by").select_option("family")
        panel.hook("options").click()
        panel.hook("search").fill("op:tanh shape:(5,*) in:layer")
        expect(panel.hook("search-hits")).to_have_text("1 of 3")
        panel.hook("search").fill("")
    finally:
        lab.page.set_viewport_size({"width": 1440, "height": 900})
