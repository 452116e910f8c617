"""What the panel shows of functions that are traced in a real notebook."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browser.panel import Panel
from playwright.sync_api import expect

DEFINE = """\
import time
import numpy as np
import tracefn

@tracefn.function
def smooth(x):
    y = np.tanh(x)
    return y * 2 + 1
"""

UNROLLED = """\
import numpy as np
import tracefn

@tracefn.function
def unrolled(x, steps):
    for _ in range(steps):
        x = x * 1 + 0.5
    return x
"""

NETWORK = """\
import numpy as np
import tracefn

@tracefn.function
def network(x, weights, bias, scale, rate):
    for w in weights:
        x = np.tanh(x @ w + bias) * scale
    return x * rate

def ones(*shape):
    return np.ones(shape)

one, two = [ones(3, 3)], [ones(3, 3), ones(3, 3)]
network(ones(8, 3), one, ones(3), ones(3), 0.5)
network(ones(8, 3), two, ones(3), ones(3), 0.5)
network(ones(8, 3), tuple(two), ones(3), ones(3), 0.5)
network(ones(16, 3), one, ones(3), ones(3), 0.5)
network(ones(8, 3), one, ones(3), ones(3), 0.25)
"""

#: Functions whose traces take until the test has seen what it looks for, and wrote a file.
SLOW = """\
import pathlib, time
import numpy as np
import tracefn

@tracefn.autograph.do_not_convert
def wait(name):
    while not pathlib.Path(name).exists():
        time.sleep(0.02)

@tracefn.function
def slow(x):
    if len(x) > 3:
        wait(f"seen-{len(x)}")
    if len(x) == 5:
        raise ValueError("never mind")
    return x + 1

def train(x):
    return slow(x)
"""

LOOP = """\
import numpy as np
import tracefn

@tracefn.function
def walk(x, w, n):
    def step(i, s):
        return tracefn.cond(
            s.sum() > 0,
            lambda: np.tanh(s @ w),
            lambda: s + i)
    return tracefn.fori_loop(0, n, step, x) * 2

