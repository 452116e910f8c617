"""A real ipykernel for tests: run cells in it, and read what it publishes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parents[3]


class _OwnKernelManager(KernelManager):
    """Starts the ipykernel of one given Python, whatever kernelspecs the machine has."""

    python = sys.executable

    @property
    def kernel_spec(self) -> KernelSpec:
        argv = [self.python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="test", language="python")


class Kernel:
    """One running kernel. `messages` holds everything it published, in order."""

    def __init__(self, manager: KernelManager) -> None:
        self.manager = manager
        self.client = manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.messages: list[dict[str, Any]] = []

    def run(self, code: str, cell_id: str = "cell-1", timeout: float = 60, wait: bool = True) -> list[dict[str, Any]]:
        """Run a cell; the messages that its run published, or none yet if not to `wait`."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        request = self.client.session.msg("execute_request", content, metadata={"cellId": cell_id})
        self.client.shell_channel.send(request)
        if not wait:
            return []
        begin = len(self.messages)
        request_id = request["header"]["msg_id"]
        self.read_until(lambda message: _is_idle_of(message, request_id), timeout)
        self.reply = self._reply_to(request_id, timeout)
        return [m for m in self.messages[begin:] if m["parent_header"].get("msg_id") == request_id]

    def read_until(self, done: Any, timeout: float = 30) -> dict[str, Any]:
        """Read what is published until a message fulfils `done`."""
        end = time.monotonic() + timeout
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic()))
            except Empty:
                raise AssertionError(f"No such message in {timeout} s.") from None
            self.messages.append(message)
            if done(message):
                return message

    def read_for(self, seconds: float) -> None:
        """Read what is published for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                self.messages.append(self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic())))
            except Empty:
                return

    def events_messages(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The data of the messages on the events comm so far."""
        found = [m["content"] for m in self.messages if m["msg_type"] in ("comm_open", "comm_msg")]
        data = [content["data"] for content in found if content["comm_id"] == "tracefn.events"]
        return [message for message in data if kind in (None, message["kind"])]

    def send_comm(self, msg_type: str, content: dict[str, Any], subshell: str | None = None) -> None:
        """Send a comm message to the kernel as a front end does."""
        message = self.client.session.msg(msg_type, content)
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)

    def new_subshell(self) -> str | None:
        """The id of a new subshell; None where the kernel has none."""
        self.client.kernel_info()
        info = self._reply_of_type("kernel_info_reply")
        if "kernel subshells" not in info["content"].get("supported_features", []):
            return None
        self.client.control_channel.send(self.client.session.msg("create_subshell_request", {}))
        reply: dict[str, Any] = self.client.get_control_msg(timeout=30)
        subshell: str = reply["content"]["subshell_id"]
        return subshell

    def query(self, request: dict[str, Any], comm_id: str = "q1", timeout: float = 30) -> dict[str, Any]:
        """Send a query and read the answer."""
        subshell = self.subshell
        self.send_comm("comm_msg", {"comm_id": comm_id, "data": request}, subshell)
        answer = self.read_until(lambda m: m["msg_type"] == "comm_msg" and m["content"]["comm_id"] == comm_id, timeout)
        data: dict[str, Any] = answer["content"]["data"]
        return data

    subshell: str | None = None

    def open_queries(self, comm_id: str = "q1", subshell: str | None = None) -> None:
        """Open a query comm, on a subshell if one is given."""
        self.subshell = subshell
        self.send_comm("comm_open", {"comm_id": comm_id, "target_name": "tracefn.query", "data": {}}, subshell)

    def _reply_to(self, request_id: str, timeout: float) -> dict[str, Any]:
        while True:
            reply: dict[str, Any] = self.client.get_shell_msg(timeout=timeout)
            if reply["parent_header"].get("msg_id") == request_id:
                return reply

    def _reply_of_type(self, msg_type: str) -> dict[str, Any]:
        while True:
            reply: dict[str, Any] = self.client.get_shell_msg(timeout=30)
            if reply["msg_type"] == msg_type:
                return reply


@contextmanager
def real_kernel(python: str = sys.executable) -> Iterator[Kernel]:
    """A fresh kernel that can import tracefn from this checkout."""
    manager = _OwnKernelManager()
    manager.python = python
    paths = [str(ROOT / "kernel_side"), str(ROOT / "widgets"), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(paths), PYDEVD_DISABLE_FILE_VALIDATION="1")
    manager.start_kernel(env=env)
    try:
        kernel = Kernel(manager)
        yield kernel
        kernel.client.stop_channels()
    finally:
        manager.shutdown_kernel(now=True)


def _is_idle_of(message: dict[str, Any], request_id: str) -> bool:
    return (
        message["msg_type"] == "status"
        and message["content"]["execution_state"] == "idle"
        and message["parent_header"].get("msg_id") == request_id
    )
