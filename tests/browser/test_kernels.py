"""The panel through what happens to pages and kernels: reload, restart, several of them, none, other versions."""

from __future__ import annotations

import re

from browser.test_tracing import DEFINE
from playwright.sync_api import expect
from tracefn.function.fallback import storms

CALL = "smooth(np.ones((2, 3)))\nsmooth(np.ones((4, 3)))"

#: What a kernel with a tracefn of another protocol version would send.
FOREIGN = """
from comm import create_comm
hello = {"kind": "hello", "protocol": 99, "session": "s", "version": "99.0", "last": 0}
events = create_comm(target_name="tracefn.events", comm_id="tracefn.events", data=hello)
events.send(hello)
events.send({**hello, "kind": "novelty", "novel": [1]})
"""


def test_reload_brings_the_state_back(lab, panel):
    notebook = lab.new_notebook(DEFINE, CALL)
    notebook.run_all()
    expect(panel.signatures).to_have_count(2)
    panel.signatures.nth(0).click()
    notebook.save()
    lab.wait_until_stored(f"selection:{notebook.path}")
    lab.reload()
    expect(panel.signatures).to_have_count(2)
    expect(panel.signatures.nth(0)).to_have_attribute("aria-selected", "true")
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)
    expect(panel.show("Retraces")).to_contain_text("nearest earlier trace #1")


def test_reload_while_the_kernel_is_busy(lab, panel):
    # Traces that serve one call each make a storm: they are to come after the page is back.
    busy = "for rows in range(2, 60):\n    smooth(np.ones((rows, 3)))\n    time.sleep(3 if rows > 3 else 0)"
    notebook = lab.new_notebook(DEFINE, busy)
    notebook.run(0)
    notebook.start(1)
    expect(panel.signatures.nth(2)).to_be_visible()
    notebook.save()
    lab.reload()
    expect(panel.signatures.first).to_contain_text("float64[2, 3]")
    shown = panel.signatures.count()
    expect(panel.signatures.nth(shown)).to_be_visible()  # the cell goes on, and so does what is shown of it
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)


def test_restart_clears_and_goes_on(lab, panel):
    notebook = lab.new_notebook(DEFINE, CALL)
    notebook.run_all()
    expect(panel.signatures).to_have_count(2)
    notebook.restart_kernel()
    expect(panel.signatures).to_have_count(0)
    expect(panel.message).to_be_visible()
    notebook.run_all()
    expect(panel.signatures).to_have_count(2)
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)


def test_two_notebooks_with_two_kernels(lab, panel):
    first = lab.new_notebook(DEFINE, CALL)
    first.run_all()
    expect(panel.signatures).to_have_count(2)
    # The same names in another kernel: nothing of the first notebook may stay.
    second = lab.new_notebook(DEFINE, CALL.replace("3", "5"))
    expect(panel.signatures).to_have_count(0)
    second.run_all()
    expect(panel.signatures).to_have_text([re.compile(r"float64\[2, 5\]"), re.compile(r"float64\[4, 5\]")])
    expect(panel.show("Retraces")).to_contain_text("shape (2, 5) → (4, 5)")
    first.open()
    expect(panel.hook("page-retraces")).to_contain_text("shape (2, 3) → (4, 3)")
    expect(panel.signatures).to_have_text([re.compile(r"float64\[2, 3\]"), re.compile(r"float64\[4, 3\]")])


def test_how_many_traces_are_made_does_not_depend_on_their_time(lab):
    notebook = lab.new_notebook("from tracefn.function.fallback import storms\nprint(storms.OWN_PATIENCE)")
    notebook.run(0)
    expect(notebook.output(0)).to_have_text(f"{storms.OWN_PATIENCE}")


def test_a_kernel_without_tracefn(lab, panel, screenshot):
    logged = len(lab.server.log())
    notebook = lab.new_notebook("1 + 1")
    notebook.run(0)
    expect(panel.message).to_contain_text("tracefn is not used in this kernel")
    expect(notebook.output(0)).to_have_text("2")
    assert "no such comm" not in lab.server.log()[logged:].lower()
    screenshot(lab, "no-tracefn")


def test_another_protocol_version_is_said_and_harms_nothing(lab, panel):
    notebook = lab.new_notebook(FOREIGN, "1 + 1")
    notebook.run_all()
    expect(panel.message).to_contain_text("another version of tracefn")
    expect(panel.message).to_contain_text("99")
    expect(notebook.output(1)).to_have_text("2")


def test_text_of_users_stays_text(lab, panel):
    evil = "<img src=x onerror='window.harmed = true'>"
    cell = f"""
import numpy as np, tracefn
evil = {evil!r}
def f(x, how):
    return np.tanh(x[evil]) + len(how)
g = tracefn.function(f, name=evil)
g({{evil: np.ones(2)}}, evil)
g({{evil: np.ones(3)}}, evil + "!")
"""
    notebook = lab.new_notebook(cell)
    notebook.run(0)
    expect(panel.functions).to_contain_text(evil)
    expect(panel.nodes.filter(has_text="tanh")).to_have_count(1)
    panel.nodes.filter(has_text="<img").first.click()
    expect(panel.hook("detail")).to_contain_text(evil)
    for tab in ("Retraces", "Size", "Timing", "Source", "Notices", "Graph"):
        panel.show(tab)
    panel.show("Retraces")
    expect(panel.hook("cause").first).to_contain_text(evil)
    assert panel.region.locator("img").count() == 0
    assert lab.evaluate("return window.harmed === undefined")
