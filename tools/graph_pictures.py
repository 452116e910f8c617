"""Draws the graphs of the programs in tests/browser/programs.py, after `make build`.

`python tools/graph_pictures.py [names]` writes the first view of each, in a widget of the size of the panel, to
build/pictures as PNG, and the whole drawing as SVG. `--options` presses buttons and chooses before that:
`--options options fold group-by=line dark`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import chromium

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "widgets" / "tracefn_widgets" / "static"
PICTURES = ROOT / "build" / "pictures"
sys.path.append(str(ROOT / "tests"))

#: The page that shows a graph as the widget does, in the colours of JupyterLab's theme or without them.
PAGE = """
<!doctype html><link rel="stylesheet" href="tracefn.css"><body style="margin:0">
<script type="module">
import widget from './graph.js';
window.show = graph => {
  document.querySelector('#place')?.remove();
  const el = document.createElement('div');
  el.id = 'place';
  document.body.append(el);
  const values = { graph, height: window.innerHeight };
  widget.render({ el, model: { get: name => values[name], on() {}, off() {} } });
};
</script>
"""


def graph_of(name: str) -> dict[str, Any]:
    """The graph of a program in JSON."""
    import tracefn
    from browser.programs import PROGRAMS

    function, arguments = PROGRAMS[name]
    traced = tracefn.function(function, jit="off")
    return dict(traced.get_concrete_function(*arguments()).graph.to_json())


def main() -> None:
    from browser.programs import PROGRAMS
    from playwright.sync_api import Page, Route, sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--options", nargs="*", default=[])
    parser.add_argument("--width", type=int, default=640)
    asked = parser.parse_args()
    path = chromium.find()
    if path is None:
        sys.exit("There is no Chromium: `make test` installs one.")
    PICTURES.mkdir(parents=True, exist_ok=True)

    def serve(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        if (STATIC / name).is_file():
            route.fulfill(path=STATIC / name)
        else:
            route.fulfill(body=PAGE, content_type="text/html")

    def draw(page: Page, name: str) -> None:
        page.evaluate("graph => window.show(graph)", graph_of(name))
        page.wait_for_function("document.querySelector('.tracefn-graph')?.dataset.hash")
        for option in asked.options:
            hook, _, value = option.partition("=")
            place = page.locator(f'[data-tracefn="{hook}"]')
            if value:
                place.select_option(value)
            elif hook != "dark":
                place.click()
            page.wait_for_timeout(300)
        page.screenshot(path=PICTURES / f"{name}.png")
        menu = page.locator('[data-tracefn="save"]')
        menu.focus()  # fills it
        with page.expect_download() as download:
            menu.select_option("SVG")
        download.value.save_as(PICTURES / f"{name}.svg")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        scheme = "dark" if "dark" in asked.options else "light"
        page = browser.new_page(viewport={"width": asked.width, "height": 800}, color_scheme=scheme)
        page.route("http://localhost/**", serve)
        page.on("pageerror", lambda error: sys.exit(str(error)))
        page.goto("http://localhost/")
        page.wait_for_function("typeof window.show === 'function'")
        for name in asked.names or PROGRAMS:
            draw(page, name)
            print(json.dumps(name), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
