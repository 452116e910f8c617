"""Every kind of retrace, caused in a notebook: the words in the panel, the explanation, and the written fix."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.lab import Lab
from browser.panel import LUMINANCE, Colors, Panel
from playwright.sync_api import expect

BUILT = Path(__file__).resolve().parents[2] / "build/labextension/static"

IMPORTS = "import numpy as np\nimport tracefn\n"

#: A cell that causes a retrace, and what the panel says of it: in the table, and in the explanation after `: `.
KINDS = {
    "dtype": (
        """\
@tracefn.function
def by_dtype(x): return x + 1
by_dtype(np.ones(3)); by_dtype(np.ones(3, np.float32))
""",
        "x: dtype float64 → float32",
        "x changed dtype float64 → float32.",
    ),
    "rank": (
        """\
@tracefn.function
def by_rank(x): return x + 1
by_rank(np.ones(3)); by_rank(np.ones((3, 3)))
""",
        "x: rank 1 → 2 (shape (3,) → (3, 3))",
        "x changed rank 1 → 2 (shape (3,) → (3, 3)).",
    ),
    "dimension": (
        """\
@tracefn.function
def by_dimension(x): return x + 1
by_dimension(np.ones((2, 3))); by_dimension(np.ones((2, 4)))
""",
        "x: shape (2, 3) → (2, 4) at dimension 1",
        "x changed shape (2, 3) → (2, 4) at dimension 1.",
    ),
    "value": (
        """\
@tracefn.function
def by_value(x, n): return x * n
by_value(np.ones(3), 10); by_value(np.ones(3), 20)
""",
        "n: 10 → 20 (Python int)",
        "n changed 10 → 20 (Python int).",
    ),
    "type": (
        """\
@tracefn.function
def by_type(x, n): return x * n
by_type(np.ones(3), 1); by_type(np.ones(3), 1.0)
""",
        "n: 1 (int) → 1.0 (float)",
        "n changed 1 (int) → 1.0 (float).",
    ),
    "length": (
        """\
@tracefn.function
def by_length(xs): return sum(xs)
by_length([np.ones(3)]); by_length([np.ones(3)] * 2)
""",
        "xs: length 1 → 2 (list)",
        "xs changed length 1 → 2 (list).",
    ),
    "keys": (
        """\
@tracefn.function
def by_keys(batch): return batch["x"] + 1
by_keys({"x": np.ones(3)}); by_keys({"x": np.ones(3), "y": np.ones(3)})
""",
        "batch: keys added 'y'",
        "batch: keys added 'y'.",
    ),
    "structure": (
        """\
@tracefn.function
def by_structure(xs): return xs[0] + 1
by_structure([np.ones(3)]); by_structure((np.ones(3),))
""",
        "xs: list → tuple",
        "xs: list → tuple.",
    ),
    "identity": (
        """\
class Config: pass
@tracefn.function
def by_identity(x, config): return x + 1
by_identity(np.ones(3), Config()); by_identity(np.ones(3), Config())
""",
        "config: another Config object (keyed by identity, the earlier one is gone)",
        "config: another Config object (keyed by identity, the earlier one is gone)",
    ),
    "global": (
        """\
scale = 2
@tracefn.function
def by_global(x): return x * scale
by_global(np.ones(3)); scale = 3; by_global(np.ones(3))
""",
        "global scale: 2 → 3",
        "global scale changed 2 → 3.",
    ),
    "closure": (
        """\
def make():
    rate = 0.5
    @tracefn.function
    def by_closure(x): return x * rate
    def change():
        nonlocal rate
        rate = 0.25
    return by_closure, change
by_closure, change = make()
by_closure(np.ones(3)); change(); by_closure(np.ones(3))
""",
        "closure rate: 0.5 → 0.25",
        "closure rate changed 0.5 → 0.25.",
    ),
    "evicted": (
        """\
@tracefn.function(max_traces=1)
def by_eviction(x): return x + 1
for n in (3, 4, 3): by_eviction(np.ones(n))
""",
        "trace #1, which would have fitted, was evicted (max_traces=1)",
        "trace #1, which would have fitted, was evicted (max_traces=1)",
    ),
    "cleared": (
        """\
@tracefn.function
def by_clearing(x): return x + 1
by_clearing(np.ones(3)); by_clearing.clear_cache(); by_clearing(np.ones(3))
""",
        "trace #1 went with clear_cache()",
        "trace #1 went with clear_cache()",
    ),
    "redefined": (
        """\
