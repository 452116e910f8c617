"""Finding one's way in the panel: what is shown, what was chosen, what is of now, and all of it with the keys."""

from __future__ import annotations

import re

from browser.axe import findings, themes
from playwright.sync_api import Locator, expect

LAYER = """\
@tracefn.function
def layer_{k}(x):
    for _ in range({k} % 3):
        x = np.tanh(x @ np.eye(3)) * {k}
    return x + {k}
"""
MANY = "import numpy as np\nimport tracefn\n" + "".join(LAYER.format(k=k) for k in range(12))
MANY += f"layers = [{', '.join(f'layer_{k}' for k in range(12))}]"
CALLS = "for layer in layers:\n    for n in range(2, 5): layer(np.ones((n, 3)))"

DECAY = "import numpy as np, tracefn\n@tracefn.function\ndef decay(x, rate):\n    return x * np.exp(-rate)"
DECAY_CALLS = "for n in range(7): decay(np.ones(3), 0.1 * n)"
OTHER = "import numpy as np, tracefn\n@tracefn.function\ndef other(x):\n    return x + 1"
OTHER_CALLS = "for n in range(1, 4): other(np.ones(n))"

EVERYTHING = """\
import numpy as np, tracefn
@tracefn.function
def inner(x):
    return np.tanh(x @ x)
@tracefn.function
def outer(x, items):
    print("traced")
    for i in items: x = inner(x) * i
    return x
@tracefn.function
def checksum(x):
    return hash(x.tobytes())
for n in (3, 4): outer(np.ones((n, n)), list(range(40)))
checksum(np.arange(3))
print(tracefn.timing.compare(outer, np.ones((3, 3)), list(range(40))))
"""

BUILDING = """\
from tracefn import events
name = layers[0].concrete_functions[0].signature_id
ids = {"function": name.split("/")[0], "signature": name}
events.emit(events.PlanBuild(**ids, state="building"));
"""


def is_in_sight(row: Locator) -> bool:
    """Whether a row lies wholly in the list of functions, as far as that is seen, once the list has settled."""
    row.page.wait_for_timeout(500)
    return bool(
        row.evaluate(
            "row => { const [a, b] = [row, row.closest('.tracefn-upper')].map(e => e.getBoundingClientRect());"
            "return a.top >= b.top - 1 && a.bottom <= b.bottom + 1; }"
        )
    )


def test_what_is_shown_and_what_was_chosen(lab, panel, screenshot):
    notebook = lab.new_notebook(MANY, CALLS, BUILDING)
    notebook.run(0)
    notebook.run(1)
    title, chosen = panel.hook("title"), panel.region.locator('[data-tracefn="signature"][aria-selected="true"]')
    expect(title).to_contain_text("layer_11 #3x: float64[4, 3]NumPy")
    expect(chosen).to_contain_text("newest")
    lab.page.wait_for_timeout(300)  # rows have their heights when they are drawn
    assert is_in_sight(chosen)
    screenshot(lab, "orientation-newest")

    panel.functions.filter(has_text="layer_7").locator(".tracefn-function-name").click()
    expect(panel.hook("follow")).to_have_attribute("aria-pressed", "false")
    for tab in ("Timing", "Source", "Size", "Graph"):
        panel.show(tab)
        expect(title).to_contain_text("layer_7 #3x: float64[4, 3]")
    notebook.restart_kernel()
    notebook.run(0)
    notebook.run(1)
    expect(panel.signatures.last).to_contain_text("newest")
    expect(title).to_contain_text("layer_7 #3")
    assert is_in_sight(chosen)
    panel.hook("follow").click()
    expect(title).to_contain_text("layer_11 #3")

    stage = panel.hook("stage")
    stage.press("0")
    panel.hook("zoom-out").click(click_count=6)
    panel.hook("search").fill("tanh")
    box = panel.nodes.filter(has_text="tanh").first
    expect(box).to_have_attribute("data-match", "current")
    assert box.bounding_box()["height"] > 20

    notebook.run(2)
    expect(panel.hook("progress")).to_contain_text("compiling: layer_0 #1")
    expect(lab.page.locator('[data-tracefn="status"]')).to_contain_text("compiling")
    expect(lab.page.locator('[data-tracefn="status-stop"]')).to_be_visible()
    screenshot(lab, "compiling")
    panel.hook("stop-build").click()
    expect(panel.hook("progress")).to_have_count(0)
    expect(lab.page.locator('[data-tracefn="status-stop"]')).to_be_hidden()

    notebook.cell(0).locator(".cm-content").click()
    lab.command("tracefn:open-panel")
    focused = panel.region.locator("[role=treeitem]:focus")
    expect(focused).to_have_count(1)
    focused.press("j")
    assert notebook.active_cell() == 0


