"""The Timing page: what is measured without typing, and where it shows."""

from __future__ import annotations

import json
import re

import pytest
from browser.axe import findings_of_view
from playwright.sync_api import expect

NETWORK = """\
import numpy as np, tracefn
tracefn.config.jit('auto')
@tracefn.function
def network(x, w):
    for _ in range(2):
        x = np.tanh(x @ w)
        x = x / np.abs(x).sum(axis=1, keepdims=True)
    joined = np.concatenate([x, x])
    if joined[0, 0] > 0:
        joined = np.sort(joined, axis=1)
    return joined
rng = np.random.default_rng(0)
x, w = rng.random((200, 60)), rng.random((60, 60))
network(x, w);
"""

SMOOTH = """\
import numpy as np, tracefn
tracefn.config.jit('auto')
@tracefn.function
def smooth(x, weights, k=2):
    return np.tanh(x * weights) * k + np.exp(-x * x)
x = np.linspace(0, 1, 1000)
smooth(x, np.ones(1000));
"""

A_TIME = re.compile(r"^\d[\d.]* [nµm]?s$")


@pytest.fixture
def profiled(lab, panel):
    """A notebook whose function was profiled, with the Timing page in front."""
    notebook = lab.new_notebook(NETWORK)
    notebook.run_all()
    panel.show("Timing")
    panel.hook("profile-button").click()
    expect(panel.hook("shares")).to_be_visible(timeout=120_000)
    return notebook


def test_a_profile_shows_in_timing_graph_and_source(lab, panel, profiled, screenshot):
    steps = panel.hook("profile-step")
    assert 4 <= steps.count() <= 10
    expect(steps.filter(has_text="@ w").first).to_contain_text("cell [1] line 6")
    expect(panel.hook("profile-button")).to_have_text("Profile again")
    expect(panel.hook("page-timing")).to_contain_text("1 call so far")
    assert findings_of_view(lab, screenshot, "profile") == {}

    panel.hook("profile-by-op").click()
    expect(panel.hook("profile-sum").filter(has_text="matmul")).to_contain_text("2 nodes")
    panel.hook("profile-by-line").click()
    expect(panel.hook("profile-sum").filter(has_text="cell [1] line 6")).to_contain_text("eager")
    panel.hook("profile-by-step").click()
    steps.filter(has_text="@ w").first.locator('[data-tracefn="show-node"]').click()
    expect(panel.property("op")).to_have_text("matmul")
    expect(panel.property("time")).to_contain_text("of the call")
    if not panel.hook("colour-by").count():  # open already, where another test has left it so
        panel.hook("options").click()
    panel.hook("colour-by").select_option("time")
    expect(panel.hook("colours")).to_contain_text("in all")
    expect(panel.nodes.filter(has_text="matmul").first).to_contain_text(re.compile(r"\d [nµm]s"))
    panel.hook("close-detail").click()
    panel.hook("fit").click()
    assert findings_of_view(lab, screenshot, "heat") == {}

    page = panel.show("Source")
    line = panel.hook("staged-line").filter(has_text="np.tanh(x @ w)")
    expect(page.locator("th").filter(has_text="eager")).to_have_count(1)
    expect(line.locator("td").nth(4)).to_have_text(A_TIME)
    expect(line.locator("td").nth(5)).to_have_text(A_TIME)
    screenshot(lab, "profile-source")
    panel.show("Graph")
    panel.hook("colour-by").select_option("family")
    panel.hook("options").click()


def test_a_profile_in_a_narrow_panel(lab, panel, profiled, screenshot):
    lab.page.set_viewport_size({"width": 900, "height": 900})
    try:
        expect(panel.hook("profile-step").first).to_be_visible()
        overflow = "page => page.scrollWidth - page.clientWidth"
        assert panel.hook("page-timing").evaluate(overflow) <= 0
        screenshot(lab, "profile-narrow")
    finally:
        lab.page.set_viewport_size({"width": 1440, "height": 900})


def test_a_sweep_over_a_length_of_the_arguments(lab, panel, screenshot):
    notebook = lab.new_notebook(SMOOTH)
    notebook.run_all()
    page = panel.show("Timing")
    expect(panel.hook("sweep-length").locator("option").first).to_have_text("1000: x axis 0, weights axis 0")
    panel.hook("sweep-button").focus()
    panel.hook("sweep-button").press("Enter")
    expect(panel.hook("sweep-progress")).to_be_visible()
    expect(page.locator(".tracefn-curve[data-curve=eager] circle").nth(1)).to_be_visible(timeout=120_000)
    expect(panel.hook("sweep-progress")).to_be_hidden(timeout=120_000)
    expect(panel.hook("sweep-words")).to_contain_text(re.compile("eager Python (grows as n|does not grow)"))
    expect(page.locator(".tracefn-curve[data-curve=eager] circle")).to_have_count(9)
    expect(panel.functions).to_have_count(1)  # none but the user's own
    expect(panel.signatures).to_have_count(1)
    page.locator("summary").click()
    expect(panel.hook("sweep-point").first.locator("th")).to_have_text("250")
    page.locator("summary").click()
    panel.hook("sweep").scroll_into_view_if_needed()
    page.evaluate("page => page.scrollTo(0, page.scrollHeight)")
    assert findings_of_view(lab, screenshot, "sweep") == {}


def test_the_session_in_time(lab, panel, screenshot):
    notebook = lab.new_notebook(SMOOTH, "for n in range(2, 6): smooth(np.ones(n), np.ones(n))")
    notebook.run_all()
    panel.show("Session")
    expect(panel.hook("session-sums")).to_contain_text("traces")
    expect(panel.hook("session-sums")).to_contain_text("cells")
    expect(panel.hook("band").first).to_be_visible()
    assert panel.hook("band").count() > 5
    panel.hook("session-search").fill("smooth #4")
    expect(panel.hook("session-span").first).to_contain_text("smooth #4")
    panel.hook("session-span").first.get_by_title("Show it in the timeline").click()
    expect(panel.hook("session-sums")).to_contain_text("Selected")
    panel.hook("session-span").first.get_by_title("Select this trace").click()
    expect(panel.region.locator('[data-tracefn="signature"][aria-selected="true"]')).to_contain_text("#4")
    panel.hook("session-search").fill("")
    bands = panel.hook("bands")
    bands.press("Escape")
    bands.press("0")
    expect(panel.hook("session-sums")).to_contain_text("In sight")
    box = bands.bounding_box()
    lab.page.mouse.move(box["x"] + 20, box["y"] + 30)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40, steps=4)
    lab.page.mouse.up()
    expect(panel.hook("session-sums")).to_contain_text("Selected")
    with lab.page.expect_download() as saved:
        panel.hook("perfetto").click()
    slices = [e for e in json.loads(saved.value.path().read_text())["traceEvents"] if e["ph"] == "X"]
    assert {"cell", "trace", "phase"} <= {e["cat"] for e in slices}
    assert findings_of_view(lab, screenshot, "session") == {}