def helper(x): return x + 1
@tracefn.function
def by_redefinition(x): return helper(x)
by_redefinition(np.ones(3))
def helper(x): return x + 2
by_redefinition(np.ones(3))
""",
        "global helper: another object (function or class redefined, or rebound)",
        "global helper: another object (function or class redefined, or rebound)",
    ),
    "lambda": (
        """\
@tracefn.function
def by_lambda(x, how): return how(x)
for _ in range(2): by_lambda(np.ones(3), lambda v: v + 1)
""",
        "how: `<lambda>` was made anew (cell [15] line 3), and functions are keyed by identity",
        "how: `<lambda>` was made anew (cell [15] line 3), and functions are keyed by identity",
    ),
}

VERDICTS = {
    "dtype": "Needed: another graph than those before",
    "dimension": "Needless: the same graph as #1 but for lengths",
    "value": "Needless: the same graph as #1 but for the numbers in it",
    "cleared": "Needless: the same graph as #1",
}

FIXABLE = """\
@tracefn.function
def scaled(x, n):
    return np.tanh(x) * n
"""

CALLS = "for n in (1, 2, 3): scaled(np.ones((n, 64), np.float32), n)"

FROM_FILE = """\
import sys
sys.path.insert(0, ".")
with open("in_a_file.py", "w") as file:
    file.write("import numpy, tracefn\\n@tracefn.function\\ndef filed(x):\\n    return numpy.tanh(x)\\n")
from in_a_file import filed
for n in (2, 3, 4): filed(np.ones(n))
"""

DIFFERING = """\
@tracefn.function
def powers(x, n):
    y = np.tanh(x)
    return y**n if n > 1 else y
for n in (1, 2): powers(np.ones(2), n)
"""

OUTSIDE = """\
import logging
class Run:
    def __init__(self): self.rate, self.history = 0.0, []
run = Run()
def label(run): return 1
@tracefn.function
def scaled_by_rate(x):
    return x * run.rate * label(run)
for rate in (0.1, 0.2):
    run.rate = rate
    scaled_by_rate(np.ones(2, np.float32))
run.history.append(1)
"""

LOGGED = """\
@tracefn.function
def logged(x, n):
    logging.info("tracing")
    return x * n
for n in (1, 2, 3): logged(np.ones(2), n)
"""

LINES = """\
@tracefn.function
def lined(x, n):
    for w in [1, 2, 3]:
        x = x * w
    for _ in range(n):
        x = np.tanh(x)
    print("traced")
    return x
