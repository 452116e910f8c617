"""A real JupyterLab server for tests, on a free loopback port, that knows nothing of the user's own settings."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

TOKEN = "browser-tests"

#: To import JupyterLab is 5 s of work: a minute where much else runs on the machine. One that fails is not waited for.
MOST_STARTING_S = 300

#: Settings that keep the page quiet: no news, no update check, no save questions.
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {"checkForUpdates": False, "fetchNews": "false"},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/apputils-extension:kernels-settings": {},
}


class JupyterServer:
    """JupyterLab with `folder` as its root. `start` returns when it answers; `stop` ends it and its kernels.

    `startup` are the Python files that its kernels run first.
    """

    def __init__(self, folder: Path, *startup: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self._home = folder / "home"
        self._home.mkdir()
        first = self._home / "ipython" / "profile_default" / "startup"
        first.mkdir(parents=True)
        for file in startup:
            shutil.copy(file, first)
        self._log = folder / "server.log"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        home = str(self._home)
        environment = {
            **os.environ,
            "HOME": home,
            "IPYTHONDIR": f"{home}/ipython",
            "JUPYTER_CONFIG_DIR": f"{home}/config",
            "JUPYTER_DATA_DIR": f"{home}/data",
            "JUPYTER_RUNTIME_DIR": f"{home}/runtime",
            "JUPYTERLAB_SETTINGS_DIR": f"{home}/settings",
            "JUPYTERLAB_WORKSPACES_DIR": f"{home}/workspaces",
        }
        settings = self._home / "overrides"
        settings.mkdir()
        (settings / "overrides.json").write_text(json.dumps(OVERRIDES))
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--expose-app-in-browser", "--allow-root"),
            f"--ServerApp.root_dir={self.folder}",
            f"--ServerApp.port={self._port}",
            "--ServerApp.port_retries=0",
            "--ServerApp.ip=127.0.0.1",
            f"--IdentityProvider.token={TOKEN}",
            "--JupyterNotebookApp.expose_app_in_browser=True",
            "--LabApp.news_url=",
            "--LabApp.extension_manager=readonly",
            f"--LabApp.app_settings_dir={settings}",
        ]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(command, env=environment, cwd=self.folder, stdout=log, stderr=log)
        deadline = time.monotonic() + MOST_STARTING_S
        while True:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"JupyterLab did not start:\n{self.log()}")
            try:
                self.request("GET", "/api/status")
                return
            except OSError:  # it refuses, or it has accepted and does not answer yet
                time.sleep(0.1)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(15)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """The answer of the server's REST interface, from JSON; None where there is none."""
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None