walk(np.ones((3, 3)), np.eye(3), np.int64(4))
"""

#: The texts of elements as far as they are not cut off: what stands in differing parts that lie wholly in the element.
SEEN = """
elements => elements.map(element => {
  const { bottom, right } = element.getBoundingClientRect();
  const isInside = part => {
    const box = part.getBoundingClientRect();
    return box.bottom <= bottom + 1 && box.right <= right + 1;
  };
  return [...element.querySelectorAll('[data-differs]')].filter(isInside).map(part => part.textContent).join();
})
"""


@pytest.fixture
def panel(lab) -> Iterator[Panel]:
    panel = Panel(lab)
    panel.close()
    yield panel
    if panel.functions.count():
        panel.show("Graph")


def test_two_signatures_and_their_graphs(lab, panel, screenshot):
    notebook = lab.new_notebook(DEFINE, "smooth(np.ones((2, 3)))", "smooth(np.ones(4, np.float32))")
    notebook.run(0)
    expect(panel.region).to_be_hidden()

    notebook.run(1)
    expect(panel.region).to_be_visible()
    expect(panel.functions).to_have_count(1)
    expect(panel.functions).to_contain_text("smooth")
    expect(panel.signatures).to_have_count(1)
    expect(panel.signatures).to_contain_text("float64[2, 3]")
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)

    notebook.run(2)
    expect(panel.signatures).to_have_count(2)
    expect(panel.signatures.nth(1)).to_contain_text("float32[4]")
    expect(panel.signatures.nth(1)).to_contain_text("newest")
    first = panel.hook("graph").get_attribute("data-hash")

    panel.signatures.nth(0).click()
    expect(panel.hook("graph")).not_to_have_attribute("data-hash", first)
    panel.nodes.filter(has_text="tanh").click()
    expect(panel.property("op")).to_have_text("tanh")
    expect(panel.property("dtype")).to_have_text("float64")
    expect(panel.property("shape")).to_have_text("(2, 3)")
    screenshot(lab, "graph-light")


def test_the_panel_opens_where_it_is_asked_for(lab, panel):
    lab.new_notebook("1 + 1")
    lab.page.locator(".jp-NotebookPanel-toolbar").get_by_role("button", name="tracefn").click()
    expect(panel.message).to_be_visible()
    panel.close()
    lab.command("launcher:create")
    lab.page.locator(".jp-LauncherCard", has_text="tracefn").locator("visible=true").click()
    expect(panel.message).to_be_visible()
    panel.close()
    lab.page.keyboard.press("Control+Shift+c")
    lab.page.locator("input.lm-CommandPalette-input").fill("tracefn panel")
    lab.page.keyboard.press("Enter")
    expect(panel.message).to_be_visible()


def test_a_setting_keeps_the_panel_closed(new_lab, server, errors):
    setting = "/lab/api/settings/@tracefn/labextension:panel"
    server.request("PUT", setting, {"raw": '{"autoOpen": false}'})
    try:
        lab = new_lab()
        panel = Panel(lab)
        notebook = lab.new_notebook(DEFINE, "smooth(np.ones(3))")
        notebook.run_all()
        expect(lab.page.locator('[data-tracefn="status"]')).to_contain_text("0 retraces")
        expect(panel.region).to_be_hidden()
        lab.close_all()
    finally:
        server.request("PUT", setting, {"raw": "{}"})


def test_a_retrace_reason_shows_while_the_cell_still_runs(lab, panel):
    cell = "for rows in (2, 4):\n    smooth(np.ones((rows, 3)))\ntime.sleep(60)"
    notebook = lab.new_notebook(DEFINE, cell)
    panel.open()
    notebook.run(0)
    notebook.start(1)
    causes = panel.show("Retraces")
    expect(causes).to_contain_text("x: shape (2, 3) → (4, 3) at dimension 0; nearest earlier trace #1")
    assert notebook.is_running(1)
    expect(lab.page.locator('[data-tracefn="status"]')).to_contain_text("1 retrace")


def test_the_steps_to_native_code(lab, panel, screenshot):
    softmax = (
        "import numpy as np, tracefn\n\n"
        "@tracefn.function\ndef softmax(x, n):\n"
        "    for _ in range(n):\n        e = np.exp(x - x.max(axis=-1, keepdims=True)) * 1.0\n"
        "        x = e / e.sum(axis=-1, keepdims=True)\n    return x"
    )
    notebook = lab.new_notebook(softmax, "softmax(np.ones((2, 3)), np.int64(2))")
    notebook.run_all()
    expect(panel.signatures).to_have_count(1)
    panel.hook("steps").click()
    step = panel.hook("step")
    expect(step.locator("option")).not_to_have_count(0)
    names = step.locator("option").all_text_contents()
    assert len(names) > 3 and all("node" in name for name in names), names
    note = panel.region.locator('[data-tracefn="step-note"]')  # what is empty is not visible
    expect(note).to_have_text("")
    panel.region.get_by_text("As text").click()
    expect(panel.hook("step-text")).to_contain_text("def softmax(")
    screenshot(lab, "steps-light")
    for _ in names[1:]:
        panel.hook("step-after").click()
        expect(note).to_have_text("")
    lab.set_theme("JupyterLab Dark")
    screenshot(lab, "steps-dark")
    lab.set_theme("JupyterLab Light")
    panel.hook("steps").click()
    expect(step).to_have_count(0)


def test_a_long_first_call_shows_its_progress(lab, panel, screenshot):
    calls = [f"slow(np.ones({length}))" for length in (3, 4, 5, 6)]
    notebook = lab.new_notebook(SLOW, *calls)
    panel.open()
    notebook.run(0)
    progress = lab.page.locator('[data-tracefn="cell-progress"], [data-tracefn="progress"]').locator("visible=true")
    notebook.run(1)
    expect(progress).to_have_count(0)
    status = lab.page.locator('[data-tracefn="status"]')
    for number, index in enumerate((2, 3), 2):
        notebook.start(index)
        words = re.compile(rf"slow #{number}: tracing, \d+\.\d s")
        expect(progress).to_have_text([words, words])
        expect(notebook.cell(index).locator('[data-tracefn="cell-progress"]')).to_be_visible()
        expect(status).to_have_text(re.compile(rf"tracefn: {words.pattern}"))
        assert notebook.is_running(index)
        screenshot(lab, "progress")
        (lab.server.folder / f"seen-{index + 2}").touch()
        expect(progress).to_have_count(0)
        expect(status).to_contain_text("retrace")
        # An error drops the cells that wait behind it.
        expect(notebook.cell(index).locator(".jp-InputPrompt")).not_to_contain_text("*")
    notebook.start(4)
    expect(progress).to_have_count(2)
    lab.evaluate("await find(a).sessionContext.session.kernel.interrupt()", notebook.path)
    expect(progress).to_have_count(0)


def test_a_long_first_call_in_a_module_shows_its_progress_below_the_cell_that_runs(lab, panel):
    (lab.server.folder / "slow_module.py").write_text(SLOW)
    load = 'import sys\nsys.path.insert(0, "")\nimport slow_module'
    notebook = lab.new_notebook(DEFINE, load, "slow_module.train(np.ones(7))", "slow_module.slow(np.ones(8))")
    panel.open()
    notebook.run(0)
    notebook.run(1)
    for number, index in enumerate((2, 3), 1):
        notebook.start(index)
        below = notebook.cell(index).locator('[data-tracefn="cell-progress"]')
        words = re.compile(rf"slow #{number}: tracing, \d+\.\d s")
        expect(below).to_have_text(words)
        expect(lab.page.locator('[data-tracefn="status"]')).to_have_text(re.compile(rf"tracefn: {words.pattern}"))
        (lab.server.folder / f"seen-{index + 5}").touch()
        expect(below).to_have_count(0)


def test_calls_are_counted_while_the_cell_still_runs(lab, panel):
    notebook = lab.new_notebook(DEFINE, "for _ in range(1000):\n    smooth(np.ones(3))\ntime.sleep(60)")
    panel.open()
    notebook.run(0)
    notebook.start(1)
    expect(panel.signatures).to_contain_text(re.compile(r"1[ ,. \u202f]?000×"))
    assert notebook.is_running(1)


def test_sizes_before_and_after_the_passes(lab, panel, screenshot):
    cell = "for steps in (1, 3, 6): unrolled(np.ones(2), steps)"
    notebook = lab.new_notebook(UNROLLED, cell)
    panel.open()
    notebook.run_all()
    page = panel.show("Size")
    expect(panel.hook("size-row")).to_have_count(3)
    for row in panel.hook("size-row").all_inner_texts():
        before, after = map(int, re.search(r"(\d+) → (\d+)", row).groups())
        assert before > after > 0
    expect(page).to_contain_text("Passes of trace #3")
    screenshot(lab, "size")


def test_rows_of_one_function_look_different(lab, panel, screenshot):
    notebook = lab.new_notebook(NETWORK)
    panel.open()
    notebook.run_all()
    expect(panel.signatures).to_have_count(5)
    panel.show("Size")
    for rows in (panel.signatures, panel.hook("size-row")):
        expect(rows).to_have_count(5)
        seen = rows.locator(".tracefn-signature-text").evaluate_all(SEEN)
        assert len(set(seen)) == 5
        assert all(seen)
    whole = panel.signatures.first.locator(".tracefn-signature-text")
    expect(whole).to_have_attribute("title", re.compile(r"weights\[0\]: .*bias: .*rate: 0.5", re.S))
    screenshot(lab, "signatures-light")
    lab.set_theme("JupyterLab Dark")
    try:
        expect(panel.signatures).to_have_count(5)
        screenshot(lab, "signatures-dark")
    finally:
        lab.set_theme("JupyterLab Light")


AS_WIDE_AS_ITS_PLACE = """
() => {
  const plot = document.querySelector('.jp-TracefnPanel [data-tracefn=plot]');
  return Number(plot?.querySelector('.main-svg')?.getAttribute('width')) === plot?.clientWidth;
}
"""


def test_timing_is_measured_by_a_button_and_plotted(lab, panel, screenshot):
    notebook = lab.new_notebook(DEFINE, "tracefn.config.jit('auto')\nx = np.linspace(0, 1, 5000)\nsmooth(x)")
    panel.open()
    notebook.run_all()
    page = panel.show("Timing")
    expect(page.locator(".main-svg")).to_have_count(0)
    panel.hook("measure").click()
    expect(panel.hook("stop-measuring")).to_be_visible()
    expect(page.locator(".main-svg").first).to_be_visible(timeout=60_000)
    expect(panel.hook("verdict")).to_contain_text(re.compile("faster|slower|same"))
    expect(page).to_contain_text("native program")
    expect(page).not_to_contain_text("made-up")
    expect(panel.hook("measure")).to_have_text("Measure again")
    expect(page.locator(".tracefn-bar-dot")).to_have_count(9)
    screenshot(lab, "timing")
    for theme in ("JupyterLab Dark", "JupyterLab Light"):  # plots are drawn anew while there is no width
        lab.set_theme(theme)
        lab.page.wait_for_function(AS_WIDE_AS_ITS_PLACE)


def test_the_bodies_of_a_loop_and_a_branch_open(lab, panel, screenshot):
    notebook = lab.new_notebook("# nothing", LOOP)
    panel.open()
    notebook.run_all()
    groups, frames = panel.hook("group"), panel.hook("cluster")
    expect(panel.nodes.filter(has_text="multiply")).to_have_count(1)
    panel.hook("collapse-all").click()  # as wide as the panel is, some are open at first
    expect(frames).to_have_count(0)
    expect(groups).to_have_count(1)
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(0)

    groups.filter(has_text="for_loop").click()
    expect(frames.filter(has_text="body")).to_have_count(1)
    expect(panel.property("op")).to_have_text("for_loop")
    panel.hook("close-detail").click()
    panel.hook("fit").click()
    groups.filter(has_text="cond").click()
    expect(frames.filter(has_text="if_true")).to_have_count(1)
    expect(frames.filter(has_text="if_false")).to_have_count(1)
    panel.hook("close-detail").click()
    panel.hook("fit").click()
    screenshot(lab, "bodies")
    panel.nodes.filter(has_text="tanh").click()
    expect(panel.property("call")).to_contain_text("np.tanh(")
    panel.property("source").get_by_role("button").first.click()
    assert notebook.active_cell() == 1
    assert "np.tanh(s @ w)" in notebook.selected_text()

    panel.hook("close-detail").click()
    panel.hook("collapse-all").click()
    expect(frames).to_have_count(0)
    panel.hook("search").fill("for_loop")
    panel.hook("search").press("Enter")
    panel.hook("stage").focus()
    lab.page.keyboard.press("Enter")
    expect(groups.filter(has_text="cond")).to_have_count(1)
    panel.hook("search").fill("tanh")
    panel.hook("search").press("Enter")
    expect(panel.nodes.filter(has_text="tanh")).to_be_visible()
    panel.hook("search").press("Escape")

    panel.hook("table").click()
    for name in ("for_loop · range(n)", "body", "step", "cond", "if_true"):
        panel.hook("outline-group").filter(has=lab.page.get_by_text(name, exact=True)).click()
    panel.hook("outline-node").filter(has_text="tanh").click()
    expect(panel.property("op")).to_have_text("tanh")
    panel.hook("table").click()


def test_a_source_line_is_jumped_to(lab, panel):
    notebook = lab.new_notebook("# nothing", DEFINE, "smooth(np.ones(3))")
    panel.open()
    notebook.run_all()
    panel.nodes.filter(has_text="tanh").click()
    panel.property("source").get_by_role("button").click()
    expect(lab.page.locator(".jp-Cell.jp-mod-active")).to_contain_text("y = np.tanh(x)")
    assert notebook.active_cell() == 1
    assert notebook.selected_text() == "    y = np.tanh(x)"


def test_an_error_in_a_trace_shows(lab, panel):
    cell = "@tracefn.function\ndef wrong(x):\n    return x @ np.ones((5, 5))\nwrong(np.ones((2, 3)))"
    notebook = lab.new_notebook(DEFINE, cell)
    panel.open()
    notebook.run(0)
    notebook.run(1)
    expect(panel.signatures).to_contain_text("failed")
    expect(notebook.output(1)).to_contain_text("wrong")


def test_a_graph_opens_in_the_main_area(lab, panel, screenshot):
    notebook = lab.new_notebook(DEFINE, "smooth(np.ones(3))")
    panel.open()
    notebook.run_all()
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)
    lab.command("tracefn:show-graph")
    tab = lab.page.locator("#jp-main-dock-panel")
    expect(tab.locator('[data-tracefn="node"]', has_text="tanh")).to_be_visible()
    screenshot(lab, "graph-tab")


def test_the_theme_is_followed(lab, panel, screenshot):
    notebook = lab.new_notebook(DEFINE, "smooth(np.ones((2, 3)))\nsmooth(np.ones(4))")
    panel.open()
    notebook.run_all()
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)
    light = panel.colors()
    lab.set_theme("JupyterLab Dark")
    try:
        expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)
        dark = panel.colors()
        screenshot(lab, "graph-dark")
    finally:
        lab.set_theme("JupyterLab Light")
    assert light.contrast() > 4.5
    assert dark.contrast() > 4.5
    assert light.background > dark.background