lined(np.ones(3), np.int64(2))
"""


@pytest.fixture
def panel(lab) -> Iterator[Panel]:
    panel = Panel(lab)
    panel.open()
    yield panel
    if panel.hook("filter-text").count():
        panel.hook("filter-text").fill("")
    panel.show("Graph")


def explain(panel: Panel, words: str) -> None:
    """Chooses the newest retrace whose row has these words, and waits for its whole explanation."""
    panel.hook("retrace").filter(has_text=words).first.locator('[data-tracefn="cause"]').click()
    expect(panel.hook("explain-note")).to_have_count(0)
    expect(panel.hook("headline")).to_contain_text("in cell [")


def test_each_kind_of_retrace_in_words(lab, panel, screenshot):
    first, *rest = [cell for cell, _, _ in KINDS.values()]
    notebook = lab.new_notebook(IMPORTS + first, *rest)
    notebook.run_all()
    panel.show("Retraces")
    expect(panel.hook("summary")).to_contain_text("16 retraces")
    for kind, (cell, row, reason) in KINDS.items():
        name = re.search(r"by_\w+", cell).group()
        panel.hook("filter-text").fill(name)
        number = 3 if kind == "evicted" else 2
        newest = panel.hook("retrace").first
        expect(newest).to_contain_text(f"{name} #{number}")
        expect(newest.locator('[data-tracefn="cause"]')).to_have_text(f"{row}; nearest earlier trace #1")
        explain(panel, name)
        index = list(KINDS).index(kind) + 1
        head = rf"{name} retraced \(#{number}, [\d.]+ (ms|µs)\) in cell \[{index}\] line \d+: "
        expect(panel.hook("headline")).to_have_text(re.compile(f"^{head}{re.escape(reason)}\\.?$"))
        if kind in VERDICTS:
            expect(panel.hook("retrace-verdict")).to_have_text(VERDICTS[kind])
        if kind == "global":
            expect(panel.hook("read")).to_have_text(["global scale3another value retraces"])
    panel.hook("filter-text").fill("")
    screenshot(lab, "retraces-each-kind")


def test_the_fix_is_found_written_undone_and_works(lab, panel, screenshot):
    notebook = lab.new_notebook(IMPORTS + FIXABLE, CALLS)
    notebook.run_all()
    panel.show("Retraces")
    explain(panel, "scaled #3")
    panel.hook("find-fix").click()
    expect(panel.hook("fix-title")).to_have_text("3 traces → 1 with x: (None, 64), n: ()")
    specs = "tracefn.TensorSpec((None, 64), np.float32), tracefn.TensorSpec((), np.float32)"
    expect(panel.hook("fix-code")).to_have_text(f"@tracefn.function(input_signature=[{specs}])")
    expect(panel.hook("what-if-row")).to_contain_text("3 → 1")
    panel.hook("write-fix").click()
    expect(panel.hook("fix-said")).to_contain_text("Written into cell [1] and cell [2].")
    assert f"@tracefn.function(input_signature=[{specs}])\ndef" in notebook.source(0)
    assert notebook.source(1).endswith("np.float32(n))")
    screenshot(lab, "fix-written")
    lab.page.keyboard.press("Control+z")
    expect(notebook.cell(0)).not_to_contain_text("input_signature")
    assert notebook.source(0) == IMPORTS + FIXABLE
    lab.page.keyboard.press("Control+Shift+z")
    expect(notebook.cell(0)).to_contain_text("input_signature")
    notebook.run_all()
    expect(panel.functions).to_contain_text("1 trace · 3 calls")


def test_what_cannot_be_written_says_so(lab, panel):
    notebook = lab.new_notebook(IMPORTS + FROM_FILE)
    notebook.run_all()
    panel.show("Retraces")
    explain(panel, "filed #3")
    panel.hook("find-fix").click()
    panel.hook("write-fix").click()
    expect(panel.hook("fix-said")).to_have_text(
        "filed is defined in in_a_file.py line 2, in no cell of an open notebook: copy the change."
    )
    expect(panel.hook("copy-fix")).to_be_visible()


def test_numbers_from_outside_and_what_cannot_be_tried(lab, panel, screenshot):
    notebook = lab.new_notebook(IMPORTS + OUTSIDE, LOGGED)
    notebook.run_all()
    panel.show("Retraces")
    explain(panel, "scaled_by_rate #2")
    panel.hook("find-fix").click()
    expect(panel.hook("fix-title")).to_have_text("2 traces → 1 with run.rate as an array")
    expect(panel.hook("fix-code")).to_have_text("run.rate = np.asarray(run.rate, np.float32)")
    expect(panel.hook("write-fix")).to_have_count(0)
    expect(panel.hook("read").filter(has_text="global run")).to_contain_text(
        ["changed since the trace, and not compared: history", ""]
    )
    screenshot(lab, "fix-outside")
    panel.hook("filter-text").fill("logged")
    explain(panel, "logged #3")
    panel.hook("find-fix").click()
    expect(panel.hook("fix-code")).to_have_text("np.asarray(n)")
    expect(panel.hook("fix-proof")).to_contain_text("runs while tracing alone (cell [2] line 3), and would again.")
    lab.set_theme("JupyterLab Dark")
    screenshot(lab, "fix-untried-dark")
    lab.set_theme("JupyterLab Light")


def test_two_graphs_side_by_side(lab, panel, screenshot):
    notebook = lab.new_notebook(IMPORTS + DIFFERING)
    notebook.run_all()
    panel.show("Retraces")
    explain(panel, "powers #2")
    panel.hook("graphs").locator("summary").press("Enter")
    expect(panel.hook("colours")).to_have_text("1 added")
    expect(panel.hook("diff-lines")).to_have_text("+ v1 = v0 ** 2")
    left, right = (panel.hook("diff").locator(f'[data-side="{side}"]') for side in (0, 1))
    expect(left.locator("[data-change].tracefn-box")).to_have_count(0)
    expect(right.locator('[data-change="added"].tracefn-box')).to_have_text(re.compile("pow"))
    expect(left).to_be_hidden()  # where there is no room for two, they are one picture
    layer = right.locator("svg.tracefn-drawing > g")
    before = layer.get_attribute("transform")
    right.locator('[data-tracefn="stage"]').focus()
    lab.page.keyboard.press("ArrowLeft")
    expect(layer).not_to_have_attribute("transform", before)
    screenshot(lab, "graphs-side-by-side")


def loaded(lab: Lab) -> int:
    """The bytes, after gzip, of the extension's JavaScript that the page has loaded."""
    names = lab.evaluate("return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)")
    scripts = {Path(name).name for name in names if "/extensions/@tracefn/" in name and name.endswith(".js")}
    return sum(len(gzip.compress((BUILT / script).read_bytes())) for script in scripts)


