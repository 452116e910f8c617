"""The panel in Notebook 7: narrower than in JupyterLab, without a main area for tabs and without a status bar."""

from __future__ import annotations

import nbformat
from browser.server import TOKEN
from playwright.sync_api import expect

CELL = """\
import numpy as np, tracefn
@tracefn.function
def scaled(x, n):
    return np.tanh(x) * n
for n in (1, 2, 3): scaled(np.ones(3), n)
"""


def test_the_panel_in_notebook_7(browser, server, errors):
    errors.clear()
    content = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(CELL)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    server.request("PUT", "/api/contents/seven.ipynb", {"type": "notebook", "format": "json", "content": content})
    page = browser.context().new_page()
    logged: list[str] = []
    # Notebook's settings have errors of their own while it starts.
    page.on("pageerror", lambda error: "tracefn" in (error.stack or "") and errors.append(str(error)))
    page.on("console", lambda message: logged.append(message.text))
    page.goto(f"{server.url}/notebooks/seven.ipynb?token={TOKEN}")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.locator(".jp-Notebook .jp-Cell .cm-content").click()
    # Before the kernel has connected, running a cell has no effect.
    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.context?.path === 'seven.ipynb'")
    page.evaluate(
        "(async () => { const { context, sessionContext } = jupyterapp.shell.currentWidget;"
        "await context.ready; await sessionContext.ready; await sessionContext.session.kernel.info; })()"
    )
    page.keyboard.press("Shift+Enter")
    panel = page.get_by_role("region", name="tracefn")
    expect(panel.locator('[data-tracefn="signature"]').last).to_be_visible()
    room = panel.evaluate("panel => [panel.clientWidth, panel.parentElement.clientWidth, panel.scrollWidth]")
    assert room[0] <= room[1] and room[2] <= room[0], room
    for hook in ("pop-out", "pop-out-retraces"):
        expect(panel.locator(f'[data-tracefn="{hook}"]')).to_have_count(0)
    panel.get_by_role("tab", name="Retraces").click()
    expect(panel.locator('[data-tracefn="retrace"]')).to_have_count(2)
    page.screenshot(path="build/screenshots/notebook-7.png")
    page.set_viewport_size({"width": 600, "height": 800})
    expect(page.locator(".jp-TracefnBadge")).to_be_visible()
    page.wait_for_function(
        "() => { const box = selector => document.querySelector(selector).getBoundingClientRect();"
        "return box('#jp-right-stack').right <= innerWidth && box('#tracefn-panel').right <= innerWidth"
        " && box('#tracefn-panel').width >= 320 && box('.jp-TracefnBadge').bottom <= box('.jp-Cell .cm-line').top; }"
    )
    page.screenshot(path="build/screenshots/notebook-7-narrow.png")
    assert not [text for text in logged if "tracefn" in text and "activate" in text], logged
    assert errors == []
    page.close()
