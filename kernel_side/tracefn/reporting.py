"""A report: all that was traced as one HTML file, which shows the panel's views without a kernel or a network."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from .errors import WidgetBundleMissingError, message
from .events import BUS, CounterReader, GraphBuilt
from .explain import explain, ledger, what_if
from .function.traced import FUNCTIONS

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:",
        "style-src 'unsafe-inline'",
        "img-src data: blob:",
        "worker-src blob:",
    ]
)
"""The permissions of the page: run its own scripts, and fetch nothing."""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
<body class="tracefn-report">
<noscript>This report needs JavaScript, which is in the file itself.</noscript>
<script type="application/json" id="tracefn-data">{data}</script>
<script type="module">{code}</script>
</body>
</html>
"""


def report(path: str | os.PathLike[str], title: str = "tracefn report") -> None:
    """Writes all that was traced in this process to one HTML file: functions, signatures, graphs, retraces with their
    reasons, timings, notices. It opens in any browser, offline, and shows the views of the JupyterLab panel.

    `python -m tracefn report notebook.ipynb -o report.html` runs a notebook or a script, and reports on it. Raises
    `WidgetBundleMissingError` in a checkout whose front end was not built.
    """
    Path(path).write_text(report_page(title), encoding="utf-8")


def report_page(title: str = "tracefn report") -> str:
    """The text of the file that `report` writes."""
    BUS.emit_calls(CounterReader())
    events = BUS.ledger.snapshot().events
    built = [(event.graph_hash, event.graph) for event in events if isinstance(event, GraphBuilt)]
    data = {
        "title": title,
        "events": [event.to_json() for event in events],
        "graphs": {name: graph.to_json() for name, graph in built if graph is not None},
        "answers": _answers({event.function for event in events if event.function}),
    }
    return _PAGE.format(
        policy=escape(POLICY, quote=True),
        title=escape(title),
        style=_built_file("tracefn.css"),
        data=json.dumps(data, allow_nan=False, default=str).replace("<", "\\u003c"),
        code=_built_file("report.js").replace("</script", "<\\/script"),
    )


def _answers(functions: Iterable[str]) -> list[dict[str, Any]]:
    """The answers that the views would ask of the kernel: reasons of traces, changes that would have avoided them, the
    outcome of each line, and the session in time."""
    recorded = ledger()
    found: list[dict[str, Any]] = [
        {"query": "timeline", "result": [span.to_dict() for span in recorded.timeline().spans]},
        {"query": "chrome_trace", "result": recorded.to_chrome_trace()},
    ]
    for function in filter(None, map(FUNCTIONS.living, sorted(functions))):
        outcomes = what_if(function, may_run=False).to_dict()
        found.append({"query": "what_if", "function": function.function_id, "result": outcomes})
        for concrete in function.concrete_functions:
            about = {"function": function.function_id, "trace": concrete.number}
            explanation = explain(function, concrete.number, may_run=False).to_dict()
            found.append({"query": "explain", **about, "result": explanation})
            found.append({"query": "staging", **about, "result": function.staging(concrete.number).to_dict()})
    return found


def _built_file(name: str) -> str:
    """The text of a file of the front end."""
    for folder in _folders():
        path = folder / "static" / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise WidgetBundleMissingError(
        message(
            f"The front-end code of reports is missing: {name} was not built.",
            fix="Run `npm ci` and `npm run build` in the checkout, or install the wheel, which has it.",
        )
    )


def _folders() -> list[Path]:
    """Where the widgets are, which are installed beside this package. They are not imported: they need anywidget."""
    spec = importlib.util.find_spec("tracefn_widgets")
    return [] if spec is None else [Path(folder) for folder in spec.submodule_search_locations or ()]