def test_the_retraces_open_in_the_main_area(new_lab, screenshot):
    lab = new_lab()
    assert 5_000 < loaded(lab) < 40_000  # the views wait for the first trace
    panel = Panel(lab)
    panel.open()
    notebook = lab.new_notebook(
        IMPORTS + DIFFERING, "for n in range(4): powers(np.ones(4), n + 4)", "powers(np.ones(4), 9)"
    )
    notebook.run(0)
    notebook.run(1)
    panel.show("Retraces")
    panel.hook("pop-out-retraces").click()
    tab = lab.page.locator(".jp-TracefnRetraces")
    rows = tab.locator('[data-tracefn="retrace"]')
    expect(rows).to_have_count(5)
    expect(tab.locator('[data-tracefn="pop-out-retraces"]')).to_have_count(0)
    rows.filter(has_text="powers #5").click()
    headline = tab.locator('[data-tracefn="headline"]')
    expect(headline).to_contain_text("n changed")
    expect(panel.region.locator('[data-tracefn="signature"][aria-selected="true"]')).to_contain_text("#5")
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        lab.set_theme(theme)
        screenshot(lab, f"retraces-tab-{theme.split()[-1].lower()}")
        assert Colors(*headline.evaluate(LUMINANCE)).contrast() > 4.5
    notebook.run(2)
    expect(rows).to_have_count(6)
    lab.command("tracefn:show-retraces")
    expect(tab).to_have_count(1)
    lab.wait_until_stored("tracefn-retraces")
    lab.reload()
    expect(rows).to_have_count(6)
    lab.close_all()


def test_an_explanation_comes_while_the_cell_still_runs(lab, panel):
    notebook = lab.new_notebook(IMPORTS + FIXABLE, CALLS + "\nimport time; time.sleep(60)")
    notebook.run(0)
    notebook.start(1)
    expect(panel.functions).to_contain_text("3 traces")
    panel.show("Retraces")
    explain(panel, "scaled #3")
    expect(panel.region.locator('[data-tracefn="compared"]')).to_have_count(2)
    assert notebook.is_running(1)


def test_no_event_of_a_thousand_retraces_in_a_busy_cell_is_lost(lab, panel, screenshot):
    """They are 11,000 events, and many more than the server lets through one by one."""
    cell = "@tracefn.function(max_traces=None)\ndef many(x): return x + 1\nfor n in range(1, 1002): many(np.ones(n))"
    notebook = lab.new_notebook(IMPORTS + cell + "\nimport time; time.sleep(60)")
    notebook.start(0)
    panel.hook("tab-retraces").click()
    expect(panel.hook("summary")).to_contain_text("1\u202f001 traces · 1\u202f000 retraces", timeout=60_000)
    expect(panel.signatures.last).to_contain_text("float64[1001]")
    assert notebook.is_running(0)
    table = panel.hook("retraces")
    expect(table).to_have_attribute("aria-rowcount", "1000")
    assert panel.region.locator('[data-tracefn="retrace"]').count() < 60
    table.focus()
    lab.page.keyboard.press("End")
    expect(panel.hook("retrace").filter(has_text="many #2")).to_be_visible()
    lab.page.keyboard.press("Escape")
    screenshot(lab, "retraces-1000")


def test_lines_of_the_source_say_what_became_of_them(lab, panel, screenshot):
    notebook = lab.new_notebook("# nothing", IMPORTS + LINES)
    notebook.run_all()
    panel.show("Source")
    lines = panel.hook("staged-line")
    expect(lines.filter(has_text="for w in")).to_contain_text("unrolled ×3")
    expect(lines.filter(has_text="for _ in")).to_contain_text("staged")
    expect(lines.filter(has_text="x = x * w")).to_have_text(re.compile(r"3[\d.]+ (µs|ms) +x = x \* w$"))
    expect(lines.filter(has_text="print")).to_contain_text("effect: print")
    screenshot(lab, "source-lines")
    lines.filter(has_text="x = x * w").get_by_title("Jump to").click()
    assert notebook.active_cell() == 1
    assert notebook.selected_text() == "        x = x * w"
