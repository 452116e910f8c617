"""Attaches tracefn to the IPython shell or Jupyter kernel that runs this process, once."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from tracefn.events.lock import LOCK
from tracefn.notebook.cell_tracker import CellTracker

_trackers: weakref.WeakKeyDictionary[Any, CellTracker] = weakref.WeakKeyDictionary()


def attach() -> bool:
    """Follow the cells of the running shell and, if it belongs to a kernel, stream events to its front end.

    Does nothing a second time, and nothing outside IPython, where it returns False.
    """
    if "IPython" not in sys.modules:
        return False
    shell = getattr(sys.modules["IPython"], "get_ipython", _no_shell)()
    if shell is None:
        return False
    if shell not in _trackers:
        tracker_of(shell)
    return True


def tracker_of(shell: Any) -> CellTracker:
    """The cell tracker of `shell`, attached first if need be."""
    with LOCK:
        tracker = _trackers.get(shell)
        if tracker is None:
            tracker = _trackers[shell] = CellTracker(shell)
            if getattr(shell, "kernel", None) is not None:
                _open_comms(tracker)
        return tracker


def load_ipython_extension(shell: Any) -> None:
    """Run by `%load_ext tracefn`: attach, and add the magics."""
    from tracefn.notebook.magics import add_magics

    add_magics(shell, tracker_of(shell))


def unload_ipython_extension(shell: Any) -> None:
    """Run by `%unload_ext tracefn`: remove the magics. Traces stay known, and the panel linked."""
    from tracefn.notebook.magics import remove_magics

    remove_magics(shell)


def _no_shell() -> None:
    """Stands in while IPython is still being imported."""


def _open_comms(tracker: CellTracker) -> None:
    from tracefn.notebook.comms import open_comms

    publisher = open_comms(_version(), lambda: bool(tracker.running))
    tracker.on_change = publisher.look


def _version() -> str:
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    try:
        return installed_version("tracefn")
    except PackageNotFoundError:
        return "unknown"
