"""The report that the panel saves: one file that shows all of it, offline."""

from __future__ import annotations

from browser.axe import AXE, findings_of
from playwright.sync_api import expect

CELL = """\
import numpy as np, tracefn

@tracefn.function
def smooth(x, n):
    for _ in range(n):
        x = np.tanh(x) * 2
    return x

for rows in (2, 3):
    smooth(np.ones((rows, 4)), np.int64(3))
"""


def test_a_report_opens_offline(lab, panel, browser, tmp_path):
    notebook = lab.new_notebook(CELL)
    notebook.run(0)
    expect(panel.signatures).to_have_count(2)
    with lab.page.expect_download() as download:
        panel.hook("save-report").click()
    path = tmp_path / "report.html"
    download.value.save_as(path)
    assert download.value.suggested_filename == "tracefn_report.html"

    context = browser.context()
    page, errors, requests = context.new_page(), [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.on("request", lambda request: requests.append(request.url))
    context.set_offline(True)
    page.goto(path.as_uri())
    page.evaluate(AXE)
    expect(page.locator("[data-tracefn=function]")).to_contain_text("smooth")
    expect(page.locator(".tracefn-box", has_text="for_loop")).to_have_count(1)
    expect(page.locator("[data-tracefn=save-report]")).to_be_hidden()
    first = page.locator("[data-tracefn=signature]").first
    first.click()
    expect(first).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Retraces").click()
    expect(page.locator(".tracefn")).to_contain_text("shape (2, 4) → (3, 4)")
    page.locator("[data-tracefn=retrace]").first.click()
    expect(page.locator("[data-tracefn=headline]")).to_contain_text("in cell [1] line 10: x changed shape")
    expect(page.locator("[data-tracefn=explain-note]")).to_be_hidden()
    page.get_by_role("tab", name="Session").click()
    expect(page.locator("[data-tracefn=session-list]")).to_contain_text("smooth")
    page.get_by_role("tab", name="Source").click()
    expect(page.locator(".tracefn")).to_contain_text("staged")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for tab in ("Graph", "Retraces", "Timing", "Source"):
            page.get_by_role("tab", name=tab).click()
            assert findings_of(page) == [], (theme, tab)
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "blob:", "data:"))] == []
    page.close()


def test_views_are_saved_as_files(lab, panel):
    notebook = lab.new_notebook(CELL, "tracefn.timing.compare(smooth, np.ones((3, 4)), np.int64(3));")
    notebook.run_all()
    panel.show("Graph")
    expect(panel.nodes.first).to_be_visible()

    def saved(view: str, name: str, kind: str) -> bytes:
        menu = panel.hook(view).locator("[data-tracefn=save]")
        menu.focus()
        with lab.page.expect_download() as download:
            menu.select_option(kind)
        assert download.value.suggested_filename == f"{name}.{kind.lower()}"
        return download.value.path().read_bytes()

    assert saved("page-graph", "smooth_2_Graph", "SVG").startswith(b"<svg")
    assert saved("page-graph", "smooth_2_Graph", "PNG").startswith(b"\x89PNG")
    assert saved("page-graph", "smooth_2_Graph", "DOT").startswith(b"digraph {")
    assert b"tanh" in saved("page-graph", "smooth_2_Graph", "CSV")
    panel.show("Size")
    expect(panel.hook("size-row")).to_have_count(2)
    assert saved("title", "smooth_2_Size", "CSV").startswith(b"trace,signature,nodes,change\r\n#2")
    expect(panel.show("Timing").locator(".legend")).to_contain_text("eager")
    assert b"total time" in saved("title", "smooth_2_Timing", "SVG")  # Plotly draws it above the lines
    panel.show("Session")
    expect(panel.hook("band").first).to_be_visible()
    assert saved("title", "All_functions_Session", "PNG").startswith(b"\x89PNG")
