"""The whole way of a user: a cell that retraces, its badge, the reason, the proved change, a click, and no retrace.

`TRACEFN_FILM=docs/images/inspector.png` records it.
"""

from __future__ import annotations

import pytest
from browser.film import Film
from playwright.sync_api import expect

#: Eight traces that are used once make a storm where they take 100 ms, and what comes then runs eagerly.
FUNCTION = """\
import numpy as np, tracefn

@tracefn.function
def decay(x, rate):
    for _ in range(3):
        x = x * np.exp(-rate)
    return x"""
CALLS = """\
x = np.linspace(0, 1, 100)
for i in range(7):
    decay(x, 0.1 * i)"""


@pytest.fixture
def film(lab):
    """A page of the size of the picture, and what is taken of it."""
    film = Film()
    lab.page.set_viewport_size({"width": 1200, "height": 660})
    lab.evaluate("jupyterapp.shell.collapseLeft()")
    yield film
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    film.save()


def test_from_retraces_to_none(lab, panel, film):
    notebook = lab.new_notebook(FUNCTION, CALLS)
    notebook.run(0)
    film.take(lab, 1500)
    notebook.run(1)
    expect(panel.signatures).to_have_count(7)
    badge = notebook.cell(1).locator('[data-tracefn="cell-badge"]')
    expect(badge).to_have_text("↻ 6")
    expect(panel.nodes.filter(has_text="multiply").first).to_be_visible()
    film.take(lab, 2500)
    badge.click()
    expect(panel.hook("retrace").first).to_contain_text("decay #7")
    film.take(lab, 2000)
    panel.hook("retrace").first.locator('[data-tracefn="cause"]').click()
    expect(panel.hook("find-fix").or_(panel.hook("write-fix")).first).to_be_visible()
    if panel.hook("find-fix").count():
        film.take(lab, 2000)
        panel.hook("find-fix").click()
    panel.hook("write-fix").scroll_into_view_if_needed()
    film.take(lab, 2500)
    panel.hook("write-fix").click()
    expect(panel.hook("fix-said")).to_contain_text("Written into")
    film.take(lab, 2500)
    notebook.run_all()  # one trace more, which serves all numbers
    expect(panel.hook("reruns")).to_contain_text("6 retraces → 1")
    film.take(lab, 2500)
    notebook.restart_kernel()
    notebook.run_all()
    expect(panel.signatures).to_have_count(1)
    expect(panel.functions).to_contain_text("1 trace · 7 calls")
    expect(badge).to_have_count(0)
    panel.show("Graph")
    expect(panel.nodes.filter(has_text="multiply").first).to_be_visible()
    film.take(lab, 2500)
