"""What `make lab` opens: the tour in its workspace, with the panel beside it, run from top to bottom."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.lab import Lab, Notebook
from browser.panel import Panel
from playwright.sync_api import expect

ROOT = Path(__file__).resolve().parents[2]
TOUR = "01_tour.ipynb"


@pytest.fixture
def lab(server, new_lab, errors) -> Iterator[Lab]:
    """JupyterLab as `make lab` opens it."""
    workspace = json.loads((ROOT / "tools/lab.jupyterlab-workspace").read_text())
    name = workspace["metadata"]["id"]
    server.request("PUT", f"/lab/api/workspaces/{name}", workspace)
    (server.folder / TOUR).write_text((ROOT / "demo_notebooks" / TOUR).read_text())
    errors.clear()
    lab = new_lab(name, TOUR)
    yield lab
    lab.close_all()
    assert errors == []


def test_the_tour_with_the_panel(lab, screenshot):
    panel = Panel(lab)
    expect(panel.region).to_be_visible()
    tour = Notebook(lab, TOUR)
    tour.wait_for_kernel()
    tour.run_all()

    panel.signatures.filter(has_text="num_steps").first.click()
    expect(panel.show("Retraces")).to_contain_text("num_steps: 3 → 4 (Python int); nearest earlier trace")
    panel.show("Graph")
    panel.signatures.filter(has_text="damping").click()
    expect(panel.nodes.filter(has_text="sin")).to_be_visible()
    tour.scroll_to(0)
    screenshot(lab, "tour")