def test_retraces_of_now_and_of_this_notebook(lab, panel, screenshot):
    first = lab.new_notebook(DECAY, DECAY_CALLS)
    first.run_all()
    panel.show("Retraces")
    panel.hook("filter-function").select_option("decay")
    expect(panel.hook("retrace").first).to_contain_text("decay #7")
    first.run(1)  # all calls find their traces
    expect(panel.hook("tab-retraces")).to_have_text("Retraces6")
    fixed = DECAY.replace("@tracefn.function\n", "@tracefn.function(reduce_retracing=True)\n")
    for cell, source in enumerate((fixed, DECAY_CALLS.replace("0.1 * n", "np.asarray(0.1 * n)"))):
        lab.evaluate("find(a[0]).content.widgets[a[1]].model.sharedModel.setSource(a[2])", [first.path, cell, source])
        first.run(cell)
    expect(panel.hook("reruns")).to_have_text(re.compile(r"Run again, cell \[\d\]: 6 retraces → 0, fixed"))
    expect(panel.hook("none-found")).to_contain_text("No retrace now")
    screenshot(lab, "retraces-fixed")
    panel.hook("earlier-runs").click()
    panel.hook("retrace").first.click()
    expect(panel.hook("history")).to_contain_text("retraced nothing: fixed.")

    second = lab.new_notebook(OTHER, OTHER_CALLS)
    second.run_all()
    expect(panel.hook("retrace")).to_have_count(2)
    expect(panel.hook("filter-function")).to_have_value("")
    panel.hook("clear").click()
    expect(panel.hook("retrace")).to_have_count(0)
    panel.hook("cleared").click()
    expect(panel.hook("retrace")).to_have_count(2)


def test_no_view_has_a_finding_of_axe(lab, panel, screenshot):
    notebook = lab.new_notebook(EVERYTHING)
    notebook.run_all()
    expect(panel.functions).to_have_count(2)
    panel.functions.filter(has_text="outer").locator(".tracefn-function-name").click()
    found: dict[str, list[str]] = {}
    for name in themes(lab):
        for tab in ("Graph", "Retraces", "Size", "Timing", "Session", "Source", "Notices"):
            panel.show(tab)
            found[f"{name} {tab}"] = findings(lab)
            screenshot(lab, f"view-{tab.lower()}-{name}")
        panel.show("Retraces")
        panel.hook("retrace").filter(has_text="outer #2").click()
        expect(panel.region.locator('[data-tracefn="explain-note"]')).to_be_hidden()
        panel.hook("retrace").first.locator('[data-tracefn="jump"]').hover()
        found[f"{name} explanation"] = findings(lab)
        panel.show("Graph")
        panel.nodes.first.click()
        expect(panel.hook("detail")).to_be_visible()
        panel.hook("steps").click()
        found[f"{name} detail"] = findings(lab)
        panel.hook("steps").click()
        for hook in ("options", "compare"):
            panel.hook(hook).click()
            found[f"{name} {hook}"] = findings(lab)
            panel.hook(hook).click()
        panel.hook("table").click()
        found[f"{name} table"] = findings(lab)
        panel.hook("table").click()
    assert {view: rules for view, rules in found.items() if rules} == {}
