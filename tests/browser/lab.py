"""JupyterLab as a test sees it: a page, the notebooks in it, their cells and kernels."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import Any

import nbformat
from browser.server import TOKEN, JupyterServer
from playwright.sync_api import Locator, Page

#: The notebook of a path. `jupyterapp` is there because the server runs with --expose-app-in-browser.
FIND = """
const find = path => [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path);
"""


class Lab:
    """One page with JupyterLab in it, in a workspace of its own."""

    _numbers = itertools.count(1)

    def __init__(self, page: Page, server: JupyterServer, workspace: str = "", path: str = "") -> None:
        self.page = page
        self.server = server
        self._workspace = workspace or f"test-{next(Lab._numbers)}"
        tree = f"/tree/{path}" if path else ""
        self.page.goto(f"{server.url}/lab/workspaces/{self._workspace}{tree}?token={TOKEN}")
        self._wait()

    def _wait(self) -> None:
        self.page.wait_for_function("window.jupyterapp !== undefined", timeout=120_000)
        self.evaluate("await jupyterapp.restored")

    def evaluate(self, body: str, argument: Any = None) -> Any:
        """Runs the text of an async JavaScript function's body in the page, for 60 s at most; `a` is the argument."""
        late = f"new Promise((_, reject) => setTimeout(() => reject(new Error({body!r} + ' takes too long')), 60000))"
        return self.page.evaluate(f"a => Promise.race([(async () => {{ {FIND} {body} }})(), {late}])", argument)

    def command(self, name: str, arguments: dict[str, Any] | None = None) -> None:
        """Runs a JupyterLab command and waits for it."""
        self.evaluate("await jupyterapp.commands.execute(a[0], a[1])", [name, arguments or {}])

    def reload(self) -> None:
        """Reloads the page, as a user does, once the workspace names the notebooks that are open: it opens again, and
        for a notebook that was closed JupyterLab would ask for a kernel."""
        paths = self.evaluate("return [...jupyterapp.shell.widgets('main')].map(w => w.context?.path).filter(p => p)")
        wanted, deadline = {f"notebook:{path}" for path in paths}, time.monotonic() + 20
        while {key for key in self._stored() if key.startswith("notebook:")} != wanted and time.monotonic() < deadline:
            time.sleep(0.1)
        self.page.reload()
        self._wait()

    def _stored(self) -> list[str]:
        """The keys of the stored workspace."""
        return list(self.server.request("GET", f"/lab/api/workspaces/{self._workspace}")["data"])

    def wait_until_stored(self, text: str) -> None:
        """Waits until the stored workspace has `text` in one of its keys: JupyterLab saves a moment later."""
        deadline = time.monotonic() + 60
        while True:
            stored = self._stored()
            if any(text in key for key in stored):
                return
            assert time.monotonic() < deadline, f"{text} is not in the workspace: {stored}"
            time.sleep(0.1)

    def set_theme(self, name: str) -> None:
        self.command("apputils:change-theme", {"theme": name})
        self.page.wait_for_selector(f'body[data-jp-theme-name="{name}"]', state="attached")
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")

    def set_setting(self, plugin: str, name: str, value: Any) -> None:
        """Changes a setting, as the settings editor does."""
        self.evaluate(
            "const services = [...jupyterapp.pluginRegistry._services.keys()];"
            "const token = services.find(({ name }) => name.endsWith(':ISettingRegistry'));"
            "await (await jupyterapp.resolveRequiredService(token)).set(...a)",
            [plugin, name, value],
        )

    def close_all(self) -> None:
        """Closes every notebook and ends its kernel."""
        self.evaluate(
            "for (const w of [...jupyterapp.shell.widgets('main')]) {"
            "  await w.sessionContext?.session?.kernel?.interrupt();"  # a busy kernel would be waited for
            "  await w.sessionContext?.shutdown(); w.dispose(); }"
        )

    def new_notebook(self, *cells: str) -> Notebook:
        """Writes a notebook with these code cells, opens it and waits for its kernel."""
        notebook = Notebook(self, f"notebook-{next(Lab._numbers)}.ipynb")
        content = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        body = {"type": "notebook", "format": "json", "content": content}
        self.server.request("PUT", f"/api/contents/{notebook.path}", body)
        notebook.open()
        return notebook


@dataclass(frozen=True)
class Notebook:
    """A notebook that is open in the page; cells count from 0."""

    lab: Lab
    path: str

    def open(self) -> None:
        """Opens it, or brings it to the front."""
        self.lab.command("docmanager:open", {"path": self.path})
        self.wait_for_kernel()

    def wait_for_kernel(self) -> None:
        self.lab.page.wait_for_function(f"path => {{ {FIND} return find(path) !== undefined; }}", arg=self.path)
        ready = "const w = find(a); await w.context.ready; await w.sessionContext.ready;"
        self.lab.evaluate(f"{ready} await w.sessionContext.session.kernel.info", self.path)

    def run(self, index: int) -> None:
        """Runs a cell to its end."""
        self.lab.evaluate(f"const w = find(a[0]); {self._run} await done;", [self.path, index])

    def start(self, index: int) -> None:
        """Starts a cell and returns while it runs."""
        self.lab.evaluate(f"const w = find(a[0]); {self._run}", [self.path, index])

    _run = """
    jupyterapp.shell.activateById(w.id);
    w.content.activeCellIndex = a[1];
    const done = jupyterapp.commands.execute('notebook:run-cell');
    """

    def run_all(self) -> None:
        self.lab.evaluate(
            "const w = find(a); jupyterapp.shell.activateById(w.id);"
            "await jupyterapp.commands.execute('notebook:run-all-cells');",
            self.path,
        )

    def is_running(self, index: int) -> bool:
        """Whether a cell that was started in this page still runs: its prompt has a star."""
        return "*" in self.cell(index).locator(".jp-InputPrompt").inner_text()

    def active_cell(self) -> int:
        return int(self.lab.evaluate("return find(a).content.activeCellIndex", self.path))

    def selected_text(self) -> str:
        """What is selected in the active cell's editor."""
        return str(
            self.lab.evaluate(
                "const { editor } = find(a).content.activeCell; const { start, end } = editor.getSelection();"
                "return editor.model.sharedModel.source.slice(editor.getOffsetAt(start), editor.getOffsetAt(end))",
                self.path,
            )
        )

    def source(self, index: int) -> str:
        """The text of a cell as it is now."""
        return str(
            self.lab.evaluate("return find(a[0]).content.widgets[a[1]].model.sharedModel.source", [self.path, index])
        )

    def save(self) -> None:
        self.lab.evaluate("await find(a).context.save()", self.path)

    def restart_kernel(self) -> None:
        self.lab.evaluate(
            "const { sessionContext } = find(a); await sessionContext.restartKernel();"
            "await sessionContext.session.kernel.info",
            self.path,
        )

    def scroll_to(self, index: int) -> None:
        self.lab.evaluate("await find(a[0]).content.scrollToItem(a[1], 'start')", [self.path, index])

    def output(self, index: int) -> Locator:
        """The outputs of a cell."""
        return self.cell(index).locator(".jp-OutputArea-output")

    def cell(self, index: int) -> Locator:
        """A cell, with its outputs."""
        widget = self.lab.evaluate("return find(a).id", self.path)
        return self.lab.page.locator(f'.jp-NotebookPanel[id="{widget}"] .jp-Notebook .jp-Cell').nth(index)
